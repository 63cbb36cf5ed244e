"""A person plays a block of the lab's same-value test and stands beside its players."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from game.core import accounts
from game.core.game_dice import build_lab_block, list_shown_dice
from game.core.game_queries import Played, calculate_statistics
from game.core.kind import find_kind
from game.core.playing import hold_dice
from game.core.profile_queries import query_judged_games
from game.core.refusals import NoSuchGame, NotUnderstood, Refused
from game.core.starting import start_game
from game.lab.same_value import find_lab_games, make_column
from game.models import Coach, Decision, Game, Player
from game.pages.board.verification import find_faults, verify
from solver.advice import Advisor
from solver.arena.facts import find_test_path, make_difference_facts
from solver.arena.match import make_random_blocks
from solver.arena.same_value import SameValue, judge_game
from solver.dp.space import TIE
from solver.rules import YATZY
from solver.tables import find_tables_dir
from tests.game.lab import SEED, keep, perfect, same_dice
from tests.known import known
from tests.play import BOXES, Browser, play_out, play_through, score_all

pytestmark = [
    pytest.mark.needs("game.lab"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("yatzy_tables"),
]
PAGE = f"/lab/same-value/?seed={SEED}"
TURNS = 'class="list lab__turns"'
YOU = '<th scope="col" class="number">You</th>'
BUTTON = "Play this game yourself"


@pytest.fixture(scope="module")
def test_of_two(advisor: Advisor) -> SameValue:
    return same_dice(advisor)


@pytest.fixture(autouse=True)
def lab(test_of_two: SameValue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SameValue:
    monkeypatch.setenv("YATZY_TABLES", str(find_tables_dir()))
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    keep(test_of_two)
    return test_of_two


def begin(player: Player | None, number: int = 1, seed: int = SEED, **more: Any) -> Played:
    return start_game(player=player, mode="lab", lab_seed=seed, lab_number=number, **more)


def play_perfectly(player: Player, number: int, advisor: Advisor) -> Game:
    actions = iter(perfect(advisor, build_lab_block(SEED, number, YATZY)))
    return Game.objects.get(pk=play_out(begin(player, number), lambda _: next(actions)).game.pk)


def start_by_page(browser: Browser, number: int = 1) -> Game:
    page = f"{PAGE}&game={number}"
    return browser.start(mode="lab", lab_seed=SEED, lab_number=number, nonce=browser.nonce(page))


def text(browser: Browser, number: int = 1) -> str:
    response = browser.get(f"{PAGE}&game={number}")
    assert response.status_code == 200
    return response.text


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_a_block_is_the_same_however_many_games_there_are(seed: int) -> None:
    for games in (1, 2, 7):
        for number, block in enumerate(make_random_blocks(games, seed, YATZY), start=1):
            assert build_lab_block(seed, number, YATZY) == block
    # They are kept nowhere: another generator of numbers would change games that were played.
    assert build_lab_block(1, 1, YATZY)[0] == ((3, 4, 5, 6, 1), (1, 5, 6, 2, 2), (6, 3, 2, 5, 2))


def test_a_game_has_the_dice_of_its_block_and_neither_seed_nor_coach(player: Player) -> None:
    accounts.store_settings(player=player, coach=Coach.LIVE)
    played = begin(player, 2)
    game = played.game
    assert (game.seed, game.commitment, find_kind(game).shown_seed) == ("", "", "")
    assert game.coach == Coach.OFF
    assert played.actions == ()
    played = hold_dice(game_id=game.pk, player=player, seq=0, slots=0)
    assert played.state.dice == make_random_blocks(2, SEED, YATZY)[1][0][0]
    player.refresh_from_db()
    assert player.coach == Coach.LIVE


BLOCK = {"lab_seed": SEED, "lab_number": 2}


@pytest.mark.parametrize(
    ("form", "status"),
    [
        (BLOCK | {"nonce": "forged"}, 409),
        ({}, 400),
        ({"lab_seed": SEED}, 400),
        ({"lab_number": 1}, 400),
        ({"lab_seed": -1, "lab_number": 1}, 400),
        (BLOCK, 503),
    ],
)
def test_a_request_that_starts_no_game_is_refused(
    browser: Browser, form: dict[str, Any], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card that lay too long, a block that is not named, a site without a table."""
    sent = {"mode": "lab", "nonce": browser.nonce(PAGE)} | form
    if status == 503:
        monkeypatch.setattr("game.lab.same_value.load_advisor", lambda rules: None)
    response = browser.post("/games/", sent)
    assert response.status_code == status
    assert ('<h2 id="game">Game 2</h2>' in response.text) == (status in {409, 503})
    assert Player.objects.count() == Game.objects.count() == 0


@pytest.mark.parametrize(("seed", "number"), [(SEED, 3), (SEED, 0), (SEED + 1, 1)])
def test_only_a_block_that_the_lab_shows_is_played(player: Player, seed: int, number: int) -> None:
    with pytest.raises(NoSuchGame):
        begin(player, number, seed)
    with pytest.raises(NotUnderstood):
        start_game(player=None, mode="lab")
    assert not Game.objects.exists()


def test_a_test_with_other_dice_cannot_be_played(
    browser: Browser, player: Player, lab: SameValue
) -> None:
    facts = find_test_path(SEED, YATZY).read_text()
    find_test_path(SEED + 1, YATZY).write_text(
        facts.replace(f'"seed": {SEED}', f'"seed": {SEED + 1}')
    )
    with pytest.raises(NoSuchGame):
        begin(player, 1, SEED + 1)
    html = browser.get(f"/lab/same-value/?seed={SEED + 1}").text
    assert TURNS in html
    assert BUTTON not in html


def test_a_person_who_plays_like_the_last_player_differs_nowhere(
    browser: Browser, advisor: Advisor
) -> None:
    game = start_by_page(browser)
    play_perfectly(known(game.player), 1, advisor)
    html = text(browser)
    own = html[html.index(TURNS) :]
    assert "In this game, you decide exactly as Perfect play does." in html
    rows = re.findall(r"<ol>(.*?)</ol>", own, re.DOTALL)
    assert len(rows) == 4 * len(BOXES)
    assert not any("lab__differs" in row for row in rows[::4])


def test_the_turns_of_a_game_under_way_are_nowhere_to_be_seen(browser: Browser) -> None:
    assert TURNS in text(browser)
    game = start_by_page(browser)
    html = text(browser)
    assert not re.search(f"{TURNS}|first differs|{BUTTON}|test.csv", html)
    assert f'href="/games/{game.pk}/"' in html
    for name in ("test.csv", "test.json"):
        assert browser.get(f"/lab/same-value/{SEED}/{name}").status_code == 403
    assert 'class="fallen"' not in browser.get(f"/games/{game.pk}/verify").text
    assert TURNS in text(browser, 2)
    assert TURNS in text(Browser())


@pytest.mark.parametrize("number", [1, 2])
def test_a_column_is_what_the_lab_would_say_of_the_same_actions(
    player: Player, advisor: Advisor, number: int
) -> None:
    played = score_all(begin(player, number), player)
    theirs = judge_game("you", build_lab_block(SEED, number, YATZY), played.actions, advisor)
    found = find_lab_games(player, YATZY, SEED).finished[number]
    own = known(make_column(found, advisor))
    assert (own.player, own.score, own.bonus) == ("you", theirs.score, theirs.bonus)
    assert own.luck == pytest.approx(theirs.luck)
    assert own.regret == pytest.approx(played.game.regret)
    for turn, same in zip(own.turns, theirs.turns, strict=True):
        assert replace(turn, decisions=()) == replace(same, decisions=())
        for decision, other in zip(turn.decisions, same.decisions, strict=True):
            assert decision == replace(other, regret=decision.regret)
            assert decision.regret == pytest.approx(other.regret)
            assert (decision.best is None) == (decision.regret <= TIE)


def test_what_was_not_judged_then_is_judged_now_where_there_is_a_table(
    player: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    score_all(begin(player), player)
    before = known(make_column(find_lab_games(player, YATZY, SEED).finished[1], None))
    Decision.objects.filter(seq__in=[1, 2, 3, 4]).update(regret=None)
    found = find_lab_games(player, YATZY, SEED).finished[1]
    assert known(make_column(found, None)).regret == pytest.approx(before.regret)
    monkeypatch.setattr("game.lab.same_value.load_advisor", lambda rules: None)
    assert make_column(found, None) is None


def test_a_finished_game_is_the_first_column_everywhere(browser: Browser, lab: SameValue) -> None:
    assert YOU not in text(browser)
    game = play_through(browser, start_by_page(browser))
    html = text(browser).partition("<main")[2]  # below the menu, which has one too
    assert html.index(">You<") < html.index(">Dice-based<") < html.index(">Perfect play<")
    assert html.count(">You<") == 4  # totals, chart (drawn for a phone as well), turns
    mine, first = (
        f'<td class="number">{s}</td>' for s in (game.final_score, lab.games[0][0].score)
    )
    assert html.index(mine) <= html.index(first)
    assert '<details class="lab__table" open>' in html
    assert f"/games/{game.pk}/review" in html
    assert ">You<" not in text(Browser()).partition("<main")[2]


def test_the_first_finished_game_is_the_one_that_counts(player: Player, advisor: Advisor) -> None:
    first = score_all(begin(player), player).game
    later = play_perfectly(player, 1, advisor)
    assert known(later.final_score) > known(first.final_score)
    assert calculate_statistics(player, YATZY).played == 0  # it counts nowhere else
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()
    with pytest.raises(Refused, match="on the same dice"):
        start_game(player=player, mode="rematch", of=first.pk)
    found = find_lab_games(player, YATZY, SEED)
    assert found.finished == {1: first}
    assert found.under_way == {}
    assert begin(player).game == find_lab_games(player, YATZY, SEED).under_way[1]


def test_a_game_that_was_given_up_before_is_mentioned(browser: Browser) -> None:
    for number, earlier in ((2, False), (1, True)):
        for given_up in (earlier, not earlier):
            game = start_by_page(browser, number)
            browser.act(game, "abandon") if given_up else play_through(browser, game)
        note = "You gave up an earlier game on these dice"
        assert (note in text(browser, number)) == earlier


def test_the_files_have_the_persons_column_too(
    browser: Browser, lab: SameValue, advisor: Advisor
) -> None:
    without = browser.get(f"/lab/same-value/{SEED}/test.json").json()
    game = play_through(browser, start_by_page(browser, 2))
    facts = browser.get(f"/lab/same-value/{SEED}/test.json").json()
    assert facts["players"] == ["you", *without["players"]]
    assert facts["games"][0]["players"] == [None, *without["games"][0]["players"]]
    own, *others = facts["games"][1]["players"]
    assert others == without["games"][1]["players"]
    assert own["score"] == game.final_score
    actions = [decision.action for decision in game.decisions.order_by("seq")]
    played = judge_game("you", build_lab_block(SEED, 2, YATZY), actions, advisor)
    expected = known(make_difference_facts(played, lab.games[1][-1]))
    assert facts["games"][1]["first_differences"][0]["turn"] == expected["turn"]
    page = browser.get(f"/lab/same-value/{SEED}/test.csv")
    rows = list(csv.DictReader(io.StringIO(page.text)))
    mine = [row for row in rows if row["player"] == "you"]
    assert {row["game"] for row in mine} == {"2"}
    assert len(mine) == len(BOXES)
    assert all(bool(row["best"]) == (float(row["regret"]) > TIE) for row in mine)


def test_a_lab_game_is_checked_without_a_seal(
    player: Player, capsys: pytest.CaptureFixture[str]
) -> None:
    played = score_all(begin(player, 2), player)
    game = Game.objects.get()
    assert find_faults(game) == []
    assert [turn.throws for turn in verify(played).turns] == list(list_shown_dice(game))
    call_command("verify_game", game.pk)
    said = capsys.readouterr().out
    assert f"the lab's, game 2 of seed {SEED}" in said
    assert "SHA-256" not in said
    Game.objects.update(commitment="0" * 64)
    assert "the seed does not give the commitment" in find_faults(Game.objects.get())
