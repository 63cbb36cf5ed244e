"""Reads the sentences of a reason, and holds what they say against the tables."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import pytest

from game.coach.reasons import bonus_in_reach
from game.words import phrases
from solver.advice import BONUS, CHIPS, Advice, Advisor, Option, Position
from solver.dp.arrays import points_scale
from solver.rules import Ruleset, ScoreOption
from tests.known import known

ROUNDED = 0.0501  # half a tenth, and what single precision adds
QUANTUM = 0.02  # what 16 bits a box leave out
N = r"([\d.]+)"
NAME = r"([A-Z][A-Za-z ]*?)"
CHANCE = r"((?:under |over )?\d+\s%)"
OPTION = "“([^”]+)”"


@dataclass(frozen=True)
class Said:
    """A reason beside what the tables know, worked out in another way wherever there is one."""

    advisor: Advisor
    position: Position
    advice: Advice
    text: str

    @property
    def rules(self) -> Ruleset:
        return self.position.rules

    @property
    def best(self) -> Option:
        return self.advice.best

    @cached_property
    def boxes(self) -> dict[str, str]:
        names = [*self.rules.index, BONUS, *([CHIPS] if self.rules.joker else [])]
        return {phrases.box(self.rules, name): name for name in names}

    def option(self, label: str) -> Option:
        (found,) = [o for o in self.advice.options if phrases.option(self.rules, o) == label]
        return found

    def scoring(self, name: str) -> Option:
        (found,) = [o for o in self.advice.options if o.category == self.boxes[name]]
        return found

    def rest(self, scored: Option) -> float:
        """V of the card that follows, straight from its row."""
        return self.advisor.value(*self.card(scored)[:2], chips_won=self.card(scored)[2])

    def taken(self, scored: Option) -> ScoreOption:
        """What the rules write into the box."""
        at = self.rules.index[scored.category]
        options = self.rules.score_options(
            self.position.filled, self.position.chips_won, self.position.dice
        )
        (found,) = [option for option in options if option.category == at]
        assert scored.points == found.points + found.chip
        return found

    def card(self, scored: Option) -> tuple[int, int, bool]:
        rules, at = self.rules, self.rules.index[scored.category]
        taken = self.taken(scored)
        upper = self.position.upper + (taken.points if rules.categories[at].face else 0)
        joker = rules.joker
        won = joker is not None and joker.box == scored.category and taken.points > 0
        return self.position.filled | 1 << at, upper, self.position.chips_won or won

    def later(self, scored: Option, box: str) -> float:
        """What a box, or the bonus, is expected to bring once this one is filled."""
        filled, upper, chips_won = self.card(scored)
        table, space = known(self.advisor.explain), self.advisor.space
        row = table.row(space.row(filled, chips_won=chips_won))[space.column(upper)]
        parts = row * points_scale(self.rules)
        if box == CHIPS:
            return self.rest(scored) - float(parts.sum())
        return float(parts[-1 if box == BONUS else self.rules.index[box]])

    def lost(self, worse: Option, box: str) -> float:
        parts = known(self.advisor.why(self.position, self.best, worse))
        (points,) = [part.points for part in parts if part.box == box]
        if worse.action == self.best.action == "score" and box not in {
            self.best.category,
            worse.category,
            CHIPS,
        }:
            again = self.later(self.best, box) - self.later(worse, box)
            assert points == pytest.approx(again, abs=QUANTUM)
        return points


def near(shown: str, number: float, slack: float = ROUNDED) -> None:
    assert float(shown) == pytest.approx(number, abs=slack)


def check_goes_for(said: Said, aims: str) -> None:
    chances = dict(said.advisor.aims(said.position, said.best))
    named = re.findall(rf"{NAME} \({CHANCE}\)", aims)
    assert named
    for name, chance in named:
        assert chance == phrases.percent(chances[said.boxes[name]])
    assert chances[said.boxes[named[0][0]]] == max(chances.values())


def check_stops(said: Said, points: str, name: str) -> None:
    scored = said.scoring(name)
    assert scored.points == int(points)
    assert scored.regret < 1e-9
    assert said.best.dice == said.position.dice


def check_only(said: Said) -> None:
    assert len(said.rules.open(said.position.filled)) == 1
    assert not said.position.rolls_left


def check_joker(said: Said) -> None:
    assert said.rules.is_joker(said.position.filled, said.position.dice)
    assert [option.action for option in said.advice.options] == ["score"]
    assert len(said.rules.open(said.position.filled)) > 1


def check_secures(said: Said) -> None:
    upper = said.card(said.best)[1]
    assert said.position.upper < said.rules.bonus_threshold <= upper


def check_most_now(said: Said) -> None:
    assert said.best.action == "score"
    assert 0 < said.best.points == max(option.points for option in said.advice.options)


def check_nothing(said: Said) -> None:
    options = said.rules.score_options(
        said.position.filled, said.position.chips_won, said.position.dice
    )
    assert not any(option.points for option in options)


def check_now_and_later(said: Said, name: str, more: str, fewer: str) -> None:
    worse = said.scoring(name)
    assert int(more) == worse.points - said.best.points > 0
    near(fewer, said.rest(said.best) - said.rest(worse))
    assert float(fewer) >= int(more)


def check_left_open(said: Said, name: str, points: str) -> None:
    near(points, said.later(said.best, said.boxes[name]), QUANTUM + ROUNDED)
    written = said.taken(said.scoring(name)).points
    assert said.later(said.best, said.boxes[name]) > written - QUANTUM


def check_only_later(said: Said, points: str, name: str) -> None:
    assert said.boxes[name] == said.best.category
    written = said.taken(said.best).points
    assert float(points) <= written
    near(points, said.later(rival_of(said), said.best.category), QUANTUM + ROUNDED)


def check_less(said: Said, name: str, points: str) -> None:
    near(points, said.lost(rival_of(said), said.boxes[name]))
    assert float(points) > 0


def rival_of(said: Said) -> Option:
    """The box that the first sentence is about."""
    return said.scoring(said.text.split(" would bring ")[0])


def check_falls(said: Said, before: str, after: str) -> None:
    assert bonus_in_reach(said.position)
    assert said.position.upper < said.rules.bonus_threshold
    assert before == phrases.percent(known(said.best.outlook).bonus_chance)
    assert after in {
        phrases.percent(outlook.bonus_chance)
        for option in said.advice.options
        if (outlook := option.outlook)
        and outlook.bonus_chance < known(said.best.outlook).bonus_chance
    }


def check_costs(said: Said, label: str, cost: str) -> None:
    worse = said.option(label)
    near(cost, said.best.value - worse.value)
    if worse.action == said.best.action == "score":
        gap = said.best.points + said.rest(said.best) - worse.points - said.rest(worse)
        near(cost, gap)


def check_costs_in(said: Said, label: str, cost: str, name: str) -> None:
    """Nowhere is more lost than there."""
    check_costs(said, label, cost)
    worse = said.option(label)
    parts = known(said.advisor.why(said.position, said.best, worse))
    assert said.lost(worse, said.boxes[name]) == max(part.points for part in parts)


def check_costs_only_in(said: Said, label: str, cost: str, name: str) -> None:
    check_costs_in(said, label, cost, name)
    near(cost, said.lost(said.option(label), said.boxes[name]), ROUNDED + QUANTUM)


def check_costs_part(said: Said, label: str, cost: str, lost: str, name: str) -> None:
    check_costs_in(said, label, cost, name)
    near(lost, said.lost(said.option(label), said.boxes[name]))
    assert float(lost) < float(cost)


def check_gains(
    said: Said, label: str, cost: str, lost: str, name: str, won: str, other: str
) -> None:
    check_costs_in(said, label, cost, name)
    near(lost, said.lost(said.option(label), said.boxes[name]))
    near(won, -said.lost(said.option(label), said.boxes[other]))
    near(cost, float(lost) - float(won), 0.4 * float(cost) + 3 * ROUNDED)


def check_costs_bonus(said: Said, label: str, cost: str, before: str, after: str) -> None:
    check_costs(said, label, cost)
    check_falls(said, before, after)
    assert after == phrases.percent(known(said.option(label).outlook).bonus_chance)


def check_nearly(said: Said, label: str) -> None:
    assert 0 < said.option(label).regret < 0.05


def check_equal(said: Said, label: str) -> None:
    assert said.option(label).regret < 1e-9


SENTENCES: list[tuple[str, Callable[..., None]]] = [
    (r"Goes for ([^.]+)\.", check_goes_for),
    (rf"These dice bring (\d+) points? in {NAME}\.", check_stops),
    (r"It is the only box that is left\.", check_only),
    (r"These dice are a joker, which must go there\.", check_joker),
    (r"It secures the bonus\.", check_secures),
    (r"No other box brings more points now\.", check_most_now),
    (r"These dice bring no points in any open box\.", check_nothing),
    (
        rf"{NAME} would bring (\d+) points? more now, but {N} fewer later\.",
        check_now_and_later,
    ),
    (rf"Left open, {NAME} is still expected to bring {N} points\.", check_left_open),
    (rf"Later, only {N} points could be expected of {NAME}\.", check_only_later),
    (rf"{NAME} would be expected to bring {N} points less\.", check_less),
    (rf"The chance of the bonus would fall from {CHANCE} to {CHANCE}\.", check_falls),
    (rf"{OPTION} would cost {N} points\.", check_costs),
    (rf"{OPTION} would cost {N} points, above all in {NAME}\.", check_costs_in),
    (rf"{OPTION} would cost {N} points, in {NAME}\.", check_costs_only_in),
    (rf"{OPTION} would cost {N} points, {N} of them in {NAME}\.", check_costs_part),
    (
        rf"{OPTION} would cost {N} points: {N} fewer in {NAME}, but {N} more in {NAME}\.",
        check_gains,
    ),
    (
        rf"{OPTION} would cost {N} points, "
        rf"and the chance of the bonus would fall from {CHANCE} to {CHANCE}\.",
        check_costs_bonus,
    ),
    (rf"{OPTION} would be worth nearly as much\.", check_nearly),
    (rf"{OPTION} is worth just as much\.", check_equal),
]
PARTED = re.compile(r"(?<=\.) (?=[A-Z“])")


def check(said: Said) -> list[str]:
    """Which sentences these were."""
    found = []
    for sentence in PARTED.split(said.text):
        ((pattern, checked, match),) = [
            (pattern, checked, match)
            for pattern, checked in SENTENCES
            if (match := re.fullmatch(pattern, sentence))
        ]
        checked(said, *match.groups())
        found.append(pattern)
    assert 1 <= len(found) <= 2, said.text
    return found
