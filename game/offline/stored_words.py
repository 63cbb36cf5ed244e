"""Texts for the page that lists the site's data on a device, and for its script."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels
from solver.rules import RULESETS


@dataclass(frozen=True, slots=True)
class StoredPart:
    id: str  # the browser's storage that this part of the page lists (static/js/stored.js)
    title: str
    about: str
    none: str


def list_parts() -> list[StoredPart]:
    return [
        StoredPart(
            "games",
            _("Offline games"),
            _(
                "When you are online, finished games move from this device to your history. If "
                "the server refuses a game, the game stays on this device until you delete it."
            ),
            _("No games are stored on this device."),
        ),
        StoredPart(
            "values",
            _("Calculated values"),
            _("The browser stores the value of every card to avoid calculating it again."),
            _("This device has not calculated any values."),
        ),
        StoredPart(
            "files",
            _("Pages and scripts"),
            _(
                "You see these files when you are offline. If you delete them, the browser stores "
                "them again when you open the next page of this site."
            ),
            _("No pages are stored on this device."),
        ),
    ]


def make_texts() -> dict[str, Any]:
    """Return the script's texts with placeholders. A text with a number is [singular, plural]."""
    return {
        "games": {rules.id: labels.find_ruleset_name(rules) for rules in RULESETS.values()},
        "turns": {rules.id: len(rules.categories) for rules in RULESETS.values()},
        "hashes": {rules.hash: rules.id for rules in RULESETS.values()},
        "other": _("other rules"),
        "played": _("your latest finished games"),
        "unfinished": _("Turn %(turn)s of %(turns)s"),
        "waits": [
            ngettext("%(total)s point, not sent yet", "%(total)s points, not sent yet", n)
            for n in (1, 2)
        ],
        "refused": _("Refused: %(reason)s"),
        "reasons": {
            "403": _(
                "You are taking part in a trial. Until it is over, you can open only its pages."
            ),
            "other": _("The server gave no reason."),
        },
        "files": [ngettext("%(count)s file", "%(count)s files", n) for n in (1, 2)],
        "version": _("version %(name)s"),
        "sure": _("Delete for good?"),
        "gone": _("Deleted."),
        "size": _("%(size)s kB"),
        "lasts": _(
            "This browser has promised to keep your offline data, even when space is short."
        ),
        "may_go": _(
            "This browser may delete your offline data to free space. We asked the browser to "
            "keep your data, but it did not promise to do so."
        ),
        "not_asked": _(
            "This browser may delete your offline data to free space. When you have finished an "
            "offline game, we ask the browser to keep your data."
        ),
        "failed": _("This browser does not let this page see the stored data:"),
    }
