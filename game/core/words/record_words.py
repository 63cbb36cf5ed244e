"""Sentences that compare two players: who won how often, and who plays better."""

from django.utils.translation import gettext as _

from game.core.words import phrases
from solver.statistics.inference import Interval


def format_record(name: str, won: int, losses: int, drawn: int) -> str:
    facts = {"name": name, "won": won, "lost": losses, "drawn": drawn}
    return _("You against %(name)s: %(won)s won, %(lost)s lost, %(drawn)s drawn.") % facts


def format_skill(estimate: float, low: float, high: float) -> str:
    middle, low_end, high_end = map(phrases.format_points, (estimate, low, high))
    return f"{middle} ({low_end}–{high_end})"


def describe_lead(name: str, difference: Interval | None) -> str:
    """Return a sentence about who plays better. It is unclear if the interval includes 0."""
    if difference is None:
        return ""
    points = round(abs(difference.mean), phrases.DIGITS)
    if not points:
        return _("You both played equally well.")
    sure = 0.0 not in difference
    facts = {
        "name": name,
        "points": phrases.format_points(points),
        "half": phrases.format_points(difference.half),
    }
    if difference.mean > 0:
        text = (
            _("You played better by %(points)s ± %(half)s points per game: a clear difference.")
            if sure
            else _(
                "You played better by %(points)s ± %(half)s points per game: not yet a clear "
                "difference."
            )
        )
    else:
        text = (
            _(
                "%(name)s played better by %(points)s ± %(half)s points per game: a clear "
                "difference."
            )
            if sure
            else _(
                "%(name)s played better by %(points)s ± %(half)s points per game: not yet a clear "
                "difference."
            )
        )
    return phrases.keep_on_one_line(text % facts)
