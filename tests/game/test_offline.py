"""Games that a device played by itself, as they are handed in."""

import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

import brotli  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.templatetags.static import static

from game.core.fair import tickets
from game.core.game_dice import list_shown_dice
from game.core.game_queries import list_scores
from game.core.refusals import InTrial, NotUnderstood, Refused
from game.core.starting import start_game
from game.models import Game, Player
from game.offline.handing_in import NotItsPoints, hand_in_game
from game.offline.offline_views import SentGameForm
from game.offline.shell_views import TABLE
from game.pages.board.verification import find_faults
from game.trials.joining.links import make_link_path
from solver.rules import (
    RULESETS,
    YATZY,
    Action,
    Hold,
    Ruleset,
    Score,
    State,
    replay_actions,
    sort_into_slots,
)
from tests.game.rulesets import played_at_random
from tests.play import Browser
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db
ADDRESS = "/offline/games"
NAME = str(UUID(int=7))
EVERY_RULESET = pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))


def body(rules: Ruleset = YATZY, seed: int = 7, **more: Any) -> dict[str, Any]:
    one = played_at_random(rules, seed)
    facts = {"name": NAME, "rules": rules.id, "turns": json.dumps(one.turns)}
    return facts | {"total": one.end.total, "began": 1_000_000, "ended": 2_000_000} | more


def seen(moves: Iterable[tuple[State, Action]]) -> list[object]:
    return [
        (state.turn, state.throws_left, sorted(state.dice), one.kept(state.dice))
        if isinstance(one, Hold)
        else (state.turn, state.throws_left, sorted(state.dice), one)
        for state, one in moves
    ]


@EVERY_RULESET
def test_what_is_stored_is_what_was_played(browser: Browser, rules: Ruleset) -> None:
    sent = body(rules)
    assert browser.post(ADDRESS, sent).json() == {"stored": True}
    game = Game.objects.get()
    assert find_faults(game) == []
    block = list_shown_dice(game)
    replayed = replay_actions(rules, block, [row.action for row in game.decisions.order_by("seq")])
    one = played_at_random(rules, 7)
    assert seen(replayed) == seen(one.moves)
    assert (game.bonus, game.chips) == (one.end.bonus, one.end.chips)
    assert (game.mode, game.final_score, game.seed) == ("offline", sent["total"], "")
    assert (game.started_at.timestamp(), game.finished_at and game.finished_at.timestamp()) == (
        1000,
        2000,
    )
    assert len(block) == len(rules.categories)
    assert list_scores(game.player, rules) == []
    for page in ("", "verify"):
        assert browser.get(f"/games/{game.pk}/{page}").status_code == 200
    assert "Played offline" in browser.get("/you/?rules=all").text


def test_the_same_game_is_stored_once_from_two_players(browser: Browser) -> None:
    assert browser.post(ADDRESS, body()).json() == {"stored": True}
    assert browser.post(ADDRESS, body()).json() == {"stored": False}
    other = Browser()
    assert other.post(ADDRESS, body()).json() == {"stored": False}
    assert (Game.objects.count(), Player.objects.count()) == (1, 1)
    assert browser.post(ADDRESS, body(name=str(UUID(int=8)))).json() == {"stored": True}


def test_a_clock_that_is_wrong_puts_nothing_into_the_future(browser: Browser) -> None:
    browser.post(ADDRESS, body(began=2**42, ended=2**42))
    game = Game.objects.get()
    assert game.finished_at is not None
    assert game.started_at == game.finished_at
    assert game.finished_at.timestamp() < 2**42 / 1000


@pytest.mark.parametrize(
    "wrong",
    [
        {"total": 999},
        {"total": "many"},
        {"name": "mine"},
        {"rules": "chess"},
        {"turns": ""},
        {"turns": "x" * 9000},
        {"turns": "[" * 8000},
        {"turns": "7"},
        {"turns": "{}"},
        {"turns": "[]"},
        {"turns": "[7]"},
        {"turns": '[{"thrown": [[1, 2, 3, 4, 6]], "held": [], "box": "ones"}]'},
        {"ended": 2**42 + 1},
        {"began": -1},
        {"coach": "hint"},  # for the arms of trials
        {"hints": -1},
    ],
)
def test_what_makes_no_sense_is_refused(browser: Browser, wrong: dict[str, Any]) -> None:
    answer = browser.post(ADDRESS, body() | wrong)
    assert answer.status_code == 400
    assert answer.json()["told"]
    assert not Game.objects.exists()
    assert not Player.objects.exists()


def spoilt(**changes: Any) -> dict[str, Any]:
    turns = played_at_random(YATZY, 7).turns
    turns[1] = {"thrown": [[1, 2, 3, 4, 6]], "held": [], "box": turns[1]["box"]} | changes
    return body(turns=json.dumps(turns), total=0)


@pytest.mark.parametrize(
    "changes",
    [
        {"thrown": [[1, 2, 3, 4]]},
        {"thrown": [[1, 2, 3, 4, 6, 6]]},
        {"thrown": [[1, 2, 3, 4, 7]]},
        {"thrown": [[1, 2, 3, 4, True]]},
        {"thrown": [[1, 2, 3, 4, 1.5]]},
        {"thrown": ["12346"]},
        {"thrown": 12346},
        {"thrown": []},
        {"thrown": [[1, 2, 3, 4, 6]] * 2},  # without what was held
        {"thrown": [[1, 2, 3, 4, 6]] * 2, "held": [[5]]},
        {"thrown": [[1, 2, 3, 4, 6]] * 2, "held": [[1, 1]]},
        {"thrown": [[1, 2, 3, 4, 6], [1, 2, 3, 4, 4]], "held": [[6]]},  # a held die is gone
        {"thrown": [[1, 2, 3, 4, 6], [1]], "held": [[6]]},
        {"thrown": [[1, 2, 3, 4, 6]] * 4, "held": [[6]] * 3},
        {"held": [[6]]},
        {"box": "aces"},
        {"box": ["ones"]},
        {"box": played_at_random(YATZY, 7).turns[0]["box"]},
    ],
)
def test_a_turn_that_breaks_the_rules_spoils_the_game(
    browser: Browser, changes: dict[str, Any]
) -> None:
    assert browser.post(ADDRESS, spoilt()).json()["told"] == NotItsPoints().message
    answer = browser.post(ADDRESS, spoilt(**changes))
    assert (answer.status_code, answer.json()["told"]) == (400, NotUnderstood().message)
    assert not Game.objects.exists()


def test_a_worker_of_the_release_before_keeps_its_game_and_offers_it_again(
    browser: Browser,
) -> None:
    sent = body()
    del sent["turns"], sent["rules"]
    assert browser.post(ADDRESS, sent | {"text": "rules yatzy"}).status_code == 409


def test_nobody_asks_so_where_a_ranked_game_of_theirs_stands(player: Player) -> None:
    nonce = tickets.issue().signed
    begun = start_game(player=player, mode="daily", nonce=nonce)
    sent = SentGameForm(body())
    assert sent.is_valid()
    asked = replace(sent.sent, moves=[(begun.state, Score("chance")), *sent.sent.moves])
    with pytest.raises(Refused, match="part of your ranked game"):
        hand_in_game(player=player, sent=asked)
    assert not Game.objects.filter(mode="offline").exists()


def test_a_participant_hands_in_nothing_and_gets_no_program() -> None:
    participant, browser = joined(new_trial()), Browser()
    assert static("js/pocket.js") in browser.get("/service-worker.js").text
    browser.get(make_link_path(participant))
    script = browser.get("/service-worker.js").text
    assert not re.search(r"pocket|coach|facts\.json|offline/table", script)
    assert not [name for name in TABLE if static(name) in script]
    assert '"/offline/stored/": "/offline/stored/?in=en"' in script
    assert browser.get("/offline/stored/").status_code == 200  # what lies there is theirs to delete
    for address in (ADDRESS, "/offline/table/", "/offline/facts.json"):
        assert browser.get(address).status_code == 403
    assert browser.post(ADDRESS, body()).status_code == 403
    assert participant.player is not None
    with pytest.raises(InTrial):
        hand_in_game(player=participant.player, sent=None)  # type: ignore[arg-type]


def test_the_table_names_nobody_and_speaks_the_readers_language(browser: Browser) -> None:
    page = browser.get("/offline/table/?in=sv").text
    assert "Utan nät" in page
    assert "csrfmiddlewaretoken" not in page
    script = browser.get("/service-worker.js").text
    drawn = re.findall(r'(?:src|href)="(/static/[^"#]+)"', page)
    assert drawn
    assert all(file in script for file in drawn)
    assert set(browser.get("/offline/facts.json").json()) == set(RULESETS)


def test_the_program_is_at_most_forty_kilobytes(browser: Browser) -> None:
    """Beside the first page: scripts and kernel as they are sent, and the facts of all rules."""
    files = [name for name in TABLE if name.endswith((".js", ".wasm")) and name != "js/play.js"]
    sent = [brotli.compress((settings.BASE_DIR / "static" / name).read_bytes()) for name in files]
    facts = gzip.compress(browser.get("/offline/facts.json").content)
    assert sum(map(len, sent)) + len(facts) < 40_000


def test_held_dice_lie_still_and_the_others_fill_the_free_slots() -> None:
    assert sort_into_slots((3, 5, 3, 1, 2), 0b00101, [6, 3, 4, 3, 2]) == (3, 6, 3, 4, 2)
    assert sort_into_slots((), 0, [6, 3, 4, 3, 2]) == (6, 3, 4, 3, 2)
    with pytest.raises(ValueError, match="not in list"):
        sort_into_slots((3, 5, 3, 1, 2), 0b00101, [3, 1, 1, 1, 1])
