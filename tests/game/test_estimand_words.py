"""What an estimand found is said as different, equivalent or undecided, in every case."""

from dataclasses import replace

import pytest

from game.trials.results.words_estimand import CHOICES, answer_words, estimand_words, verdict
from solver.statistics.estimating import (
    COVARIATES,
    ESTIMAND_PHASES,
    MISSING,
    MULTIPLICITIES,
    PAIRS,
    SIDES,
    TESTS,
    Estimand,
    EstimandAnswer,
    PairAnswer,
)

ASKED = Estimand(measure="cost", smallest=2.0)
FOUND = PairAnswer("on", "off", (9, 9), (19.0, 20.0), -1.0, 0.03, -1.9, -0.1, -1.8, -0.2)


@pytest.mark.parametrize(
    ("different", "alike", "words"),
    [
        (True, False, "They are different."),
        (True, True, "They are different, but by less than 2.0 points (90 % range: −1.8 to −0.2)."),
        (False, True, "They are equivalent: what lies between them is less than 2.0 points (90 % "),
        (False, False, "That is undecided: a difference is not shown, and one of 2.0 points is no"),
    ],
)
def test_a_pair_is_different_equivalent_or_undecided(
    different: bool, alike: bool, words: str
) -> None:
    assert verdict(ASKED, replace(FOUND, different=different, alike=alike)).startswith(words)


def test_without_a_smallest_difference_a_large_p_says_nothing() -> None:
    found = replace(FOUND, p=0.9, alike_low=None, alike_high=None)
    said = verdict(replace(ASKED, smallest=None), found)
    assert said == "That is undecided: a difference is not shown, and not ruled out either."


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-1.9, -0.1, "−1.9 to −0.1"),
        (-1.9, None, "at least −1.9"),
        (None, -0.1, "at most −0.1"),
        (None, None, "none, for too few lots were possible"),
    ],
)
def test_a_range_may_have_one_end_or_none(
    low: float | None, high: float | None, words: str
) -> None:
    answer = EstimandAnswer(ASKED, (replace(FOUND, low=low, high=high),), 18)
    said = answer_words(answer)[0].replace("\N{NO-BREAK SPACE}", " ")
    assert said == (
        f"Training, points lost a game: “on” less “off” is −1.0 (95 % range: {words}; p = 0.030)."
    )


def test_too_few_people_are_said_to_be_too_few() -> None:
    answer = EstimandAnswer(ASKED, (PairAnswer("on", "off", (1, 9), (0.0, 20.0)),), 10)
    assert answer_words(answer) == ["Training: these are too few people to tell “on” from “off”."]


def test_every_choice_has_words_and_is_locked_in_them() -> None:
    choices = {
        "pairs": [one for one in PAIRS if one != "chosen"],
        "phase": list(ESTIMAND_PHASES),
        "direction": list(SIDES),
        "covariate": list(COVARIATES),
        "test": list(TESTS),
        "multiplicity": list(MULTIPLICITIES),
        "missing": list(MISSING),
    }
    assert {name: list(of) for name, of in CHOICES.items()} == choices
    said = estimand_words(replace(ASKED, pairs="chosen", chosen=("on", "off")))
    assert said[0] == "“on” beside “off”"
    assert said[-1] == "The smallest difference of interest is 2.0 points"
    assert len(said) == 8
    assert estimand_words(Estimand())[-1] == "No smallest difference of interest is stated"
