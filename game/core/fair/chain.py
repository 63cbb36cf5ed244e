"""The dice of daily games: their keys come from a hash chain whose anchor was published before the
first day.

    link(day before) = SHA-256(link(day))        key(day, rules) = HMAC-SHA256(link(day), rules)

The chain was made backwards from a random end. Nobody can calculate future links from published
links, and the published links determine every earlier link. A day's key is not the link itself,
because the page shows a day's seal while players still play the day before.
"""

import hashlib
import hmac
from functools import lru_cache

DAYS = 36_525  # links of a chain, enough for a hundred years
LINK = 32  # bytes per link


def calculate_link(end: str, number: int) -> str:
    """Return the hash chain's link for day ``number``, counted from 1. Link 0 is the anchor."""
    if not 0 <= number <= DAYS:
        raise ValueError(f"a chain has links 0 to {DAYS}, not {number}")
    return _list_links(end)[number * LINK : (number + 1) * LINK].hex()


def derive_day_key(link: str, ruleset: str) -> str:
    return hmac.new(bytes.fromhex(link), ruleset.encode(), "sha256").hexdigest()


@lru_cache(maxsize=2)
def _list_links(end: str) -> bytes:
    links = [bytes.fromhex(end)]
    for _ in range(DAYS):
        links.append(hashlib.sha256(links[-1]).digest())
    return b"".join(reversed(links))
