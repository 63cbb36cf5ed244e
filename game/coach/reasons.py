"""Why the best option is the best, in one or two sentences, chosen by what makes the difference.

The first says what the option is about, the second where another one would lose: another box that
looks better, else the next best, or the one that somebody chose. All comes from the tables; where
the outlook or the parts are missing, less is said. No box is a reason for itself, and no number is
said twice: what a decision cost stands beside its reason.
"""

from collections.abc import Iterator

from django.utils.functional import cached_property

from game.coach import reason_words
from game.coach.reason_words import NOTICEABLE, Before, Contrast, Found, Missed, Telling
from game.core.words import phrases
from solver.advice import BONUS, Advice, Advisor, Option, Outlook
from solver.advice.aims import Aim, aim_among
from solver.advice.options import in_order
from solver.rules import Ruleset
from solver.rules.position import Position

CLOSE = 0.3  # points by which the next best option may cost more for a choice to be close

TELLING = 0.3  # of what an option costs: so much must lie in one place for that to be the reason

Parts = dict[str, float]


def why_best(advisor: Advisor, position: Position, advice: Advice) -> str:
    """Return why an option is best, for a player who has not decided yet."""
    return _told(_Reason(advisor, position, advice, Before(advisor.rules)))


def why_it_was(advisor: Advisor, position: Position, advice: Advice, chosen: Option) -> str:
    """To somebody who chose: why that was the best, or what spoke for another option."""
    telling = Found(advisor.rules) if chosen.best else Missed(advisor.rules)
    return _told(_Reason(advisor, position, advice, telling, chosen))


def aims_of(advisor: Advisor, position: Position, option: Option) -> str:
    """Return what a hold aims for, and what it leaves of the bonus."""
    told = _aims_at(Before(advisor.rules), aim_among(advisor.endings(position, option)))
    if option.outlook is None or not bonus_in_reach(position):
        return told
    return f"{told} {reason_words.bonus_then(option.outlook.bonus_chance)}"


def bonus_in_reach(position: Position) -> bool:
    """Return whether the bonus is neither secured nor lost."""
    rules, upper = position.rules, position.upper
    still = sum(rules.dice * rules.categories[box].face for box in rules.open(position.filled))
    return upper < rules.bonus_threshold <= upper + still


def _told(reason: "_Reason") -> str:
    return " ".join(reason.sentences())


def _aims_at(telling: Telling, aim: Aim | None) -> str:
    return telling.aims_at(aim) if aim else telling.brings_nothing()


class _Reason:
    """``done`` is what somebody chose: it is told of where it is as good as the best."""

    def __init__(
        self,
        advisor: Advisor,
        position: Position,
        advice: Advice,
        telling: Telling,
        done: Option | None = None,
    ) -> None:
        self.advisor = advisor
        self.rules: Ruleset = advisor.rules
        self.position = position
        self.options = advice.options
        self.telling = telling
        self.first = done if done is not None and done.best else advice.best
        self.chosen = done if done is not None and not done.best else None

    def sentences(self) -> Iterator[str]:
        if len(self.options) == 1:
            yield self._forced()
        elif self._looks_better(self.rival):
            yield from self._against_more_points(self.rival)
        else:
            yield from self._about_best()
            yield from self._beside()
        if self._kept >= NOTICEABLE:
            yield self.telling.keeps(self.position.throws_left, self._kept)

    @cached_property
    def _kept(self) -> float:
        """Points that saved throws are worth, where the best is a box that leaves some."""
        if not self.rules.stock or self.best.action == "hold":
            return 0.0
        return self.advisor.saved_worth(self.position, self.best)

    def _forced(self) -> str:
        only = len(self.rules.open(self.position.filled)) == 1
        return self.telling.only_box() if only else self.telling.joker_goes_there()

    @cached_property
    def best(self) -> Option:
        """The best option. Next to a box, keeping all dice to fill it later is that box."""
        if self._stops and self.chosen is not None and self.chosen.action == "score":
            boxes = (one for one in self.options if one.best and one.action == "score")
            return next(boxes, self.first)
        return self.first

    @property
    def _stops(self) -> bool:
        """True if the best option holds all dice although rolls are left."""
        return self.first.action == "hold" and len(self.first.dice) == self.rules.dice

    @cached_property
    def rival(self) -> Option:
        if self.chosen is not None:
            return self.chosen
        if self.best.action == "score" and self._tempting:
            return max(self._tempting, key=lambda option: option.points)  # the first is worth most
        return next((one for one in self._others if one.regret >= NOTICEABLE), self._others[0])

    @cached_property
    def _tempting(self) -> list[Option]:
        return [one for one in self._others if self._looks_better(one)]

    def _looks_better(self, other: Option) -> bool:
        boxes = self.best.action == other.action == "score"
        return boxes and other.points > self.best.points and other.regret >= NOTICEABLE

    @cached_property
    def _others(self) -> list[Option]:
        """Beside keeping all dice, which is scoring one throw later, it is other throws."""
        others = [one for one in self.options if one is not self.first]
        return [one for one in others if one.action == "hold" or not self._stops]

    def _about_best(self) -> Iterator[str]:
        if self.best.action == "hold":
            yield self.telling.stops() if self._stops else self._about_hold()
        elif self._secures_bonus:
            yield self.telling.secures_bonus()
        elif not any(option.points for option in self.options):
            yield self.telling.nothing_fits()
        elif self.rival.action == "hold":
            if self._kept < NOTICEABLE:
                yield self.telling.stops()
        elif self.best.points == max(option.points for option in self.options):
            yield self.telling.brings_most()
        elif self.best.points > self.rival.points:
            yield self.telling.brings_more()

    def _about_hold(self) -> str:
        if not self.best.dice:
            return self.telling.holds_nothing()
        return _aims_at(self.telling, self._aim)

    @cached_property
    def _aim(self) -> Aim | None:
        """The aim of the best hold; None for a box, for all dice and for no dice."""
        if self.best.action == "score" or self._stops or not self.best.dice:
            return None
        return aim_among(self.advisor.endings(self.position, self.best))

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

    def _beside(self) -> Iterator[str]:
        """Yield reasons against another option, or that there are none."""
        nearest = self.chosen or self._others[0]
        if self._long:
            return
        if nearest.regret < (CLOSE if isinstance(self.telling, Found) else NOTICEABLE):
            yield self.telling.close(nearest)
        elif isinstance(self.telling, Contrast):
            yield from self._where_it_loses(self.telling, self.rival)

    @property
    def _long(self) -> bool:
        """True if the first sentence names several boxes: a second sentence would be too much."""
        rest = self._aim.rest if self._aim else None
        return rest is not None and len(rest.boxes) > 1

    def _against_more_points(self, rival: Option) -> Iterator[str]:
        more = rival.points - self.best.points
        fewer = self.best.value - self.best.points - (rival.value - rival.points)
        if self._new(more, fewer):
            yield self.telling.now_and_later(rival, more, fewer)
        else:
            yield self.telling.now_not_later(rival)
        if isinstance(self.telling, Contrast):
            yield from self._where_it_loses(self.telling, rival, more, fewer)

    def _where_it_loses(self, telling: Contrast, rival: Option, *said: float) -> Iterator[str]:
        """``said`` are the numbers of a sentence that named it."""
        lost = self._largest(rival)
        outlooks = self._falling_bonus(rival)
        if outlooks and (lost is None or lost[0] == BONUS):
            shown = [min(99, max(1, round(100 * one.bonus_chance))) for one in outlooks]
            if self._new(*said, *shown):
                yield telling.bonus_falls(None if said else rival, *outlooks)
        elif lost is None or lost[1] < TELLING * rival.regret or lost[0] == BONUS:
            return
        elif lost[0] == rival.category:
            yield from self._left_open(telling, rival, *said)
        elif lost[0] not in self._explained:
            yield telling.loses_in(None if said else rival, lost[0])

    def _left_open(self, telling: Contrast, rival: Option, *said: float) -> Iterator[str]:
        """Nothing new where it has been said what comes later."""
        expected = self._expected[0][rival.category]
        if not said and self._new(expected):
            yield telling.left_open(rival.category, expected)

    def _new(self, *numbers: float) -> bool:
        """Return whether the numbers differ from each other and from those shown next to the
        reason."""
        shown = {phrases.points(number) for number in numbers}
        return len(shown) == len(numbers) and shown.isdisjoint(map(phrases.points, self._known))

    @property
    def _known(self) -> tuple[float, ...]:
        """The numbers that a verdict shows before the reason."""
        if isinstance(self.telling, Found):
            return (self.best.points,)
        if isinstance(self.telling, Missed):
            return (self.best.points, self.rival.points, self.rival.regret)
        return ()

    @property
    def _explained(self) -> set[str]:
        """The boxes that already explain the choice."""
        if self.best.action == "score":
            return {self.best.category}
        if self._aim is None:
            return set()
        return {self._aim.box, *(self._aim.rest.boxes if self._aim.rest else ())}

    @cached_property
    def _expected(self) -> list[Parts]:
        """Expected points by box, of the best option and of its rival; empty without the table."""
        told = self.advisor.expected_of(self.position, self.best, self.rival) or ()
        return [{part.box: part.points for part in parts} for parts in told]

    def _largest(self, rival: Option) -> tuple[str, float] | None:
        """Return the box in which the rival loses most, and how much."""
        if not self._expected:
            return None
        best, other = self._expected
        parts = [(box, points - other[box]) for box, points in best.items()]
        return parts[in_order([-points for _box, points in parts])[0]]

    def _falling_bonus(self, rival: Option) -> tuple[Outlook, Outlook] | None:
        """Before and after, where the bonus is lost to a good part, and that can be seen."""
        before, after = self.best.outlook, rival.outlook
        if before is None or after is None or not bonus_in_reach(self.position):
            return None
        lost = (before.bonus_chance - after.bonus_chance) * self.rules.bonus_points
        seen = phrases.percent(before.bonus_chance) != phrases.percent(after.bonus_chance)
        return (before, after) if seen and lost >= TELLING * rival.regret else None
