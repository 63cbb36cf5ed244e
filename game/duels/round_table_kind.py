"""Games of people with one device, who take turns with it: who is not next can do nothing."""

from abc import ABC, abstractmethod

from django.utils.translation import gettext as _

from game.core.kind import Kind
from game.core.refusals import Refused


class RoundTableKind(Kind, ABC):
    @property
    @abstractmethod
    def others_turn(self) -> str:
        """The name of whose turn it is, where that is somebody else's."""

    @property
    def waits(self) -> str:
        name = self.others_turn
        return _("The dice go to %(name)s.") % {"name": name} if name else ""

    def check_turn(self) -> None:
        if name := self.others_turn:
            raise Refused(_("It is the turn of %(name)s.") % {"name": name})
