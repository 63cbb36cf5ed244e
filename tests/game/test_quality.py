"""The reliability of a participant's games: measured, exported, asked by rules."""

from datetime import datetime, timedelta
from statistics import median

import pytest
from django.db.models import QuerySet

from game.core.worth.too_good import read_expert_losses
from game.models import Decision, Game
from game.trials.models import Participant, Trial, TrialEvent
from game.trials.results import exclusions
from game.trials.results.exclusions import (
    EXCLUSIONS,
    Quality,
    calculate_chances,
    measure_quality,
)
from solver.advice import Advisor
from solver.rules import YATZY
from solver.statistics.chi_squared import bound_chance
from tests.game.export_reference import differences
from tests.game.trial_games import NOW, play_all
from tests.trials import fresh, new_trial, table_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
LATER = NOW + timedelta(days=900)


@pytest.fixture(scope="module")
def played(module_db: None, advisor: Advisor) -> Trial:
    trial = new_trial()
    play_all(trial, advisor)
    return trial


@pytest.fixture
def trial(played: Trial) -> Trial:
    return fresh(played)


@pytest.fixture
def first(trial: Trial) -> Participant:
    return trial.participants.get(number=1)


def of(participant: Participant, until: datetime = LATER) -> Quality:
    return measure_quality(participant.trial, until).get(participant.pk, Quality())


def made(participant: Participant) -> QuerySet[Decision]:
    return Decision.objects.filter(game__trial_game__participant=participant)


def choices(participant: Participant) -> list[Decision]:
    return [one for one in made(participant).order_by("game", "seq") if one.roll and not one.forced]


def taking(participant: Participant, *, server: int, browser: int | None = None) -> None:
    made(participant).update(milliseconds=server, client_milliseconds=browser)


def test_the_time_of_a_decision_is_the_median_where_there_was_something_to_choose(
    first: Participant,
) -> None:
    for at, one in enumerate(made(first)):
        made(first).filter(pk=one.pk).update(milliseconds=at * at, client_milliseconds=None)
    assert of(first).seconds == median(one.milliseconds for one in choices(first)) / 1000
    made(first).update(client_milliseconds=1500)
    assert of(first).seconds == 1.5, "the browser's time comes before the server's"


def test_a_decision_counts_where_the_page_was_hidden_since_the_one_before(
    first: Participant,
) -> None:
    second = first.trial.participants.get(number=2)
    taking(first, server=1000)
    three, count = choices(first)[:3], len(choices(first))
    made(first).update(created_at=NOW - timedelta(days=1))
    for at, one in enumerate(three):
        moment = NOW + timedelta(minutes=at)
        made(first).filter(pk=one.pk).update(created_at=moment)
        for person, kind in ((first, "hidden"), (second, "hidden"), (first, "shown")):
            when = moment - timedelta(milliseconds=(1, 999, 1000)[at] if kind == "hidden" else 0)
            events = TrialEvent.objects
            if person == first or at == 2:
                events.create(trial=first.trial, participant=person, kind=kind, at=when)
    assert of(first).hidden == 2 / count
    assert of(second).hidden == 0.0  # all of it was decided before
    assert of(first, NOW - timedelta(days=2)) == Quality(), "as it stood then"
    made(first).delete()
    assert of(first) == Quality(chance=of(first).chance)  # no decision is not the share 0


def test_the_chance_is_that_of_the_expert_to_lose_as_little(
    first: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = sum(place.game.regret or 0.0 for place in first.games.all())
    assert of(first).chance == pytest.approx(bound_chance(read_expert_losses(YATZY), 2, lost))
    Participant.objects.filter(number=2).update(withdrawn_at=NOW, player=None)
    measured = Participant.objects.filter(pk__in=measure_quality(first.trial, LATER))
    assert {one.number for one in measured} == {1, 3}
    monkeypatch.setattr(exclusions, "read_expert_losses", lambda rules: ())
    assert of(first).chance is None


@pytest.mark.parametrize(
    "changed",
    [
        {"coach": Game.Coach.LIVE},
        {"ruleset": "yahtzee"},
        {"regret": None},
        {"finished_at": LATER + timedelta(seconds=1)},
    ],
)
def test_a_game_with_a_coach_other_rules_or_without_a_judgement_is_not_compared(
    first: Participant, changed: dict[str, object]
) -> None:
    games = Game.objects.filter(trial_game__participant=first)
    games.update(regret=3.0)  # which an expert loses now and then: a second game would show
    games.filter(trial_game__number=1).update(**changed)
    alone = bound_chance(read_expert_losses(YATZY), 1, 3.0)
    assert of(first).chance == pytest.approx(alone)


def left_out(trial: Trial, rule: str, number: int) -> list[int]:
    keys = EXCLUSIONS[rule].finds(trial, LATER, number)
    return sorted(trial.participants.filter(pk__in=keys).values_list("number", flat=True))


def test_who_decides_quicker_than_the_limit_or_plays_too_well_is_left_out(trial: Trial) -> None:
    for number, milliseconds in enumerate((799, 800, 801), start=1):
        taking(trial.participants.get(number=number), server=milliseconds)
    assert left_out(trial, "hasty", 800) == [1]
    Game.objects.filter(trial_game__participant__number=1).update(regret=0.0)
    first = trial.participants.get(number=1)
    rare = calculate_chances(trial, LATER)[first.pk]
    assert left_out(trial, "too_good", int(1 / rare) - 1) == [1]
    assert left_out(trial, "too_good", int(1 / rare) + 2) == []
    assert "700" in EXCLUSIONS["hasty"].format_sentence(700)
    assert "1000" in EXCLUSIONS["too_good"].format_sentence(1000)


def test_the_export_has_a_column_of_each(first: Participant) -> None:
    taking(first, server=2500)
    rows = table_rows(first.trial, "participants", LATER)
    assert rows[0]["seconds_a_decision"] == 2.5
    assert rows[0]["hidden_share"] == 0.0
    assert rows[0]["expert_chance"] == calculate_chances(first.trial, LATER)[first.pk]
    assert not list(differences(first.trial))
