"""Refusals: errors with the reason why an action was refused. A refused action changes nothing."""

from typing import ClassVar

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from solver.rules import Action


class Refused(Exception):
    """The error for a refused action, with a message for the player and an HTTP ``status``."""

    status: ClassVar[int] = 409

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StaleAction(Refused):
    """The error for an action from an outdated page, which lacks the latest decision."""

    def __init__(self) -> None:
        super().__init__(_("You continued this game in another window. Here is the current game."))


class GameIsOver(Refused):
    def __init__(self) -> None:
        super().__init__(_("This game is over: you can no longer change it."))


class IllegalMove(Refused):
    status = 400


class NotUnderstood(Refused):
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The server did not understand that request. Nothing was changed."))


class AskFirst(Refused):
    """The error that asks the player to confirm ``action``. ``coach``: a better move is known."""

    status = 200

    def __init__(self, message: str, action: Action, *, coach: bool = False) -> None:
        super().__init__(message)
        self.action = action
        self.coach = coach


class NoSuchGame(Http404):
    def __init__(self) -> None:
        super().__init__(_("There is no such game."))


class NoSuchRules(Refused):
    status = 400

    def __init__(self) -> None:
        super().__init__(_("There are no rules with that name."))


class NoTable(Refused):
    """The error for an action that needs a value table which this server does not have."""

    status = 503

    def __init__(self) -> None:
        super().__init__(_("This server has no value table yet, so the coach cannot judge moves."))


class InTrial(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial: finish its games before you play other games.")
        )


class NotYours(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This game belongs to another player."))
