"""The two boards of a day: of its players, and of its guests and young accounts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Avg, Count, Q

from game.models import Game, Player
from game.selectors.games import Rank, daily_ranked, has_rank
from game.words import labels
from solver.rules import Ruleset

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Leader:
    """A line of the day's results; equal scores share a rank."""

    rank: int
    name: str
    score: int
    mine: bool


@dataclass(frozen=True, slots=True)
class DayBoard:
    """``rank`` is that of the game which was asked about, where it is on this board."""

    players: int = 0
    average: float | None = None
    leaders: tuple[Leader, ...] = ()
    rank: Rank | None = None


def day_boards(
    day: date, rules: Ruleset, player: Player | None = None, mine: Game | None = None
) -> tuple[DayBoard, DayBoard]:
    """One query for what is counted, and one for each board that anybody is on."""
    ranked = mine if mine is not None and has_rank(mine) else None
    score = ranked.final_score if ranked else None
    counts: dict[str, Any] = {"players": Count("pk"), "average": Avg("final_score")}
    if score is not None:
        counts["better"] = Count("pk", filter=Q(final_score__gt=score))
        counts["worse"] = Count("pk", filter=Q(final_score__lt=score))
    everybody = daily_ranked(day, rules).order_by().values("among_guests")
    rows: Iterable[Mapping[str, Any]] = everybody.annotate(**counts)
    found = {row["among_guests"]: row for row in rows}

    def board(*, guests: bool) -> DayBoard:
        if guests not in found:
            return DayBoard()
        row = found[guests]
        on_it = ranked is not None and ranked.among_guests == guests
        leaders = tuple(_leaders(day, rules, player, guests=guests))
        return DayBoard(row["players"], row["average"], leaders, _rank(row) if on_it else None)

    return board(guests=False), board(guests=True)


def _rank(row: Mapping[str, Any]) -> Rank:
    return Rank(row["better"] + 1, row["players"], row["worse"])


def _leaders(day: date, rules: Ruleset, player: Player | None, *, guests: bool) -> Iterator[Leader]:
    found = daily_ranked(day, rules).filter(among_guests=guests)
    mine = player.pk if player else None
    for rank, score, game in _ranks(found.order_by("-final_score", "finished_at")[:SHOWN]):
        yield Leader(rank, labels.player(game.player), score, game.player_id == mine)


def _ranks(ordered: Iterable[Game]) -> Iterator[tuple[int, int, Game]]:
    rank, last = 0, -1
    for number, game in enumerate(ordered, start=1):
        score = game.final_score or 0
        if score != last:
            rank, last = number, score
        yield rank, score, game
