"""Our own calculation of all results in chapter 4 of the study, as plain data for JSON.

``./yatzy solver study --write`` stores these facts in a file, which the site's page reads.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

from solver.advice import Advisor
from solver.arena.facts import make_dice_facts
from solver.arena.learners import read_stored_losses
from solver.arena.match import make_random_blocks
from solver.arena.performance import Performance, simulate
from solver.arena.results import Exact, find_result
from solver.arena.same_value import SameValue, play_all_blocks
from solver.dp.sweep import Progress
from solver.exact.distribution import Distribution
from solver.players import PlayerEntry, find_player
from solver.rules import YATZY
from solver.statistics.chi_squared import ChiSquared, chi_squared
from solver.statistics.fairness import DiceTest, check_virtual_dice
from solver.statistics.inference import Significance, z_test
from solver.study.effort import count_vertices
from solver.study.html import Words
from solver.study.published import (
    HUMANS,
    KEYS,
    PLAYERS,
    RULES,
    Published,
    check_real_dice,
    list_printed_turns,
    measure_distance,
    pad_shares,
    read_reported,
    require_published,
)
from solver.study.readings import Reading, list_readings
from solver.study.slips import DRAFT_SLIPS, SLIPS, Slip
from solver.study.turns import Repeated, compare_decisions, select_turn, sum_costs

SMALL_LOSS = 5.0  # points lost per game; a player who loses no more is very good
HIGH = 320  # points; the last two groups of the study's appendix begin here
DATA = Path(__file__).with_name("data") / "chapter4.json"
GAMES = 100_000
SAME_VALUE_PLAYERS = ("dice-based", "scorecard-based", "optimal")
SAME_VALUE_GAMES = 5
PARTS = len(KEYS) + 3
COSTS = ("regret", "regret_by_kind", "regret_by_box", "regret_by_best_box")


@dataclass(frozen=True)
class StudyPeople:
    """The study's people compared with perfect play. Their mean is over all games in the text."""

    published: Published
    perfect: Distribution

    @property
    def above(self) -> Significance:
        """A z-test of the people's mean score against the mean score of perfect play."""
        return self.compare_with_losing(0.0)

    def compare_with_losing(self, points: float) -> Significance:
        """Test the people's mean against players who lose this many points per game (z-test)."""
        theirs, perfect = self.published, self.perfect
        test = z_test(theirs.mean, theirs.stated, perfect.mean - points, perfect.deviation)
        assert test is not None  # noqa: S101
        return test

    @property
    def error(self) -> float:
        """The standard error of perfect play's mean over as many games as the people played."""
        return self.perfect.deviation / sqrt(self.published.stated)

    @property
    def shape(self) -> ChiSquared:
        """A chi-squared test whether the people's scores, in groups of ten, fit perfect play."""
        due = pad_shares(self.perfect.group_in_tens()) * self.published.games
        return chi_squared(self.published.counts.astype(float), due)

    @property
    def high(self) -> int:
        """The number of the people's games with at least ``HIGH`` points."""
        return int(self.published.counts[HIGH // 10 :].sum())

    @property
    def high_of_perfect(self) -> float:
        """The expected number of games with at least ``HIGH`` points under perfect play."""
        return float(self.perfect.probabilities[HIGH:].sum()) * self.published.games


def make_people(perfect: Distribution) -> StudyPeople:
    return StudyPeople(require_published(HUMANS), perfect)


@dataclass(frozen=True)
class Algorithm:
    player: PlayerEntry
    published: Published
    exact: Exact
    simulated: Performance
    fit: ChiSquared
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Study:
    algorithms: tuple[Algorithm, ...]
    virtual: DiceTest
    people: StudyPeople
    printed: tuple[Repeated, ...]
    same_value: SameValue
    seed: int


def calculate_study(advisor: Advisor, *, seed: int = 1, progress: Progress | None = None) -> Study:
    """Calculate all results of chapter 4. This takes half a minute without stored distributions."""
    report = progress or (lambda done, total: None)
    algorithms = []
    for number, player_id in enumerate(KEYS, start=1):
        player = find_player(player_id)
        known = find_result(player, YATZY)
        games = simulate(player.open(YATZY), YATZY, player.name, GAMES, seed)
        fit, own_readings = games.fit(known.distribution), tuple(list_readings(player))
        algorithms.append(
            Algorithm(player, require_published(player.id), known, games, fit, own_readings)
        )
        report(number, PARTS)
    virtual = check_virtual_dice(seed=seed)
    report(len(KEYS) + 1, PARTS)
    printed = tuple(compare_decisions(advisor))
    report(len(KEYS) + 2, PARTS)
    players = [find_player(name) for name in SAME_VALUE_PLAYERS]
    blocks = make_random_blocks(SAME_VALUE_GAMES, seed, advisor.rules)
    test = play_all_blocks(players, blocks, advisor)
    report(PARTS, PARTS)
    theirs = make_people(algorithms[0].exact.distribution)
    return Study(tuple(algorithms), virtual, theirs, printed, test, seed)


@cache
def read_stored_facts() -> dict[str, Any]:
    """Return the facts that the last ``./yatzy solver study --write`` stored."""
    facts: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return facts


def format_file(facts: dict[str, Any]) -> str:
    """Format facts as JSON, one fact per line. Leave out facts that depend on the machine."""
    players = [{k: v for k, v in row.items() if k != "seconds"} for row in facts["players"]]
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in (facts | {"players": players}).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def make_study_facts(study: Study) -> dict[str, Any]:
    dice, virtual = read_reported()["real_dice_test"], read_reported()["virtual_dice_test"]
    losses = read_stored_losses(RULES) or {"players": {}}
    same = {name: [r.same for r in study.printed if r.printed.player == name] for name in PLAYERS}
    judged = [repeated.printed for repeated in study.printed]
    players, columns = [], ("name", "says", "mean", "median", "distance")
    for algorithm in study.algorithms:
        games, exact = algorithm.simulated, algorithm.exact.distribution
        readings = [{name: getattr(r, name) for name in columns} for r in algorithm.readings]
        players.append(
            {"player": algorithm.player.id}
            | _compare_with_exact(algorithm.published, exact)
            | {"max": games.most, "min": games.least, "range": games.most - games.least}
            | {"seconds": games.seconds, "readings": readings}
        )
    return {
        "players": players,
        "points_lost": {
            name: {cost: losses["players"][name][cost] for cost in COSTS}
            for name in KEYS
            if name in losses["players"]
        },
        "people": _compare_with_exact(study.people.published, study.people.perfect)
        | {
            "standard_error": study.people.error,
            "standard_errors_above": study.people.above.statistic,
            "standard_errors_above_if_losing": study.people.compare_with_losing(
                SMALL_LOSS
            ).statistic,
            "p": study.people.above.p,
            "tens_chi_squared": study.people.shape.statistic,
            "tens_p": study.people.shape.p,
            "high_games": study.people.high,
            "high_games_of_perfect": study.people.high_of_perfect,
        },
        "real_dice": make_dice_facts(check_real_dice())
        | {"published_dice": dice["reported_total"], "published_mean": dice["reported_mean"]},
        "virtual_dice": {
            "published_dice": virtual["rolls"],
            "published_mean": virtual["mean"],
            "ours": make_dice_facts(study.virtual),
        },
        "same_value": {
            "published": read_reported()["same_value_test"]["totals"],
            "ours": {
                player: study.same_value.list_totals(place)
                for place, player in enumerate(study.same_value.players)
            },
            "seed": study.seed,
        },
        "printed": {player: [sum(same), len(same)] for player, same in same.items()},
        "turn_costs": [
            {
                player: sum_costs(decisions)
                for player in PLAYERS
                if (decisions := select_turn(judged, turn, player))
            }
            for turn in list_printed_turns()
        ],
        "graph": [asdict(part) | {"name": part.name} for part in count_vertices(RULES)],
        "disagreements": make_slip_facts(SLIPS),
        "draft_disagreements": make_slip_facts(DRAFT_SLIPS),
    }


def _compare_with_exact(theirs: Published, exact: Distribution) -> dict[str, Any]:
    ours = exact.group_in_tens().tolist()
    return {
        "published_games": theirs.stated,
        "published_games_counted": theirs.games,
        "published_mean": theirs.mean,
        "published_mean_of_tens": theirs.mean_of_counts,
        "published_median": theirs.median,
        "published_max": theirs.most,
        "published_min": theirs.least,
        "published_range": theirs.range,
        "published_seconds": theirs.seconds,
        "mean": exact.mean,
        "sd": exact.deviation,
        "median": exact.median,
        "bonus_probability": exact.bonus_probability,
        "distance": measure_distance(exact.group_in_tens(), theirs.shares),
        "typical_max": exact.find_typical_most(theirs.stated),
        "typical_min": exact.find_typical_least(theirs.stated),
        "exact_tens": ours,
        "tens": [
            {
                "from": row.low,
                "to": row.low + 9,
                "count": row.count,
                "percent": row.percent,
                "cumulated_percent": row.up_to_here,
                "exact_share": ours[row.low // 10] if row.low // 10 < len(ours) else None,
            }
            for row in theirs.rows()
        ],
    }


def make_slip_facts(slips: Iterable[Slip]) -> list[dict[str, str]]:
    return [
        dict(zip(("where", "says", "but"), slip.translate_texts(Words()), strict=True))
        for slip in slips
    ]
