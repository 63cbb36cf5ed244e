"""Who learns, and who can be told from the others."""

from game.trials.results.words import p_value
from game.words.phrases import points, signed
from solver.statistics.inference import Interval, Significance
from solver.statistics.trial_figures import DOUBT, Analysis


def learning(of: Analysis) -> list[str]:
    if of.learning is None:
        return []
    slope, test = of.learning.slope, of.learning.test
    if slope is None or test is None:
        return ["These are too few games to tell whether anybody learns."]
    facts = {
        "change": points(abs(slope.mean), 2),
        "low": signed(slope.low, 2),
        "high": signed(slope.high, 2),
        "p": p_value(test),
    }
    return [
        _learnt(slope, test) % facts,
        (
            "Everybody is compared with themselves, by a straight line through all of their "
            "games. Learning that is soon over shows as less than it was."
        ),
    ]


def _learnt(slope: Interval, test: Significance) -> str:
    if test.p >= DOUBT:
        return (
            "No learning shows: from one game to the next, what decisions cost changes by "
            "%(low)s to %(high)s points, which may be nothing (%(p)s)."
        )
    if slope.mean < 0:
        return (
            "They learn: from one game to the next, decisions cost %(change)s points less "
            "(%(low)s to %(high)s, %(p)s)."
        )
    return (
        "They get worse: from one game to the next, decisions cost %(change)s points more "
        "(%(low)s to %(high)s, %(p)s). Haste or tiredness would look like this."
    )


def people(of: Analysis) -> list[str]:
    return [*_apart(of), *_beside_others(of), *_beside_perfect(of)]


def _apart(of: Analysis) -> list[str]:
    """How far the estimates lie apart, and what to think of so many of them."""
    known = [(one.estimate, one.participant) for one in of.people if one.estimate is not None]
    if len(known) < 2:
        return []
    (low, worst), (high, best) = min(known), max(known)
    facts = {"low": points(low), "high": points(high), "worst": worst, "best": best}
    return [
        "Their skill estimates lie from {low} ({worst}) to {high} ({best}).".format(**facts),
        (
            "With as many ranges as participants, about one in twenty misses what it is about; "
            "whoever came first or last was also helped or hurt by accident."
        ),
    ]


def _beside_others(of: Analysis) -> list[str]:
    """How many can be told from the others on the same dice."""
    spans = [person.against_others for person in of.people if person.against_others]
    if not spans:
        return []
    better, worse = sum(span.low > 0 for span in spans), sum(span.high < 0 for span in spans)
    return [
        (
            f"On the same dice, {better} of {len(spans)} participants scored more than the others "
            f"and {worse} less, by more than accident explains."
        )
    ]


def _beside_perfect(of: Analysis) -> list[str]:
    span = of.against_perfect
    if span is None:
        return []
    text = (
        "Their scores differ from what perfect play scores on the very same dice by %(mean)s "
        "points a game (%(low)s to %(high)s)."
    )
    facts = {"mean": span.mean, "low": span.low, "high": span.high}
    return [text % {name: signed(value) for name, value in facts.items()}]
