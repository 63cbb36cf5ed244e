"""The outcomes of people who joined a trial by the open link and leave it (its ways out).

For each outcome, the researcher can set a code to show or an address to open on the last page.
"""

from dataclasses import dataclass
from typing import Literal

Place = Literal["kept", "freed", "none"]
ADDRESSES = ("https://", "http://")  # a text with another beginning is a code


@dataclass(frozen=True, slots=True)
class WayOut:
    """An outcome. ``place`` shows if the person keeps the place, frees it, or never had one."""

    title: str
    when: str
    place: Place


WAYS_OUT: dict[str, WayOut] = {
    "complete": WayOut(
        "Complete", "The participant has played all games, including any follow-up.", "kept"
    ),
    "first_sitting": WayOut(
        "First session done",
        "The participant has played all games except the follow-up, which comes days later.",
        "kept",
    ),
    "screened_out": WayOut("Screened out", "An answer screened the participant out.", "freed"),
    "failed_check": WayOut(
        "Failed a check",
        "The participant failed the check of the rules, or missed too many attention checks.",
        "freed",
    ),
    "no_consent": WayOut(
        "No consent", "The person declined to take part. Nothing is stored about them.", "none"
    ),
    "full": WayOut("No place left", "The person came when all places were taken.", "none"),
    "closed": WayOut(
        "Closed",
        "The person came while no one could join, or had not finished when the trial was closed.",
        "kept",
    ),
    "timed_out": WayOut(
        "Out of time",
        "The participant did not finish a session within its time limit, or was away too long.",
        "freed",
    ),
    "withdrawn": WayOut("Withdrawn", "The participant withdrew from the trial.", "freed"),
}
UNDER_WAY = "under_way"  # the exported outcome of people who still take part in the trial
UNDER_WAY_TITLE = "Under way"


def is_address(ending: str) -> bool:
    return ending.startswith(ADDRESSES)
