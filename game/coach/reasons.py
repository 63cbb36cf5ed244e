"""Why the best option is the best, in one or two sentences, chosen by what makes the difference.

The first says what the option is about, the second what another one would cost, and where: of
another box that looks better, else of the next best, or of the one that somebody chose. All comes
from the tables; where the outlook or the parts are missing, less is said.
"""

from collections.abc import Iterator

from django.utils.functional import cached_property

from game.words import phrases, reasons
from solver.advice import BONUS, Advice, Advisor, Option, Outlook
from solver.dp.space import TIE
from solver.rules import Ruleset
from solver.rules.position import Position

NOTICEABLE = 0.05  # points: less is 0.0 when it is shown
ASTRAY = 0.4  # of what it costs: so far may two parts be from it and still be told as its sum
TELLING = 0.3  # of what an option costs: so much must lie in one place for that to be the reason

Parts = dict[str, float]


def why_best(
    advisor: Advisor, position: Position, advice: Advice, other: Option | None = None
) -> str:
    """``other`` is what somebody chose; where nothing was, or the best, a rival is looked for."""
    rival = other if other is not None and not other.best else None
    return " ".join(_Reason(advisor, position, advice, rival).sentences())


def aims_of(advisor: Advisor, position: Position, option: Option) -> str:
    """What a hold goes for, and what that leaves of the bonus."""
    told = reasons.goes_for(advisor.rules, advisor.aims(position, option))
    if option.outlook is None or not bonus_in_reach(position):
        return told
    return f"{told} {reasons.bonus_then(option.outlook.bonus_chance)}"


def bonus_in_reach(position: Position) -> bool:
    """Neither there already nor lost for good."""
    rules, upper = position.rules, position.upper
    still = sum(rules.dice * rules.categories[box].face for box in rules.open(position.filled))
    return upper < rules.bonus_threshold <= upper + still


class _Reason:
    def __init__(
        self, advisor: Advisor, position: Position, advice: Advice, rival: Option | None
    ) -> None:
        self.advisor = advisor
        self.rules: Ruleset = advisor.rules
        self.position = position
        self.options = advice.options
        self.best = advice.best
        self.chosen = rival

    def sentences(self) -> Iterator[str]:
        if len(self.options) == 1:
            yield self._forced()
            return
        rival = self.rival
        if self._looks_better(rival):
            yield reasons.now_and_later(self.rules, self.best, rival)
            yield from self._later(rival)
            return
        yield from self._about_best()
        yield self._against(rival)

    def _forced(self) -> str:
        only = len(self.rules.open(self.position.filled)) == 1
        return reasons.only_box() if only else reasons.joker_goes_there()

    @cached_property
    def rival(self) -> Option:
        if self.chosen is not None:
            return self.chosen
        if self.best.action == "score" and self._tempting:
            return max(self._tempting, key=lambda option: (option.points, option.value))
        return next((one for one in self._others if one.regret >= NOTICEABLE), self._others[0])

    @cached_property
    def _tempting(self) -> list[Option]:
        return [one for one in self._others if self._looks_better(one)]

    def _looks_better(self, other: Option) -> bool:
        boxes = self.best.action == other.action == "score"
        return boxes and other.points > self.best.points and other.regret >= NOTICEABLE

    @cached_property
    def _others(self) -> list[Option]:
        """Keeping all dice is scoring one throw later: what speaks against it is another throw."""
        others = self.options[1:]
        return [one for one in others if one.action == "hold" or not self._stops]

    @property
    def _stops(self) -> bool:
        return self.best.action == "hold" and len(self.best.dice) == self.rules.dice

    def _about_best(self) -> Iterator[str]:
        if self._stops:
            yield from self._where_it_stops()
        elif self.best.action == "hold":
            yield reasons.goes_for(self.rules, self.advisor.aims(self.position, self.best))
        elif self._secures_bonus:
            yield reasons.secures_bonus()
        elif not any(option.points for option in self.options):
            yield reasons.nothing_fits()
        elif self.best.points == max(option.points for option in self.options):
            yield reasons.most_now()

    def _where_it_stops(self) -> Iterator[str]:
        scored = next((one for one in self.options if one.best and one.points), None)
        if scored:
            yield reasons.stops_at(self.rules, scored)

    @property
    def _secures_bonus(self) -> bool:
        face = self.rules.categories[self.rules.index[self.best.category]].face
        before, needed = self.position.upper, self.rules.bonus_threshold
        return bool(face) and before < needed <= before + self._own_points(self.best)

    def _own_points(self, scored: Option) -> int:
        """Without the chip of a joker, which is written elsewhere."""
        joker = self.rules.joker_thrown(
            self.position.filled, self.position.chips_won, self.position.dice
        )
        return scored.points - (joker.chip if joker else 0)

    def _against(self, rival: Option) -> str:
        if rival.regret < TIE:
            return reasons.as_good(self.rules, rival)
        if rival.regret < NOTICEABLE:
            return reasons.nearly_as_good(self.rules, rival)
        lost = self._largest(rival)
        outlooks = self._falling_bonus(rival)
        if outlooks and (lost is None or lost[0] == BONUS):
            return reasons.costs_bonus(self.rules, rival, *outlooks)
        return self._where_it_costs(rival, lost)

    def _where_it_costs(self, rival: Option, lost: tuple[str, float] | None) -> str:
        if lost is None or lost[1] < TELLING * rival.regret:
            return reasons.costs(self.rules, rival)
        if phrases.points(lost[1]) == phrases.points(rival.regret):
            return reasons.costs_only_in(self.rules, rival, lost[0])
        if lost[1] < rival.regret:
            return reasons.costs_in_box(self.rules, rival, *lost)
        won, points = min(self._differences(rival).items(), key=lambda part: part[1])
        if abs(lost[1] + points - rival.regret) > ASTRAY * rival.regret:
            return reasons.costs_above_all_in(self.rules, rival, lost[0])
        return reasons.costs_and_gains(self.rules, rival, lost, (won, -points))

    def _later(self, rival: Option) -> Iterator[str]:
        """Where the points are lost that a box takes that brings more of them now."""
        lost = self._largest(rival)
        outlooks = self._falling_bonus(rival)
        if outlooks and (lost is None or lost[0] == BONUS):
            yield reasons.bonus_falls(*outlooks)
        elif lost is None:
            return
        elif lost[0] == rival.category:
            yield reasons.left_open(self.rules, lost[0], self._expected[0][lost[0]])
        elif lost[0] == self.best.category:
            yield reasons.only_later(self.rules, lost[0], self._expected[1][lost[0]])
        else:
            yield reasons.brings_less(self.rules, *lost)

    @cached_property
    def _expected(self) -> list[Parts]:
        """By box, of the best option and of its rival; empty without the table."""
        told = self.advisor.expected_of(self.position, self.best, self.rival) or ()
        return [{part.box: part.points for part in parts} for parts in told]

    def _differences(self, rival: Option) -> Parts:
        if not self._expected:
            return {}
        best, other = self._expected
        return {box: points - other[box] for box, points in best.items()}

    def _largest(self, rival: Option) -> tuple[str, float] | None:
        """Where the rival loses most."""
        parts = self._differences(rival)
        return max(parts.items(), key=lambda part: part[1], default=None)

    def _falling_bonus(self, rival: Option) -> tuple[Outlook, Outlook] | None:
        """Before and after, where the bonus is lost to a good part, and that can be seen."""
        before, after = self.best.outlook, rival.outlook
        if before is None or after is None or not bonus_in_reach(self.position):
            return None
        lost = (before.bonus_chance - after.bonus_chance) * self.rules.bonus_points
        seen = phrases.percent(before.bonus_chance) != phrases.percent(after.bonus_chance)
        return (before, after) if seen and lost >= TELLING * rival.regret else None
