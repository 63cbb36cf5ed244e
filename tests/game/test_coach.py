"""What the coach says, when it asks, what it stores, and when it must be silent."""

from dataclasses import replace
from html import unescape

import pytest
from django.test import Client

from game.coach.hints import ranked
from game.coach.panel import panel
from game.coach.review import review
from game.core.fair import blocks
from game.core.game_queries import game_played
from game.core.playing import game_hold
from game.core.refusals import AskFirst
from game.core.words import phrases
from game.core.worth.tables import advisor
from game.models import Coach, Decision, Game, Player
from game.pages.board.showing import board_game
from solver.advice import Advisor, Entry, position_of
from solver.rules import YATZY, Action, Hold, State, played, start
from tests.play import Browser, costly_box, into_trial, play_through, stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def coached_game(browser: Browser, level: str) -> Game:
    return browser.start(coach=level)


def finished(browser: Browser, level: str = "off") -> Game:
    game = coached_game(browser, level)
    play_through(browser, game)
    game.refresh_from_db()
    return game


def test_every_decision_is_judged_once_and_adds_up_to_the_score(browser: Browser) -> None:
    game = finished(browser)
    judged = Decision.objects.filter(game=game, regret__isnull=False)
    first_throws = Decision.objects.filter(game=game, roll=0)
    assert judged.count() == game.decisions.count() - first_throws.count()
    luck = sum(decision.luck or 0.0 for decision in judged)
    regret = sum(decision.regret or 0.0 for decision in judged)
    coach = advisor(YATZY)
    assert coach is not None
    assert coach.value_start + luck - regret == pytest.approx(game.final_score, abs=1e-6)
    assert game.regret == pytest.approx(regret)
    assert game.luck == pytest.approx(luck)
    assert game.free_decisions == judged.filter(forced=False).count()


def test_what_is_stored_is_what_the_review_shows(browser: Browser) -> None:
    game = finished(browser)
    coach = advisor(YATZY)
    assert coach is not None
    shown = review(coach, blocks.block(game.seed, game.rules), game_played(game).actions)
    kept = Decision.objects.filter(game=game, regret__isnull=False).order_by("seq")
    assert [step.entry.regret for step in shown.steps] == pytest.approx([d.regret for d in kept])
    assert shown.score == game.final_score
    ledger = coach.ledger(
        played(YATZY, blocks.block(game.seed, game.rules), game_played(game).actions)
    )
    assert shown.regret == pytest.approx(ledger.regret)
    assert sum(loss.points for loss in shown.by_throw) == pytest.approx(shown.regret)
    assert sum(loss.points for loss in shown.by_box) == pytest.approx(shown.regret)


def test_a_game_without_a_table_is_played_without_judgement(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.core.worth.tables.advisor", lambda rules: None)
    game = finished(browser)
    assert game.final_score is not None
    assert game.regret is None
    assert not Decision.objects.filter(game=game, regret__isnull=False).exists()


def test_the_level_of_a_game_is_offered_for_the_next(browser: Browser) -> None:
    game = coached_game(browser, "before")
    assert game.coach == Coach.BEFORE
    browser.act(game, "abandon", seq=1)
    assert 'value="before" selected' in browser.get("/").text


def test_a_game_given_up_with_dice_on_the_table_is_neither_priced_nor_hinted(
    browser: Browser,
) -> None:
    game = coached_game(browser, "live")
    assert panel(game_played(game)).holds
    browser.act(game, "abandon", seq=1)
    told = panel(game_played(Game.objects.get(pk=game.pk)), with_hint=True)
    assert (told.holds, told.boxes, told.hint, told.can_hint) == ((), {}, None, False)


def test_a_daily_game_has_no_coach(browser: Browser) -> None:
    assert browser.start(mode="daily", coach="live").coach == Coach.OFF


def test_before_a_costly_move_the_coach_asks_and_then_obeys(browser: Browser) -> None:
    game = coached_game(browser, "before")
    box = costly_box(game)
    asked = browser.act(game, "score", seq=1, category=box)
    assert asked.status_code == 200
    assert "This costs" in asked.text
    assert len(stored(game)) == 1
    browser.act(game, "score", seq=1, category=box, confirmed="1")
    assert len(stored(game)) == 2


def test_before_a_costly_hold_the_coach_asks_too(browser: Browser) -> None:
    game = coached_game(browser, "before")
    Game.objects.filter(pk=game.pk).update(coach_threshold=0.0)
    player = game.player
    with pytest.raises(AskFirst) as asked:
        game_hold(game_id=game.pk, player=player, seq=1, slots=0b10101)
    page = browser.act(game, "hold", seq=1, slot=[0, 2, 4])
    assert page.context["board"].confirm_slots == (0, 2, 4)
    assert isinstance(asked.value.action, Hold)
    assert asked.value.action.slots == 0b10101
    assert len(stored(game)) == 1
    browser.act(game, "hold", seq=1, slot=[0, 2, 4], confirmed="1")
    assert stored(game)[1] == (1, 0b10101, "")


def test_a_cheap_move_is_not_asked_about(browser: Browser) -> None:
    game = coached_game(browser, "before")
    Game.objects.filter(pk=game.pk).update(coach_threshold=1000.0)
    browser.act(game, "score", seq=1, category=costly_box(game))
    assert len(stored(game)) == 2


@pytest.mark.parametrize("level", ["after", "before", "live"])
def test_after_a_move_the_coach_says_what_it_was_worth(browser: Browser, level: str) -> None:
    game = coached_game(browser, level)
    page = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    feedback = page.context["board"].coach.feedback
    assert feedback.severity.id != "best"
    assert "The best move was" in page.text
    assert feedback.reason in unescape(page.text)


def test_who_watches_sees_nothing_of_the_coach(browser: Browser) -> None:
    game = coached_game(browser, "live")
    shown, watched = (board_game(game, viewer=viewer).coach for viewer in (game.player, None))
    assert shown is not None
    assert watched is None


def test_the_live_coach_prices_every_set_of_dice(browser: Browser) -> None:
    game = coached_game(browser, "live")
    board = browser.get(f"/games/{game.pk}/?held=0,1").context["board"]
    assert len(board.coach.holds) == 32
    assert "best" in board.coach.holds
    assert board.live_cost == board.coach.holds[0b11]
    assert all(row.cost for row in board.upper + board.lower)


def test_a_hint_ranks_the_options_and_keeps_what_is_held(browser: Browser) -> None:
    game = coached_game(browser, "after")
    page = browser.act(game, "hint", slot=[1, 3])
    hint = page.context["board"].coach.hint
    assert hint.options[0].best
    assert [die.held for die in page.context["board"].dice] == [False, True, False, True, False]
    assert hint.reason in page.text.replace("&#x27;", "'")
    game.refresh_from_db()
    assert game.hints == 1


def test_a_hint_works_without_a_script(browser: Browser) -> None:
    game = coached_game(browser, "after")
    page = browser.post(f"/games/{game.pk}/hint", {"slot": [2]}, follow=True)
    assert page.context["board"].coach.hint is not None
    assert page.context["board"].dice[2].held


def test_no_hint_where_the_coach_is_off_or_the_game_is_somebody_elses(browser: Browser) -> None:
    game = coached_game(browser, "off")
    assert browser.act(game, "hint").status_code == 403
    other = coached_game(Browser(), "after")
    assert browser.act(other, "hint").status_code == 403
    assert "Aims for" not in browser.get(f"/games/{game.pk}/?hint=1").text


def test_the_review_is_there_when_the_game_is_over_and_can_be_shared(browser: Browser) -> None:
    game = coached_game(browser, "off")
    assert browser.get(f"/games/{game.pk}/review").status_code == 403
    play_through(browser, game)
    page = browser.get(f"/games/{game.pk}/review")
    assert page.status_code == 200
    assert page.text.count("<svg") > 2
    shared = Client().get(f"/review/{game.share_token}/")
    assert shared.status_code == 200
    assert Client().get(f"/games/{game.pk}/review").status_code == 403
    assert Client().get("/review/nowhere/").status_code == 404


def test_the_review_goes_step_by_step(browser: Browser) -> None:
    game = finished(browser)
    page = browser.get(f"/games/{game.pk}/review?step=2")
    walk = page.context["walk"]
    assert (walk.previous, walk.next) == (f"{walk.here}?step=1", f"{walk.here}?step=3")
    fragment = browser.get(f"/games/{game.pk}/review?step=3", headers={"HX-Request": "true"})
    assert "<html" not in fragment.text
    for odd in ("0", "999", "x", "-1"):
        assert browser.get(f"/games/{game.pk}/review?step={odd}").status_code == 200


# What a trial may be told is searched for in test_blinding.py.


def test_the_decisions_of_a_trial_are_judged_for_its_researcher(browser: Browser) -> None:
    game = coached_game(browser, "off")
    into_trial(game)
    browser.act(game, "hold", seq=1, slot=[0])
    browser.act(game, "score", seq=2, category=costly_box(game))
    assert Decision.objects.filter(game=game, regret__isnull=False).count() == 2


def test_a_trial_cannot_be_begun_by_hand(browser: Browser) -> None:
    nonce = browser.nonce()
    assert browser.post("/games/", {"mode": "trial", "nonce": nonce}).status_code == 400
    assert not Player.objects.filter(games__mode=Game.Mode.TRIAL).exists()


# A decision is judged once


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
    """The actions that were valued, in their order."""
    seen: list[Action] = []
    value = Advisor.entry

    def noted(coach: Advisor, state: State, action: Action) -> Entry:
        seen.append(action)
        return value(coach, state, action)

    monkeypatch.setattr(Advisor, "entry", noted)
    return seen


@pytest.mark.parametrize("level", ["after", "before", "live"])
def test_a_decision_is_valued_once_however_much_is_said_about_it(
    browser: Browser, judgements: list[Action], level: str
) -> None:
    game = coached_game(browser, level)
    page = browser.act(game, "hold", seq=1, slot=[0], confirmed="1")
    assert page.context["board"].coach.feedback is not None
    assert judgements == [Hold(1)]
    browser.get(f"/games/{game.pk}/")
    assert judgements == [Hold(1)]


def test_what_is_said_of_a_move_is_what_replaying_the_game_would_say(browser: Browser) -> None:
    game = coached_game(browser, "after")
    coach = advisor(YATZY)
    assert coach is not None
    for seq, slots in ((1, [0, 1]), (2, [2])):
        said = browser.act(game, "hold", seq=seq, slot=slots).context["board"].coach.feedback
        step = review(coach, blocks.block(game.seed, game.rules), game_played(game).actions).steps[
            -1
        ]
        assert (said.move, said.cost, said.luck) == (step.label, step.cost, step.luck)
        assert said.severity == step.severity
        best = phrases.option(YATZY, step.advice.best)
        assert said.best == ("" if step.severity.id == "best" else best)


def test_a_move_that_was_made_without_a_table_is_valued_when_there_is_one(
    browser: Browser, judgements: list[Action]
) -> None:
    game = coached_game(browser, "after")
    browser.act(game, "hold", seq=1, slot=[0])
    Decision.objects.filter(game=game).update(best=None, value=None, regret=None, luck=None)
    judgements.clear()
    assert browser.get(f"/games/{game.pk}/").context["board"].coach.feedback is not None
    assert judgements == [Hold(1)]


def test_the_first_throw_of_a_turn_leaves_the_last_word_on_the_turn_before(
    browser: Browser,
) -> None:
    game = coached_game(browser, "after")
    browser.act(game, "score", seq=1, category="chance")
    said = browser.act(game, "hold", seq=2).context["board"].coach.feedback
    assert said.move.endswith("Chance")
    assert browser.get(f"/games/{game.pk}/").context["board"].coach.feedback == said


def test_a_hint_without_dice_is_refused_and_not_counted(browser: Browser) -> None:
    game = coached_game(browser, "after")
    browser.act(game, "score", seq=1, category="chance")
    assert browser.act(game, "hint").status_code == 409
    game.refresh_from_db()
    assert game.hints == 0


def test_a_hint_marks_the_equal_dice_that_were_held() -> None:
    """Sixes lie in the first slot and the last; those that were kept are not exchanged."""
    coach = advisor(YATZY)
    assert coach is not None
    state = replace(start(YATZY), dice=(6, 1, 6, 2, 6), throws_left=1, held=0b10100)
    options = coach.advise(position_of(state)).options
    pair = next(option for option in options if option.dice == (6, 6))
    assert ranked(state, pair).slots == (2, 4)
