"""The two charts of a review, and what they are in words."""

from django.utils.translation import gettext as _

from game.coach.review import Review
from game.words import phrases
from solver.charts import Axis, Chart, Line, Waterfall, WaterfallBar

# Narrow enough for the words to stay readable on a phone.
WIDTH, HEIGHT = 560.0, 260.0


def course(review: Review) -> str:
    """The expected final score from decision to decision; the band is the luck still to come."""
    numbers = [0.0, *(float(step.number) for step in review.steps)]
    expected = [review.value_start, *(step.after for step in review.steps)]
    first = review.steps[0].advice.best.outlook if review.steps else None
    spread = [first.deviation if first else 0.0, *(step.deviation for step in review.steps)]
    band = (
        [value - wide for value, wide in zip(expected, spread, strict=True)],
        [value + wide for value, wide in zip(expected, spread, strict=True)],
    )
    line = Line(
        numbers,
        expected,
        label=_("expected final score"),
        band=band,
    )
    return Chart(
        _("How the expected final score moved"),
        [line],
        x=Axis(label=_("decision")),
        y=Axis(label=_("points")),
        description=_("From %(start)s points at the start to %(score)s at the end.")
        % {"start": phrases.points(review.value_start), "score": review.score},
        show_title=False,
        width=WIDTH,
        height=HEIGHT,
    ).svg()


def ledger(review: Review) -> str:
    """Start + luck - mistakes = score."""
    lost = [
        WaterfallBar(_("Throw %(number)s") % {"number": number}, -loss.points)
        for number, loss in enumerate(review.by_throw, start=1)
    ]
    bars = [
        WaterfallBar(_("Perfect play"), review.value_start, "total"),
        WaterfallBar(_("Luck"), review.luck),
        *lost,
        WaterfallBar(_("Your score"), float(review.score), "total"),
    ]
    return Chart(
        _("Where the score came from"),
        [Waterfall(tuple(bars))],
        y=Axis(label=_("points")),
        description=_("Perfect play, plus luck, minus mistakes, is the final score."),
        show_title=False,
        width=WIDTH,
        height=HEIGHT,
    ).svg()
