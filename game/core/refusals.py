"""Why an action was not done. Nothing was changed when one of these is raised."""

from typing import ClassVar

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from solver.rules import Action


class Refused(Exception):
    """The message is for the player; ``status`` is the answer's."""

    status: ClassVar[int] = 409

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StaleAction(Refused):
    """The page had not seen the latest decisions."""

    def __init__(self) -> None:
        super().__init__(_("You played on in another window. Here is the current game."))


class GameIsOver(Refused):
    def __init__(self) -> None:
        super().__init__(_("This game is over: you can no longer change it."))


class IllegalMove(Refused):
    """The rules forbid it."""

    status = 400


class NotUnderstood(Refused):
    """The request itself makes no sense."""

    status = 400

    def __init__(self) -> None:
        super().__init__(_("The server did not understand that request. Nothing was changed."))


class AskFirst(Refused):
    """The player wants to be asked before such a choice; ``action`` is what was meant.

    ``coach`` says that it is the coach who asks: there is something better.
    """

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
    """Nothing can be judged on this server."""

    status = 503

    def __init__(self) -> None:
        super().__init__(_("This server has no value table yet, so the coach cannot judge moves."))


class InTrial(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial: you can play other games when yours are finished.")
        )


class NotYours(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This game belongs to another player."))
