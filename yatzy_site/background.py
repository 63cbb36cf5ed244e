"""The work that a server does in the background, between requests."""

import asyncio
import logging
from collections.abc import Callable

from channels.db import database_sync_to_async

from game.core.judging import judge_in_background
from game.core.studies import get_studies
from game.core.worth.tables import make_next
from game.duels.reminders import claim_due_reminders, send_reminder
from game.management.copies import delete_old_copies
from game.pages.requests.troubles import explain_outage

logger = logging.getLogger(__name__)
PAUSE = 60.0  # seconds between two runs of a task
LOOK = 5.0  # seconds between two checks, while a process makes tables


async def do_background_work() -> None:
    reminding = _repeat(remind, "sending reminders")
    deleting = _repeat(delete_what_is_over, "deleting expired data")
    await asyncio.gather(keep_preparing(), keep_judging(), reminding, deleting)


async def keep_preparing() -> None:
    """Make the missing tables of all rulesets, one after another, before pages need them."""
    while True:
        busy = False
        try:
            busy = await asyncio.to_thread(make_next)
        except Exception:
            logger.exception("making tables failed; next try in %d s", PAUSE)
        await asyncio.sleep(LOOK if busy else PAUSE)


async def keep_judging() -> None:
    """Judge, again and again, the games that lacked a value table, or whose table was damaged."""
    await _repeat(lambda: judge_in_background(), "judging games")


async def _repeat(work: Callable[[], object], what: str) -> None:
    while True:
        await asyncio.sleep(PAUSE)
        try:
            await database_sync_to_async(work, thread_sensitive=False)()
        except Exception as error:
            fault = None if explain_outage(error) else error  # an outage needs no traceback
            logger.error("%s failed; next try in %d s: %r", what, PAUSE, error, exc_info=fault)


def remind() -> None:
    for reminder in claim_due_reminders():
        if not send_reminder(reminder.endpoint, reminder.site):
            reminder.delete()


def delete_what_is_over() -> None:
    """Delete data of studies whose storage time is over, and old backups. Every process of the site
    does this, but only the first one finds something to delete."""
    get_studies().delete_expired()
    delete_old_copies()
