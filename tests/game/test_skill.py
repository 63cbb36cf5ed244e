"""How many points a player loses a game: what few games say of it, and how sure that is."""

import re
from html import unescape
from math import sqrt

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.duel_record_queries import list_records, measure_differences
from game.core.profile_queries import find_player_skill
from game.core.words import record_words as words
from game.core.worth.peers import HOTTER, TRIED, find_temperature, read_peers
from game.core.worth.peers import play_games as played_by
from game.core.worth.severity import FLAWLESS, GRADES
from game.core.worth.skill import (
    PEERS_GAMES,
    SHIPPED,
    Moments,
    Skill,
    calculate_prior,
    compare_players,
    estimate_skill,
    find_spread,
)
from game.core.worth.tables import find_value_start
from game.duels.record_board import build_player_standing
from game.models import Duel, Game, Player
from solver.advice import Advisor
from solver.arena.match import make_random_roller, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY
from solver.statistics.student import t_quantile
from tests.game.test_duels import worse
from tests.known import known
from tests.play import Browser, card_of, new_duel, page, who

LOST = st.lists(st.floats(0.0, 200.0), min_size=1, max_size=12)
START = 250.0


def moments(values: list[float]) -> Moments:
    count = len(values)
    return Moments(count, sum(values) / count, sum(one * one for one in values) / count)


def found(values: list[float], **more: Floats) -> Skill:
    return estimate_skill(moments(values), len(values), YATZY, START, **more)


@given(LOST)
@example([200.0])
@example([300.0])
def test_a_skill_lies_in_its_range_and_among_those_there_are(values: list[float]) -> None:
    one, spread = found(values), find_spread(YATZY)
    assert spread.lost[0] <= one.least <= one.lost <= one.most <= spread.lost[-1]
    assert 0 <= one.low <= one.estimate <= one.high <= START
    assert one.games == len(values)
    assert GRADES.index(one.grades[0]) <= GRADES.index(one.grade) <= GRADES.index(one.grades[1])
    assert FLAWLESS not in one.grades


@given(LOST, st.floats(0.5, 20.0))
def test_who_loses_more_is_estimated_no_better(values: list[float], more: float) -> None:
    """The same games, each of them worse by as much. One flawless game alone may be a lucky one of
    a player with rare mistakes, and says less by up to a tenth of a point."""
    slack = 0.1 if len(values) == 1 and values[0] < 0.5 else 1e-9
    assert found([one + more for one in values]).lost >= found(values).lost - slack


@given(st.floats(2.0, 60.0))
def test_very_many_games_speak_for_themselves(lost: float) -> None:
    assert found([lost] * 4000).lost == pytest.approx(lost, rel=0.03)


def test_games_that_vary_more_than_the_peers_make_a_wider_range() -> None:
    wide, narrow = found([0.0, 40.0] * 8), found([19.0, 21.0] * 8)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


@given(LOST)
def test_the_weights_are_those_of_the_formula(values: list[float]) -> None:
    """The spread of the player is unknown: an inverse chi-squared prior of two degrees."""
    spread, sums = find_spread(YATZY), moments(values)
    squares = sum((value - spread.lost) ** 2 for value in values)
    weights = spread.variances / (2 * spread.variances + squares) ** (1 + len(values) / 2)
    expected = weights / weights.sum()
    assert spread.calculate_weights(sums, SHIPPED) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_a_game_that_counts_in_part_says_less() -> None:
    half = estimate_skill(Moments(0.5, 15.0, 225.0), 1, YATZY, START)
    whole, none = found([15.0]), estimate_skill(Moments(0, 0.0, 0.0), 0, YATZY, START)
    widths = [skill.high - skill.low for skill in (whole, half, none)]
    assert widths == sorted(widths)


def test_the_players_of_a_site_are_the_prior() -> None:
    """One more player among those who lose about 20 points is not thought to lose 2, but may."""
    prior = calculate_prior([moments([20.0 + n % 7] * 30) for n in range(50)], YATZY)
    assert prior.sum() == pytest.approx(1.0)
    first = found([10.0], prior=prior)
    assert 18.0 < first.lost < 25.0
    assert found([10.0]).lost < 15.0
    assert found([2.0] * 100, prior=prior).lost == pytest.approx(2.0, rel=0.1)


@given(st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=8))
def test_who_plays_better_follows_from_the_differences(values: list[float]) -> None:
    """The peers' spread weighs as much as so many games, and the t has their degrees."""
    levels, spread = (found([8.0]), found([15.0])), find_spread(YATZY)
    by = known(compare_players(moments(values), levels))
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
        levels += one.least <= truth <= one.most
        more = moments([b - a for a, b in zip(mine, theirs, strict=True)])
        differences_held += 0.0 in known(compare_players(more, (one, other)))
    return levels, differences_held


def lost_by(advisor: Advisor, grade: str, games: int, rate: float, seed: int) -> list[float]:
    """Return the losses of a player who errs at this rate and loses about as much as a grade."""
    rng = np.random.default_rng(seed)
    tried = [played_by(advisor, heat, TRIED, rng, rate)[0] for heat in HOTTER]
    heat = find_temperature(read_peers(YATZY)[grade].rating, tried, HOTTER)
    bot = Erring(advisor, rate=rate, temperature=heat)
    return [lost_in(advisor, bot, rng) for _ in range(games)]


def lost_in(advisor: Advisor, bot: Erring, rng: np.random.Generator) -> float:
    match = play_out(bot, YATZY, make_random_roller(rng), rng)
    return sum(entry.regret for entry in advisor.make_ledger(match.decisions).entries)


def test_the_ranges_hold_what_they_should_for_one_kind_of_player() -> None:
    """The losses of a game as a gamma distribution with the peers' spread, from a seed."""
    rng, mean = np.random.default_rng(5), 16.0
    variance = find_spread(YATZY).at(mean)
    lost = rng.gamma(mean**2 / variance, variance / mean, 2000).tolist()
    for games in (1, 3, 10, 30):
        assert min(covered(lost, games, 200, 11)) >= 0.9 * 200


@pytest.mark.nightly
def test_the_ranges_hold_what_they_should_for_who_errs_often_and_for_who_errs_seldom(
    yatzy_tables: None,
) -> None:
    """A player who errs seldom loses in few places, and varies twice as much. The ranges hold 93 %
    for the best players, whose losses are the most uneven."""
    advisor = Advisor.open(YATZY)
    advisor.compile()
    grades, rates = ("master", "expert", "strong", "steady"), (1.0, 0.5, 0.25)
    kinds = [lost_by(advisor, grade, 1000, rate, 11) for grade in grades for rate in rates]
    for games in (1, 3, 10, 30):
        for helds in zip(*(covered(lost, games, 400, 11) for lost in kinds), strict=True):
            assert min(helds) >= 0.9 * 400
            assert sum(helds) >= 0.94 * 400 * len(kinds)


# What is stored


def stored(duel: Duel, player: Player, regret: float, **more: object) -> Game:
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
    me, you, other = (create_player() for _ in range(3))
    played(me, you, 4.0, 10.0)
    played(me, you, 8.0, 7.0)
    played(me, other, 5.0, 5.0)
    played(me, you, 8.0, 70.0, luck=0.0)  # not all of it was judged
    found = measure_differences(me, YATZY, START)
    assert found == {you.pk: Moments(2, 2.5, 18.5), other.pk: Moments(1, 0.0, 0.0)}
    assert measure_differences(you, YATZY, START)[me.pk].mean == -2.5
    assert measure_differences(me, RULESETS["yahtzee"], START) == {}
    assert len(list_records(me)) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_pages_say_how_well_one_plays_and_who_plays_better(monkeypatch: pytest.MonkeyPatch) -> None:
    host, guest = Browser(), Browser()
    duel = worse(host, guest)
    standing = build_player_standing(who(host), YATZY)
    (line,) = standing.lines
    assert (standing.words, line.level) == ("", "")  # ranges wait for the fifth game
    assert line.text in unescape(host.get("/duels/").text)
    assert line.text in unescape(page(host, duel))
    monkeypatch.setattr("game.duels.record_board.FEWEST", 1)
    standing = build_player_standing(who(host), YATZY)
    (line,) = standing.lines
    mine = known(find_player_skill(who(host), YATZY, known(find_value_start(YATZY))))
    assert standing.words == words.format_skill(*mine.numbers)
    assert " better" in line.better
    assert standing.words in unescape(host.get("/duels/").text)
    for html in (host.get("/duels/").text, page(host, duel)):
        assert line.better in unescape(html)
    assert build_player_standing(who(host), YATZY, judged=False).words == ""


def test_the_words_say_who_and_how_sure() -> None:
    levels = found([8.0]), found([8.0])

    def said(*more: float) -> str:
        by = compare_players(moments(list(more)), levels)
        return words.describe_lead("Anna", by).replace("\xa0", " ")

    assert said(40.0, 41.0, 39.0, 40.0).startswith("You played better by 40.0 ± ")
    assert said(40.0, 41.0, 39.0, 40.0).endswith("points per game: a clear difference.")
    assert said(1.0).endswith("points per game: no clear difference yet.")
    assert said(-40.0, -41.0, -39.0, -40.0).startswith("Anna played better by 40.0")
    assert said(-1.0).endswith(": no clear difference yet.")
    assert said(0.0) == "You both played equally well."
    skill = words.format_skill(*found([8.0] * 9).numbers).replace("\xa0", " ")
    assert re.fullmatch(r"24[12]\.\d \(2[34]\d\.\d–24\d\.\d\)", skill)
