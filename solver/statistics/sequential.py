"""When to stop: Wald's sequential test of who wins more of the games that are decided.

It tells p = 0.55 for the one player from p = 0.55 for the other: games are counted until one leads
by so many that this is 19 times as likely under the one as under the other. Anyone who truly wins
at least 55 % of the decided games is then named wrongly at most once in 20 matches, however often
one
looks. Ties count for nobody.
"""

from collections.abc import Sequence
from math import ceil, log

SHARE = 0.55
ERROR = 0.05
LEAD = ceil(log((1 - ERROR) / ERROR) / log(SHARE / (1 - SHARE)))  # 15 games


def decided_after(signs: Sequence[int]) -> int | None:
    """After how many games one leads by enough; ``signs`` are 1, 0 and -1 for won, tied, lost."""
    lead = 0
    for game, sign in enumerate(signs, start=1):
        lead += sign
        if abs(lead) >= LEAD:
            return game
    return None
