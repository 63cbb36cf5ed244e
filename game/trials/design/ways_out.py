"""Every way out of a trial that people come to by the open link: one table, which all others ask.

What somebody is sent away with is a code or an address, laid down for each of them.
"""

from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Place = Literal["kept", "freed", "none"]
ADDRESSES = ("https://", "http://")  # how one begins; everything else is a code


@dataclass(frozen=True, slots=True)
class WayOut:
    """``place``: whoever goes out by it keeps the place, frees it for others, or never had one."""

    title: Promise
    when: Promise
    place: Place


WAYS_OUT: dict[str, WayOut] = {
    "complete": WayOut(
        _("Complete"), _("Who has played all games, those of the follow-up too."), "kept"
    ),
    "first_sitting": WayOut(
        _("First sitting done"),
        _("Who has played all games but those of the follow-up, which come days later."),
        "kept",
    ),
    "screened_out": WayOut(_("Screened out"), _("Whom an answer ruled out."), "freed"),
    "failed_check": WayOut(
        _("Failed a check"),
        _("Who used up the tries at the rules, or missed too many attention checks."),
        "freed",
    ),
    "no_consent": WayOut(_("No consent"), _("Who says no; nothing is stored of them."), "none"),
    "full": WayOut(_("No place left"), _("Who comes when all places are taken."), "none"),
    "closed": WayOut(
        _("Closed"),
        _("Who comes while nobody is let in, or was not done when the trial was closed."),
        "kept",
    ),
    "timed_out": WayOut(
        _("Out of time"), _("Who has not finished a sitting in its minutes."), "freed"
    ),
    "withdrawn": WayOut(_("Withdrawn"), _("Who gives the place up."), "freed"),
}
UNDER_WAY = "under_way"  # in files; nobody has gone out by it
UNDER_WAY_TITLE = _("Under way")


def is_address(told: str) -> bool:
    return told.startswith(ADDRESSES)
