"""What the coach says, when it asks, what it stores, and when it must be silent."""

from html import unescape

import pytest

from game.coach.panel import make_panel
from game.coach.review import review_game
from game.core.fair import blocks
from game.core.game_queries import replay_game
from game.core.worth.tables import load_advisor
from game.models import Decision, Game
from solver.advice import Advisor, Entry
from solver.rules import YATZY, Action, Hold, State, replay_actions
from tests.play import Browser, costly_box, play_through, stored
from tests.trials import into_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def finished(browser: Browser, level: str = "off") -> Game:
    game = browser.start(coach=level)
    play_through(browser, game)
    game.refresh_from_db()
    return game


def test_what_is_stored_is_what_the_review_shows(browser: Browser) -> None:
    game = finished(browser)
    coach = load_advisor(YATZY)
    assert coach is not None
    shown = review_game(coach, blocks.block(game.seed, game.rules), replay_game(game).actions)
    kept = Decision.objects.filter(game=game, regret__isnull=False).order_by("seq")
    assert [step.entry.regret for step in shown.steps] == pytest.approx([d.regret for d in kept])
    assert shown.score == game.final_score
    ledger = coach.make_ledger(
        replay_actions(YATZY, blocks.block(game.seed, game.rules), replay_game(game).actions)
    )
    assert shown.regret == pytest.approx(ledger.regret)
    assert sum(loss.points for loss in shown.by_throw) == pytest.approx(shown.regret)
    assert sum(loss.points for loss in shown.by_box) == pytest.approx(shown.regret)


def test_a_game_given_up_with_dice_on_the_table_is_neither_priced_nor_hinted(
    browser: Browser,
) -> None:
    game = browser.start(coach="live")
    assert make_panel(replay_game(game)).holds
    browser.act(game, "abandon", seq=1)
    told = make_panel(replay_game(Game.objects.get(pk=game.pk)), with_hint=True)
    assert (told.holds, told.boxes, told.hint, told.can_hint) == ((), {}, None, False)


def test_before_a_costly_hold_the_coach_asks_too(browser: Browser) -> None:
    game = browser.start(coach="before")
    Game.objects.filter(pk=game.pk).update(coach_threshold=0.0)
    page = browser.act(game, "hold", seq=1, slot=[0, 2, 4])
    assert page.context["board"].doubted.places == (0, 2, 4)
    assert len(stored(game)) == 1
    browser.act(game, "hold", seq=1, slot=[0, 2, 4], confirmed="1")
    assert stored(game)[1] == (1, 0b10101, "")


@pytest.mark.parametrize("level", ["after", "before", "live"])
def test_after_a_move_the_coach_says_what_it_was_worth(browser: Browser, level: str) -> None:
    game = browser.start(coach=level)
    page = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    feedback = page.context["board"].coach.feedback
    assert feedback.severity.id != "best"
    assert "The best move was" in page.text
    assert feedback.reason in unescape(page.text)


@pytest.mark.parametrize(
    ("earlier", "level", "shown"), [(0, "after", False), (1, "after", True), (0, "live", True)]
)
def test_the_tray_of_a_first_game_names_no_points_lost(
    browser: Browser, earlier: int, level: str, shown: bool
) -> None:
    for _ in range(earlier):
        finished(browser)
    game = browser.start(coach=level)
    assert 'class="sofar"' in browser.get(f"/games/{game.pk}/").text
    page = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    assert ('class="sofar"' in page.text) is shown


def test_a_hint_ranks_the_options_and_keeps_what_is_held(browser: Browser) -> None:
    game = browser.start(coach="after")
    page = browser.act(game, "hint", slot=[1, 3])
    hint = page.context["board"].coach.hint
    assert hint.options[0].best
    assert [die.held for die in page.context["board"].dice] == [False, True, False, True, False]
    assert hint.reason in page.text.replace("&#x27;", "'")
    game.refresh_from_db()
    assert game.hints == 1


# test_blinding.py tests the texts that a trial may show.


def test_the_decisions_of_a_trial_are_judged_for_its_researcher(browser: Browser) -> None:
    game = browser.start(coach="off")
    into_trial(game)
    browser.act(game, "hold", seq=1, slot=[0])
    browser.act(game, "score", seq=2, category=costly_box(game))
    assert Decision.objects.filter(game=game, regret__isnull=False).count() == 2


# A decision is judged once


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
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
    game = browser.start(coach=level)
    page = browser.act(game, "hold", seq=1, slot=[0], confirmed="1")
    assert page.context["board"].coach.feedback is not None
    assert judgements == [Hold(1)]
    browser.get(f"/games/{game.pk}/")
    assert judgements == [Hold(1)]


def test_a_move_that_was_made_without_a_table_is_valued_when_there_is_one(
    browser: Browser, judgements: list[Action]
) -> None:
    game = browser.start(coach="after")
    browser.act(game, "hold", seq=1, slot=[0])
    Decision.objects.filter(game=game).update(best=None, value=None, regret=None, luck=None)
    judgements.clear()
    assert browser.get(f"/games/{game.pk}/").context["board"].coach.feedback is not None
    assert judgements == [Hold(1)]


def test_a_hint_without_dice_is_refused_and_not_counted(browser: Browser) -> None:
    game = browser.start(coach="after")
    browser.act(game, "score", seq=1, category="chance")
    assert browser.act(game, "hint").status_code == 409
    game.refresh_from_db()
    assert game.hints == 0
