"""The sentences that make a reason; ``game.coach.reasons`` chooses among them.

They are told before a decision or after it, then of what was missed or of what was found. Each has
its own sentences, for the tense tells which. What a decision costs is in none of them: it stands
beside every one.
"""

from abc import ABC, abstractmethod

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.coach.winning_advice import odds
from game.core.words import phrases
from solver.advice import NO_POINTS, Option, Outlook
from solver.advice.aims import ALWAYS, Aim, Rest
from solver.dp.space import TIE
from solver.rules import Ruleset

NOTICEABLE = 0.05  # points: less is 0.0 when it is shown


class Telling(ABC):
    """The words about the best option; ``rival`` is the option that it is compared with."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules

    @abstractmethod
    def aims_at(self, aim: Aim) -> str: ...

    @abstractmethod
    def brings_nothing(self) -> str:
        """Return a hold after which no points can be had."""

    @abstractmethod
    def holds_nothing(self) -> str: ...

    @abstractmethod
    def stops(self) -> str: ...

    @abstractmethod
    def keeps(self, throws: int, points: float) -> str:
        """Throws that are saved, and what they are worth."""

    @abstractmethod
    def secures_bonus(self) -> str: ...

    @abstractmethod
    def brings_most(self) -> str: ...

    @abstractmethod
    def brings_more(self) -> str:
        """Than the rival."""

    @abstractmethod
    def nothing_fits(self) -> str: ...

    @abstractmethod
    def only_box(self) -> str: ...

    @abstractmethod
    def joker_goes_there(self) -> str: ...

    @abstractmethod
    def now_and_later(self, rival: Option, more: int, fewer: float) -> str:
        """Describe a box that looks better than it is."""

    @abstractmethod
    def now_not_later(self, rival: Option) -> str:
        """Return the same without its numbers."""

    @abstractmethod
    def close(self, rival: Option) -> str: ...

    def box(self, box: str) -> str:
        return phrases.box(self.rules, box)

    def option(self, option: Option) -> str:
        return phrases.option(self.rules, option)

    def otherwise(self, rest: Rest) -> str:
        """Describe what happens if an aim fails, as a part of its sentence."""
        if not rest.boxes:
            return _("one of several boxes")
        names = [self.box(box) if box != NO_POINTS else _("no points") for box in rest.boxes]
        told = names[0]
        if len(names) > 1:
            told = _("%(first)s or %(last)s") % {"first": names[0], "last": names[-1]}
        return told if rest.share >= ALWAYS else _("mostly %(boxes)s") % {"boxes": told}

    def compared(self, rival: Option, more: int, fewer: float) -> dict[str, str | int]:
        return {"name": self.box(rival.category), "more": more, "fewer": phrases.points(fewer)}

    def chances(self, aim: Aim, rest: Rest) -> dict[str, str]:
        return {
            "aim": self.box(aim.box),
            "chance": odds(aim.chance),
            "rest": self.otherwise(rest),
        }


class Contrast(Telling, ABC):
    """Says besides where the rival loses: the option that is given, or the one just named."""

    @abstractmethod
    def bonus_falls(self, rival: Option | None, before: Outlook, after: Outlook) -> str: ...

    @abstractmethod
    def left_open(self, box: str, expected: float) -> str: ...

    @abstractmethod
    def loses_in(self, rival: Option | None, box: str) -> str: ...


class Before(Contrast):
    def aims_at(self, aim: Aim) -> str:
        if aim.rest is None:
            return _("Aims for %(aim)s.") % {"aim": self.box(aim.box)}
        facts = self.chances(aim, aim.rest)
        return _("Aims for %(aim)s (%(chance)s), or else %(rest)s.") % facts

    def brings_nothing(self) -> str:
        return _("This turn then scores nothing.")

    def holds_nothing(self) -> str:
        return _("None of these dice is worth holding.")

    def stops(self) -> str:
        return _("Rolling again gains nothing on average.")

    def keeps(self, throws: int, points: float) -> str:
        return ngettext(
            "It saves %(throws)s roll, worth %(points)s points later.",
            "It saves %(throws)s rolls, worth %(points)s points later.",
            throws,
        ) % {"throws": throws, "points": phrases.points(points)}

    def secures_bonus(self) -> str:
        return _("It secures the bonus.")

    def brings_most(self) -> str:
        return _("No other box brings more points now.")

    def brings_more(self) -> str:
        return _("It brings more points now.")

    def nothing_fits(self) -> str:
        return _("These dice score nothing in any open box.")

    def only_box(self) -> str:
        return _("It is the only open box.")

    def joker_goes_there(self) -> str:
        return _("These dice are a joker and must go there.")

    def now_and_later(self, rival: Option, more: int, fewer: float) -> str:
        return ngettext(
            "%(name)s would bring %(more)s point more now, but %(fewer)s fewer later.",
            "%(name)s would bring %(more)s points more now, but %(fewer)s fewer later.",
            more,
        ) % self.compared(rival, more, fewer)

    def now_not_later(self, rival: Option) -> str:
        return _("%(name)s would bring more now, but less in the end.") % {
            "name": self.box(rival.category)
        }

    def close(self, rival: Option) -> str:
        facts = {"option": self.option(rival)}
        if rival.regret < TIE:
            return _("“%(option)s” is worth just as much.") % facts
        return _("“%(option)s” would be worth nearly as much.") % facts

    def bonus_falls(self, rival: Option | None, before: Outlook, after: Outlook) -> str:
        chances = _falling(before, after)
        if rival is None:
            return _("The chance of the bonus would fall from %(before)s to %(after)s.") % chances
        facts = {"option": self.option(rival), **chances}
        return _("“%(option)s” lowers the bonus chance from %(before)s to %(after)s.") % facts

    def left_open(self, box: str, expected: float) -> str:
        facts = {"name": self.box(box), "points": phrases.points(expected)}
        return _("An open %(name)s box is still worth %(points)s points.") % facts

    def loses_in(self, rival: Option | None, box: str) -> str:
        if rival is None:
            return _("Most points would be lost in %(name)s.") % {"name": self.box(box)}
        facts = {"option": self.option(rival), "name": self.box(box)}
        return _("“%(option)s” would lose points mainly in %(name)s.") % facts


class After(Telling, ABC):
    def aims_at(self, aim: Aim) -> str:
        if aim.rest is None:
            return _("The aim was %(aim)s.") % {"aim": self.box(aim.box)}
        facts = self.chances(aim, aim.rest)
        return _("The aim was %(aim)s (%(chance)s), or else %(rest)s.") % facts

    def brings_nothing(self) -> str:
        return _("This turn could not score any points.")

    def holds_nothing(self) -> str:
        return _("None of these dice was worth holding.")

    def stops(self) -> str:
        return _("Rolling again would have gained nothing on average.")

    def keeps(self, throws: int, points: float) -> str:
        return ngettext(
            "It saved %(throws)s roll, worth %(points)s points later.",
            "It saved %(throws)s rolls, worth %(points)s points later.",
            throws,
        ) % {"throws": throws, "points": phrases.points(points)}

    def secures_bonus(self) -> str:
        return _("It secured the bonus.")

    def brings_most(self) -> str:
        return _("No other box brought more points.")

    def brings_more(self) -> str:
        return _("It brought more points at once.")

    def nothing_fits(self) -> str:
        return _("These dice scored nothing in any open box.")

    def only_box(self) -> str:
        return _("It was the only open box.")

    def joker_goes_there(self) -> str:
        return _("These dice were a joker and had to go there.")

    def close(self, rival: Option) -> str:
        facts = {"option": self.option(rival), "points": phrases.points(rival.regret)}
        if rival.regret < TIE:
            return _("“%(option)s” was worth just as much.") % facts
        if rival.regret < NOTICEABLE:
            return _("“%(option)s” was worth nearly as much.") % facts
        return _("“%(option)s” was only %(points)s points behind.") % facts


class Missed(After, Contrast):
    """Words for a move that the best option would have beaten."""

    def now_and_later(self, rival: Option, more: int, fewer: float) -> str:
        return ngettext(
            "%(name)s brought %(more)s point more at once, but cost %(fewer)s later.",
            "%(name)s brought %(more)s points more at once, but cost %(fewer)s later.",
            more,
        ) % self.compared(rival, more, fewer)

    def now_not_later(self, rival: Option) -> str:
        return _("%(name)s brought more at once, but less in the end.") % {
            "name": self.box(rival.category)
        }

    def bonus_falls(self, rival: Option | None, before: Outlook, after: Outlook) -> str:
        facts = _falling(before, after)
        return _("The chance of the bonus fell from %(before)s to %(after)s.") % facts

    def left_open(self, box: str, expected: float) -> str:
        facts = {"name": self.box(box), "points": phrases.points(expected)}
        return _("An open %(name)s box was still worth %(points)s points.") % facts

    def loses_in(self, rival: Option | None, box: str) -> str:
        return _("Most points were lost in %(name)s.") % {"name": self.box(box)}


class Found(After):
    """Words for a best move."""

    def now_and_later(self, rival: Option, more: int, fewer: float) -> str:
        return ngettext(
            "%(name)s would have brought %(more)s point more at once, but cost %(fewer)s later.",
            "%(name)s would have brought %(more)s points more at once, but cost %(fewer)s later.",
            more,
        ) % self.compared(rival, more, fewer)

    def now_not_later(self, rival: Option) -> str:
        return _("%(name)s would have brought more at once, but less in the end.") % {
            "name": self.box(rival.category)
        }


def bonus_then(chance: float) -> str:
    return _("The chance of the bonus is then %(chance)s.") % {"chance": phrases.percent(chance)}


def _falling(before: Outlook, after: Outlook) -> dict[str, str]:
    return {
        "before": phrases.percent(before.bonus_chance),
        "after": phrases.percent(after.bonus_chance),
    }
