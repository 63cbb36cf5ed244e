"""What a server does beside answering."""

import asyncio
import logging

from channels.db import database_sync_to_async

from game.services import games_judge_later

logger = logging.getLogger(__name__)
PAUSE = 60.0  # seconds; whoever opens a review or the profile does not wait for this


async def judging() -> None:
    """Games that were played without a sound table are judged when there is one."""
    while True:
        await asyncio.sleep(PAUSE)
        try:
            await database_sync_to_async(games_judge_later, thread_sensitive=False)()
        except Exception:
            logger.exception("games could not be judged; tried again in %d s", PAUSE)
