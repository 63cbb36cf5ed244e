"""A player's downloads: all data that the site stores about the player, or a table of moves."""

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from typing import Protocol

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import hides_advice_from
from game.core.game_dice import list_shown_dice
from game.core.kind import find_kind
from game.core.profile_queries import find_player_skill
from game.core.words import labels
from game.core.words.cells import disarm_formulas
from game.core.worth.tables import find_value_start
from game.models import DuelSeat, Game, Player
from game.pages.requests.visitors import PlayRequest
from solver.rules import PLAYED, Hold, replay_actions

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


def make_game_row(game: Game) -> Row:
    """Return a game's columns in a player's download. Secret seeds and keys are empty."""
    seed = find_kind(game).shown_seed
    return {
        "game": game.pk,
        "mode": game.mode,
        "ruleset": game.ruleset,
        "started_at": _format_moment(game.started_at),
        "finished_at": _format_moment(game.finished_at),
        "abandoned_at": _format_moment(game.abandoned_at),
        "final_score": game.final_score,
        "chips": game.chips,
        "commitment": game.commitment,
        "seed": seed,
        "key": game.key if seed else "",
        "added": game.added,
    }


def list_decision_rows(game: Game) -> Iterator[Row]:
    """Yield the columns of each decision, with the dice before it."""
    made = list(game.decisions.all())
    states = replay_actions(
        game.rules, list_shown_dice(game), [decision.action for decision in made]
    )
    for decision, (state, _action) in zip(made, states, strict=True):
        held = [] if decision.hold is None else [n + 1 for n in Hold(decision.hold).places]
        scored = state.find_option(decision.category) if decision.category else None
        yield {
            "seq": decision.seq,
            "turn": decision.turn + 1,
            "roll": decision.roll,
            "dice": " ".join(map(str, state.dice)),
            # the held slots, counted from 1: "-" if all dice were rolled, "" for a box
            "hold": "" if decision.hold is None else " ".join(map(str, held)) or "-",
            "category": decision.category,
            "points": scored.points if scored else None,
            "chip": scored.chip if scored else None,
            "milliseconds": decision.milliseconds,
            "client_milliseconds": decision.client_milliseconds,
        }


def write_csv(player: Player | None, out: Writable) -> None:
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    for game in list_own_games(player):
        added = disarm_formulas(game.added)  # opponents wrote parts of this text
        facts = make_game_row(game) | {"added": added}
        writer.writerows(facts | decision for decision in list_decision_rows(game))


def write_json(player: Player | None, out: Writable) -> None:
    everything = collect_own_data(player, list_own_games(player), export_game)
    out.write(json.dumps(everything, indent=1, cls=DjangoJSONEncoder))


FORMATS: dict[str, tuple[str, Callable[[Player | None, Writable], None]]] = {
    "csv": ("text/csv; charset=utf-8", write_csv),
    "json": ("application/json", write_json),
}


# All data of a player, as JSON


# The coach's results. Unfinished games, and games while a trial hides the coach, lack them.
WORTH = {"best", "value", "regret", "luck", "forced", "free_decisions", "hinted", "hinted_regret"}
# Columns that give access to an account, a list or a game, or that would reveal future dice.
SECRET = {
    *("auth.User.password", "game.Player.recovery", "game.Player.code", "game.PositionList.token"),
    *("game.Game.seed", "game.Game.key", "game.Game.nonce", "game.Game.share_token"),
    *("game.Duel.seed", "game.Duel.key", "game.Duel.token"),
}
# Models with data about a person that the file leaves out, each with the reason.
LEFT_OUT = {
    "admin.LogEntry": "It records what the staff of the site changed.",
}


def collect_own_data(
    player: Player | None, games: Iterable[Game], export: Callable[[Game, Collection[str]], Row]
) -> dict[str, object]:
    """Return all data that the site stores about a player, with these games. Opponents appear only
    with their name and score."""
    if player is None:
        return {"games": []}
    hidden = WORTH if hides_advice_from(player) else set[str]()
    cards = player.drill_cards.order_by("created_at", "pk").prefetch_related("attempts")
    lists = player.position_lists.prefetch_related("positions")
    seats = player.seats.select_related("duel").order_by("duel__created_at", "pk")
    seats = seats.prefetch_related("duel__seats__player__user", "duel__seats__game")
    parties = player.parties.order_by("created_at").prefetch_related("seats")
    rows = [export(game, hidden) for game in games]
    return {
        "player": _collect_fields(player),
        "account": _collect_fields(player.user) if player.user else None,
        "skill": {} if hidden else _collect_skills(player, {row["ruleset"] for row in rows}),
        "games": rows,
        "duels": [_export_duel(seat) for seat in seats],
        "tables": [
            _collect_fields(party)
            | {
                "seats": [
                    _collect_fields(seat) | {"game": seat.game_id} for seat in party.seats.all()
                ]
            }
            for party in parties
        ],
        "drill": [
            _collect_fields(card)
            | {"attempts": [_collect_fields(attempt, hidden) for attempt in card.attempts.all()]}
            for card in cards
        ],
        "five_a_day": [_collect_fields(answer, hidden) for answer in player.five_answers.all()],
        "lists": [
            _collect_fields(kept)
            | {"positions": [_collect_fields(position) for position in kept.positions.all()]}
            for kept in lists
        ],
        "reminders": [_collect_fields(reminder) for reminder in player.reminders.all()],
    }


def _collect_skills(player: Player, rulesets: Collection[object]) -> dict[str, Row]:
    starts = {rules: find_value_start(rules) for name, rules in PLAYED.items() if name in rulesets}
    skills = [find_player_skill(player, rules, start) for rules, start in starts.items() if start]
    columns = ("estimate", "low", "high", "games")
    return {
        skill.rules.id: {name: getattr(skill, name) for name in columns}
        for skill in skills
        if skill
    }


def _collect_fields(row: Model, hidden: Collection[str] = ()) -> Row:
    """Return a model's columns by name, without secrets, hidden columns, keys and relations."""
    return {
        field.name: getattr(row, field.name)
        for field in row._meta.concrete_fields
        if not (field.is_relation or field.primary_key)
        and str(field) not in SECRET
        and field.name not in hidden
    }


def export_game(game: Game, hidden: Collection[str]) -> Row:
    """Return the stored data of a game, without ``hidden`` columns. Leave out costs that the player
    may not see yet."""
    kind = find_kind(game)
    is_shown = game.finished_at is not None and not kind.measured and kind.withheld is None
    hidden = hidden if is_shown else WORTH
    stored = [_collect_fields(decision, hidden) for decision in game.decisions.all()]
    decisions = zip(stored, list_decision_rows(game), strict=True)
    return (
        _collect_fields(game, hidden)
        | make_game_row(game)
        | {"decisions": [row | facts for row, facts in decisions]}
        | {"throws": [_collect_fields(throw) for throw in game.throws.all()]}
    )


def _export_duel(seat: DuelSeat) -> Row:
    rivals = []
    for other in seat.duel.seats.all():
        if other.pk != seat.pk and other.player is not None:
            over = seat.duel.finished_at is not None
            score = other.game.final_score if over and other.game else None
            rivals.append({"name": labels.format_player(other.player), "final_score": score})
    facts = {"game": seat.game_id, "seat": _collect_fields(seat), "others": rivals}
    return _collect_fields(seat.duel) | facts


def list_own_games(player: Player | None) -> Iterator[Game]:
    if player is not None:
        games = Game.objects.filter(player=player).order_by("started_at")
        yield from games.prefetch_related("decisions", "throws").iterator(chunk_size=200)


def _format_moment(value: datetime | None) -> str:
    return value.isoformat() if value else ""


@never_cache
@require_safe
def export(request: PlayRequest) -> HttpResponse:
    wanted = request.GET.get("format", "")
    name = wanted if wanted in FORMATS else "json"
    content_type, write = FORMATS[name]
    response = HttpResponse(content_type=content_type)
    filename = f"yatzy-{timezone.now():%Y-%m-%d}.{name}"
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    write(request.visitor.player, response)
    return response
