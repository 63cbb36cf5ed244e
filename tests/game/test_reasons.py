"""Every sentence that says why is true, and every number in it is one of the tables'."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import pytest
from django.utils import translation

from game.coach.hints import hint
from game.coach.reasons import aims_of, bonus_in_reach, why_best
from game.words import phrases
from solver.advice import (
    BONUS,
    CHIPS,
    Advice,
    Advisor,
    BadPosition,
    Option,
    Position,
    checked_position,
    state_of,
)
from solver.cli.solve import explain_to
from solver.dp.arrays import points_scale
from solver.rules import RULESETS, YATZY, Ruleset, ScoreOption
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table, table_path
from tests.conftest import solved
from tests.known import known

POSITIONS = 2500  # of each of the four rulesets
ROUNDED = 0.0501  # half a tenth, and what single precision adds
QUANTUM = 0.02  # what 16 bits a box leave out
N = r"([\d.]+)"
NAME = r"([A-Z][A-Za-z ]*?)"
CHANCE = r"((?:under |over )?\d+ %)"
OPTION = "“([^”]+)”"

# Everything here takes the tables that one fixture makes: one worker of pytest is enough for it.
pytestmark = pytest.mark.xdist_group("reasons")


@pytest.fixture(scope="module", params=sorted(RULESETS))
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    """With all three tables; the parts of Yatzy's stay out of the way of tests that do without."""
    rules = RULESETS[request.param]
    solved(rules)
    values, explain = table_path(rules, VALUES), table_path(rules, EXPLAIN)
    if rules == YATZY:
        usual, values = values, tmp_path_factory.mktemp("tables") / VALUES
        shutil.copy(usual, values)
        explain = values.with_name(f"{VALUES}.{EXPLAIN}")
    explain_to(rules, values, force=False, quiet=True)
    parts = open_table(rules, EXPLAIN, explain)
    return Advisor(open_table(rules), rules, open_table(rules, OUTLOOK), parts)


def positions(rules: Ruleset, number: int, seed: int = 1) -> Iterator[Position]:
    """Cards of every fullness with dice on the table; every tenth throw is five alike."""
    random = Random(seed)
    while number:
        filled = random.randrange(rules.full)
        upper = random.choice(sorted(rules.upper_totals(filled)))
        dice = tuple(sorted(random.randint(1, 6) for _ in range(5)))
        if random.random() < 0.1:
            dice = dice[:1] * 5
        chips_won = rules.joker is not None and random.random() < 0.3
        position = Position(rules, filled, upper, dice, random.randrange(rules.throws), chips_won)
        try:
            checked_position(position)
        except BadPosition:
            continue
        number -= 1
        yield position


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


def reasoned(advisor: Advisor, position: Position, *, by: Advisor | None = None) -> Said:
    """What an advisor says, beside the one that knows everything (``by`` may know less)."""
    speaker = by or advisor
    text = why_best(speaker, position, speaker.advise(position, outlook=True))
    return Said(advisor, position, advisor.advise(position, outlook=True), text)


def test_every_number_of_a_reason_agrees_with_the_tables(whole: Advisor) -> None:
    heard = {
        pattern
        for position in positions(whole.rules, POSITIONS)
        for pattern in check(reasoned(whole, position))
    }
    assert len(heard) >= 12  # no sentence is all that is ever said


def test_what_somebody_chose_is_set_against_the_best(whole: Advisor) -> None:
    random = Random(7)
    for position in positions(whole.rules, 400, seed=2):
        advice = whole.advise(position, outlook=True)
        chosen = random.choice(advice.options)
        said = Said(whole, position, advice, why_best(whole, position, advice, chosen))
        check(said)
        if not chosen.best:
            named = phrases.option(whole.rules, chosen)
            assert named in said.text or named.endswith(f" in {said.text.split(' would ')[0]}")


@pytest.mark.parametrize("missing", [{OUTLOOK}, {EXPLAIN}, {OUTLOOK, EXPLAIN}])
def test_where_a_table_is_missing_less_is_said_and_nothing_false(
    whole: Advisor, missing: set[str]
) -> None:
    outlook = None if OUTLOOK in missing else whole.outlook
    explain = None if EXPLAIN in missing else whole.explain
    poorer = Advisor(whole.values, whole.rules, outlook, explain)
    for position in positions(whole.rules, 200, seed=3):
        text = (said := reasoned(whole, position, by=poorer)).text
        check(said)
        if OUTLOOK in missing:
            assert "chance of the bonus" not in text
        if EXPLAIN in missing:
            assert not re.search("expected|of them|fewer in|above all|points, in", text)


def test_no_box_is_said_to_bring_most_where_another_brings_more_at_hardly_a_cost(
    whole: Advisor,
) -> None:
    others = 0
    for position in positions(whole.rules, 300, seed=8):
        advice = whole.advise(position, outlook=True)
        near = [replace(option, regret=min(option.regret, 0.01)) for option in advice.options]
        text = why_best(whole, position, Advice(advice.value, tuple(near)))
        most = max(option.points for option in near)
        if advice.best.action == "score" and advice.best.points < most:
            others += 1
            assert "No other box" not in text
            assert "worth nearly as much" in text or "just as much" in text
    assert others


def test_the_bonus_is_no_reason_where_it_is_there_or_lost(whole: Advisor) -> None:
    for position in positions(whole.rules, 600, seed=4):
        if bonus_in_reach(position):
            continue
        advice = whole.advise(position, outlook=True)
        assert "onus would" not in reasoned(whole, position).text
        for option in advice.options[:3]:
            if option.action == "hold":
                assert "bonus" not in aims_of(whole, position, option)


def test_the_bonus_is_in_reach_only_where_some_dice_could_bring_it() -> None:
    every = YATZY.mask(YATZY.index)
    sixes_left = every ^ YATZY.mask(["sixes"])

    def reach(upper: int) -> bool:
        return bonus_in_reach(Position(YATZY, sixes_left, upper, (1, 1, 1, 1, 1), 2))

    assert [reach(upper) for upper in (32, 33, 62, 63)] == [False, True, True, False]


def test_the_chip_of_a_joker_does_not_secure_the_bonus() -> None:
    rules = RULESETS["yahtzee-free-joker"]
    solved(rules)
    advisor = Advisor.open(rules)
    filled = rules.mask(rules.index) ^ rules.mask(["fives", "sixes"])
    text = {
        upper: reasoned(advisor, Position(rules, filled, upper, (6,) * 5, 0, chips_won=True)).text
        for upper in (10, 32, 33)
    }
    assert ["It secures the bonus." in text[upper] for upper in text] == [False, False, True]


def test_a_reason_names_the_cost_of_the_box_that_looks_better(whole: Advisor) -> None:
    rules = whole.rules
    filled = rules.mask(["twos", "sixes", "full_house"])
    position = Position(rules, filled, 22, (1, 1, 3, 4, 6), 0)
    said = reasoned(whole, position)
    check(said)
    assert " more now, but " in said.text


def test_a_hint_carries_the_reason_of_its_first_option(whole: Advisor) -> None:
    for position in positions(whole.rules, 20, seed=5):
        state = state_of(position)
        assert hint(whole, state).reason == reasoned(whole, position).text


@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_other_languages_say_the_same_numbers(whole: Advisor, language: str) -> None:
    for position in positions(whole.rules, 60, seed=6):
        english = reasoned(whole, position).text
        with translation.override(language):
            other = reasoned(whole, position).text
        assert other != english
        assert figures(other.replace(",", ".")) == figures(english)


def figures(text: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", text))


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.0, "0 %"),
        (1e-7, "0 %"),
        (0.001, "under 1 %"),
        (0.006, "1 %"),
        (0.9949, "99 %"),
        (0.998, "over 99 %"),
        (1 - 1e-7, "100 %"),
        (1.0, "100 %"),
    ],
)
def test_a_chance_is_never_rounded_to_what_is_impossible_or_certain(
    chance: float, said: str
) -> None:
    assert phrases.percent(chance) == said
