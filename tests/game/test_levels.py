"""How many points a player loses a game: what few games say of it, and how sure that is."""

from html import unescape
from math import sqrt

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import player_create
from game.core.duel_record_queries import differences, records
from game.core.words import record_words as words
from game.core.worth.level import PEERS_GAMES, LossLevel, better_by, level, spread_of
from game.core.worth.peers import HOTTER, TRIED, peers, temperature_for
from game.core.worth.peers import played as played_by
from game.core.worth.skill import Moments
from game.duels.record_board import player_standing
from game.models import Duel, Game, Player
from solver.advice import Advisor
from solver.arena.match import at_random, play_out
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY
from solver.statistics.student import t_quantile
from tests.game.test_duel_outcomes import worse
from tests.known import known
from tests.play import Browser, card_of, new_duel, page, who

LOST = st.lists(st.floats(0.0, 200.0), min_size=1, max_size=12)
START = 250.0


def moments(values: list[float]) -> Moments:
    count = len(values)
    return Moments(count, sum(values) / count, sum(one * one for one in values) / count)


def found(values: list[float]) -> LossLevel:
    return known(level(moments(values), YATZY))


@given(LOST)
def test_a_level_lies_in_its_range_and_among_those_there_are(values: list[float]) -> None:
    one, spread = found(values), known(spread_of(YATZY))
    assert spread.lost[0] <= one.low <= one.lost <= one.high <= spread.lost[-1]
    assert one.half == pytest.approx((one.high - one.low) / 2)
    assert one.games == len(values)


@given(LOST, st.floats(0.5, 20.0))
def test_who_loses_more_has_no_better_level(values: list[float], more: float) -> None:
    """The same games, each of them worse by as much."""
    assert found([one + more for one in values]).lost >= found(values).lost - 1e-9


@given(st.floats(2.0, 60.0))
def test_very_many_games_speak_for_themselves(lost: float) -> None:
    assert found([lost] * 4000).lost == pytest.approx(lost, rel=0.03)


def test_games_that_vary_more_than_the_peers_make_a_wider_range() -> None:
    assert found([0.0, 40.0] * 8).half > 1.5 * found([19.0, 21.0] * 8).half


def test_who_varies_as_the_peers_do_is_taken_as_one_of_them() -> None:
    """Worked out once more, with their spread and nothing else."""
    spread, mean = known(spread_of(YATZY)), 15.0
    apart = sqrt(spread.at(mean) / 2)
    errors = spread.variances / 2
    weights = np.exp(-((mean - spread.lost) ** 2) / errors / 2) / np.sqrt(errors)
    expected = float((weights * spread.lost).sum() / weights.sum())
    assert found([mean - apart, mean + apart]).lost == pytest.approx(expected, abs=1e-9)


def test_nothing_is_said_without_games_or_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert level(Moments(0, 0.0, 0.0), YATZY) is None
    monkeypatch.setattr("game.core.worth.level.peers", lambda _: {})
    spread_of.cache_clear()
    assert level(moments([3.0]), RULESETS["yahtzee"]) is None
    spread_of.cache_clear()


@given(st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=8))
def test_who_plays_better_follows_from_the_differences(values: list[float]) -> None:
    """The peers' spread weighs as much as so many games, and the t has their degrees."""
    levels, spread = (found([8.0]), found([15.0])), known(spread_of(YATZY))
    by = known(better_by(moments(values), levels, YATZY))
    mean, count = sum(values) / len(values), len(values)
    known_before = spread.at(levels[0].lost) + spread.at(levels[1].lost)
    degrees = PEERS_GAMES + count - 1
    own = sum((one - mean) ** 2 for one in values)
    error = sqrt((PEERS_GAMES * known_before + own) / degrees / count)
    assert (by.low, by.high) == pytest.approx(
        (mean - t_quantile(degrees) * error, mean + t_quantile(degrees) * error), abs=1e-6
    )


def covered(lost: list[float], games: int, times: int, seed: int) -> tuple[int, int]:
    """How often the range of so many games of a player holds what that player loses; and that of a
    difference between two who play alike, the nothing that it is."""
    rng, truth = np.random.default_rng(seed), sum(lost) / len(lost)
    levels = differences_held = 0
    for _ in range(times):
        mine, theirs = (rng.choice(lost, games).tolist() for _ in range(2))
        one, other = found(mine), found(theirs)
        levels += one.low <= truth <= one.high
        more = moments([b - a for a, b in zip(mine, theirs, strict=True)])
        differences_held += 0.0 in known(better_by(more, (one, other), YATZY))
    return levels, differences_held


def lost_by(advisor: Advisor, grade: str, games: int, rate: float, seed: int) -> list[float]:
    """Of a player who loses about as much as a grade, erring in so many of the decisions."""
    rng = np.random.default_rng(seed)
    tried = [played_by(advisor, heat, TRIED, rng, rate)[0] for heat in HOTTER]
    heat = temperature_for(peers(YATZY)[grade].rating, tried, HOTTER)
    bot = Erring(advisor, rate=rate, temperature=heat)
    return [lost_in(advisor, bot, rng) for _ in range(games)]


def lost_in(advisor: Advisor, bot: Erring, rng: np.random.Generator) -> float:
    match = play_out(bot, YATZY, at_random(rng), rng)
    return sum(entry.regret for entry in advisor.ledger(match.decisions).entries)


@pytest.mark.nightly
@pytest.mark.parametrize("grade", ["master", "expert", "strong", "steady"])
def test_the_ranges_hold_what_they_should_for_who_errs_often_and_for_who_errs_seldom(
    yatzy_tables: None, grade: str
) -> None:
    """Who errs seldom loses it in few places, and varies twice as much."""
    advisor = Advisor.open(YATZY)
    advisor.compile()
    kinds = [lost_by(advisor, grade, 1000, rate, 11) for rate in (1.0, 0.5, 0.25)]
    for games in (1, 3, 9, 30):
        for helds in zip(*(covered(lost, games, 400, 11) for lost in kinds), strict=True):
            assert min(helds) >= 0.87 * 400
            assert sum(helds) >= 0.94 * 1200


# What is stored


def stored(duel: Duel, player: Player, regret: float, **more: object) -> Game:
    """A card of it that was played to the end and judged."""
    game = card_of(duel, player)
    facts = {"finished_at": timezone.now(), "final_score": 200, "bonus": 0, "free_decisions": 30}
    luck = 200 - START + regret
    Game.objects.filter(pk=game.pk).update(**facts | {"regret": regret, "luck": luck} | more)
    return game


def played(first: Player, second: Player, mine: float, theirs: float, **more: object) -> Duel:
    duel = new_duel([first, second])
    stored(duel, first, mine, **more)
    stored(duel, second, theirs)
    Duel.objects.filter(pk=duel.pk).update(finished_at=timezone.now())
    return duel


@pytest.mark.django_db
def test_a_difference_is_of_duels_that_both_finished() -> None:
    me, you, other = (player_create() for _ in range(3))
    played(me, you, 4.0, 10.0)
    played(me, you, 8.0, 7.0)
    played(me, other, 5.0, 5.0)
    played(me, you, 8.0, 70.0, luck=0.0)  # not all of it was judged
    found = differences(me, YATZY, START)
    assert found == {you.pk: Moments(2, 2.5, 18.5), other.pk: Moments(1, 0.0, 0.0)}
    assert differences(you, YATZY, START)[me.pk].mean == -2.5
    assert differences(me, RULESETS["yahtzee"], START) == {}
    assert len(records(me)) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_pages_say_how_well_one_plays_and_who_plays_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, guest = Browser(), Browser()
    duel = worse(host, guest)
    standing = player_standing(who(host), YATZY)
    (line,) = standing.lines
    assert (standing.words, line.level) == ("", "")  # ranges wait for the fifth game
    assert line.text in unescape(host.get("/duels/").text)
    assert line.text in unescape(page(host, duel))
    monkeypatch.setattr("game.duels.record_board.FEWEST", 1)
    standing = player_standing(who(host), YATZY)
    (line,) = standing.lines
    assert "game ±" in standing.words.replace("\xa0", " ")
    assert " better" in line.better
    assert standing.words in unescape(host.get("/duels/").text)
    for html in (host.get("/duels/").text, page(host, duel)):
        assert line.better in unescape(html)
    assert player_standing(who(host), YATZY, judged=False).words == ""


def test_the_words_say_who_and_how_sure() -> None:
    levels = found([8.0]), found([8.0])

    def said(*more: float) -> str:
        by = better_by(moments(list(more)), levels, YATZY)
        return words.better("Anna", by).replace("\xa0", " ")

    assert said(40.0, 41.0, 39.0, 40.0).startswith("You played better by 40.0 ± ")
    assert said(40.0, 41.0, 39.0, 40.0).endswith("points per game: sure.")
    assert said(1.0).endswith("points per game: not sure yet.")
    assert said(-40.0, -41.0, -39.0, -40.0).startswith("Anna played better by 40.0")
    assert said(-1.0).endswith("not sure yet.")
    assert said(0.0) == "Neither of you has played better."
    assert words.level(12.3, 2.1, 9).replace("\xa0", " ") == (
        "12.3 points lost per game ± 2.1 (9 games)"
    )
