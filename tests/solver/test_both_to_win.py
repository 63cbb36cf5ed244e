"""Two who play to win, held to a recursion over every throw of both."""

import json
from functools import cache
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.advice.winning import (
    Both,
    CardOf,
    NoRoom,
    NoTurns,
    against,
    chances_of_card,
    rest_of_card,
)
from solver.advice.winning.both import DECIDED
from solver.dp.arrays import Floats
from solver.rules import YATZY, Category, Joker, Ruleset
from solver.rules.dice import Dice
from solver.rules.rulesets import YAHTZEE
from tests.conftest import solved
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.made_up import CHANCE, PAIR, SIXES, TWO_DICE, TWOS
from tests.solver.reference import outcomes

TWO_ABOVE = Ruleset("two-above", "Two dice, two above", (TWOS, SIXES, PAIR), 8, 5, 2, dice=2)
WITH_JOKERS = Ruleset(
    "two-dice-joker",
    "Two dice, two throws, jokers",
    (TWOS, Category("yahtzee", "of_a_kind", size=2, points=9), CHANCE),
    bonus_threshold=4,
    bonus_points=6,
    throws=2,
    joker=Joker("yahtzee", "forced", 7),
    dice=2,
)
Seat = tuple[int, int, bool]  # filled, upper, chips_won
EMPTY: Seat = (0, 0, False)


class TakingTurns:
    """The definition: the mover's chance, the other one answering as well as can be."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.start, self.best, self.hold = cache(self._start), cache(self._best), cache(self._hold)

    def _start(self, mine: Seat, theirs: Seat, lead: int) -> float:
        """``lead`` counts no bonus."""
        if mine[0] == theirs[0] == self.rules.full:
            ahead = lead + self.rules.bonus(mine[1]) - self.rules.bonus(theirs[1])
            return 0.5 if ahead == 0 else float(ahead > 0)
        return self.hold((), self.rules.throws, mine, theirs, lead)

    def _hold(self, kept: Dice, left: int, mine: Seat, theirs: Seat, lead: int) -> float:
        return sum(
            chance * self.best(tuple(sorted(kept + thrown)), left - 1, mine, theirs, lead)
            for thrown, chance in outcomes(self.rules.dice - len(kept))
        )

    def _best(self, dice: Dice, left: int, mine: Seat, theirs: Seat, lead: int) -> float:
        filled, upper, chips_won = mine
        found = []
        if left:
            sizes = range(len(dice) + 1)
            holds = {kept for size in sizes for kept in combinations(dice, size)}
            found += [self.hold(kept, left, mine, theirs, lead) for kept in holds]
        for option in self.rules.score_options(filled, chips_won, dice):
            category, joker = self.rules.categories[option.category], self.rules.joker
            after = (
                filled | 1 << option.category,
                upper + (option.points if category.face else 0),
                chips_won or bool(joker and category.id == joker.box and option.points),
            )
            reply = self.start(theirs, after, -(lead + option.points + option.chip))
            found.append(1.0 - reply)
        return max(found)


def card_of(rules: Ruleset, seat: Seat, points: int) -> CardOf:
    filled, upper, chips_won = seat
    return CardOf(filled, upper, points + rules.bonus(upper), chips_won)


@st.composite
def seats(draw: st.DrawFn, rules: Ruleset, still: int) -> Seat:
    numbers = range(len(rules.categories))
    opened = draw(st.permutations(numbers))[:still]
    filled = rules.full ^ sum(1 << number for number in opened)
    upper = draw(st.sampled_from(sorted(rules.upper_totals(filled))))
    joker = rules.joker
    won = bool(joker and filled >> rules.index[joker.box] & 1 and draw(st.booleans()))
    return filled, upper, won


@pytest.mark.parametrize("rules", [TWO_DICE, TWO_ABOVE, WITH_JOKERS], ids=lambda rules: rules.id)
@settings(max_examples=examples(12))
@given(data=st.data())
def test_both_play_as_the_definition_says(rules: Ruleset, data: st.DataObject) -> None:
    still = data.draw(st.integers(1, 2))
    mine = data.draw(seats(rules, still))
    theirs = data.draw(seats(rules, data.draw(st.integers(max(still - 1, 0), still))))
    lead = data.draw(st.integers(-30, 30))
    both = Both(rules, card_of(rules, mine, 50 + lead), card_of(rules, theirs, 50), threads=1)
    slow = TakingTurns(rules)
    assert both.chance == pytest.approx(slow.start(mine, theirs, lead), abs=1e-12)
    for roll, dice in enumerate(rules.cup.rolls):
        worth = slow.best(dice, rules.throws - 1, mine, theirs, lead)
        assert both.turn.best(rules.throws - 1)[roll] == pytest.approx(worth, abs=1e-12)


@pytest.mark.parametrize("rules", [TWO_DICE, TWO_ABOVE, WITH_JOKERS], ids=lambda rules: rules.id)
@pytest.mark.nightly
def test_a_whole_small_game_is_what_the_definition_says(rules: Ruleset) -> None:
    slow = TakingTurns(rules)
    for lead in (-9, 0, 4):
        both = Both(rules, card_of(rules, EMPTY, 50 + lead), card_of(rules, EMPTY, 50))
        assert both.chance == pytest.approx(slow.start(EMPTY, EMPTY, lead), abs=1e-12)


def test_a_lead_that_cannot_be_lost_is_certain_and_none_that_can() -> None:
    last = YATZY.full ^ YATZY.mask(["chance"])
    one, other = (CardOf(last, 60, total) for total in (200, 225))
    assert Both(YATZY, one, other).chance == pytest.approx(0.0, abs=1e-12)
    assert Both(YATZY, other, one).chance == pytest.approx(1.0, abs=1e-12)
    assert Both(YATZY, CardOf(last, 60, 900), one).chance == pytest.approx(1.0, abs=1e-12)
    assert Both(YATZY, one, CardOf(last, 60, 900)).chance == 0.0


@pytest.mark.usefixtures("yatzy_tables")
def test_who_has_the_last_turn_beats_a_known_total() -> None:
    """With nothing left for the other, it is the old question: to reach a total, a tie as half."""
    last = YATZY.full ^ YATZY.mask(["yatzy"])
    both = Both(YATZY, CardOf(last, 60, 200), CardOf(YATZY.full, 70, 250))
    yatzy = 0.0460286425
    assert both.chance == pytest.approx(yatzy / 2, abs=1e-9)


@pytest.mark.parametrize("rules", [YATZY, YAHTZEE], ids=lambda rules: rules.id)
def test_watching_the_other_is_worth_something_and_being_watched_costs(rules: Ruleset) -> None:
    """Who moves last has seen all. Both know it, and play the best that is left."""
    solved(rules)

    coach, filled = Advisor.open(rules), rules.full ^ rules.mask(rules.ids(rules.full)[-2:])
    mine = CardOf(filled, rules.bonus_threshold, 200)
    both = Both(rules, mine, mine)
    worth: Floats = rest_of_card(coach, filled, rules.bonus_threshold)
    unwatched, for_points = chances_of_card(coach, filled, rules.bonus_threshold, against(worth))
    assert for_points == pytest.approx(0.5, abs=1e-12)
    assert both.chance < 0.5 < unwatched


def test_cards_whose_bonus_is_decided_are_one() -> None:
    filled = YATZY.full ^ YATZY.mask(["ones", "chance"])
    sure = Both(YATZY, CardOf(filled, 63, 250), CardOf(filled, 20, 200))
    assert [len(level.side.row) for level in sure.levels[0]] == [1, 2, 1]
    assert [len(level.side.row) for level in sure.levels[1]] == [1, 2, 1]
    above = YATZY.full ^ YATZY.mask(["ones", "twos"])  # 0 or 1 two, or 0 to 2 ones, leave it open
    close = Both(YATZY, CardOf(above, 60, 200), CardOf(above, 60, 200))
    assert [len(level.side.row) for level in close.levels[0]] == [1, 3 + 4, 1]
    assert DECIDED < 0 < close.cells


def test_who_does_not_take_turns_is_refused() -> None:
    one, two = (CardOf(YATZY.full >> still, 0, 0) for still in (1, 2))
    full = CardOf(YATZY.full, 63, 250)
    for first, second in ((one, two), (full, full), (two, full), (full, one)):
        with pytest.raises(NoTurns):
            Both(YATZY, first, second)


def test_cards_for_which_there_is_no_room_are_refused_before_any_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = CardOf(YATZY.full ^ YATZY.mask(["sixes", "chance"]), 40, 200)
    found = Both(YATZY, one, one)
    tables = [found._undecided(move).nbytes for move in range(1, found.moves + 1)]
    most = max(map(sum, pairwise([0, *tables])))
    monkeypatch.setattr("solver.advice.winning.both.MOST_BYTES", most)
    Both(YATZY, one, one)
    monkeypatch.setattr("solver.advice.winning.both.MOST_BYTES", most - 1)
    monkeypatch.setattr(Both, "_undecided", None)
    with pytest.raises(NoRoom, match="GB"):
        Both(YATZY, one, one)


TWO_LEFT = ",".join(YATZY.ids(YATZY.full ^ YATZY.mask(["chance", "yatzy"])))
CARD = ("win", "yatzy", "--filled", TWO_LEFT, "--upper", "60", "--total", "219", "--both")
OTHER = ("--other-filled", TWO_LEFT, "--other-upper", "60", "--other-total", "219")


def told(run: Run, *more: str) -> Any:
    status, out, err = run(*CARD, *OTHER, *more)
    assert (status, err) == (0, "")
    return json.loads(out) if "--json" in more else out


@pytest.mark.usefixtures("yatzy_tables")
def test_the_command_says_both_answers_and_each_option(run: Run) -> None:
    found = told(run, "--json")
    assert found["against_points"]["chance"] == pytest.approx(0.5425, abs=5e-5)
    filled = YATZY.full ^ YATZY.mask(["chance", "yatzy"])
    both = Both(YATZY, CardOf(filled, 60, 219), CardOf(filled, 60, 219))
    assert found["chance"] == both.chance
    thrown = told(run, "--json", "--dice", "1,1,5,5,6", "--rolls-left", "2")
    roll = YATZY.cup.roll_index[1, 1, 5, 5, 6]
    assert thrown["chance"] == both.turn.best(2)[roll]
    shown = told(run)
    assert "turn by turn" in shown
    assert f"{both.chance:.2%}" in shown
    assert "54.25%" in shown


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("--target 250", "not for --target"),
        ("--other-filled ones --other-upper 2 --other-total 2", "14 boxes are open"),
        (f"--other-filled {TWO_LEFT},yatzy --other-upper 60 --other-total 269", ""),
        (f"--other-filled {TWO_LEFT},yatzy,chance --other-upper 60 --other-total 269", "turns"),
    ],
)
def test_the_command_says_what_both_cannot_be(run: Run, more: str, why: str) -> None:
    status, out, err = run(*CARD, *more.split(), "--json")
    assert (status, bool(out)) == ((2, False) if why else (0, True))
    assert why in err
