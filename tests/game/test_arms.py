"""Arms and phases of a trial: who is given what, and what each game is played under."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from game.core.refusals import Refused
from game.models import WISHES, Coach, Game
from game.pages.requests.forms import StartForm
from game.trials.design.phases import ArmSettings, derive_list_seed, draw_condition
from game.trials.design.reading import find_next_game
from game.trials.design.writing import configure_trial, open_trial
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game
from game.trials.models import Participant, Trial, TrialGame
from game.trials.reading import is_in_trial
from game.trials.results.flow import build_flow
from tests.known import known
from tests.trials import CONSENT, drawn, joined, new_trial

pytestmark = pytest.mark.django_db

SILENT = ArmSettings("off")
COACHED = ArmSettings("after", coach="after")
TWO = (SILENT, COACHED)


def armed(**settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": TWO, "places": 12, "games_each": 1} | settings
    return new_trial(**wanted)


def finish(game: Game, *, days_ago: float = 0) -> None:
    then = timezone.now() - timedelta(days=days_ago)
    Game.objects.filter(pk=game.pk).update(finished_at=then, final_score=200, bonus=0)


def play_next(participant: Participant, *, days_ago: float = 0) -> Game:
    draw_arm(participant=participant)
    game = start_trial_game(participant=participant).game
    finish(game, days_ago=days_ago)
    return game


def test_a_trial_without_arms_gives_none_and_has_no_phase() -> None:
    one = joined(new_trial())
    game = start_trial_game(participant=one).game
    assert (one.arm, one.draw, one.planned) == (None, None, None)
    assert (game.trial_game.arm, game.trial_game.phase, game.coach) == (None, "", "off")


def test_arms_are_given_by_the_sealed_list_in_the_order_in_which_people_go_on() -> None:
    trial = armed()
    for number in (5, 1, 12, 3, 2, 4):
        drawn(trial, number)
    seed = derive_list_seed(trial.seed)
    wanted = [["off", "after"][draw_condition(seed, number, 2)] for number in range(1, 7)]
    by_draw = trial.participants.filter(draw__isnull=False).order_by("draw")
    assert [one.number for one in by_draw] == [5, 1, 12, 3, 2, 4]
    assert [known(one.arm).name for one in by_draw] == wanted


def test_an_arm_is_given_once_also_when_a_changed_text_is_agreed_to() -> None:
    trial = armed()
    one = drawn(trial)
    before = (one.arm, one.draw, one.assigned_at)
    drawn(trial, 2)
    configure_trial(trial=trial, consent="Another text.")
    again = drawn(trial)
    assert (again.arm, again.draw, again.assigned_at) == before


def test_one_place_in_a_list_is_never_given_twice() -> None:
    trial = armed()
    one, other = drawn(trial, 1), drawn(trial, 2)
    other.draw = one.draw
    with pytest.raises(IntegrityError), transaction.atomic():
        other.save()


def test_whoever_withdraws_keeps_the_place_in_the_list_and_is_counted() -> None:
    trial = armed()
    first = drawn(trial, 1)
    withdraw_participant(participant=first)
    second = drawn(trial, 2)
    assert second.draw == 2
    counts = {arm.name: dict(arm.steps) for arm in build_flow(trial, timezone.now()).arms}
    assert counts[known(first.arm).name]["withdrew"] == 1
    assert sum(count["given"] for count in counts.values()) == 2


def test_phases_follow_each_other_and_the_coach_is_there_in_training_alone() -> None:
    trial = armed(arms=[COACHED], games_before=1, games_each=2, games_after=1)
    one = drawn(trial)
    played = [play_next(one) for _ in range(4)]
    assert [game.trial_game.phase for game in played] == ["before", "training", "training", "after"]
    assert [game.coach for game in played] == ["off", "after", "after", "off"]
    assert set(one.games.values_list("arm__name", flat=True)) == {"after"}
    with pytest.raises(Refused, match="played all games"):
        start_trial_game(participant=one)


def test_within_people_both_orders_come_and_each_arm_has_its_own_games() -> None:
    trial = armed(design="within", games_each=2, games_before=1, places=8)
    orders: Counter[str] = Counter()
    for number in range(1, 9):
        one = joined(trial, number)
        first_game = play_next(one)
        one = draw_arm(participant=one)
        orders[one.arm_order] += 1
        assert (first_game.trial_game.arm, one.planned) == (None, 5)
    assert set(orders) == {"1 2", "2 1"}
    assert abs(orders["1 2"] - orders["2 1"]) <= 2
    played = [play_next(one) for _ in range(4)]
    first, second = (TWO[arm].name for arm in one.order)
    assert [known(game.trial_game.arm).name for game in played] == [first, first, second, second]
    assert [game.coach for game in played] == [first, first, second, second]
    assert known(one.games.get(number=1)).arm is None


def test_an_arm_has_rules_dice_and_a_number_of_games_of_its_own() -> None:
    own = ArmSettings("own", ruleset="yahtzee", shared_dice=False, games_each=3)
    arms = [own, ArmSettings("same", games_each=1), ArmSettings("table", dice="real")]
    wanted = {
        "own": ("yahtzee", 3, False),
        "same": ("yatzy", 1, False),
        "table": ("yatzy", 1, True),
    }
    trial, seeds = armed(arms=arms, shared_dice=True), dict[str, list[str]]()
    for number in range(1, 13):
        one = drawn(trial, number)
        game, arm = start_trial_game(participant=one).game, known(one.arm).name
        seeds.setdefault(arm, []).append(game.seed)
        assert (game.ruleset, one.planned, game.real_dice) == wanted[arm]
    assert len({*seeds["own"]}) == len(seeds["own"]) > 1
    assert len({*seeds["same"]}) == 1 < len(seeds["same"])
    assert {*seeds["table"]} == {""}


def test_the_follow_up_waits_for_its_day_and_the_trial_for_the_follow_up() -> None:
    trial = armed(arms=[COACHED], games_follow_up=2, follow_up_days=7)
    one = drawn(trial)
    first = play_next(one, days_ago=6.9)
    assert is_in_trial(known(one.player))
    opens = known(known(find_next_game(one)).opens_at)
    first.refresh_from_db()
    assert opens - known(first.finished_at) == timedelta(days=7)
    with pytest.raises(Refused, match=f"{opens:%H:%M}"):
        start_trial_game(participant=one)
    finish(first, days_ago=7.1)
    games = [play_next(one), play_next(one)]
    assert [game.trial_game.phase for game in games] == ["follow_up", "follow_up"]
    assert not is_in_trial(known(one.player))


@pytest.mark.parametrize(
    "change",
    [
        {"arms": [COACHED]},
        {"arms": []},
        {"games_before": 2},
        {"games_after": 1},
        {"follow_up_days": 3},
        {"design": "within"},
    ],
)
def test_the_design_is_fixed_once_the_trial_is_opened(change: dict[str, Any]) -> None:
    trial = armed(opened=False)
    configure_trial(trial=trial, consent=CONSENT, **change)
    configure_trial(trial=trial, consent=CONSENT, arms=TWO, games_before=0, games_after=0)
    back: dict[str, Any] = {"follow_up_days": 0, "design": "between"}
    configure_trial(trial=trial, consent=CONSENT, **back)
    open_trial(trial=trial)
    with pytest.raises(Refused, match="arms and phases"):
        configure_trial(trial=trial, consent=CONSENT, **change)
    configure_trial(trial=trial, consent=CONSENT, arms=TWO, title="Another")


@pytest.mark.parametrize("wrong", [{"phase": ""}, {"phase": "between"}, {"number": 2}])
def test_a_place_has_a_phase_if_it_has_an_arm_and_a_number_of_its_own(
    wrong: dict[str, Any],
) -> None:
    one = drawn(armed(games_each=2))
    first, _second = play_next(one), play_next(one)
    with pytest.raises(IntegrityError), transaction.atomic():
        TrialGame.objects.filter(game=first).update(**wrong)


def test_players_cannot_wish_for_what_arms_alone_have() -> None:
    assert Coach.HINT in Coach
    assert [value for value, _label in WISHES] == ["off", "after", "alert", "before", "live"]
    form = StartForm({"mode": "solo", "coach": Coach.HINT.value})
    assert "coach" in form.errors
