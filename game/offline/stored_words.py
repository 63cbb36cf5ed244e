"""The page of the files on a device: its parts, and its script's texts."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels
from solver.rules import RULESETS


@dataclass(frozen=True, slots=True)
class StoredPart:
    id: str  # the shelf that the part shows (static/js/stored.js)
    title: str
    about: str
    none: str


def parts() -> list[StoredPart]:
    return [
        StoredPart(
            "games",
            _("Offline games"),
            _(
                "A finished game goes to your history as soon as you are online, and is"
                " then deleted here. A game that the server refuses stays until you "
                "delete it."
            ),
            _("No game is kept here."),
        ),
        StoredPart(
            "values",
            _("Values calculated here"),
            _("The value of every card, so that the browser need not calculate it again."),
            _("Nothing has been calculated here."),
        ),
        StoredPart(
            "files",
            _("Pages and scripts"),
            _(
                "What you see when you are offline. These files come back with the next "
                "page of this site."
            ),
            _("No pages are kept here."),
        ),
    ]


def words() -> dict[str, Any]:
    """Return the script's texts with placeholders, and pairs [singular, plural] for counts."""
    return {
        "games": {rules.id: labels.ruleset_name(rules) for rules in RULESETS.values()},
        "turns": {rules.id: len(rules.categories) for rules in RULESETS.values()},
        "hashes": {rules.hash: rules.id for rules in RULESETS.values()},
        "other": _("other rules"),
        "played": _("the last finished games, to look at again"),
        "unfinished": _("Turn %(turn)s of %(turns)s"),
        "waits": [
            ngettext("%(total)s point, not handed in yet", "%(total)s points, not handed in yet", n)
            for n in (1, 2)
        ],
        "refused": _("Refused: %(reason)s"),
        "reasons": {
            "403": _(
                "You are taking part in a trial: until it is over, only its own pages "
                "are open here."
            ),
            "other": _("The server gave no reason."),
        },
        "files": [ngettext("%(count)s file", "%(count)s files", n) for n in (1, 2)],
        "version": _("version %(name)s"),
        "sure": _("Delete for good?"),
        "gone": _("Deleted."),
        "size": _("%(size)s kB"),
        "lasts": _("This browser has promised to keep it, even when space is short."),
        "may_go": _(
            "This browser may delete it to free space: we asked it not to, and it did not promise."
        ),
        "not_asked": _(
            "This browser may delete it to free space. We ask it not to once you have "
            "finished an offline game."
        ),
        "failed": _("This browser does not let the page see what it stores:"),
    }
