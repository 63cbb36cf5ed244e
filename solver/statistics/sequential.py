"""When to stop a match: Wald's sequential test of which player wins more of the decided games.

It decides between p = 0.55 for the first player and p = 0.55 for the second: the match continues
until the lead of one player is 19 times as likely under one hypothesis as under the other. If a
player truly wins at least 55 % of the decided games, the test names the wrong winner in at most 1
of 20 matches, no matter how often the lead is checked. Ties do not count.
"""

from collections.abc import Sequence
from math import ceil, log

SHARE = 0.55
ERROR = 0.05
LEAD = ceil(log((1 - ERROR) / ERROR) / log(SHARE / (1 - SHARE)))  # 15 games, wins minus losses


def find_deciding_game(signs: Sequence[int]) -> int | None:
    """Return the game after which a player leads by ``LEAD``, or None; signs are 1, 0 or -1."""
    lead = 0
    for game, sign in enumerate(signs, start=1):
        lead += sign
        if abs(lead) >= LEAD:
            return game
    return None
