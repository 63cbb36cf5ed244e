"""When the lot falls: after consent, questions and all games that every arm plays alike."""

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.refusals import NotUnderstood, Refused
from game.models import Game
from game.trials.design.phases import ArmSettings, PlannedGame, derive_list_seed, list_common_games
from game.trials.design.reading import build_design, find_next_game, is_draw_due
from game.trials.joining.links import make_link_path
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game, store_answers
from game.trials.models import Participant, Trial
from tests.game.questions import answer, asking
from tests.game.test_arms import finish
from tests.game.test_assignment import reference
from tests.known import known
from tests.play import Browser
from tests.selection import examples
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db(transaction=True)

ARMS = (
    ArmSettings("quiet"),
    ArmSettings("taught", coach="after", games_each=3, drill=True),
    ArmSettings("blank", offered_points=False),
)
SCREENING = """
before:
  - tries: 1
    questions:
      - {key: plays, kind: choice, ask: Do you play?, options: {no: No, yes: Yes}, screen_out: yes}
      - {key: throws, kind: number, ask: How many throws?, right: 3}
"""
GOOD, SCREENED, WRONG = ("no", "3"), ("yes", "3"), ("no", "4")


def baseline(**settings: Any) -> Trial:
    wanted: dict[str, Any] = {"arms": ARMS, "games_before": 1, "questionnaire": False}
    return new_trial(**wanted | settings)


def answer_screening(one: Participant, what: tuple[str, str]) -> None:
    answer(one, q_plays=what[0], q_throws=what[1])


def fresh(one: Participant) -> Participant:
    return Participant.objects.select_related("trial", "arm").get(pk=one.pk)


def play(one: Participant) -> Game:
    game = start_trial_game(participant=one).game
    finish(game)
    return game


class TheList(TestCase):
    @settings(max_examples=examples(25))
    @given(st.data())
    def test_whoever_is_drawn_as_number_n_gets_the_nth_entry(self, data: st.DataObject) -> None:
        before = data.draw(st.integers(0, 1))
        trial = asking(SCREENING, arms=ARMS, places=6, games_before=before)
        people = [joined(trial, number) for number in range(1, 7)]
        for one in people:
            answer_screening(one, data.draw(st.sampled_from([GOOD, GOOD, GOOD, SCREENED, WRONG])))
        drawn: list[int] = []
        for _ in range(data.draw(st.integers(6, 30))):
            one = data.draw(st.sampled_from(people))
            self.do(data.draw(st.sampled_from(["play", "draw", "draw", "answer", "leave"])), one)
            now = fresh(one)
            if now.arm_id is not None and one.pk not in drawn:
                drawn.append(one.pk)
        self.check(trial, drawn)

    def do(self, what: str, one: Participant) -> None:
        with suppress(Refused, NotUnderstood):
            if what == "play":
                play(one)
            elif what == "draw":
                draw_arm(participant=one)
            elif what == "answer":
                store_answers(participant=one, experience=["now", "never"][one.number % 2])
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
    assert list_common_games(build_design(trial)) == [PlannedGame("before", None)] * common
    assert is_draw_due(joined(trial)) == (common == 0)


def test_the_lot_waits_for_the_end_of_the_last_common_game() -> None:
    trial = baseline(games_before=2)
    with pytest.raises(Refused, match="read the text"):
        draw_arm(participant=trial.participants.get(number=1))
    one = joined(trial)
    play(one)
    game = start_trial_game(participant=one).game
    assert fresh(draw_arm(participant=one)).arm is None
    finish(game)
    with pytest.raises(NotUnderstood):
        start_trial_game(participant=one)  # which depends on the arm
    assert fresh(draw_arm(participant=one)).draw == 1
    assert fresh(draw_arm(participant=one)).draw == 1


def test_whoever_had_an_arm_before_goes_on_with_it() -> None:
    """Trials under way: the arm was given with the consent, the games before came after it."""
    one = joined(baseline())
    trial = one.trial
    arm = trial.arms.get(name="taught")
    Participant.objects.filter(pk=one.pk).update(
        arm=arm, arm_order="2", draw=1, planned=4, assigned_at=one.consented_at
    )
    assert play(one).trial_game.arm == arm
    assert not is_draw_due(fresh(one))
    assert known(find_next_game(fresh(one))).arm == arm


# Who is never drawn


@pytest.mark.parametrize("what", [SCREENED, WRONG])
def test_who_is_screened_out_or_fails_the_checks_is_never_drawn(what: tuple[str, str]) -> None:
    trial = asking(SCREENING, arms=ARMS)
    one = joined(trial)
    with pytest.raises(Refused, match="answer the questions"):
        draw_arm(participant=one)
    answer_screening(one, what)
    with pytest.raises(Refused, match="cannot continue"):
        draw_arm(participant=one)
    assert fresh(one).draw is None
    other = joined(trial, 2)
    answer_screening(other, GOOD)
    assert draw_arm(participant=other).draw == 1


@pytest.mark.parametrize("moment", ["between", "after"])
def test_questions_between_games_come_before_the_lot_and_those_after_all_do_not(
    moment: str,
) -> None:
    """There are as many games before the lot as after it."""
    asked = f"{moment}:\n  - questions:\n      - {{key: sure, kind: text, ask: Sure?}}\n"
    one = joined(asking(asked, arms=ARMS[:1], games_before=1, games_each=1))
    play(one)
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
    """How many games there are is told where every arm has as many."""
    arms = (ARMS[0], ARMS[2]) if alike else ARMS
    one = baseline(arms=arms, games_each=2).participants.get(number=1)
    browser.get(make_link_path(one))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
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
