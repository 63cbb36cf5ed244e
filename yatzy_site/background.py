"""The server's work besides answering."""

import asyncio
import logging
from collections.abc import Callable

from channels.db import database_sync_to_async

from game.core.judging import games_judge_later
from game.core.worth.tables import make_next
from game.duels.reminders import push, reminder_gone, reminders_due
from game.management.copies import delete_old_copies
from game.pages.requests.troubles import what_is_away
from game.trials.joining.withdrawing import withdrawals_finish

logger = logging.getLogger(__name__)
PAUSE = 60.0  # seconds; anyone who opens a review or the profile does not wait for this
LOOK = 5.0  # seconds between two looks at what is made of the tables, while something is


async def beside_requests() -> None:
    await asyncio.gather(preparing(), judging(), reminding(), deleting())


async def preparing() -> None:
    """Make missing tables of all rulesets one at a time, so that no request starts a process."""
    while True:
        busy = False
        try:
            busy = await asyncio.to_thread(make_next)
        except Exception:
            logger.exception("what is missing of the tables is looked for in %d s", PAUSE)
        await asyncio.sleep(LOOK if busy else PAUSE)


async def judging() -> None:
    """Games that were played without a sound table are judged when there is one."""
    await _again(lambda: games_judge_later(), "games are judged")


async def reminding() -> None:
    await _again(remind, "whose turn it is is told")


async def deleting() -> None:
    await _again(delete_what_is_over, "what is over is deleted")


async def _again(work: Callable[[], object], what: str) -> None:
    while True:
        await asyncio.sleep(PAUSE)
        try:
            await database_sync_to_async(work, thread_sensitive=False)()
        except Exception as error:
            fault = None if what_is_away(error) else error  # which alone is worth a traceback
            logger.error("%s in %d s: %r", what, PAUSE, error, exc_info=fault)


def remind() -> None:
    for reminder in reminders_due():
        if not push(reminder.endpoint, reminder.site):
            reminder_gone(endpoint=reminder.endpoint)


def delete_what_is_over() -> None:
    """Delete what participants can no longer take back, and copies that newer ones replace.

    Every process of the site does so; the second finds nothing.
    """
    withdrawals_finish()
    delete_old_copies()
