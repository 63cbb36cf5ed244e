"""How far a participant's games can be relied on: measured, exported, asked by rules."""

from datetime import datetime, timedelta
from statistics import median

import pytest

from game.core.worth.too_good import read_expert_losses
from game.models import Decision, Game
from game.trials.exports.tables import PARTICIPANTS, Standing
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
from tests.known import known
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
LATER = NOW + timedelta(days=900)


@pytest.fixture
def trial(advisor: Advisor) -> Trial:
    found = new_trial()
    play_all(found, advisor)
    return found


@pytest.fixture
def first(trial: Trial) -> Participant:
    return trial.participants.get(number=1)


def of(participant: Participant, until: datetime = LATER) -> Quality:
    return measure_quality(participant.trial, until).get(participant.pk, Quality())


def choices(participant: Participant) -> list[Decision]:
    made = Decision.objects.filter(game__trial_game__participant=participant).order_by(
        "game", "seq"
    )
    return [one for one in made if one.roll and not one.forced]


def taking(participant: Participant, *, server: int, browser: int | None = None) -> None:
    made = Decision.objects.filter(game__trial_game__participant=participant)
    made.update(milliseconds=server, client_milliseconds=browser)


def hidden(participant: Participant, at: datetime) -> None:
    kind = TrialEvent.Kind.HIDDEN
    TrialEvent.objects.create(trial=participant.trial, participant=participant, kind=kind, at=at)


# Haste


def test_the_time_of_a_decision_is_the_median_where_there_was_something_to_choose(
    first: Participant,
) -> None:
    for at, one in enumerate(Decision.objects.filter(game__trial_game__participant=first)):
        Decision.objects.filter(pk=one.pk).update(milliseconds=at * at, client_milliseconds=None)
    assert of(first).seconds == median(one.milliseconds for one in choices(first)) / 1000


def test_forced_choices_and_first_throws_take_no_time_of_anybody(first: Participant) -> None:
    taking(first, server=4000)
    made = Decision.objects.filter(game__trial_game__participant=first)
    made.filter(roll=0).update(milliseconds=10)
    assert made.filter(roll=0).exists()
    made.filter(pk__in=[one.pk for one in choices(first)[:40]]).update(forced=True, milliseconds=9)
    assert of(first).seconds == 4.0


def test_the_browsers_time_comes_before_the_servers(first: Participant) -> None:
    taking(first, server=9000, browser=1500)
    assert of(first).seconds == 1.5


# The hidden page


def test_a_decision_counts_where_the_page_was_hidden_since_the_one_before(
    first: Participant,
) -> None:
    taking(first, server=1000)
    three = choices(first)[:3]
    for at, one in enumerate(three):
        moment = NOW + timedelta(minutes=at)
        Decision.objects.filter(pk=one.pk).update(created_at=moment)
        hidden(first, moment - timedelta(milliseconds=(1, 999, 1000)[at]))
    hidden(first, NOW - timedelta(milliseconds=2))
    count = len(choices(first))
    others = count - 3  # all made at one moment, before anything was hidden
    Decision.objects.filter(game__trial_game__participant=first).exclude(
        pk__in=[one.pk for one in three]
    ).update(created_at=NOW - timedelta(days=1))
    assert others > 0
    assert of(first).hidden == 2 / count


def test_who_never_hid_the_page_and_who_has_not_decided_are_told_apart(first: Participant) -> None:
    assert of(first).hidden == 0.0
    Decision.objects.filter(game__trial_game__participant=first).delete()
    assert of(first) == Quality(chance=of(first).chance)


def test_a_page_that_is_shown_again_is_not_hidden_once_more(first: Participant) -> None:
    taking(first, server=1000)
    kind = TrialEvent.Kind.SHOWN
    TrialEvent.objects.create(trial=first.trial, participant=first, kind=kind, at=NOW)
    assert of(first).hidden == 0.0


def test_another_participants_page_is_no_matter(first: Participant) -> None:
    second = first.trial.participants.get(number=2)
    taking(first, server=10**6)
    taking(second, server=10**6)
    hidden(second, choices(second)[0].created_at)
    assert of(first).hidden == 0.0
    assert (of(second).hidden or 0) > 0


# Playing too well


def test_the_chance_is_that_of_the_expert_to_lose_as_little(first: Participant) -> None:
    lost = sum(place.game.regret or 0.0 for place in first.games.all())
    assert of(first).chance == pytest.approx(bound_chance(read_expert_losses(YATZY), 2, lost))


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
    Game.objects.filter(trial_game__participant=first, trial_game__number=1).update(**changed)
    other = known(first.games.get(number=2).game.regret)
    alone = bound_chance(read_expert_losses(YATZY), 1, other)
    assert of(first).chance == pytest.approx(alone)


def test_without_an_expert_nobody_is_compared(
    first: Participant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exclusions, "read_expert_losses", lambda rules: ())
    assert of(first).chance is None


# As it stood


def test_all_is_told_as_it_stood_at_a_moment(first: Participant) -> None:
    before = NOW - timedelta(seconds=1)
    taking(first, server=10**6)
    hidden(first, NOW)
    assert of(first, before) == Quality()


def test_whoever_withdrew_or_never_came_is_in_no_figure(first: Participant) -> None:
    Participant.objects.filter(pk=first.pk).update(withdrawn_at=NOW, player=None)
    assert set(measure_quality(first.trial, LATER)) == {
        one.pk for one in first.trial.participants.filter(number__gt=1)
    }


# Rules


def left_out(trial: Trial, rule: str, number: int) -> list[int]:
    keys = EXCLUSIONS[rule].finds(trial, LATER, number)
    return sorted(trial.participants.filter(pk__in=keys).values_list("number", flat=True))


def test_who_decides_quicker_than_the_limit_is_left_out(trial: Trial) -> None:
    for number, milliseconds in enumerate((799, 800, 801), start=1):
        taking(trial.participants.get(number=number), server=milliseconds)
    assert left_out(trial, "hasty", 800) == [1]


def test_the_share_of_decisions_with_a_hidden_page_is_told(first: Participant) -> None:
    taking(first, server=0)
    if len(choices(first)) % 2:
        Decision.objects.filter(pk=choices(first)[0].pk).update(forced=True)
    half = choices(first)[: len(choices(first)) // 2]
    Decision.objects.filter(pk__in=[one.pk for one in half]).update(milliseconds=5000)
    hidden(first, NOW - timedelta(milliseconds=1))
    assert of(first).hidden == 0.5


def test_who_plays_too_well_is_left_out(first: Participant) -> None:
    Game.objects.filter(trial_game__participant=first).update(regret=0.0)
    rare = calculate_chances(first.trial, LATER)[first.pk]
    assert left_out(first.trial, "too_good", int(1 / rare) - 1) == [1]
    assert left_out(first.trial, "too_good", int(1 / rare) + 2) == []


def test_the_words_of_a_rule_have_its_number() -> None:
    assert "less than 700 milliseconds" in EXCLUSIONS["hasty"].format_sentence(700)
    assert "once in 1000 times" in EXCLUSIONS["too_good"].format_sentence(1000)


# The export


def test_the_export_has_a_column_of_each(first: Participant) -> None:
    taking(first, server=2500)
    rows = [
        dict(zip(PARTICIPANTS.names, row, strict=True))
        for row in Standing(first.trial, LATER).rows(PARTICIPANTS)
    ]
    assert rows[0]["seconds_a_decision"] == 2.5
    assert rows[0]["hidden_share"] == 0.0
    assert rows[0]["expert_chance"] == calculate_chances(first.trial, LATER)[first.pk]
    assert not list(differences(first.trial))
