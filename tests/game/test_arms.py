"""Arms and phases of a trial: who is given what and when, and how each game is played."""

import re
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.refusals import NotUnderstood, Refused
from game.models import WISHES, Coach, Game
from game.pages.requests.forms import StartForm
from game.trials.design.phases import ArmSettings, derive_list_seed
from game.trials.design.reading import build_design, find_next_game, is_draw_due
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game, store_answers
from game.trials.models import Participant, Trial, TrialGame
from game.trials.reading import is_in_trial
from tests.game.questions import (
    FAILS,
    PASSES,
    SCREENED,
    SCREENING,
    answer,
    answer_screening,
    asking,
)
from tests.game.test_assignment import reference
from tests.known import known
from tests.play import Browser
from tests.selection import examples
from tests.trials import agree_to, drawn, finish, fresh, joined, new_trial, play_next

pytestmark = pytest.mark.django_db

SILENT = ArmSettings("off")
COACHED = ArmSettings("after", coach="after")
TWO = (SILENT, COACHED)


def armed(**settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": TWO, "places": 12, "games_each": 1} | settings
    return new_trial(**wanted)


def test_a_trial_without_arms_gives_none_and_has_no_phase() -> None:
    one = joined(new_trial())
    game = start_trial_game(participant=one).game
    assert (one.arm, one.draw, one.planned) == (None, None, None)
    assert (game.trial_game.arm, game.trial_game.phase, game.coach) == (None, "", "off")


def test_one_place_in_a_list_is_never_given_twice_not_even_after_a_withdrawal() -> None:
    trial = armed()
    one = drawn(trial, 1)
    withdraw_participant(participant=one)
    other = drawn(trial, 2)
    assert (one.draw, other.draw) == (1, 2)
    other.draw = one.draw
    with pytest.raises(IntegrityError), transaction.atomic():
        other.save()


def test_phases_follow_each_other_and_the_coach_is_there_in_training_alone() -> None:
    trial = armed(arms=[COACHED], games_before=1, games_each=2, games_after=1)
    one = drawn(trial)
    played = [play_next(one) for _ in range(4)]
    assert [game.trial_game.phase for game in played] == ["before", "training", "training", "after"]
    assert [game.coach for game in played] == ["off", "after", "after", "off"]
    assert set(one.games.values_list("arm__name", flat=True)) == {"after"}
    with pytest.raises(Refused, match="played all games"):
        start_trial_game(participant=one)


def test_within_people_each_arm_has_its_own_games() -> None:
    one = joined(armed(design="within", games_each=2, games_before=1))
    first_game = play_next(one)
    assert (first_game.trial_game.arm, fresh(one).planned) == (None, None)
    one = draw_arm(participant=one)
    assert (sorted(one.arm_order.split()), one.planned) == (["1", "2"], 5)
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


# When the arm is drawn: after consent, questions and all games that every arm plays alike

ARMS = (
    ArmSettings("quiet"),
    ArmSettings("taught", coach="after", games_each=3, drill=True),
    ArmSettings("blank", offered_points=False),
)


def baseline(**settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": ARMS, "games_before": 1, "questionnaire": False}
    return new_trial(**wanted | settings)


class TheList(TestCase):
    @settings(max_examples=examples(25))
    @given(st.data())
    def test_the_nth_participant_drawn_gets_the_nth_entry(self, data: st.DataObject) -> None:
        before = data.draw(st.integers(0, 1))
        trial = asking(SCREENING, arms=ARMS, places=6, games_before=before)
        people = [joined(trial, number) for number in range(1, 7)]
        with pytest.raises(Refused, match="answer the questions"):
            draw_arm(participant=people[0])
        for one in people:
            answer_screening(
                one, data.draw(st.sampled_from([PASSES, PASSES, PASSES, SCREENED, FAILS]))
            )
        drawn: list[int] = []
        for _ in range(data.draw(st.integers(6, 16))):
            one = data.draw(st.sampled_from(people))
            self.do(data.draw(st.sampled_from(["play", "draw", "draw", "answer", "leave"])), one)
            now = fresh(one)
            if now.arm_id is not None and one.pk not in drawn:
                drawn.append(one.pk)
        self.check(trial, drawn)

    def do(self, what: str, one: Participant) -> None:
        with suppress(Refused, NotUnderstood):
            if what == "play":
                finish(start_trial_game(participant=one).game)
            elif what == "draw":
                draw_arm(participant=one)
            elif what == "answer":
                store_answers(participant=one, experience=["now", "never", ""][one.number % 3])
            elif one.number == 1:
                withdraw_participant(participant=one)

    def check(self, trial: Trial, drawn: list[int]) -> None:
        design = build_design(trial)
        wanted = reference(derive_list_seed(trial.seed), 3, len(drawn))
        for number, (key, arm) in enumerate(zip(drawn, wanted, strict=True), start=1):
            one = fresh(Participant(pk=key))
            assert (one.draw, known(one.arm).name) == (number, ARMS[arm].name)
            games = known(design.arms[arm].games_each or trial.games_each)
            assert one.planned == trial.games_before + games
            assert set(one.games.values_list("arm", flat=True)) <= {one.arm_id}
        for one in trial.participants.filter(screened_out_at__isnull=False):
            assert one.draw is None


@pytest.mark.parametrize(
    ("arm", "common"),
    [
        (ArmSettings("same", ruleset="yatzy", dice="virtual", shared_dice=False), 2),
        (ArmSettings("rules", ruleset="yahtzee"), 0),
        (ArmSettings("table", dice="real"), 0),
        (ArmSettings("shared", shared_dice=True), 0),
    ],
)
def test_games_before_are_common_unless_an_arm_has_rules_or_dice_of_its_own(
    arm: ArmSettings, common: int
) -> None:
    trial = baseline(arms=(ArmSettings("quiet"), arm), games_before=2)
    assert build_design(trial).common == common
    assert is_draw_due(joined(trial)) == (common == 0)


def test_the_lot_waits_for_the_end_of_the_last_common_game() -> None:
    trial = baseline(games_before=2)
    with pytest.raises(Refused, match="read the text"):
        draw_arm(participant=trial.participants.get(number=1))
    one = joined(trial)
    finish(start_trial_game(participant=one).game)
    game = start_trial_game(participant=one).game
    assert fresh(draw_arm(participant=one)).arm is None
    finish(game)
    with pytest.raises(NotUnderstood):
        start_trial_game(participant=one)  # which depends on the arm
    assert fresh(draw_arm(participant=one)).draw == 1
    assert fresh(draw_arm(participant=one)).draw == 1


def test_a_participant_who_had_an_arm_before_keeps_it() -> None:
    """Trials under way: the arm was given with the consent, the games before came after it."""
    one = joined(baseline())
    trial = one.trial
    arm = trial.arms.get(name="taught")
    Participant.objects.filter(pk=one.pk).update(
        arm=arm, arm_order="2", draw=1, planned=4, assigned_at=one.consented_at
    )
    game = start_trial_game(participant=one).game
    finish(game)
    assert game.trial_game.arm == arm
    assert not is_draw_due(fresh(one))
    assert known(find_next_game(fresh(one))).arm == arm


@pytest.mark.parametrize("moment", ["between", "after"])
def test_questions_between_games_come_before_the_lot_and_those_after_all_do_not(
    moment: str,
) -> None:
    """There are as many games before the lot as after it."""
    asked = f"{moment}:\n  - questions:\n      - {{key: sure, kind: text, ask: Sure?}}\n"
    one = joined(asking(asked, arms=ARMS[:1], games_before=1, games_each=1))
    finish(start_trial_game(participant=one).game)
    if moment == "between":
        with pytest.raises(Refused, match="answer the questions"):
            draw_arm(participant=one)
        answer(one, q_sure="yes")
    assert draw_arm(participant=one).draw == 1


# The page


def words_of(page: str) -> str:
    return re.sub(r"<[^>]+>", " ", page[page.index("<h1") : page.index("</main>")]).lower()


@pytest.mark.parametrize("alike", [True, False])
def test_the_page_says_no_word_of_an_arm_before_the_lot_falls_by_its_button(
    browser: Browser, alike: bool
) -> None:
    """The page shows the number of games only if it is the same in every arm."""
    arms = (ARMS[0], ARMS[2]) if alike else ARMS
    one = baseline(arms=arms, games_each=2).participants.get(number=1)
    agree_to(browser, one)
    pages = [browser.get("/take-part/").text]
    game = browser.post("/take-part/game").headers["Location"]
    pages.append(browser.get(game).text)
    finish(Game.objects.get())
    pages.append(browser.get("/take-part/").text)
    for number, page in enumerate(map(words_of, pages)):
        assert not re.search(r"quiet|taught|blank|practise", page)
        assert bool(re.search(r"of [345] games|game 1 of", page)) == (alike and number < 2)
    assert "coach" not in words_of(pages[-1])
    assert fresh(one).arm is None
    assert browser.post("/take-part/game").headers["Location"] == "/take-part/"
    assert fresh(one).arm is not None
    assert Game.objects.count() == 1
    coached = known(fresh(one).arm).coach == "after"
    page = words_of(browser.get("/take-part/").text)
    assert ("a coach next to your card" in page) == coached
    assert re.search(r"of [34] games played", page)
    assert "/games/" in browser.post("/take-part/game").headers["Location"]
