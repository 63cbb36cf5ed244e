"""A number that a game is played for, how likely it still is, and what came of it."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import phrases

STEP = 5  # per cent, to which a chance is told that is not exact


def name(goal: int, *, beats: bool) -> str:
    """To beat somebody takes one point more than they had; to reach a number takes that number."""
    if beats:
        return phrases.unbroken(_("%(points)s to beat") % {"points": goal - 1})
    return phrases.unbroken(_("%(points)s to reach") % {"points": goal})


def chance(share: float, *, exact: bool) -> str:
    if exact:
        return phrases.percent(share)
    near = STEP * round(100 * share / STEP)
    if near < STEP:
        return phrases.unbroken(_("under %(percent)s %%") % {"percent": STEP})
    if near > 100 - STEP:
        return phrases.unbroken(_("over %(percent)s %%") % {"percent": 100 - STEP})
    return phrases.unbroken(_("about %(percent)s %%") % {"percent": near})


def outcome(goal: int, total: int, *, beats: bool) -> str:
    return phrases.unbroken(_beaten(goal - 1, total) if beats else _reached(goal, total))


def _reached(goal: int, total: int) -> str:
    if total >= goal:
        return _("%(goal)s reached.") % {"goal": goal}
    return _missed(goal, goal - total)


def _beaten(score: int, total: int) -> str:
    if total > score:
        return _("%(goal)s beaten.") % {"goal": score}
    return (
        _missed(score, score - total)
        if total < score
        else _("A tie at %(total)s.") % {"total": total}
    )


def _missed(goal: int, points: int) -> str:
    facts = {"goal": goal, "points": points}
    return (
        ngettext(
            "%(goal)s missed by %(points)s point.", "%(goal)s missed by %(points)s points.", points
        )
        % facts
    )
