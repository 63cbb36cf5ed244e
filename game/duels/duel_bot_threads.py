"""Threads for the bots of this server process: one for each duel in which a bot must move.

A thread makes the bots' moves and waits between them. If a thread fails, the next request for the
duel's page, or the next move, starts a new thread.
"""

import logging
from datetime import timedelta
from threading import Lock, Thread
from time import sleep

from django.conf import settings
from django.db import connections

from game.core.events import duel_changed
from game.duels.duel_bots import make_bot_move

logger = logging.getLogger(__name__)


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
    duel_changed.connect(_wake_bots, dispatch_uid="game.duels.duel_bot_threads")


def _wake_bots(*, token: str, **_: object) -> None:
    runners.wake_bots(token)
