"""Series of ranked games that lost less than an honest expert's would."""

import re
from datetime import date, timedelta
from html import unescape
from io import StringIO
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.fair import days
from game.core.worth import too_good
from game.core.worth.peers import GAMES, read_peers
from game.core.worth.too_good import read_expert_losses
from game.management.commands.too_good import list_ranked_series
from game.models import Game, Player
from game.pages.daily.daily_queries import derive_day_seed
from solver.advice import Advisor
from solver.advice.moments import evaluate
from solver.arena.learners import find_learner_kind, read_stored_losses
from solver.players import PLAYERS
from solver.rules import PLAYED, RULESETS, YATZY, Ruleset
from solver.statistics.chi_squared import STEP, STEPS, bound_chance, choose_step
from tests.game.lab import rows
from tests.known import known

pytestmark = pytest.mark.usefixtures("all_tables")


GRID = st.integers(0, 40).map(lambda steps: steps * STEP)


@given(st.lists(GRID, min_size=1, max_size=4), st.integers(1, 4), GRID)
def test_the_chance_is_that_of_all_series_counted_out(
    expert: list[float], games: int, lost: float
) -> None:
    """The one flawless game that is added to those of the expert is included."""
    every = list(product([0.0, *expert], repeat=games))
    few = sum(sum(one) <= lost + 1e-9 for one in every) / len(every)
    assert bound_chance(expert, games, lost) == pytest.approx(few, abs=1e-12)


@given(
    st.lists(st.floats(0, 3), min_size=5, max_size=60),
    st.integers(1, 30),
    st.floats(0, 1),
    st.integers(0, 10**6),
)
def test_the_chance_is_at_least_what_a_simulation_meets(
    expert: list[float], games: int, share: float, seed: int
) -> None:
    """Drawn again and again; rounded to the expert's favour, by a step a game at most."""
    lost, tries = share * games * 1.5, 4000
    rng = np.random.default_rng(seed)
    sums = rng.choice([0.0, *expert], (tries, games)).sum(axis=1)
    found = bound_chance(expert, games, lost)
    low, high = ((sums <= lost + more).mean() for more in (-1e-9, (games + 1) * STEP))
    error = 5 * sqrt(max(found * (1 - found), 1 / tries) / tries)
    assert low - error <= found <= high + error


def test_long_series_of_beginners_are_worked_out_in_coarse_steps() -> None:
    """A simulation sees no difference; the arrays stay small however much was lost."""
    expert, games, lost = [9.0, 10.0, 11.0], 90, 800.0
    assert choose_step(lost) == 0.2
    assert choose_step(lost) * STEPS >= lost
    sums = np.random.default_rng(3).choice([0.0, *expert], (4000, games)).sum(axis=1)
    assert bound_chance(expert, games, lost) > (sums <= lost).mean() - 0.01
    assert bound_chance(expert, 90, 90 * 11.0) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("rules", PLAYED.values(), ids=lambda rules: rules.id)
def test_the_expert_of_every_ruleset_loses_what_its_peers_do(rules: Ruleset) -> None:
    lost = np.array(read_expert_losses(rules))
    theirs = read_peers(rules)[too_good.EXPERT.id]
    error = sqrt(lost.var() * (1 / len(lost) + 1 / GAMES))
    assert len(lost) == too_good.GAMES
    assert abs(lost.mean() - theirs.lost) < 4 * error


def test_an_honest_expert_is_seldom_suspected(advisor: Advisor) -> None:
    """Series of games that were never seen before: their chances are spread as chances are."""
    temperature = read_peers(YATZY)[too_good.EXPERT.id].temperature
    lost = too_good.play_expert_games(advisor, temperature, 60, np.random.default_rng(7))
    series = [sum(lost[at : at + 5]) for at in range(0, 60, 5)]
    chances = [bound_chance(read_expert_losses(YATZY), 5, one) for one in series]
    assert min(chances) > 1e-4
    assert 0.2 < np.mean(chances) < 0.8


def test_a_file_is_made_of_the_games_that_are_played(advisor: Advisor) -> None:
    assert too_good.make_expert_file(advisor, games=2) == too_good.make_expert_file(
        advisor, games=2
    )
    assert '"games":2' in too_good.make_expert_file(advisor, games=2)


def test_a_ruleset_that_nobody_had_played_has_no_expert(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(too_good, "make_games_path", lambda rules: tmp_path / "nothing.json")
    assert read_expert_losses.__wrapped__(YATZY) == ()


# What an operator sees


def finished(player: Player, day: date, regret: float | None, **more: object) -> None:
    at = days.find_closing_time(day) - timedelta(hours=2)
    Game.objects.create(
        player=player, mode="daily", day=day, seed=derive_day_seed(day, "yatzy"), regret=regret,
        nonce=f"{player.pk}-{day}", started_at=at, finished_at=at, final_score=250, bonus=0, **more,
    )  # fmt: skip


@pytest.fixture
def people(db: None) -> dict[str, Player]:
    found = {name: create_player() for name in ("machine", "expert", "few", "unranked")}
    for ago in range(10):
        day = days.today() - timedelta(days=ago)
        finished(found["machine"], day, 0.0)
        finished(found["expert"], day, 0.44, among_guests=True)
        finished(found["unranked"], day, 0.0, unranked=True)
    for ago in range(4):
        finished(found["few"], days.today() - timedelta(days=ago), 0.0)
    finished(found["few"], days.today() - timedelta(days=5), None)
    return found


def listed(**options: object) -> str:
    out = StringIO()
    call_command("too_good", stdout=out, **options)
    return out.getvalue()


def test_a_machine_is_marked_and_an_expert_is_not(people: dict[str, Player]) -> None:
    _title, _head, first, second, last = listed().splitlines()
    assert first.startswith("* ")
    assert people["machine"].code in first
    assert first.split()[-4:-1] == ["10", "10", "0.000"]
    assert not second.startswith("*")
    assert people["expert"].code in second
    assert 0.1 < float(second.split()[-1]) < 0.9
    assert last == "Players with 5 games or more: 2. With *: 1."


def test_only_judged_ranked_games_of_the_latest_days_are_counted(people: dict[str, Player]) -> None:
    everybody = list(list_ranked_series(YATZY, since=days.today() - timedelta(days=3), fewest=1))
    assert sorted((one.code, one.games) for one in everybody) == sorted(
        (people[name].code, 4) for name in ("machine", "expert", "few")
    )
    assert people["few"].code not in listed(days=4)
    assert people["few"].code in listed(days=4, fewest=4)


def test_what_cannot_be_listed_is_said(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ({"days": 0}, {"fewest": 0}):
        with pytest.raises(CommandError):
            listed(**wrong)
    monkeypatch.setattr("game.management.commands.too_good.read_expert_losses", lambda rules: ())
    with pytest.raises(CommandError, match="no expert has played"):
        listed()


WHO = [
    (ruleset, player)
    for ruleset, rules in RULESETS.items()
    for player in (read_stored_losses(rules) or {"players": ()})["players"]
]


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    return unescape(answer.text)


@pytest.mark.parametrize(("ruleset", "player"), WHO)
def test_all_that_is_lost_is_what_is_missing_from_the_optimum(ruleset: str, player: str) -> None:
    stored = known(read_stored_losses(RULESETS[ruleset]))
    facts = stored["players"][player]
    by_boxes = facts["regret_by_kind"][-1]
    assert sum(facts["regret_by_kind"]) == pytest.approx(facts["regret"], abs=1e-5)
    assert sum(facts["regret_by_box"].values()) == pytest.approx(by_boxes, abs=1e-5)
    assert sum(facts["regret_by_best_box"].values()) == pytest.approx(by_boxes, abs=1e-5)
    assert stored["optimum"] - facts["mean"] == pytest.approx(facts["regret"], abs=1e-5)


@pytest.mark.sampled("ruleset", "player")
@pytest.mark.parametrize(
    ("ruleset", "player"), [(r, p) for r, p in WHO if not find_learner_kind(p)]
)
def test_the_file_is_about_the_players_there_are(ruleset: str, player: str) -> None:
    rules = RULESETS[ruleset]
    facts = known(read_stored_losses(rules))["players"][player]
    assert PLAYERS[player].plays(rules)
    assert evaluate(PLAYERS[player].open_tabular(rules)).mean == pytest.approx(
        facts["mean"], abs=1e-5
    )


@pytest.mark.needs("game.lab")
@pytest.mark.django_db
def test_a_player_tells_where_its_points_go() -> None:
    html = page("/lab/players/dice-based/")
    assert "boxes cost 44.8 and holds 23.8" in html
    told = " ".join(re.sub("<.*?>", "", html).split())
    assert "loses the most points by filling Sixes (10.5)" in told
    assert "and by not filling Small straight (17.2)." in told
    for step in ("Perfect play: 248.4", "Roll 1: −13.8", "Roll 2: −9.9", "Box: −44.8"):
        assert f"<title>{step}</title>" in html
    assert "Mean: 179.9</title>" in html
    assert ["Fives", "7.68", "0.01"] in rows(html)
    assert "Where this player loses points" not in page("/lab/players/optimal/")


@pytest.mark.needs("game.lab")
@pytest.mark.django_db
def test_the_study_says_that_it_is_the_boxes() -> None:
    html = page("/lab/study/")
    assert "71 % (Scorecard-based), 65 % (Dice-based), 53 % (Forced scoring)" in html.replace(
        "\u00a0", " "
    )
    assert [row[-2:] for row in rows(html) if row[0] == "Dice-based" and len(row) == 7] == [
        ["Sixes (10.5)", "Small straight (17.2)"]
    ]
    cells = re.findall(
        r'<td class="number">([\d.]+)</td>', html.split("Points lost per game</th>")[1]
    )
    assert cells[:12] == [
        "49.5",
        "10.6",
        "3.8",
        "35.1",
        "68.6",
        "13.8",
        "9.9",
        "44.8",
        "132.3",
        "37.9",
        "24.1",
        "70.3",
    ]
