"""The results of a trial: who counts, figures, the answer, sentences, and who may see them."""

import json
from datetime import timedelta
from itertools import chain
from pathlib import Path
from statistics import fmean, mean, stdev
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from game.core.words import phrases
from game.models import Game
from game.trials.analysis.primary import ANALYSIS, PairAnswer
from game.trials.design.phases import ArmSettings
from game.trials.design.reading import find_next_game
from game.trials.design.writing import close_trial, open_trial
from game.trials.exports.files import Export
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm
from game.trials.models import (
    MOST_GAMES,
    Participant,
    Preregistration,
    Trial,
    TrialGame,
    to_canonical_json,
)
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from solver.charts.layers import Points
from solver.players.erring import make_bots
from tests.game.export_reference import every_fault
from tests.game.trial_games import play_all, played_out
from tests.known import known
from tests.play import text
from tests.trials import fresh, joined, new_trial, preregister, researcher_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "no_script")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def trials(module_db: None, advisor: Advisor) -> dict[str, Trial]:
    """A trial of one group, one with the same dice for all, one with two arms, one with a lock."""
    made = {"study": new_trial()}
    made["shared"] = new_trial(slug="shared", shared_dice=True, games_each=3)
    for trial in made.values():
        play_all(trial, advisor)
    wanted: dict[str, Any] = {"arms": TWO, "games_before": 1, "games_each": 1, "games_after": 1}
    locked = new_trial(slug="locked", places=8, opened=False, **wanted)
    estimand = {"direction": "less", "smallest": 4.0}
    preregister(locked, outcome="score", estimand=estimand, exclusions={"fewer_games": 3})
    play_armed(open_trial(trial=locked), advisor)
    return made | {"armed": armed(advisor), "locked": locked}


@pytest.fixture
def finished(trials: dict[str, Trial]) -> Trial:
    return fresh(trials["study"])


@pytest.fixture
def locked(trials: dict[str, Trial]) -> Trial:
    return fresh(trials["locked"])


@pytest.fixture
def shared(trials: dict[str, Trial]) -> Trial:
    return fresh(trials["shared"])


def read_page(staff: Client, trial: Trial) -> str:
    return staff.get(f"/trials/{trial.slug}/results/").text


def games_of(trial: Trial) -> list[Game]:
    return list(
        Game.objects.filter(trial_game__participant__trial=trial, finished_at__isnull=False)
    )


def said(trial: Trial) -> str:
    return " ".join(chain.from_iterable(calculate_results(trial).sentences.values()))


# Figures


def test_the_skill_estimate_is_perfect_play_less_what_the_decisions_of_a_game_cost(
    finished: Trial, advisor: Advisor
) -> None:
    found, games = calculate_results(finished).games, games_of(finished)
    assert (found.games, found.judged, len(found.people)) == (6, 6, 3)
    cost = fmean(game.regret or 0.0 for game in games)
    assert known(found.cost).mean == pytest.approx(cost)
    assert known(found.score).mean == fmean(game.final_score or 0 for game in games)
    assert f"so the skill estimate is {advisor.value_start - cost:.1f}" in said(finished)
    assert [person.participant for person in found.people] == ["P01", "P02", "P03"]
    assert calculate_results(finished).dice == (), "seeds prove virtual dice"
    blind, half, open_game = games[:3]
    Game.objects.filter(pk=blind.pk).update(regret=None, luck=None)
    Game.objects.filter(pk=half.pk).update(regret=F("regret") / 2)
    ended = {"finished_at": None, "final_score": None, "bonus": None}
    Game.objects.filter(pk=open_game.pk).update(**ended)
    found = calculate_results(finished).games
    assert (found.games, found.judged) == (5, 3)
    assert "1 planned game is unfinished" in said(finished)


def test_a_withdrawn_participant_is_in_no_figure(finished: Trial) -> None:
    withdraw_participant(participant=finished.participants.get(number=2))
    found = calculate_results(finished)
    assert [person.participant for person in found.games.people] == ["P01", "P03"]
    assert found.counts.planned == 4
    assert "unfinished" not in said(finished)


def test_facts_are_plain_data_without_a_code_a_seed_or_a_sentence(shared: Trial) -> None:
    text = json.dumps(calculate_results(shared).facts(), allow_nan=False)
    secrets = [shared.seed, *Participant.objects.values_list("code", flat=True)]
    secrets += Game.objects.values_list("seed", flat=True)
    assert not [secret for secret in secrets if secret in text]
    facts = json.loads(text)
    assert facts["games"]["games"] == 9
    assert facts["trial"]["slug"] == "shared"
    assert "sentences" not in text


def test_sittings_are_the_units_of_people_who_have_several(finished: Trial) -> None:
    assert calculate_results(finished).games.sittings is None
    for game in games_of(finished):
        began = game.started_at + timedelta(minutes=31) * game.trial_game.number
        Game.objects.filter(pk=game.pk).update(started_at=began, finished_at=began)
    assert calculate_results(finished).games.sittings == 6


# Sentences


def lifted(trial: Trial, points: int) -> None:
    games = Game.objects.filter(trial_game__participant__trial=trial)
    games.update(final_score=F("final_score") + points, luck=F("luck") + points)


def test_a_mean_above_perfect_play_is_put_down_to_luck_and_not_to_skill(finished: Trial) -> None:
    before = known(calculate_results(finished).games.cost)
    lifted(finished, 90)
    assert known(calculate_results(finished).games.cost).mean == pytest.approx(before.mean)
    assert "above that of perfect play" in said(finished)
    assert "so this is luck" in said(finished)
    lifted(finished, -150)
    assert "below that of perfect play" in said(finished)


def test_an_open_trial_and_one_of_bots_say_so(finished: Trial) -> None:
    assert "stop when you planned to" in said(finished)
    close_trial(trial=finished)
    finished.refresh_from_db()
    assert "stop when you planned to" not in said(finished)
    finished.rehearsal = True
    finished.save()
    assert "bots played, and nothing here is about people" in said(finished)


# Charts and the page


def test_every_chart_stands_alone_with_its_title(shared: Trial, staff: Client) -> None:
    page = read_page(staff, shared)
    assert page.count('class="chart"') == 3
    assert "P03" in page
    results = calculate_results(shared)
    drawings, learning = results.drawings, results.games.learning
    assert [drawing.name for drawing in drawings] == ["scores-in-tens", "skill", "learning"]
    first, last = (phrases.format_points(step.cost) for step in (learning[0], learning[-1]))
    assert f"{first} points in the first game, {last} in the last" in drawings[-1].chart.description
    for drawing in drawings:
        texts = [one.text for one in ElementTree.fromstring(drawing.alone).iter(f"{SVG}text")]
        assert drawing.title in texts
        on_a_page = ElementTree.fromstring(f"<figure>{drawing.svg}</figure>")  # wide and narrow
        shown = [one.text for one in on_a_page.iter(f"{SVG}text")]
        assert drawing.title not in shown


def test_many_people_are_a_line_by_rank_and_cost_no_more_queries(advisor: Advisor) -> None:
    asked = []
    for slug, places in (("few", 2), ("more", 14)):
        trial = new_trial(slug=slug, places=places)
        play_all(trial, advisor)
        with CaptureQueriesContext(connection) as queries:
            assert calculate_results(trial).facts()
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 17
    chart = calculate_results(trial).charts["skill"].svg
    assert "participants, sorted by estimate" in chart
    assert ">P14<" not in chart


def test_a_site_without_a_table_shows_the_scores(
    staff: Client, finished: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not advisor itself: a module that is imported meanwhile would keep what it found.
    monkeypatch.setattr("game.core.worth.tables._known", {})
    monkeypatch.setattr("game.core.worth.tables._open_advisor", lambda rules: None)
    text = read_page(staff, finished)
    assert "The mean score is" in text
    assert "skill estimate is" not in text
    trial = new_trial(slug="empty")
    for number in (1, 2):
        assert "No game is finished yet" in read_page(staff, trial)
        joined(trial, number)


# Arms


TWO = (ArmSettings("off"), ArmSettings("coached", coach="after"))


def armed(advisor: Advisor, **settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": TWO, "places": 8, "games_before": 1, "games_after": 1}
    trial = new_trial(**wanted | {"games_each": 1, "slug": "armed"} | settings)
    play_armed(trial, advisor)
    return trial


def play_armed(trial: Trial, advisor: Advisor) -> None:
    """Play all games of a trial whose arms are of equal size, whichever test makes it."""
    trial.seed = "0" * 64
    trial.save(update_fields=["seed"])
    people = [joined(trial, number) for number in range(1, trial.places + 1)]
    for participant, bot in zip(people, make_bots(trial.places, 1), strict=True):
        for number in range(1, MOST_GAMES + 1):
            participant = draw_arm(participant=participant)
            following = find_next_game(participant)
            if following is None:
                break
            game = played_out(participant, bot, advisor, number)
            TrialGame.objects.filter(game=game).update(arm=following.arm, phase=following.phase)


@pytest.fixture
def trial(trials: dict[str, Trial]) -> Trial:
    return fresh(trials["armed"])


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
    results = calculate_results(armed(advisor, slug="single", arms=(), places=2))
    assert results.primary is None
    lines = [(one.phase, one.arm, one.difference) for one in results.phases]
    assert lines == [("before", "", None), ("training", "", None), ("after", "", None)]


def test_six_people_in_each_arm_have_a_verdict_at_no_more_queries(
    trial: Trial, advisor: Advisor
) -> None:
    asked = []
    for each in (trial, armed(advisor, slug="more", places=12)):
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
    results = calculate_results(trial)
    lines = {(one.phase, one.arm): one.difference for one in results.phases}
    (drawing,) = [drawing for drawing in results.drawings if drawing.name == "arms-phases"]
    dots = [layer.xs for layer in drawing.chart.layers if isinstance(layer, Points)]
    assert all(
        sum(places) == pytest.approx(2 * n) for n, places in enumerate(zip(*dots, strict=True))
    )
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


def test_whom_a_locked_rule_names_is_left_out(locked: Trial) -> None:
    short = known(locked.participants.filter(arm__name="coached").first())
    known(short.games.filter(phase="training").first()).game.delete()
    results = calculate_results(locked)
    assert known(results.lock).left_out == {"fewer_games": [short.label]}
    assert pair_of(locked).people == (3, 4)
    assert results.games.games == 3 * 7
    assert short.label not in [one.participant for one in results.games.people]


def test_the_locked_estimand_is_answered_with_its_own_seed(locked: Trial) -> None:
    lock = Preregistration.objects.get()
    found = known(calculate_results(locked).primary)
    assert (found.estimand.measure, found.estimand.direction) == ("score", "less")
    assert found.estimand.smallest == 4.0
    assert found.seed == int(lock.digest[:8], 16)
    assert lock.locked["analysis"] == ANALYSIS
    assert lock.locked["power"]["effect"] == 4.0
    assert lock.locked["power"]["people"] == 8


def test_an_older_lock_is_printed_by_the_version_that_locked_it(
    locked: Trial, client: Client
) -> None:
    lock = Preregistration.objects.get()
    older = {name: one for name, one in lock.locked.items() if name not in ("analysis", "power")}
    words = {"outcome": "The score", "analyses": ["Learning"], "exclusions": [], "stopping": "Now"}
    older |= {"analyses": ["learning"], "program": "yatzy 0.9", "words": words}
    Preregistration.objects.update(document=to_canonical_json(older))
    results = calculate_results(locked)
    assert not known(results.lock).here
    assert known(results.primary).seed == 0
    client.force_login(researcher_user("reader"))
    page = client.get(f"/trials/{locked.slug}/results/").text
    assert "yatzy 0.9" in page
    assert "Learning" in client.get(f"/trials/{locked.slug}/plan/").text


def test_people_who_play_both_arms_are_compared_with_themselves(advisor: Advisor) -> None:
    trial = armed(advisor, slug="both", design="within", games_before=0, games_after=0, places=12)
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
        ("training", "off", 12),
        ("training", "coached", 12),
    ]


def test_results_compare_with_perfect_play_and_a_study_of_the_same_game_alone(
    staff: Client, finished: Trial, yahtzee: Advisor
) -> None:
    other = new_trial(slug="yahtzee", ruleset="yahtzee")
    games = play_all(other, yahtzee)
    for trial in (finished, other):
        found, page = calculate_results(trial), text(staff.get(f"/trials/{trial.slug}/results/"))
        studied = trial == finished
        assert ("The published study&#x27;s people" in page) == studied
        assert ("published study" in found.charts["scores_in_tens"].svg) == studied
    assert found.conditions.value_start == yahtzee.value_start
    assert found.conditions.deviation == pytest.approx(59.61, abs=0.01)
    assert known(found.games.scores).chips == fmean(game.chips or 0 for game in games)
    assert "254.6" in page
