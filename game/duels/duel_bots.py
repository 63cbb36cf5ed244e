"""The moves of bots in duels. A bot makes one decision at a time, outside of requests.

Everything is in the database. Several processes may calculate the same decision; only the first
stores it.
"""

import hashlib
import logging
from datetime import datetime, timedelta

import numpy as np
from django.utils import timezone

from game.core.playing import record_decision
from game.core.refusals import Refused
from game.duels.duel_queries import DuelStanding, find_duel, load_standing
from game.duels.opponents import find_bot
from solver.players import Facing
from solver.players.plain import make_plain
from solver.rules import Action, Hold
from solver.tables import TableError

logger = logging.getLogger(__name__)


def make_bot_move(*, token: str, pace: timedelta, now: datetime | None = None) -> timedelta | None:
    """Make a bot's due move; return the time until the next one, or None if no bot must move. A
    move is due ``pace`` after the last move of the bot or of a person, as if the bot had to think.
    If the calculated wait is longer, a clock was put back: then move at once."""
    duel = find_duel(token)
    if duel is None or duel.state != "running":
        return None
    shown = load_standing(duel)
    rounds = shown.rounds
    opened = rounds.find_bot_turn_start(rounds.round) if not rounds.over else None
    due = [
        (max(sitting.played.last_at, opened) + pace, place)
        for place, sitting in enumerate(shown.sittings)
        if opened and sitting.bot and sitting.played and rounds.may_play(place)
    ]
    if not due:
        return None
    moment, place = min(due)
    wait = moment - (now or timezone.now())
    return wait if timedelta() < wait <= pace else _make_move(shown, place)


def _make_move(shown: DuelStanding, place: int) -> timedelta | None:
    sitting = shown.sittings[place]
    played, player = sitting.played, sitting.seat.player
    if played is None or player is None:
        return None
    try:
        action: Action
        if not played.state.dice:
            action = Hold(0)
        else:
            agent = make_plain(find_bot(sitting.bot).open(shown.duel.rules))
            # Every process makes the same generator, and no player can predict it.
            text = f"{shown.duel.seed}:{sitting.seat.number}:{len(played.actions)}"
            luck = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
            seen = (
                sitting.find_state_after(shown.rounds.round)
                for other, sitting in enumerate(shown.sittings)
                if other != place and sitting.seat.left_at is None
            )
            others = [state for state in seen if state]
            if isinstance(agent, Facing):
                action = agent.choose_facing(played.state, luck, others)
            else:
                action = agent.choose(played.state, luck, [other.total for other in others])
    except TableError as error:
        logger.warning("%s cannot play: %s", player.bot, error)
        return None
    try:
        seq, game_id = len(played.actions), played.game.pk
        record_decision(game_id=game_id, player=player, seq=seq, action=action)
    except Refused:  # another process has already made this move
        logger.info("a bot's move in game %s was refused", played.game.pk)
    return timedelta()
