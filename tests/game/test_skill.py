"""How many points a player loses a game: what few games say of it, and how sure that is."""

import re
import secrets
import statistics
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from math import sqrt

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from game.coach.hints import Hardness, measure_hardness
from game.coach.panel import Feedback
from game.core.accounts import create_player
from game.core.duel_record_queries import list_records, measure_differences
from game.core.game_queries import replay_game
from game.core.playing import fill_box, hold_dice
from game.core.profile_queries import (
    MIDDLE,
    SITE,
    RatedGame,
    _grades,
    find_player_skill,
    find_site_prior,
    grade_before,
    list_kind_habits,
    list_rated_games,
    measure_losses,
    query_judged_games,
)
from game.core.words import phrases
from game.core.words.speech import LIMITS
from game.core.worth.peers import ERRING, HOTTER, TRIED, find_temperature, read_peers
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
from game.core.worth.tables import load_advisor as site_advisor
from game.duels.record_board import build_player_standing, describe_lead
from game.models import Coach, Duel, Game, Player
from game.practice.profile_board import draw_rating_chart
from solver.advice import Advisor, Evaluated, find_position
from solver.arena.match import make_random_roller, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY, Hold, Ruleset, State
from solver.statistics.inference import t_quantile
from tests.conftest import solved
from tests.game.test_duels import worse
from tests.known import known
from tests.play import Browser, card_of, new_duel, page, play_through, start_solo, who
from tests.trials import into_trial

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
    known_before = spread.find_variance(levels[0].lost) + spread.find_variance(levels[1].lost)
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
    variance = find_spread(YATZY).find_variance(mean)
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
    assert standing.words == phrases.format_skill(*mine.numbers)
    assert " better" in line.better
    assert standing.words in unescape(host.get("/duels/").text)
    for html in (host.get("/duels/").text, page(host, duel)):
        assert line.better in unescape(html)
    assert build_player_standing(who(host), YATZY, judged=False).words == ""


def test_the_words_say_who_and_how_sure() -> None:
    levels = found([8.0]), found([8.0])

    def said(*more: float) -> str:
        by = compare_players(moments(list(more)), levels)
        return describe_lead("Anna", by).replace("\xa0", " ")

    assert said(40.0, 41.0, 39.0, 40.0).startswith("You played better by 40.0 ± ")
    assert said(40.0, 41.0, 39.0, 40.0).endswith("points per game: a clear difference.")
    assert said(1.0).endswith("points per game: not yet a clear difference.")
    assert said(-40.0, -41.0, -39.0, -40.0).startswith("Anna played better by 40.0")
    assert said(-1.0).endswith(": not yet a clear difference.")
    assert said(0.0) == "You both played equally well."
    skill = phrases.format_skill(*found([8.0] * 9).numbers).replace("\xa0", " ")
    assert re.fullmatch(r"24[12]\.\d \(2[34]\d\.\d–24\d\.\d\)", skill)


FIRST_DAY = datetime(2026, 5, 1, tzinfo=UTC)
numbers = st.lists(st.floats(-400, 400), min_size=2, max_size=60)


def add_moments(values: list[float]) -> Moments:
    count = len(values)
    return Moments(count, sum(values) / count, sum(value * value for value in values) / count)


# Statistics


@given(values=numbers)
def test_moments_give_the_deviation_of_the_sample(values: list[float]) -> None:
    assert add_moments(values).deviation == pytest.approx(statistics.stdev(values), abs=1e-3)


def test_intervals_hold_the_true_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(7)
    samples = rng.normal(30.0, 12.0, size=(4000, 6))
    held = [30.0 in (add_moments(sample.tolist()).interval or ()) for sample in samples]
    assert 0.94 < sum(held) / len(held) < 0.96


# What counts

database = pytest.mark.usefixtures("db", "yatzy_tables")


def finished(
    player: Player, advisor: Advisor, score: int, regret: float, day: int = 0, **facts: object
) -> Game:
    moment = FIRST_DAY + timedelta(days=day)
    fields = {
        "player": player,
        "seed": secrets.token_hex(32),
        "commitment": "",
        "started_at": moment,
        "finished_at": moment,
        "final_score": score,
        "bonus": 0,
        "regret": regret,
        "luck": score - advisor.value_start + regret,
        "free_decisions": 40,
    }
    return Game.objects.create(**fields | facts)


@database
@pytest.mark.parametrize(
    "facts",
    [
        {"mode": Game.Mode.REMATCH},
        {"ruleset": "yahtzee"},
        {"regret": None, "luck": None, "free_decisions": None},
        {"luck": 3.0},  # the table came while the game was under way
        {"free_decisions": 0},
        {"finished_at": None, "final_score": None, "bonus": None},
    ],
    ids=str,
)
def test_what_says_nothing_does_not_count(
    player: Player, advisor: Advisor, facts: dict[str, object]
) -> None:
    game = finished(player, advisor, 220, 20.0)
    assert query_judged_games(player, YATZY, advisor.value_start).exists()
    Game.objects.filter(pk=game.pk).update(**facts)
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_the_games_of_a_trial_do_not_count(player: Player, advisor: Advisor) -> None:
    into_trial(finished(player, advisor, 220, 20.0))
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_help_is_marked_and_left_out_of_the_estimate(player: Player, advisor: Advisor) -> None:
    own = [
        finished(player, advisor, 220, 20.0, 0),
        finished(player, advisor, 230, 30.0, 1, coach=Coach.AFTER),
    ]
    finished(player, advisor, 290, 1.0, 2, coach=Coach.BEFORE)
    finished(player, advisor, 291, 1.0, 3, coach=Coach.LIVE)
    finished(player, advisor, 292, 1.0, 4, coach=Coach.AFTER, hints=1)
    start = advisor.value_start
    skill = known(find_player_skill(player, YATZY, start))
    assert skill.games == 2
    games = query_judged_games(player, YATZY, start)
    assert (games.count(), measure_losses(games).mean) == (5, 25)
    shown = list_rated_games(games, YATZY, start)
    assert [game.pk for game in shown if game.own] == [game.pk for game in own]
    assert [game.number for game in shown] == [1, 2, 3, 4, 5]
    assert [game.skill.games for game in shown] == [1, 2, 2, 2, 2]
    assert shown[-1].skill == skill


@database
def test_hinted_moves_are_left_out_and_not_the_game(player: Player, advisor: Advisor) -> None:
    """A quarter of the moves was hinted; what they cost is not the player's."""
    hinted = {"hints": 12, "hinted": 10, "hinted_regret": 5.0}
    finished(player, advisor, 220, 20.0)
    finished(player, advisor, 230, 35.0, 1, **hinted)
    finished(player, advisor, 230, 1.0, 2, hints=2)  # of which moves is not known
    finished(player, advisor, 230, 1.0, 3, **hinted | {"hinted": 40})
    add_moments = measure_losses(query_judged_games(player, YATZY, advisor.value_start))
    assert add_moments.count == pytest.approx(1.75)
    assert add_moments.mean == pytest.approx(50 / 1.75)
    assert add_moments.square == pytest.approx((20**2 + 30**2 / 0.75) / 1.75)
    assert known(find_player_skill(player, YATZY, advisor.value_start)).games == 2


@database
def test_a_game_stores_which_moves_were_hinted_and_what_they_cost(browser: Browser) -> None:
    browser.post("/settings/", {"theme": "auto", "coach": "hint", "coach_threshold": "1"})
    game = browser.start()
    browser.act(game, "hold", seq=0)
    for _ in range(2):
        browser.act(game, "hint")
    play_through(browser, game)
    game.refresh_from_db()
    first = game.decisions.exclude(roll=0).order_by("seq").first()
    assert (game.hints, game.hinted_moves, game.hinted) == (2, [0], 1)
    assert game.hinted_regret == pytest.approx(known(first).regret)


@database
def test_fifty_players_are_the_prior_of_the_site(advisor: Advisor) -> None:
    find_site_prior.cache_clear()
    day = FIRST_DAY.date() + timedelta(days=9)
    for number in range(SITE):
        assert find_site_prior.__wrapped__(YATZY, advisor.value_start, day) is SHIPPED
        finished(create_player(), advisor, 220, 10.0 + number)
        Game.objects.update(mode=Game.Mode.DAILY, day=FIRST_DAY.date())
    theirs = [Moments(1, 10.0 + n, (10.0 + n) ** 2) for n in range(SITE)]
    prior = find_site_prior.__wrapped__(YATZY, advisor.value_start, day)
    assert prior == pytest.approx(calculate_prior(theirs, YATZY))
    for later in (timedelta(0), timedelta(days=31)):
        assert (
            find_site_prior.__wrapped__(YATZY, advisor.value_start, FIRST_DAY.date() + later)
            is SHIPPED
        )


@database
def test_every_kind_of_decision_is_told_apart(player: Player, advisor: Advisor) -> None:
    played = start_solo(player)
    seq = 1
    for slots in (0b11111, 0):
        hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=slots)
        seq += 1
    fill_box(game_id=played.game.pk, player=player, seq=seq, category="ones")
    for slots in (0, 0b00011, 0b00111):
        seq += 1
        hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=slots)
    fill_box(game_id=played.game.pk, player=player, seq=seq + 1, category="twos")
    hold_dice(game_id=played.game.pk, player=player, seq=seq + 2, slots=0)
    fill_box(game_id=played.game.pk, player=player, seq=seq + 3, category="sixes")
    facts = {"finished_at": FIRST_DAY, "final_score": 220, "bonus": 0, "free_decisions": 7}
    luck = 220 - advisor.value_start
    Game.objects.filter(pk=played.game.pk).update(regret=0.0, luck=luck, **facts)
    kinds = list_kind_habits(query_judged_games(player, YATZY, advisor.value_start), YATZY)
    assert {habit.id: habit.decisions for habit in kinds} == {
        "all": 1,
        "none": 1,
        "box": 2,
        "first_hold": 1,
        "second_hold": 1,
        "early": 1,
    }


# The page


@database
def test_a_profile_says_it_in_words_numbers_and_charts(browser: Browser, advisor: Advisor) -> None:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    player = Player.objects.get()
    for day in range(12):
        finished(player, advisor, 180 + 37 * day % 90, 20.0 + day % 5, day)
    finished(player, advisor, 300, 0.5, 12, coach=Coach.LIVE)
    response = browser.get("/you/")
    portrait = response.context["portrait"]
    assert response.status_code == 200
    text, skill = response.text, portrait.skill
    mine = [rung.grade for rung in portrait.ladder if rung.mine]
    assert (mine[0], mine[-1]) == skill.grades
    assert [rung.grade.below for rung in portrait.ladder if rung.last] == [float("inf")]
    for told in (
        f"{skill.estimate:.1f}",
        f"{skill.low:.1f}–{skill.high:.1f}",
        f"{portrait.mean_score:.1f}",
        "Luckiest game",
        "Unluckiest game",
        "with help",
        "Not all decisions of that game were yours",
    ):
        assert told in text
    assert 'data-apart="helped"' in response.text
    assert portrait.rating_chart
    assert portrait.rating_chart in response.text


def rated(number: int, rating: float) -> RatedGame:
    skill = Skill(YATZY, 248.4, 44 * rating, 40 * rating, 44 * rating + 1, number)
    return RatedGame(number, f"{number}", FIRST_DAY, 220, 0.0, 44 * rating, rating, True, skill)


@pytest.mark.parametrize("most", [0.0, 0.31, 0.5, 0.77, 1.0, 1.37, 2.04, 4.9, 26.0])
def test_the_rating_chart_has_a_label_above_every_game_and_the_best_off_its_axis(
    most: float,
) -> None:
    games = [rated(number, rating) for number, rating in enumerate([0.0, *[most] * 11], 1)]
    chart = draw_rating_chart(games)
    labels = {
        float(text.replace("\u2212", "-")): float(y)
        for y, text in re.findall(r'y="([\d.]+)"[^>]*text-anchor="end"[^>]*>([\d.\u2212]+)<', chart)
    }
    dots = [float(y) for y in re.findall(r'cy="([\d.]+)"[^>/]*><title', chart)]
    (axis,) = {float(y) for y in re.findall(r'class="chart-axis"[^>]*y1="([\d.]+)"', chart)}
    assert max(labels) >= most
    assert min(labels.values()) - 4 <= min(dots)  # a label's foot is 4 under its line
    assert max(dots) < axis - 4
    assert min(labels) == 0


@database
def test_the_costliest_decisions_lead_to_their_place_in_the_review(browser: Browser) -> None:
    play_through(browser, browser.start())
    worst = browser.get("/you/").context["portrait"].worst
    assert worst
    assert [line.decision.regret for line in worst] == sorted(
        (line.decision.regret for line in worst), reverse=True
    )
    for line in worst:
        step = browser.get(line.url).context["step"]
        assert step.entry.regret == pytest.approx(line.decision.regret)
        assert step.turn == line.turn


GAMES = 50
PRAISED = 1 / 6  # of the moves of perfect games: more would be no praise


@pytest.fixture(params=sorted(RULESETS))
def rules(request: pytest.FixtureRequest) -> Ruleset:
    rules = RULESETS[request.param]
    solved(rules)
    return rules


def decided(advisor: Advisor, games: int, *, rate: float = 0.0) -> list[State]:
    rng, player = np.random.default_rng(8), Erring(advisor, rate, 2.0)
    played = (
        play_out(player, advisor.rules, make_random_roller(rng), rng) for _game in range(games)
    )
    return [state for match in played for state, _action in match.decisions if state.dice]


def evaluated(advisor: Advisor, states: list[State]) -> list[Evaluated]:
    return [advisor.evaluate(find_position(state)) for state in states]


@pytest.mark.sampled("rules")
def test_at_most_one_move_of_six_in_perfect_games_is_praised_whatever_the_grade(
    rules: Ruleset,
) -> None:
    advisor = Advisor.open(rules)
    states = evaluated(advisor, decided(advisor, GAMES))
    for grade in ERRING:
        praised = sum(measure_hardness(one, read_peers(rules)[grade.id]).rare for one in states)
        assert 0 < praised <= PRAISED * len(states), grade.id


@pytest.mark.sampled("rules")
def test_what_is_forced_or_obvious_is_passed_over_in_silence(rules: Ruleset) -> None:
    """All else costs more than anybody of the grade loses, or there is nothing else."""
    advisor, passed = Advisor.open(rules), 0
    for at_hand in evaluated(advisor, decided(advisor, 10, rate=0.3)):
        others = [
            option.regret for option in advisor.make_advice(at_hand).options if not option.best
        ]
        if min(others, default=20.0) < 20.0:
            continue
        passed += 1
        for grade in ERRING:
            assert not measure_hardness(at_hand, read_peers(rules)[grade.id]).hard
    assert passed


def test_the_runner_up_is_what_costs_least_without_being_best(yatzy_tables: None) -> None:
    advisor = Advisor.open(YATZY)
    for at_hand in evaluated(advisor, decided(advisor, 2)):
        regrets = [one.regret for one in advisor.make_advice(at_hand).options if not one.best]
        found = measure_hardness(at_hand, read_peers(YATZY)["strong"]).runner_up
        assert found == pytest.approx(min(regrets, default=float("inf")), abs=1e-9)


@pytest.mark.parametrize(
    ("found", "lost", "runner_up", "hard", "rare"),
    [
        (0.9, 0.1, 5.0, False, False),  # obvious
        (0.9, 0.1, LIMITS["close"] - 0.01, True, False),  # close
        (0.45, 1.2, 1.0, True, False),  # mostly missed
        (0.45, 0.2, 1.0, False, False),  # missed, and no harm done
        (0.2, 2.0, 1.0, True, True),  # seldom found, and dear
        (0.2, 1.2, 1.0, True, False),
        (0.4, 2.0, 1.0, True, False),
    ],
)
def test_what_is_hard_and_what_deserves_a_praise(
    found: float, lost: float, runner_up: float, hard: bool, rare: bool
) -> None:
    difficulty = Hardness(found, lost, runner_up)
    assert (difficulty.hard, difficulty.rare) == (hard, rare)


# What the panel makes of it


def best_move(browser: Browser, game: Game, coach: Advisor) -> tuple[Evaluated, Feedback]:
    played = replay_game(game)
    state, seq = played.state, len(played.actions)
    at_hand = coach.evaluate(find_position(state))
    best = at_hand.best
    if best.action == "score":
        page = browser.act(game, "score", seq=seq, category=best.category)
    else:
        slots = Hold.from_faces(best.dice, state.dice, state.held).places
        page = browser.act(game, "hold", seq=seq, slot=slots)
    return at_hand, page.context["board"].coach.feedback


def perfect_game(browser: Browser, **how: object) -> Iterator[tuple[Hardness, Feedback]]:
    game, coach = browser.start(**how), known(site_advisor(YATZY))
    Game.objects.filter(pk=game.pk).update(seed="5" * 64)
    game.refresh_from_db()
    while not replay_game(game).state.finished:
        if not replay_game(game).state.dice:
            browser.act(game, "hold", seq=len(replay_game(game).actions))
        at_hand, feedback = best_move(browser, game, coach)
        yield measure_hardness(at_hand, read_peers(YATZY)[MIDDLE.id]), feedback
        game.refresh_from_db()


@database
def test_a_good_move_is_explained_where_it_was_hard_and_praised_where_few_find_it(
    browser: Browser,
) -> None:
    said, before = Counter[tuple[bool, bool]](), ["", ""]
    for difficulty, feedback in perfect_game(browser, coach="after"):
        assert feedback.best == ""
        if not difficulty.hard:
            assert feedback.reason == ""
        assert not feedback.praise or difficulty.rare
        assert feedback.praise or not difficulty.rare or any(before)  # once a turn
        before = [before[-1], feedback.praise]
        said[bool(feedback.reason), bool(feedback.praise)] += 1
    assert said[True, True]
    assert said[True, False]
    assert said[False, False] > said[True, True] + said[True, False]


@database
def test_the_grade_is_the_one_that_the_player_began_the_game_with(
    player: Player, advisor: Advisor
) -> None:
    for day in range(9):
        finished(player, advisor, 230, 6.0, day)
    too_early = finished(player, advisor, 230, 6.0, 9)
    after_ten = finished(player, advisor, 200, 60.0, 10)
    assert grade_before(too_early, advisor.value_start) == MIDDLE
    assert grade_before(after_ten, advisor.value_start).id == "expert"
    _grades.clear()
    for day in range(20, 60):
        finished(player, advisor, 200, 60.0, day)
    assert grade_before(after_ten, advisor.value_start).id == "expert"


@database
def test_the_grade_is_asked_for_once_a_game(
    player: Player, advisor: Advisor, django_assert_num_queries: object
) -> None:
    game = finished(player, advisor, 230, 4.0)
    grade_before(game, advisor.value_start)
    with django_assert_num_queries(0):  # type: ignore[operator]
        grade_before(game, advisor.value_start)


@database
def test_a_participant_is_told_nothing_of_the_own_grade(browser: Browser) -> None:
    game = browser.start()
    coach = known(site_advisor(YATZY))
    for day in range(12):
        finished(game.player, coach, 240, 0.0, day, started_at=FIRST_DAY - timedelta(days=30 + day))
    assert grade_before(game, coach.value_start).id == "grandmaster"
    _grades.clear()
    assert grade_before(into_trial(game), coach.value_start) == MIDDLE
