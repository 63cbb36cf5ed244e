"""Kept drawings, charts as pictures, and how dice lie on the tray."""

import math
import random
import re
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import set_script_prefix
from django.utils.translation import override

from game.core.accounts import create_player
from game.core.game_queries import Played
from game.core.playing import fill_box, hold_dice, record_decision
from game.core.words import labels, phrases
from game.models import Coach, Game, Player
from game.pages.board.board import FALLS, Board, make_game_address
from game.pages.board.drawing import drawn
from game.pages.board.showing import make_game_board, make_played_board
from solver.charts import Axis, Bars, Chart
from solver.charts.png import SCALE, render_png
from solver.rules import RULESETS, YATZY, Hold, Score, list_legal_actions, play, start_state
from tests.known import known
from tests.play import Browser, costly_box, start_solo

BONUS = {"sum": 12, "goal": 63, "hint": "51 to go"}


@pytest.fixture
def played(yatzy_tables: None, db: None) -> Played:
    return start_solo(create_player(coach=Coach.LIVE))


def test_a_board_of_kept_parts_is_the_board_drawn_anew(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(1)
    while not played.game.over:
        for language in ("en", "sv"):
            with override(language):
                board = {"board": make_played_board(played, viewer=played.game.player)}
                monkeypatch.setattr(settings, "DEBUG", False)
                kept = [render_to_string("pages/_board.html", board) for _ in range(2)]
                monkeypatch.setattr(settings, "DEBUG", True)
                assert kept == [render_to_string("pages/_board.html", board)] * 2
        game, action = played.game, random.choice(list_legal_actions(played.state))
        played = record_decision(
            game_id=game.pk, player=game.player, seq=len(played.actions), action=action
        )


def test_every_language_has_drawings_of_its_own() -> None:
    told = {}
    for language in ("en", "sv", "en"):
        with override(language):
            told[language] = drawn("pages/_bonus.html", bonus=0, **BONUS)
    assert "12 of 63" in told["en"]
    assert "12 av 63" in told["sv"]


def test_words_are_remembered_by_language() -> None:
    said = {}
    for language in ("en", "sv", "en"):
        with override(language):
            said[language] = (phrases.format_cost(3.21), labels.describe_boxes(YATZY)[0].name)
    assert said == {
        "en": ("costs 3.2\u00a0points", "Ones"),
        "sv": ("kostar 3,2\u00a0poäng", "Ettor"),
    }


@pytest.mark.parametrize(
    ("regret", "said"),
    [
        (0.0, "best"),
        (1e-12, "best"),
        (0.0499, "costs next to nothing"),
        (0.05, "costs 0.1\u00a0points"),
        (0.149, "costs 0.1\u00a0points"),
        (0.151, "costs 0.2\u00a0points"),
        (12.0, "costs 12.0\u00a0points"),
    ],
)
def test_a_cost_is_told_to_the_tenth(regret: float, said: str) -> None:
    assert phrases.format_cost(regret) == said


def test_an_address_that_is_kept_lies_under_what_the_site_lies_under() -> None:
    try:
        set_script_prefix("/yatzy/")
        under = make_game_address("game_hold", "abc")
    finally:
        set_script_prefix("/")
    assert under == "/yatzy/games/abc/hold"
    assert make_game_address("game_hold", "abc") == "/games/abc/hold"


MISSING = "\U0001f004"  # a tile of mah-jong
CHART = Chart("Points of three boxes", [Bars(("ones", "twos"), [1.0, 2.0])], y=Axis("points"))


def pixels(picture: bytes) -> bytes:
    at, data = 8, b""
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        if picture[at + 4 : at + 8] == b"IDAT":
            data += picture[at + 8 : at + 8 + length]
        at += 12 + length
    return zlib.decompress(data)


def test_a_chart_becomes_a_picture_three_times_its_size() -> None:
    picture = render_png(CHART.svg())
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    assert (width, height) == (SCALE * 640, SCALE * 320)


def test_words_are_drawn_on_a_machine_without_fonts() -> None:
    """The title differs, and nothing else: where no letter is drawn, the pictures are the same."""
    other = Chart("Quite another title", CHART.layers, y=CHART.y)
    assert pixels(render_png(CHART.svg())) != pixels(render_png(other.svg()))


def test_every_letter_of_our_languages_is_in_the_font() -> None:
    """A letter that is missing is drawn as a box, so two of them look alike."""
    letters = "åäöæøÅÄÖÆØéü−–…“”≥±×ΣЖΩŁš"
    drawn = {letter: pixels(render_png(_written(letter))) for letter in (*letters, MISSING)}
    missing = drawn.pop(MISSING)
    assert missing not in drawn.values()
    assert len(set(drawn.values())) == len(letters)


def _written(letter: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30" '
        f'font-family="system-ui, sans-serif"><text x="5" y="20">{letter}</text></svg>'
    )


SHEET = (Path(settings.BASE_DIR) / "static/css/play.css").read_text()
NUMBER = r"(-?[\d.]+)"


def draw_tray(played: Played, **said: object) -> Board:
    return make_played_board(played, viewer=played.game.player, **said)  # type: ignore[arg-type]


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_a_throw_lies_the_same_until_the_next_one(player: Player) -> None:
    played = start_solo(player)
    game = played.game
    first = draw_tray(played).arrangement
    asked = draw_tray(played, hint=True, message="no", doubted=Score("chance"))
    assert make_game_board(game, viewer=None).arrangement == asked.arrangement == first
    falls = [first]
    for seq in (1, 2):
        played = hold_dice(game_id=game.pk, player=player, seq=seq, slots=0)
        falls.append(draw_tray(played).arrangement)
    played = fill_box(game_id=game.pk, player=player, seq=3, category="chance")
    left = draw_tray(played)
    assert all(die.past for die in left.dice)
    assert left.arrangement == falls[-1]
    played = hold_dice(game_id=game.pk, player=player, seq=4, slots=0)
    assert len({*falls, draw_tray(played).arrangement}) > 1


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_the_page_says_how_the_throw_fell_and_so_does_its_question(browser: Browser) -> None:
    game = browser.start(coach="before")
    fall = f'data-fall="{make_game_board(game, viewer=None).arrangement}"'
    assert fall in browser.get(f"/games/{game.pk}/").text
    asked = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="").text
    assert fall in asked


def falls(game: str) -> list[int]:
    state = play(start_state(YATZY), Hold(0), (((1, 2, 3, 4, 5),) * 3,) * 15)
    games = [Game(pk=game, player=Player())] * 200
    thrown = [(Hold(0),) * number for number in range(1, 201)]
    sights = zip(games, thrown, strict=True)
    return [Board(state, actions=actions, game=one).arrangement for one, actions in sights]


def test_the_style_sheet_knows_every_way_to_fall_and_every_place() -> None:
    told = re.findall(r'\[data-fall="(\d+)"\] \{ --fall: (\d+); \}', SHEET)
    assert told == [(str(fall), str(fall)) for fall in range(1, FALLS)]  # 0 is what is not said
    places = re.findall(r"\.die:nth-child\((\d)\) \{ --place: (\d); \}", SHEET)
    most = max(rules.dice for rules in RULESETS.values())
    assert most <= 6
    assert places == [(str(place), str(place)) for place in range(2, 7)]


def numbers(pattern: str) -> list[float]:
    return [float(one) for one in known(re.search(pattern, SHEET)).groups()]


OF_FALL, OF_PLACE = numbers(
    rf"--at: calc\(var\(--fall, 0\) \* {NUMBER} \+ var\(--place, 1\) \* {NUMBER}\);"
)
WIDER, AIR = numbers(
    r"--reach: clamp\(0px, \(var\(--room\)\) / 2 - var\(--die-size\) \* "
    rf"{NUMBER} - {NUMBER}px, var\(--reach-most, 100cqi\)\);"
)
TURN, TURNS = numbers(rf"--turn: calc\({NUMBER}deg \* sin\(var\(--at\) \* {NUMBER}rad\)\);")
ROUND = numbers(rf"border-radius: {NUMBER}%;")[0] / 100
assert "--x: calc(var(--reach) * sin(var(--at) * 1rad));" in SHEET
assert "--room: (100cqi - 2 * var(--edge-room) - var(--dice) * var(--die-size))" in SHEET


def test_no_die_of_two_hundred_throws_lies_over_another_or_off_the_tray() -> None:
    rng = random.Random(8)
    for _ in range(200):
        fall, dice = rng.randrange(FALLS), rng.choice((5, 6))
        side = rng.uniform(40, 110)
        room = rng.uniform(max(8, 0.09 * side), 40)
        reach = max(0, room / 2 - side * WIDER - AIR)
        found = []
        for place in range(1, dice + 1):
            at = fall * OF_FALL + place * OF_PLACE
            turn = abs(math.radians(TURN * math.sin(at * TURNS)))
            corner = (0.5 - ROUND) * (math.cos(turn) + math.sin(turn)) + ROUND
            middle = (place - 0.5) * side + (place - 1) * room + reach * math.sin(at)
            found.append((middle - corner * side, middle + corner * side))
        assert all(one[1] < other[0] for one, other in pairwise(found))
        width = dice * side + (dice - 1) * room
        beside = 12 + room / 2  # the felt beside the dice, and what they keep from each other
        assert found[0][0] > -beside
        assert found[-1][1] < width + beside


def test_dice_of_a_throw_differ_in_where_they_lie_and_when_they_land() -> None:
    (late,) = numbers(rf"--late: calc\(50ms \* \(1 \+ sin\(var\(--at\) \* {NUMBER}rad\)\)\);")
    for fall in range(FALLS):
        ats = [fall * OF_FALL + place * OF_PLACE for place in range(1, 6)]
        for factor in (1, TURNS, late):
            assert len({round(math.sin(at * factor), 1) for at in ats}) >= 3
            found = [math.sin(at * factor) for at in ats]
            assert max(found) - min(found) > 1
