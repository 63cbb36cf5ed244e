"""A tournament as plain data, for JSON."""

from dataclasses import asdict
from typing import Any

from solver.arena.standings import Out, Pair, Placed, Standings
from solver.statistics.inference import Interval
from solver.statistics.sequential import ERROR, LEAD, SHARE


def make_tournament_facts(standings: Standings) -> dict[str, Any]:
    played = standings.tournament
    return {
        "ruleset": played.setting.rules.id,
        "games": played.games,
        "seed": played.setting.seed,
        "same_dice": played.setting.same_dice,
        "value_start": played.value_start,
        "winners": list(standings.winners),
        "players": [*map(_format_row, standings.rows), *map(_format_disqualified, standings.out)],
        "pairs": [_format_pair(pair) for pair in standings.pairs],
        "play_off": _format_play_off(standings),
        "stopped_early": WALD if played.stopped else None,
    }


WALD = {"test": "Wald", "lead": LEAD, "share": SHARE, "error": ERROR}


def _format_row(row: Placed) -> dict[str, Any]:
    return {
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


def _format_disqualified(out: Out) -> dict[str, Any]:
    """Return the facts of a disqualified player: no figures, because its games do not count."""
    where = out.reason.where
    facts = {"name": out.name, "place": None, "points": 0, "mean": None}
    facts |= {"regret_per_decision": None, "disqualified": out.reason.reason}
    return facts | {"disqualified_at": asdict(where) if where else None}


def _format_pair(pair: Pair) -> dict[str, Any]:
    facts = asdict(pair)
    facts["difference"], facts["by_regret"] = (
        _list_interval_ends(pair.difference),
        _list_interval_ends(pair.by_regret),
    )
    return facts


def _list_interval_ends(likely: Interval | None) -> tuple[float, float] | None:
    return (likely.low, likely.high) if likely else None


def _format_play_off(standings: Standings) -> dict[str, Any] | None:
    play_off, names = standings.tournament.play_off, standings.tournament.names
    if play_off is None:
        return None
    tied, left = ([names[seat] for seat in seats] for seats in (play_off.tied, play_off.left))
    return {"tied": tied, "left": left, "games": play_off.games}
