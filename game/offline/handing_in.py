"""Stores the games that were played offline on a device: each once, with its moves, and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.access import OwnGame, check_may_play, is_at_position
from game.core.accounts import create_player
from game.core.judging import judge_game, to_be_judged
from game.core.refusals import Refused
from game.models import Decision, Game, Player, Throw
from solver.advice import find_position
from solver.rules import Action, Score, State

NONCE = 32  # characters
Moves = Sequence[tuple[State, Action]]


@dataclass(frozen=True, slots=True)
class SentGame:
    """A finished game from a device: decisions with the state before each, and the end state."""

    name: str  # the device's name for the game, which is equal if it sends the game again
    moves: Moves
    end: State
    total: int  # points that the device showed
    began: datetime
    ended: datetime
    coach: str = Game.Coach.OFF  # games with the coach's help do not count for the skill estimate
    hints: int = 0


class NotItsPoints(Refused):
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The dice and boxes of this game do not give the score that you sent."))


def hand_in_game(*, player: Player | None, sent: SentGame) -> Game | None:
    """Store a device's game. Return None if it is already stored. A visitor becomes a player."""
    check_may_play(player)
    if sent.end.total != sent.total:
        raise NotItsPoints
    if is_at_position(player, (find_position(state) for state, _ in sent.moves if state.dice)):
        raise Refused(str(OwnGame()))
    nonce = sha256(f"offline {sent.name}".encode()).hexdigest()[:NONCE]
    with transaction.atomic():
        if player is not None:  # lock the player, so that two requests cannot store the same game
            Player.objects.select_for_update().get(pk=player.pk)
        if Game.objects.exclude(nonce="").filter(nonce=nonce).exists():
            return None
        owner = player or create_player(ruleset=sent.end.rules.id)
        game = store_game(player=owner, sent=sent, nonce=nonce, mode=Game.Mode.OFFLINE)
    judge_game(game=game)
    return game


def store_game(*, player: Player, sent: SentGame, **columns: str) -> Game:
    """Store a game without judging it. The server judges it when it has a value table."""
    ended = min(sent.ended, timezone.now())  # a device's clock may be wrong
    game = Game.objects.create(
        player=player,
        ruleset=sent.end.rules.id,
        real_dice=True,
        coach=sent.coach,
        hints=sent.hints,
        started_at=min(sent.began, ended),
        finished_at=ended,
        final_score=sent.end.total,
        bonus=sent.end.bonus,
        chips=sent.end.chips,
        **columns,
    )
    to_be_judged.add(game.ruleset)
    decisions, throws, at = list[Decision](), list[Throw](), game.started_at
    for seq, (state, action) in enumerate(sent.moves):
        decision = Decision(game=game, seq=seq, turn=state.turn, created_at=at)
        decision.roll = state.throws_made
        decisions.append(decision)
        if isinstance(action, Score):
            decision.category = action.category
            continue
        decision.hold = action.slots
        faces = "".join(map(str, sent.moves[seq + 1][0].dice))
        throws.append(Throw(game=game, seq=seq, number=0, faces=faces, created_at=at))
    Decision.objects.bulk_create(decisions)
    Throw.objects.bulk_create(throws)
    return game
