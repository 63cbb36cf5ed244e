"""A ruleset with six dice is drawn, played and coached by nothing but its data."""

from pathlib import Path

import pytest

from game.core.game_queries import replay_game
from game.core.words import labels
from game.core.worth.leak_tree import FEWEST
from game.core.worth.tables import require_advisor
from game.models import Player
from game.pages.board.rules_words import format_headline, list_steps
from game.pages.board.verification import find_faults
from solver.rules import PLAYED, Hold, Ruleset
from tests.conftest import solved
from tests.game.leaky import store_games
from tests.play import Browser
from tests.solver.made_up import SIX_DICE


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ruleset:
    monkeypatch.setitem(PLAYED, SIX_DICE.id, SIX_DICE)
    monkeypatch.setitem(labels.RULES, SIX_DICE.id, SIX_DICE.title)
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    solved(SIX_DICE)
    return SIX_DICE


def dice_drawn(page: str) -> int:
    return page.count('name="toggle"')


def test_the_board_has_six_dice_and_is_played_to_the_end(browser: Browser, six: Ruleset) -> None:
    game = browser.start(ruleset=six.id, coach="live")
    page = browser.get(f"/games/{game.pk}/").text
    assert page.count('class="die"') == six.dice
    seq = 0
    for category in six.categories:
        assert browser.act(game, "hold", seq=seq).status_code == 200
        thrown = browser.get(f"/games/{game.pk}/").text
        assert dice_drawn(thrown) == six.dice
        kept = browser.act(game, "hold", seq=seq + 1, slot=[0, 5])
        assert kept.status_code == 200
        assert browser.act(game, "score", seq=seq + 2, category=category.id).status_code == 200
        seq += 3
    game.refresh_from_db()
    assert game.finished_at is not None
    played = replay_game(game)
    assert [Hold(0b100001) in played.actions, len(played.state.boxes)] == [True, 3]
    assert not find_faults(game)
    for address in ("", "review", "verify"):
        assert browser.get(f"/games/{game.pk}/{address}").status_code == 200, address


def test_leaks_are_shown_where_no_peers_have_played(browser: Browser, six: Ruleset) -> None:
    browser.start(ruleset=six.id)
    person = Player.objects.get()
    store_games(person, require_advisor(six), FEWEST)
    response = browser.get(f"/learn/?rules={six.id}")
    page, text = response.context["page"], response.text
    assert response.status_code == 200
    assert len(page.games) == FEWEST
    assert 'class="tree"' in text


def test_the_rules_and_the_api_say_how_many_dice_there_are(browser: Browser, six: Ruleset) -> None:
    assert format_headline(six) == f"{len(six.categories)} boxes, 3 rolls each"
    first, again, last = list_steps(six)
    assert (first.text, again.text[-15:]) == ("Roll all six dice.", " up to 2 times.")
    assert [len(step.dice) for step in (first, again, last)] == [six.dice] * 3
    assert browser.get(f"/rules/{six.id}/").status_code == 200
    ask = {"ruleset": six.id, "dice": [1, 1, 1, 2, 2, 6], "rolls_left": 1}
    advice = browser.post("/api/v1/advise", ask, content_type="application/json")
    assert advice.status_code == 200, advice.content
    assert len(advice.json()["best"].get("dice", [])) <= six.dice
    few = browser.post("/api/v1/advise", ask | {"dice": [1] * 5}, content_type="application/json")
    assert "there are 6 dice, not 5" in few.text
