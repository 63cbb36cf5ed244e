"""A trial with arms: who counts, the answer, what the page says of it, and what is exported."""

import json
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from game.models import Game
from game.trials.analysis.primary import ANALYSIS, PairAnswer
from game.trials.design.phases import ArmSettings
from game.trials.design.reading import find_next_game
from game.trials.design.writing import open_trial
from game.trials.exports.files import Export
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm
from game.trials.models import MOST_GAMES, Preregistration, Trial, TrialGame, to_canonical_json
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from solver.players.erring import make_bots
from tests.game.export_reference import every_fault
from tests.game.plans import preregister
from tests.game.trial_games import played_out
from tests.known import known
from tests.trials import joined, new_trial, researcher_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TWO = (ArmSettings("off"), ArmSettings("coached", coach="after"))


def armed(advisor: Advisor, games: int | None = None, **settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": TWO, "places": 8, "games_before": 1, "games_after": 1}
    trial = new_trial(**wanted | {"games_each": 1, "slug": "armed"} | settings)
    play_armed(trial, advisor, games)
    return trial


def play_armed(trial: Trial, advisor: Advisor, games: int | None = None) -> None:
    people = [joined(trial, number) for number in range(1, trial.places + 1)]
    for participant, bot in zip(people, make_bots(trial.places, 1), strict=True):
        for number in range(1, (games or MOST_GAMES) + 1):
            participant = draw_arm(participant=participant)
            following = find_next_game(participant)
            if following is None:
                break
            game = played_out(participant, bot, advisor, number)
            TrialGame.objects.filter(game=game).update(arm=following.arm, phase=following.phase)


@pytest.fixture
def trial(advisor: Advisor) -> Trial:
    return armed(advisor)


def pair_of(trial: Trial) -> PairAnswer:
    (pair,) = known(calculate_results(trial).primary).pairs
    return pair


def costs(trial: Trial, arm: str, phase: str) -> list[float]:
    games = TrialGame.objects.filter(participant__trial=trial, participant__arm__name=arm)
    games = games.filter(phase=phase).order_by("participant__number")
    return [place.game.regret or 0.0 for place in games]


def test_a_trial_of_one_group_has_nothing_to_compare(advisor: Advisor) -> None:
    results = calculate_results(new_trial(slug="plain"))
    assert (results.primary, results.phases) == (None, [])
    results = calculate_results(armed(advisor, arms=(), places=2))
    assert results.primary is None
    lines = [(one.phase, one.arm, one.difference) for one in results.phases]
    assert lines == [("before", "", None), ("training", "", None), ("after", "", None)]


def test_six_people_in_each_arm_have_a_verdict_at_no_more_queries(
    trial: Trial, advisor: Advisor
) -> None:
    asked = []
    for each in (trial, armed(advisor, slug="more", places=16)):
        with CaptureQueriesContext(connection) as queries:
            results = calculate_results(each)
            results.facts()
        asked.append(len(queries))
    (pair,) = known(results.primary).pairs
    assert known(pair.low) < known(pair.estimate) < known(pair.high)
    assert (known(pair.p) <= 0.05) == (not known(pair.low) < 0 < known(pair.high))
    assert asked[0] == asked[1]


def test_everybody_counts_in_the_arm_that_they_were_given_with_the_games_afterwards(
    trial: Trial, client: Client, tmp_path: Path
) -> None:
    found = pair_of(trial)
    ones, others = (costs(trial, arm, "after") for arm in ("coached", "off"))
    assert found.people == (4, 4)
    assert found.means == pytest.approx((mean(ones), mean(others)))
    assert found.deviations == pytest.approx((stdev(ones), stdev(others)))
    assert (found.verdict, found.p) == ("too few", None)
    before = {*costs(trial, "off", "before"), *costs(trial, "coached", "before")}
    assert {one.before for one in calculate_results(trial).data.arms.values()} == before
    lines = {(one.phase, one.arm): one.difference for one in calculate_results(trial).phases}
    assert lines["before", "coached"] is None
    assert known(lines["after", "coached"]).mean == pytest.approx(mean(ones) - mean(others))

    client.force_login(researcher_user("reader"))
    page = client.get(f"/trials/{trial.slug}/results/").text
    places = [page.index(f'id="{name}"') for name in ("flow", "primary", "phases", "tell")]
    assert places == sorted(places)
    assert "there are too few people for a verdict" in page

    Export(trial).write(tmp_path)
    assert every_fault(trial, tmp_path) == []
    told = json.loads((tmp_path / "statistics.json").read_text())
    assert told["primary"]["pairs"][0]["people"] == [4, 4]
    assert (tmp_path / "charts" / "arms-phases.svg").exists()
    header = (tmp_path / "participants.csv").read_text(encoding="utf-8-sig").split("\n")[0]
    assert header.strip().endswith("left_out,value,before")


def test_who_withdrew_is_in_nothing_and_who_stopped_is_missing(trial: Trial) -> None:
    gone, stopped = trial.participants.filter(arm__name="coached")[:2]
    withdraw_participant(participant=gone)
    Game.objects.filter(trial_game__participant=stopped, trial_game__phase="after").delete()
    found = pair_of(trial)
    assert (found.people, found.missing) == ((2, 4), (1, 0))


def test_whom_a_locked_rule_names_is_left_out(advisor: Advisor) -> None:
    trial = armed_with_lock(advisor, exclusions={"fewer_games": 3})
    short = known(trial.participants.filter(arm__name="coached").first())
    known(short.games.filter(phase="training").first()).game.delete()
    results = calculate_results(trial)
    assert known(results.lock).left_out == {"fewer_games": [short.label]}
    assert pair_of(trial).people == (3, 4)
    assert results.games.games == 3 * 7
    assert short.label not in [one.participant for one in results.games.people]


def armed_with_lock(advisor: Advisor, **planned: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": TWO, "games_before": 1, "games_each": 1, "games_after": 1}
    trial = new_trial(slug="armed", places=8, opened=False, **wanted)
    preregister(trial, **planned)
    open_trial(trial=trial)
    play_armed(trial, advisor)
    return trial


def test_the_locked_estimand_is_answered_with_its_own_seed(advisor: Advisor) -> None:
    asked = {"direction": "less", "smallest": 4.0}
    trial = armed_with_lock(advisor, outcome="score", estimand=asked)
    lock = Preregistration.objects.get()
    found = known(calculate_results(trial).primary)
    assert (found.estimand.measure, found.estimand.direction) == ("score", "less")
    assert found.estimand.smallest == 4.0
    assert found.seed == int(lock.digest[:8], 16)
    assert lock.locked["analysis"] == ANALYSIS
    assert lock.locked["power"]["effect"] == 4.0
    assert lock.locked["power"]["people"] == 8


def test_an_older_lock_is_printed_by_the_version_that_locked_it(
    advisor: Advisor, client: Client
) -> None:
    trial = armed_with_lock(advisor)
    lock = Preregistration.objects.get()
    older = {name: one for name, one in lock.locked.items() if name not in ("analysis", "power")}
    words = {"outcome": "The score", "analyses": ["Learning"], "exclusions": [], "stopping": "Now"}
    older |= {"analyses": ["learning"], "program": "yatzy 0.9", "words": words}
    Preregistration.objects.update(document=to_canonical_json(older))
    results = calculate_results(trial)
    assert not known(results.lock).here
    assert known(results.primary).seed == 0
    client.force_login(researcher_user("reader"))
    page = client.get(f"/trials/{trial.slug}/results/").text
    assert "yatzy 0.9" in page
    assert "Learning" in client.get(f"/trials/{trial.slug}/plan/").text


def test_people_who_play_both_arms_are_compared_with_themselves(advisor: Advisor) -> None:
    trial = armed(advisor, design="within", games_before=0, games_after=0, places=14)
    found, results = pair_of(trial), calculate_results(trial)
    gains = {}
    for one in trial.participants.select_related("arm"):
        first, second = (known(place.game.regret) for place in one.games.order_by("number"))
        gains[one.label] = (first - second) / 2
    assert {one.name: one.value for one in results.data.arms.values()} == pytest.approx(gains)
    orders = [[one.value for one in results.data.arms.values() if one.arm == arm] for arm in (1, 0)]
    assert found.estimate == pytest.approx(
        mean(map(known, orders[0])) - mean(map(known, orders[1]))
    )
    assert [(line.phase, line.arm, line.people) for line in results.phases] == [
        ("training", "off", 14),
        ("training", "coached", 14),
    ]
