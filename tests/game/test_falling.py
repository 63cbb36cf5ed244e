"""How a throw lies on the tray: the same whenever it is drawn, no die over another."""

import math
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings

from game.core.game_queries import Played
from game.core.playing import fill_box, hold_dice
from game.models import Game, Player
from game.pages.board.board import FALLS, Board
from game.pages.board.showing import make_game_board, make_played_board
from solver.rules import RULESETS, YATZY, Hold, Score, play, start_state
from tests.known import known
from tests.play import Browser, costly_box, start_solo

SHEET = (Path(settings.BASE_DIR) / "static/css/play.css").read_text()
NUMBER = r"(-?[\d.]+)"


def drawn(played: Played, **said: object) -> Board:
    return make_played_board(played, viewer=played.game.player, **said)  # type: ignore[arg-type]


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_a_throw_lies_the_same_until_the_next_one(player: Player) -> None:
    played = start_solo(player)
    game = played.game
    first = drawn(played).fall
    asked = drawn(played, hint=True, message="no", doubted=Score("chance"))
    assert make_game_board(game, viewer=None).fall == asked.fall == first
    falls = [first]
    for seq in (1, 2):
        played = hold_dice(game_id=game.pk, player=player, seq=seq, slots=0)
        falls.append(drawn(played).fall)
    played = fill_box(game_id=game.pk, player=player, seq=3, category="chance")
    left = drawn(played)
    assert all(die.past for die in left.dice)
    assert left.fall == falls[-1]
    played = hold_dice(game_id=game.pk, player=player, seq=4, slots=0)
    assert len({*falls, drawn(played).fall}) > 1


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
def test_the_page_says_how_the_throw_fell_and_so_does_its_question(browser: Browser) -> None:
    game = browser.start(coach="before")
    fall = f'data-fall="{make_game_board(game, viewer=None).fall}"'
    assert fall in browser.get(f"/games/{game.pk}/").text
    asked = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="").text
    assert fall in asked


def falls(game: str) -> list[int]:
    state = play(start_state(YATZY), Hold(0), (((1, 2, 3, 4, 5),) * 3,) * 15)
    games = [Game(pk=game, player=Player())] * 200
    thrown = [(Hold(0),) * number for number in range(1, 201)]
    sights = zip(games, thrown, strict=True)
    return [Board(state, actions=actions, game=one).fall for one, actions in sights]


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


def spans(fall: int, dice: int, side: float, room: float) -> list[tuple[float, float]]:
    reach = max(0, room / 2 - side * WIDER - AIR)
    found = []
    for place in range(1, dice + 1):
        at = fall * OF_FALL + place * OF_PLACE
        turn = abs(math.radians(TURN * math.sin(at * TURNS)))
        corner = (0.5 - ROUND) * (math.cos(turn) + math.sin(turn)) + ROUND
        middle = (place - 0.5) * side + (place - 1) * room + reach * math.sin(at)
        found.append((middle - corner * side, middle + corner * side))
    return found


def test_no_die_of_two_hundred_throws_lies_over_another_or_off_the_tray() -> None:
    rng = random.Random(8)
    for _ in range(200):
        fall, dice = rng.randrange(FALLS), rng.choice((5, 6))
        side = rng.uniform(40, 110)
        room = rng.uniform(max(8, 0.09 * side), 40)
        found = spans(fall, dice, side, room)
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
