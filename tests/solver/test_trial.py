"""What the games of a trial tell: hand-made samples, and whether intervals keep their promise."""

import json
from statistics import fmean, stdev

import pytest

from solver.statistics import inference
from solver.statistics.inference import z_test
from solver.statistics.trial import Conditions, TrialGame, analyse
from solver.study.people import study_against_perfect
from tests.known import known

START, DEVIATION = 248.44, 38.496
APART = Conditions(START, DEVIATION)
SHARED = Conditions(START, DEVIATION, shared_dice=True)


def game(
    participant: str, number: int, score: int, regret: float | None = None, bonus: int = 0
) -> TrialGame:
    """A game whose ledger is right: score = V(start) + luck - regret."""
    luck = None if regret is None else score - START + regret
    return TrialGame(participant, number, score, bonus, regret, luck)


PAIR = [
    *(
        game("P01", n, *of)
        for n, of in enumerate([(250, 20.0, 50), (210, 40.0, 0), (290, 15.0, 50)], 1)
    ),
    *(game("P02", n, *of) for n, of in enumerate([(240, 30.0, 50), (180, 62.0, 0)], 1)),
]


def test_the_figures_of_a_hand_made_trial() -> None:
    found = analyse(PAIR, APART)
    scores = known(found.scores)
    assert (scores.mean, scores.median, scores.most, scores.least, scores.range) == (
        *(234, 240, 290, 180, 110),
    )
    assert scores.deviation == pytest.approx(stdev([250, 210, 290, 240, 180]))
    assert (found.games, found.judged, found.bonus_share) == (5, 5, 0.6)
    assert found.occurrences == ((180, 1), (210, 1), (240, 1), (250, 1), (290, 1))
    tens = [(ten.low, ten.count, round(ten.up_to_here, 9)) for ten in found.tens if ten.count]
    assert tens == [(180, 1, 0.2), (210, 1, 0.4), (240, 1, 0.6), (250, 1, 0.8), (290, 1, 1.0)]
    assert [ten.low for ten in found.tens] == list(range(180, 300, 10))


def test_the_skill_estimate_is_perfect_play_less_what_decisions_cost() -> None:
    found = analyse(PAIR, APART)
    lost = [20.0, 40.0, 15.0, 30.0, 62.0]
    assert known(found.skill).mean == pytest.approx(START - fmean(lost))
    assert known(found.raw).mean == 234
    assert known(found.raw).mean - known(found.luck).mean == pytest.approx(known(found.skill).mean)
    inside = known(inference.stratified([lost[:3], lost[3:]]))
    skill = known(found.skill)
    assert known(skill.these_people).high == pytest.approx(START - inside.low)
    assert known(skill.these_people).half == pytest.approx(inside.half)
    assert found.narrower == pytest.approx(known(known(found.raw).these_people).half / inside.half)
    means = known(inference.across_people([lost[:3], lost[3:]]))
    assert known(skill.people_like_these).mean == pytest.approx(START - means.mean)
    assert known(found.lost).flawless == 0
    assert known(known(found.lost).test).statistic == pytest.approx(fmean(lost) / inside.error)


def test_each_participant_is_told_alone() -> None:
    one, other = analyse(PAIR, APART).people
    assert (one.participant, one.games, one.mean, one.judged) == ("P01", 3, 250, 3)
    assert one.bonus_share == pytest.approx(2 / 3)
    assert (one.lost, one.estimate) == (25.0, START - 25)
    assert one.luck == pytest.approx(250 - START + 25)
    assert known(one.skill).half == pytest.approx(known(inference.interval([20.0, 40, 15])).half)
    assert (other.participant, other.games, other.lost) == ("P02", 2, 46.0)
    assert one.against_others is None  # their dice were others


def test_people_stay_in_the_order_in_which_they_come_and_their_games_are_ordered() -> None:
    found = analyse([game(who, n, 200 + n) for who in ("P99", "P100") for n in (2, 1)], APART)
    assert [person.participant for person in found.people] == ["P99", "P100"]
    assert found.people[0].mean == 201.5


def test_the_study_beat_perfect_play_by_more_than_two_standard_errors() -> None:
    test = known(study_against_perfect(APART))
    assert (round(test.statistic, 2), round(test.p, 3)) == (2.42, 0.015)
    assert study_against_perfect(Conditions(START)) is None


def test_a_trial_of_the_studys_size_and_mean_is_as_far_from_perfect_play_as_the_study() -> None:
    games = [game(f"P{n % 6:02}", n // 6 + 1, 253 + (n % 50 < 41)) for n in range(300)]
    found = analyse(games, APART)
    assert known(found.scores).mean == pytest.approx(253.82)
    assert round(known(found.raw_against_perfect).statistic, 2) == 2.42
    assert found.skill is None


def test_games_on_the_same_dice_are_no_independent_witnesses_of_perfect_play() -> None:
    games = [game(f"P{n}", number, 270) for n in range(1, 5) for number in (1, 2, 3)]
    test = analyse(games, SHARED).raw_against_perfect
    assert test == z_test(270, 3, START, DEVIATION)
    assert analyse(games, APART).raw_against_perfect == z_test(270, 12, START, DEVIATION)


def test_on_shared_dice_everybody_is_compared_with_the_others_and_with_perfect_play() -> None:
    scores = {"P01": (260, 200, 310), "P02": (250, 180, 300), "P03": (240, 190)}
    games = [game(who, n, s) for who, of in scores.items() for n, s in enumerate(of, start=1)]
    found = analyse(games, Conditions(START, DEVIATION, True, {1: 280, 2: 210, 3: 330}))
    first = found.people[0]
    assert first.against_others == inference.interval([15.0, 15.0, 10.0])
    assert first.against_perfect == inference.interval([-20.0, -10.0, -20.0])
    assert found.people[2].against_others == inference.interval([-15.0, 0.0])
    differences = [{1: -20.0, 2: -10, 3: -20}, {1: -30.0, 2: -30, 3: -30}, {1: -40.0, 2: -20}]
    assert found.against_perfect == inference.same_dice(differences)


def test_learning_is_looked_for_within_people() -> None:
    games = [
        game(who, n, 230, level - 2.0 * n + (n * 7 + shift) % 3)
        for who, level, shift in (("P01", 60, 0), ("P02", 80, 1))
        for n in range(1, 11)
    ]
    learning = known(analyse(games, APART).learning)
    assert -2.5 < known(learning.slope).low < -2 < known(learning.slope).high < -1.5
    assert known(learning.test).p < 1e-6
    assert [(step.number, step.games) for step in learning.steps] == [(n, 2) for n in range(1, 11)]
    assert learning.steps[0].lost == pytest.approx(fmean([58 + 7 % 3, 78 + 8 % 3]))


def test_on_shared_dice_learning_is_what_all_have_in_common_beside_their_dice() -> None:
    lost = [{1: 20.0, 2: 40.0, 3: 15.0}, {1: 30.0, 2: 62.0, 3: 11.0}, {1: 9.0, 2: 44.0, 3: 21.0}]
    games = [
        game(f"P{who:02}", number, 250, cost)
        for who, of in enumerate(lost, 1)
        for number, cost in of.items()
    ]
    shared, alone = (known(analyse(games, of).learning).slope for of in (SHARED, APART))
    assert shared == inference.slope_same_dice(lost)
    assert alone == inference.slope(lost)
    assert shared != alone


def test_no_games_and_one_game_say_nothing_rather_than_nonsense() -> None:
    nothing = analyse([], APART)
    assert (nothing.games, nothing.scores, nothing.raw, nothing.tens, nothing.people) == (
        *(0, None, None, (), ()),
    )
    one = analyse([game("P01", 1, 248, 12.0)], SHARED)
    assert known(one.scores).deviation is None
    assert (known(one.raw).these_people, known(one.raw).people_like_these, one.narrower) == (
        None,
        None,
        None,
    )
    assert one.people[0].skill is None
    assert known(one.learning).slope is None
    for found in (nothing, one):
        assert "NaN" not in json.dumps(found.facts(), allow_nan=False)


def test_people_who_never_err_have_no_interval_and_all_games_flawless() -> None:
    games = [game(who, n, 200 + 31 * n, 0.0) for who in ("P01", "P02") for n in (1, 2, 3)]
    found = analyse(games, APART)
    assert (known(found.lost).flawless, known(found.lost).test, known(found.skill).mean) == (
        6,
        None,
        START,
    )
    assert known(found.skill).these_people is None


def test_games_that_nobody_judged_count_for_the_scores_alone() -> None:
    found = analyse([*PAIR, game("P02", 3, 300)], APART)
    assert (found.games, found.judged) == (6, 5)
    assert known(found.skill).mean == known(analyse(PAIR, APART).skill).mean
    assert known(found.scores).most == 300
    blind = analyse([game("P01", n, 200 + n) for n in range(4)], APART)
    assert (blind.skill, blind.lost, blind.luck, blind.learning) == (None, None, None, None)
    assert known(blind.raw).these_people is not None


def test_without_perfect_play_the_scores_are_told_and_nothing_is_compared() -> None:
    found = analyse(PAIR, Conditions(None))
    assert (known(found.scores).mean, found.judged) == (234, 0)
    assert (found.skill, found.raw_against_perfect, found.people[0].estimate) == (None, None, None)
    assert study_against_perfect(Conditions(None)) is None


def test_facts_are_plain_data_that_come_back_from_json() -> None:
    facts = json.loads(json.dumps(analyse(PAIR, SHARED).facts(), allow_nan=False))
    assert facts["scores"]["mean"] == 234
    assert facts["skill"]["these_people"]["low"] < facts["skill"]["mean"]
    assert [person["participant"] for person in facts["people"]] == ["P01", "P02"]
    assert facts["tens"][0] == {"low": 180, "count": 1, "share": 0.2, "up_to_here": 0.2}
