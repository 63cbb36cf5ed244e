"""Who one can play: what is known of their strength, who is proposed, and what a card begins."""

import re
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from game.core.accounts import create_player
from game.core.profile_queries import find_player_skill
from game.core.refusals import NotUnderstood
from game.core.words import opponent_words as characters
from game.core.words.labels import format_player
from game.core.worth.peers import play_games
from game.core.worth.skill import Skill
from game.duels.duel_views import DuelForm
from game.duels.duel_words import SeatEnd, list_reasons
from game.duels.duels import create_duel
from game.duels.opponents import (
    ERRING,
    Opponent,
    OpponentCard,
    OwnRung,
    build_ladder,
    choose_opponent,
    find_bot,
    find_own_skill,
    list_opponents,
)
from game.models import Player
from solver.advice import Advisor
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY
from tests.game.lab import bring_only
from tests.play import Browser, play_bots, play_turn, score_all, start_solo

KNOWN = [
    Opponent("optimal", 248.4),
    Opponent("greedy", 199.2),
    Opponent("scorecard-based", 199.0),
    Opponent("forced-scoring", 116.1),
    Opponent("random", 49.5),
    Opponent("learned-yatzy", None),
]
FACES = (Path(settings.BASE_DIR) / "templates/duels/_faces.html").read_text(encoding="utf-8")


# Who is proposed


def at(points: float) -> Skill:
    return Skill(YATZY, 248.4, 248.4 - points, 0.0, 100.0, 3)


@pytest.mark.parametrize(
    ("points", "proposed"),
    [
        (30.0, "random"),
        (60.0, "forced-scoring"),
        (116.1, "scorecard-based"),
        (199.1, "greedy"),
        (199.2, "optimal"),
        (248.4, "optimal"),
    ],
)
def test_the_weakest_above_the_player_is_proposed(points: float, proposed: str) -> None:
    assert choose_opponent(KNOWN, at(points)).id == proposed


@pytest.mark.parametrize("level", [None, at(100.0), at(249.0)])
def test_while_too_little_is_known_nobody_is_sent_to_perfect_play(level: Skill | None) -> None:
    unknown = [Opponent(one.id, None) for one in KNOWN]
    for found in (unknown, [KNOWN[0], *unknown[1:]]):
        assert choose_opponent(found, level).id == "greedy"
    assert choose_opponent([KNOWN[1], unknown[0], unknown[4]], None).id == "greedy"


def test_the_ladder_goes_by_strength_and_has_the_reader_in_it() -> None:
    found = build_ladder(KNOWN, at(150.0))
    assert found.first.name == "Ingrid"
    told = [rung.name if isinstance(rung, OpponentCard) else rung.points for rung in found.rungs]
    assert told == ["Vera", "Gry", "150.0", "Otto", "Saga"]
    below = build_ladder(KNOWN[:2], at(20.0)).rungs
    assert isinstance(below[-1], OwnRung)


def test_who_an_address_names_comes_first() -> None:
    assert build_ladder(KNOWN, None, "greedy").first.name == "Gry"
    assert build_ladder(KNOWN, None, "greedy").first.why == ""
    assert build_ladder(KNOWN, None, "nobody").first.name == "Otto"


# What is known


def test_a_player_without_a_result_has_no_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    always_199 = Distribution(np.eye(200)[199], 0.0, 1)
    bring_only(monkeypatch, {YATZY.id: {"greedy": always_199}})
    found = list_opponents(YATZY)
    assert (found[0].id, found[0].mean) == ("greedy", 199.0)
    assert {one.mean for one in found[1:]} == {None}


def test_what_perfect_play_is_worth_stands_in_the_table(
    advisor: Advisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.duels.opponents.read_result", lambda player, rules: None)
    assert {one.id: one.mean for one in list_opponents(YATZY) if one.mean} == {
        "optimal": advisor.value_start
    }


@pytest.mark.django_db
def test_a_players_level_is_the_skill_estimate(advisor: Advisor) -> None:
    player = create_player()
    assert find_own_skill(None, YATZY) is None
    assert find_own_skill(player, YATZY) is None
    score_all(start_solo(player), player)
    level = find_own_skill(player, YATZY)
    assert level is not None
    assert level.games == 1
    assert level == find_player_skill(player, YATZY, advisor.value_start)


# Faces and names


def test_every_program_is_somebody_with_a_face() -> None:
    assert set(characters.CHARACTERS) <= {*PLAYERS, ERRING.id}
    for face in {characters.find_bot_face(one) for one in (*PLAYERS, "erring:30")}:
        assert f'id="face-{face}"' in FACES
    for rules in RULESETS.values():
        seen = [characters.find_bot_name(one.id) for one in PLAYERS.values() if one.plays(rules)]
        assert len(set(seen)) == len(seen)


# What a card begins


FORM = {"ruleset": "yatzy", "people": 1, "minutes": 0}


def setting(**told: object) -> dict[str, object]:
    form = DuelForm(YATZY, {**FORM, **told})
    assert form.is_valid(), form.errors
    return form.setting


def test_a_card_is_enough() -> None:
    assert setting(opponent="greedy") == {
        "ruleset": "yatzy",
        "bots": ["greedy"],
        "people": 1,
        "minutes": 0,
        "days": 3,
        "lockstep": True,
        "listed": False,
        "added": "",
    }


def test_a_person_gets_a_seat() -> None:
    friend, stranger = setting(opponent="friend"), setting(opponent="stranger", people=4)
    assert (friend["bots"], friend["people"], friend["listed"]) == ([], 2, False)
    assert (stranger["bots"], stranger["people"], stranger["listed"]) == ([], 4, True)
    assert setting(opponent="friend", bots=["random"])["bots"] == ["random"]


@pytest.mark.django_db
def test_the_slider_chooses_how_much_a_bot_loses(advisor: Advisor, player: Player) -> None:
    assert setting(opponent="erring", points_lost=30)["bots"] == ["erring:30"]
    assert setting(opponent="erring")["bots"] == ["erring:60"]
    assert not DuelForm(YATZY, {**FORM, "opponent": "erring", "points_lost": 7}).is_valid()
    for name in ("erring", "erring:7", "erring:x"):
        with pytest.raises(NotUnderstood):
            create_duel(player=player, ruleset="yatzy", people=1, bots=[name])
    duel, _ = create_duel(player=player, ruleset="yatzy", people=1, bots=["erring:30"])
    play_turn(duel, player)
    assert play_bots(duel) > 1
    assert format_player(duel.seats.latest("number").player) == "Tove 30"
    assert [build_ladder(KNOWN, level).points_lost for level in (None, at(230.4), at(0.0))] == [
        60,
        15,
        100,
    ]


@pytest.mark.parametrize("lost", [10, 60])
def test_the_bot_loses_as_much_as_the_slider_says(advisor: Advisor, lost: int) -> None:
    bot = find_bot(f"erring:{lost}").open(YATZY)
    assert isinstance(bot, Erring)
    rng = np.random.default_rng(7)
    _rating, games = play_games(advisor, bot.temperature, 40, rng)
    assert abs(games.mean() - lost) < 3 * games.std() / len(games) ** 0.5


@pytest.mark.django_db
def test_a_form_that_is_shown_again_keeps_what_was_chosen() -> None:
    data = {"ruleset": "yatzy", "opponent": "dice-based", "people": 9, "minutes": 0}
    html = Browser().post("/duels/", data).text
    assert re.findall(r'name="opponent" value="([\w-]+)" checked', html) == ["dice-based"]
    assert re.search(r'challenge__more" open', html)


# How it ended


def list_reason_texts(me: int | None, *seats: tuple[str, float, float]) -> list[str]:
    ends = [SeatEnd(name, 200, luck=luck, regret=regret) for name, luck, regret in seats]
    return [f"{one.points} {one.text}" for one in list_reasons(ends, me)]


def test_the_end_names_who_played_best_and_who_had_the_luck() -> None:
    seats = (("Anna", 12.0, 30.0), ("Bea", -3.0, 20.0))
    assert list_reason_texts(0, *seats) == [
        "20.0 Bea played best and lost the fewest points.",
        "+12.0 You had the most luck.",
    ]
    assert list_reason_texts(1, *seats) == [
        "20.0 You played best and lost the fewest points.",
        "+12.0 Anna had the most luck.",
    ]
    assert list_reason_texts(None, ("Vera", 1.0, 0.0), ("Bea", 1.0, 9.0)) == [
        "0.0 Vera made no mistake.",
        "+1.0 Most luck (tied): Vera, Bea.",
    ]
    tied = list_reason_texts(0, ("Anna", 1.0, 9.0), ("Bea", 2.0, 9.0))[0]
    assert tied == "9.0 Best play (tied): you, Bea."


def test_where_everybody_had_bad_luck_nobody_is_said_to_have_had_the_most() -> None:
    anna, bea = ("Anna", -11.9, 30.0), ("Bea", -20.0, 20.0)
    mine, hers = list_reason_texts(0, anna, bea)[1], list_reason_texts(1, anna, bea)[1]
    assert mine == "−11.9 Everyone was unlucky; you were the least unlucky."
    assert hers == "−11.9 Everyone was unlucky; Anna was the least unlucky."
    assert list_reason_texts(0, anna, ("Bea", -11.9, 20.0))[1] == (
        "−11.9 Everyone was unlucky. Least unlucky (tied): you, Bea."
    )
    assert list_reason_texts(0, anna, ("Bea", 0.0, 20.0))[1] == "0.0 Bea had the most luck."
