"""Every sentence that says why is true, and every number in it is one of the tables'."""

import re
from collections.abc import Iterator
from itertools import groupby
from random import Random

import pytest
from django.utils import translation

from game.coach.reasons import aims_of, bonus_in_reach, why_best, why_it_was
from game.coach.winning_advice import SPOKEN, odds
from solver.advice import (
    Advice,
    Advisor,
    BadPosition,
    Position,
    checked_position,
)
from solver.rules import RULESETS, YATZY, Ruleset
from solver.tables import EXPLAIN, OUTLOOK
from tests.conftest import solved
from tests.game.reasons import Said, check, check_odds, figures
from tests.selection import examples

POSITIONS = 2500  # of each of the four rulesets


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


def reasoned(
    advisor: Advisor,
    position: Position,
    chosen: int | None = None,
    *,
    by: Advisor | None = None,
) -> Said:
    """What an advisor says, beside the one that knows everything (``by`` may know less); of what
    somebody chose where that is given, by its place in the advice."""
    speaker = by or advisor
    told, advice = (one.advise(position, outlook=True) for one in (speaker, advisor))
    if chosen is None:
        return Said(advisor, position, advice, why_best(speaker, position, told))
    text = why_it_was(speaker, position, told, told.options[chosen])
    return Said(advisor, position, advice, text, advice.options[chosen])


def chosen_at_random(advisor: Advisor, position: Position, random: Random) -> int:
    """A place in the advice: of a good option as often as of any other."""
    options = advisor.advise(position).options
    return random.choice((0, random.randrange(len(options))))


def test_a_reason_is_short_and_agrees_with_the_tables_before_a_decision_and_after(
    whole: Advisor,
) -> None:
    random, heard = Random(7), set[str]()
    for position in positions(whole.rules, examples(POSITIONS)):
        heard.update(check(reasoned(whole, position)))
        heard.update(check(reasoned(whole, position, chosen_at_random(whole, position, random))))
    assert len(heard) >= 30  # no sentence is all that is ever said


def test_whoever_asks_or_missed_something_is_told_why(whole: Advisor) -> None:
    random = Random(9)
    for position in positions(whole.rules, 600, seed=9):
        assert reasoned(whole, position).text
        said = reasoned(whole, position, chosen_at_random(whole, position, random))
        assert said.text or said.tense == "found"


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
            assert "bonus chance" not in text
            assert "chance of the bonus" not in text
        if EXPLAIN in missing:
            assert not re.search("Left open|lose most|be lost", text)


def test_no_box_is_said_to_bring_most_where_another_brings_more_at_hardly_a_cost(
    whole: Advisor,
) -> None:
    others = 0
    for position in positions(whole.rules, 300, seed=8):
        advice = whole.advise(position, outlook=True)
        near = [option._replace(regret=min(option.regret, 0.01)) for option in advice.options]
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
        assert not re.search("chance of the bonus|bonus chance", reasoned(whole, position).text)
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


@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_other_languages_say_the_same_numbers(whole: Advisor, language: str) -> None:
    random = Random(6)
    for position in positions(whole.rules, 60, seed=6):
        for chosen in (None, chosen_at_random(whole, position, random)):
            english = reasoned(whole, position, chosen).text
            with translation.override(language):
                other = reasoned(whole, position, chosen).text
            assert other != english or not english
            assert figures(other.replace(",", ".")) == figures(english)


def test_chances_in_words_rise_with_the_chance_and_are_near_it() -> None:
    told = [odds(n / 1000) for n in range(951)]
    assert [word for word, _ in groupby(told)] == list(dict.fromkeys(told))
    assert len(set(told)) == len(SPOKEN) + 2
    for n, words in enumerate(told):
        check_odds(words, n / 1000)
