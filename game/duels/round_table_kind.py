"""The base class of games in which players take turns on one device. Only one of them can act."""

from abc import ABC, abstractmethod

from django.utils.translation import gettext as _

from game.core.kind import Kind
from game.core.refusals import Refused


class RoundTableKind(Kind, ABC):
    @property
    @abstractmethod
    def others_turn(self) -> str:
        """The name of the player whose turn it is, or "" if it is this card's turn."""

    @property
    def waits(self) -> str:
        name = self.others_turn
        return _("Pass the dice to %(name)s.") % {"name": name} if name else ""

    def check_turn(self) -> None:
        if name := self.others_turn:
            raise Refused(_("It is %(name)s's turn.") % {"name": name})
