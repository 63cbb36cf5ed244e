"""Every way out of a trial that people come to by the open link: one table, which all others ask.

What somebody is sent away with is a code or an address, laid down for each of them.
"""

from dataclasses import dataclass
from typing import Literal

Place = Literal["kept", "freed", "none"]
ADDRESSES = ("https://", "http://")  # how one begins; everything else is a code


@dataclass(frozen=True, slots=True)
class WayOut:
    """``place``: who leaves by it keeps the place, frees it for others, or never had one."""

    title: str
    when: str
    place: Place


WAYS_OUT: dict[str, WayOut] = {
    "complete": WayOut("Complete", "Who has played all games, those of the follow-up too.", "kept"),
    "first_sitting": WayOut(
        "First sitting done",
        "Who has played all games but those of the follow-up, which come days later.",
        "kept",
    ),
    "screened_out": WayOut("Screened out", "Whom an answer ruled out.", "freed"),
    "failed_check": WayOut(
        "Failed a check",
        "Who used up the tries at the rules, or missed too many attention checks.",
        "freed",
    ),
    "no_consent": WayOut("No consent", "Who says no; nothing is stored of them.", "none"),
    "full": WayOut("No place left", "Who comes when all places are taken.", "none"),
    "closed": WayOut(
        "Closed",
        "Who comes while nobody is let in, or was not done when the trial was closed.",
        "kept",
    ),
    "timed_out": WayOut("Out of time", "Who has not finished a sitting in its minutes.", "freed"),
    "withdrawn": WayOut("Withdrawn", "Who gives the place up.", "freed"),
}
UNDER_WAY = "under_way"  # in files; nobody has gone out by it
UNDER_WAY_TITLE = "Under way"


def is_address(ending: str) -> bool:
    return ending.startswith(ADDRESSES)
