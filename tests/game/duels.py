"""Duels for tests: who sits there, and turns played without looking at the dice."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from game import services
from game.models import Duel, DuelSeat, Game, Player
from game.selectors.duels.tables import DuelStanding, standing
from game.selectors.games import Played, game_played
from solver.rules import Hold, Score
from tests.known import known


def new_duel(
    people: Sequence[Player], bots: Sequence[str] = (), *, ruleset: str = "yatzy", **pace: Any
) -> Duel:
    """Begun: everybody has sat down. ``pace`` is a clock, days for a move, lockstep or none."""
    duel, _ = services.duel_create(
        player=people[0], ruleset=ruleset, people=len(people), bots=bots, **pace
    )
    for player in people[1:]:
        services.duel_join(token=duel.token, player=player)
    return fresh(duel)


def fresh(duel: Duel) -> Duel:
    return Duel.objects.get(pk=duel.pk)


def stands(duel: Duel) -> DuelStanding:
    return standing(fresh(duel))


def seat_of(duel: Duel, player: Player) -> DuelSeat:
    return DuelSeat.objects.get(duel=duel, player=player)


def card_of(duel: Duel, player: Player) -> Game:
    return known(seat_of(duel, player).game)


def decide(duel: Duel, player: Player, action: Hold | Score) -> Played:
    game = card_of(duel, player)
    seq = game.decisions.count()
    return services.decision_record(game_id=game.pk, player=player, seq=seq, action=action)


def throw(duel: Duel, player: Player, slots: int = 0) -> Played:
    return decide(duel, player, Hold(slots))


def play_turn(duel: Duel, player: Player) -> Played:
    """The first throw, into the first box that takes it."""
    throw(duel, player)
    return play_on_from(duel, player)


def play_on_from(duel: Duel, player: Player) -> Played:
    state = game_played(card_of(duel, player)).state
    return decide(duel, player, Score(state.rules.categories[min(state.offers)].id))


def play_to_the_end(duel: Duel, *people: Player) -> None:
    while fresh(duel).state == "running":
        for player in people:
            play_turn(duel, player)
        play_bots(duel)


def play_bots(duel: Duel) -> int:
    """Without their pauses; how many moves that was."""
    moves = 0
    while services.bot_move(token=duel.token, pace=timedelta()) is not None:
        moves += 1
    return moves


def later(duel: Duel, **more: float) -> datetime:
    return known(duel.started_at) + timedelta(**more)


def totals(duel: Duel) -> list[int]:
    return [game_played(known(seat.game)).state.total for seat in duel.seats.order_by("number")]
