"""The table of a tournament: ranks, scores and margins, with and without the luck of the dice.

    score of a game = V(start) + luck - regret

V(start) is the expected score of perfect play. The mean luck of every player tends to 0, so
V(start) minus the mean regret estimates a player's mean score without the noise of the dice. A few
dozen games then give the precision of thousands of scores.
"""

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from solver.arena.illegal import Disqualified
from solver.arena.tournament import Tournament
from solver.dp.arrays import Floats
from solver.statistics.inference import (
    ERROR,
    LEAD,
    SHARE,
    Interval,
    count_games_needed,
    estimate_mean,
    estimate_share,
    subtract_from,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A player that was not disqualified. ``place`` is the rank from 1, which tied players share.
    ``won`` is the interval of the share of games in which the player had the highest score.
    ``score`` and ``skill`` (the mean without luck) are None if all games have equal values."""

    seat: int
    name: str
    place: int
    points: int
    share: float
    won: tuple[float, float] | None
    mean: float
    score: Interval | None
    deviation: float | None
    luck: float  # points per game
    regret: float  # points per game
    luck_per_decision: float
    regret_per_decision: float
    without_noise: float
    skill: Interval | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A comparison of two players: how many games the first won, tied and lost, and the mean
    difference of their scores. ``by_regret`` is the confidence interval of the difference in points
    lost per game: the second player's minus the first player's. ``needed`` is the number of further
    games until an interval excludes 0."""

    one: str
    other: str
    won: int
    tied: int
    lost: int
    mean: float
    difference: Interval | None
    needed: int | None
    mean_by_regret: float
    by_regret: Interval | None
    needed_by_regret: int | None


@dataclass(frozen=True, slots=True)
class Out:
    name: str
    reason: Disqualified


@dataclass(frozen=True, slots=True)
class Standings:
    tournament: Tournament
    rows: tuple[Placed, ...]  # from the best player to the worst
    pairs: tuple[Pair, ...]
    out: tuple[Out, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows if row.place == 1)


def make_standings(tournament: Tournament) -> Standings:
    points = tournament.points
    left = set(tournament.play_off.left) if tournament.play_off else set(points)
    ranks = {seat: (points[seat], seat in left) for seat in points}
    order = sorted(points, key=lambda seat: (*ranks[seat], -seat), reverse=True)
    names, games, start = tournament.names, tournament.games, tournament.value_start
    rows, pairs = [], []
    for seat in order:
        played = tournament.get_games(seat)
        regret, decisions = estimate_mean(played.regret), int(played.decisions.sum())
        rows.append(
            Placed(
                seat=seat,
                name=names[seat],
                place=1 + sum(rank > ranks[seat] for rank in ranks.values()),
                points=points[seat],
                share=points[seat] / games,
                won=estimate_share(points[seat], games),
                mean=float(played.scores.mean()),
                score=estimate_mean(played.scores),
                deviation=float(played.scores.std(ddof=1)) if games > 1 else None,
                luck=float(played.luck.mean()),
                regret=float(played.regret.mean()),
                luck_per_decision=float(played.luck.sum()) / decisions,
                regret_per_decision=float(played.regret.sum()) / decisions,
                without_noise=start - float(played.regret.mean()),
                skill=subtract_from(start, regret) if regret else None,
            )
        )
    for seat, other in combinations(order, 2):
        first, second = tournament.get_games(seat), tournament.get_games(other)
        difference = (first.scores - second.scores).astype(np.float64)
        won, tied, lost = (int((np.sign(difference) == sign).sum()) for sign in (1, 0, -1))
        saved: Floats = second.regret - first.regret
        pairs.append(
            Pair(
                names[seat],
                names[other],
                won,
                tied,
                lost,
                float(difference.mean()),
                estimate_mean(difference),
                count_games_needed(difference),
                float(saved.mean()),
                estimate_mean(saved),
                count_games_needed(saved),
            )
        )
    out = tuple(Out(names[seat], why) for seat, why in sorted(tournament.out.items()))
    return Standings(tournament, tuple(rows), tuple(pairs), out)


def make_tournament_facts(standings: Standings) -> dict[str, Any]:
    played = standings.tournament
    players: list[dict[str, Any]] = [
        {
            "name": row.name,
            "place": row.place,
            "points": row.points,
            "share": row.share,
            "share_interval": row.won,
            "mean": row.mean,
            "mean_interval": _list_interval_ends(row.score),
            "sd": row.deviation,
            "luck": row.luck,
            "regret": row.regret,
            "luck_per_decision": row.luck_per_decision,
            "regret_per_decision": row.regret_per_decision,
            "mean_without_noise": row.without_noise,
            "mean_without_noise_interval": _list_interval_ends(row.skill),
        }
        for row in standings.rows
    ]
    for out in standings.out:  # without any figures, because no game counts
        where = out.reason.where
        facts = {"name": out.name, "place": None, "points": 0, "mean": None}
        facts |= {"regret_per_decision": None, "disqualified": out.reason.reason}
        players.append(facts | {"disqualified_at": asdict(where) if where else None})
    play_off: dict[str, Any] | None = None
    if ended := played.play_off:
        seats = {"tied": ended.tied, "left": ended.left}
        play_off = {key: [played.names[seat] for seat in group] for key, group in seats.items()}
        play_off["games"] = ended.games
    return {
        "ruleset": played.setting.rules.id,
        "games": played.games,
        "seed": played.setting.seed,
        "same_dice": played.setting.same_dice,
        "value_start": played.value_start,
        "winners": list(standings.winners),
        "players": players,
        "pairs": [
            asdict(pair)
            | {"difference": _list_interval_ends(pair.difference)}
            | {"by_regret": _list_interval_ends(pair.by_regret)}
            for pair in standings.pairs
        ],
        "play_off": play_off,
        "stopped_early": WALD if played.stopped else None,
    }


WALD = {"test": "Wald", "lead": LEAD, "share": SHARE, "error": ERROR}


def _list_interval_ends(likely: Interval | None) -> tuple[float, float] | None:
    return (likely.low, likely.high) if likely else None
