"""The moves of bots in duels. A bot makes one decision at a time, outside of requests.

Everything is in the database. Several processes may calculate the same decision; only the first
stores it. A server process has a thread for each duel in which a bot must move. This thread makes
the moves and waits between them. If it fails, the next request for the duel's page, or the next
move, starts a new thread.
"""

import hashlib
import logging
from datetime import datetime, timedelta
from threading import Lock, Thread
from time import sleep

import numpy as np
from django.conf import settings
from django.db import connections
from django.utils import timezone

from game.core.events import duel_changed
from game.core.playing import record_decision
from game.core.refusals import Refused
from game.duels.duel_queries import find_duel, load_standing
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
    if timedelta() < wait <= pace:
        return wait
    sitting = shown.sittings[place]
    played, player = sitting.played, sitting.seat.player
    if played is None or player is None:
        return None
    try:
        action: Action
        if not played.state.dice:
            action = Hold(0)
        else:
            agent = make_plain(find_bot(sitting.bot).open(duel.rules))
            # Every process makes the same generator, and no player can predict it.
            text = f"{duel.seed}:{sitting.seat.number}:{len(played.actions)}"
            luck = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
            seen = (
                other.find_state_after(rounds.round)
                for at, other in enumerate(shown.sittings)
                if at != place and other.seat.left_at is None
            )
            others = [state for state in seen if state]
            if isinstance(agent, Facing):
                action = agent.choose_facing(played.state, luck, others)
            else:
                action = agent.choose(played.state, luck, [state.total for state in others])
        seq, game_id = len(played.actions), played.game.pk
        record_decision(game_id=game_id, player=player, seq=seq, action=action)
    except TableError as error:
        logger.warning("%s cannot play: %s", player.bot, error)
        return None
    except Refused:  # another process has already made this move
        logger.info("a bot's move in game %s was refused", played.game.pk)
    return timedelta()


class Runners:
    """The bots' threads, at most one per duel. No call of ``wake_bots`` is lost."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._again: dict[
            str, bool
        ] = {}  # key: a duel with a thread; value: true if the thread must look for moves again

    def wake_bots(self, token: str) -> None:
        if not settings.DUEL_BOTS:
            return
        with self._lock:
            runs = token in self._again
            self._again[token] = True
        if not runs:
            Thread(target=self._run, args=(token,), daemon=True, name=f"duel {token}").start()

    def _run(self, token: str) -> None:
        try:
            while self._was_woken(token):
                play_on(token)
        except Exception:
            logger.exception("the bots of /duel/%s/ stopped", token)
            with self._lock:
                self._again.pop(token, None)
        finally:
            connections.close_all()

    def _was_woken(self, token: str) -> bool:
        """Return whether ``wake_bots`` was called since the last check; if not, forget the duel."""
        with self._lock:
            wanted = self._again.get(token, False)
            if wanted:
                self._again[token] = False
            else:
                self._again.pop(token, None)
            return wanted


def play_on(token: str) -> None:
    """Make every due move of the duel's bots, one at a time, until a person must move."""
    pace = timedelta(seconds=settings.DUEL_PACE)
    while (wait := make_bot_move(token=token, pace=pace)) is not None:
        sleep(wait.total_seconds())


runners = Runners()


def listen() -> None:
    duel_changed.connect(_wake_bots, dispatch_uid="game.duels.duel_bots")


def _wake_bots(*, token: str, **_: object) -> None:
    runners.wake_bots(token)
