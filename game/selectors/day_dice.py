"""The dice of a day, the same for everybody, and what was shown of them ahead of it."""

from datetime import date
from functools import cache

from game.fair import blocks, chain
from game.models import DayChain


@cache
def day_chain() -> DayChain:
    """Made by the first ``migrate``, and the same ever after."""
    return DayChain.objects.get()


def day_seed(day: date, ruleset: str) -> str:
    link = day_link(day)
    if not link:
        return blocks.seed_of_early_day(day, ruleset)
    return chain.key_of_day(link, ruleset)


def day_link(day: date) -> str:
    """Empty for the days before the chain."""
    number = _number(day)
    return chain.link(day_chain().end, number) if number > 0 else ""


def day_anchor() -> str:
    return chain.link(day_chain().end, 0)


def _number(day: date) -> int:
    return (day - day_chain().first).days + 1
