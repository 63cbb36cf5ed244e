"""The two charts of a review, and their descriptions."""

from django.utils.translation import gettext as _

from game.coach.review import Review, Step, Walk
from game.core.words import phrases
from game.core.words.speech import say
from solver.charts import (
    Axis,
    Chart,
    Columns,
    Here,
    Line,
    Mark,
    Marks,
    Rule,
    Waterfall,
    WaterfallBar,
)

# width in pixels; narrow, so that labels stay readable on a phone
WIDTH, HEIGHT = 560.0, 260.0
COURSE_WIDTH, COURSE_HEIGHT = 480.0, 132.0
# lengths of the ticks in pixels, by severity
LENGTHS = {"inaccuracy": 7.0, "mistake": 11.0, "blunder": 16.0}


def draw_course(walk: Walk) -> str:
    """Return the chart of the expected final score after each decision, with a line at its first
    value. Ticks mark mistakes, and a ring marks the current decision. A click opens a decision."""
    review = walk.review
    numbers = [0.0, *(float(step.number) for step in review.steps)]
    expected = [review.value_start, *(step.after for step in review.steps)]
    here = Here(walk.at.number, walk.at.after)
    shown = {step.number for step in walk.steps}
    return Chart(
        _("How the expected final score changed"),
        [
            Rule(y=review.value_start),
            Line(numbers, expected),
            Columns(numbers[1:], expected[1:], [walk.address(step) for step in review.steps]),
            here,
            Marks(
                [_make_mark(walk, step, faint=step.number not in shown) for step in review.mistakes]
            ),
        ],
        x=Axis(whole=True),
        y=Axis(),
        description=_(
            "The expected final score started at %(start)s points and ended at %(score)s."
        )
        % {"start": phrases.format_points(review.value_start), "score": review.score},
        show_title=False,
        width=COURSE_WIDTH,
        height=COURSE_HEIGHT,
        role="group",
    ).svg()


def _make_mark(walk: Walk, step: Step, *, faint: bool) -> Mark:
    place = say("turn_roll", turn=step.turn, throw=step.throw)
    return Mark(
        x=step.number,
        y=step.after,
        length=LENGTHS[step.severity.id],
        name=f"mark-{step.severity.id}{' mark-faint' if faint else ''}",
        title=f"{place}: {step.severity.name}, {step.cost}",
        href=walk.address(step),
    )


def draw_ledger(review: Review) -> str:
    printed = review.equation
    losses = [
        WaterfallBar(
            _("Roll %(number)s") % {"number": number},
            -loss.points,
            "loss",
            f"{phrases.MINUS}{loss.shown}" if loss.points else loss.shown,
        )
        for number, loss in enumerate(review.by_throw, start=1)
    ]
    bars = [
        WaterfallBar(_("Perfect play"), review.value_start, "total", printed.start_words),
        WaterfallBar(_("Luck"), review.luck, written=printed.luck_words),
        *losses,
        WaterfallBar(_("Your score"), float(review.score), "total", printed.total_words),
    ]
    return Chart(
        _("How the score adds up"),
        [Waterfall(tuple(bars))],
        y=Axis(label=_("points")),
        description=_("Perfect play plus luck minus mistakes equals the final score."),
        show_title=False,
        width=WIDTH,
        height=HEIGHT,
    ).draw_for_page()
