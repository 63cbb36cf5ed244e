"""A player's own games, decision by decision, for whoever wants to keep or study them."""

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Protocol

from game.core.game_dice import dice_of
from game.core.kind import kind_of
from game.models import Decision, Game, Player
from solver.rules import Hold, played

COLUMNS = (
    "game",
    "mode",
    "ruleset",
    "started_at",
    "finished_at",
    "abandoned_at",
    "final_score",
    "chips",
    "commitment",
    "seed",
    "key",
    "added",
    "seq",
    "turn",
    "roll",
    "dice",
    "hold",
    "category",
    "points",
    "chip",
    "milliseconds",
    "client_milliseconds",
)
Row = dict[str, object]


class Writable(Protocol):
    def write(self, text: str, /) -> object: ...


def game_facts(game: Game) -> Row:
    """The seed and its sealed part only where they may be shown."""
    seed = kind_of(game).shown_seed
    return {
        "game": game.pk,
        "mode": game.mode,
        "ruleset": game.ruleset,
        "started_at": _moment(game.started_at),
        "finished_at": _moment(game.finished_at),
        "abandoned_at": _moment(game.abandoned_at),
        "final_score": game.final_score,
        "chips": game.chips,
        "commitment": game.commitment,
        "seed": seed,
        "key": game.key if seed else "",
        "added": game.added,
    }


def decision_facts(game: Game) -> Iterator[Row]:
    """Each decision with the dice it was made on."""
    made = list(game.decisions.all())
    states = played(game.rules, dice_of(game), [decision.action for decision in made])
    for decision, (state, _action) in zip(made, states, strict=True):
        scored = state.option(decision.category) if decision.category else None
        yield {
            "seq": decision.seq,
            "turn": decision.turn + 1,
            "roll": decision.roll,
            "dice": " ".join(map(str, state.dice)),
            "hold": _held(decision),
            "category": decision.category,
            "points": scored.points if scored else None,
            "chip": scored.chip if scored else None,
            "milliseconds": decision.milliseconds,
            "client_milliseconds": decision.client_milliseconds,
        }


def write_csv(player: Player | None, out: Writable) -> None:
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for game in _games(player):
        facts = game_facts(game)
        writer.writerows(facts | decision for decision in decision_facts(game))


def write_json(player: Player | None, out: Writable) -> None:
    games = [game_facts(game) | {"decisions": [*decision_facts(game)]} for game in _games(player)]
    out.write(json.dumps({"games": games}, indent=1))


FORMATS: dict[str, tuple[str, Callable[[Player | None, Writable], None]]] = {
    "csv": ("text/csv; charset=utf-8", write_csv),
    "json": ("application/json", write_json),
}


def _games(player: Player | None) -> Iterator[Game]:
    if player is not None:
        found = Game.objects.filter(player=player).order_by("started_at")
        yield from found.prefetch_related("decisions").iterator(chunk_size=200)


def _held(decision: Decision) -> str:
    """The kept slots, counted from 1; a dash where all were thrown."""
    if decision.hold is None:
        return ""
    kept = [str(slot + 1) for slot in Hold(decision.hold).places]
    return " ".join(kept) or "-"


def _moment(value: datetime | None) -> str:
    return value.isoformat() if value else ""
