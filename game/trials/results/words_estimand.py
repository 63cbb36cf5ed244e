"""An estimand, and what came of it, in plain words: different, equivalent or undecided.

A p that is large is never said to mean that there is nothing.
"""

from collections.abc import Iterator, Mapping

from game.core.words.phrases import points, signed
from game.models import Game
from game.trials.results.words import p_value
from solver.statistics.estimating import CHANGE, CHOSEN, Estimand, EstimandAnswer, PairAnswer
from solver.statistics.inference import Significance

DIGITS: Mapping[str, int] = {"cost_a_decision": 3, "cost": 1, "score": 1}

PHASES: Mapping[str, str] = {
    **{phase.value: str(phase.label) for phase in Game.Phase},
    CHANGE: "Change from the games before",
}
MEASURED: Mapping[str, str] = {
    "cost_a_decision": "points lost a decision",
    "cost": "points lost a game",
    "score": "final score",
}
# What there is to choose, in the order of the form.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "pairs": {
        "first": "Every arm beside the first",
        "all": "Every arm beside every other",
    },
    "phase": {name: PHASES[name] for name in ("training", "after", "follow_up", CHANGE)},
    "direction": {
        "two_sided": "In either direction",
        "greater": "Greater alone: the range has a lower end only",
        "less": "Less alone: the range has an upper end only",
    },
    "covariate": {
        "before": "Adjusted for what the games before had cost or scored",
        "none": "Not adjusted for the games before",
    },
    "test": {
        "lot": "By the lot that gave people their arms",
        "welch": "Student’s t, with Welch’s error",
    },
    "multiplicity": {
        "max_t": "Several pairs: held against the largest difference of every lot",
        "holm": "Several pairs: after Holm",
        "none": "Several pairs: each for itself",
    },
    "missing": {
        "complete": "Whoever has no finished game there is left out",
        "worst": "Whoever has no finished game there counts as the worst of all",
        "mean": "Whoever has no finished game there counts as the mean of all",
    },
}
LABELS: Mapping[str, str] = {
    "pairs": "Which arms are compared",
    "phase": "In which games",
    "direction": "The difference may lie",
    "smallest": "The smallest difference of interest",
    "covariate": "What was before",
    "test": "The test",
    "multiplicity": "Several pairs",
    "missing": "Who has not played",
}


def estimand_words(of: Estimand) -> list[str]:
    """Describe every choice of an estimand, as it is locked."""
    told = [CHOICES[name][getattr(of, name)] for name in CHOICES if name != "pairs"]
    return [_pairs(of), *told, _smallest(of)]


def _pairs(of: Estimand) -> str:
    if of.pairs == CHOSEN and of.chosen:
        return beside(*of.chosen)
    return CHOICES["pairs"][of.pairs]


def beside(arm: str, other: str) -> str:
    return f"“{arm}” beside “{other}”"


def _smallest(of: Estimand) -> str:
    if of.smallest is None:
        return "No smallest difference of interest is stated"
    return (
        f"The smallest difference of interest is {points(of.smallest, DIGITS[of.measure])} points"
    )


def answer_words(of: EstimandAnswer) -> list[str]:
    return [sentence for pair in of.pairs for sentence in _pair(of.estimand, pair)]


def _pair(of: Estimand, pair: PairAnswer) -> Iterator[str]:
    facts = {
        "phase": PHASES[of.phase],
        "measure": MEASURED[of.measure],
        "arm": pair.arm,
        "beside": pair.beside,
    }
    if pair.estimate is None or pair.p is None:
        yield "{phase}: these are too few people to tell “{arm}” from “{beside}”.".format(**facts)
        return
    digits = DIGITS[of.measure]
    facts |= {"mean": signed(pair.estimate, digits), "p": p_value(Significance(0.0, pair.p))}
    facts["range"] = _range(pair.low, pair.high, digits)
    yield (
        (
            "{phase}, {measure}: “{arm}” less “{beside}” is {mean} (95 % range: {range}; {p})."
        ).format(**facts)
    )
    yield verdict(of, pair)


def _range(low: float | None, high: float | None, digits: int) -> str:
    ends = {
        name: signed(end, digits) for name, end in (("low", low), ("high", high)) if end is not None
    }
    if not ends:
        return "none, for too few lots were possible"
    if high is None:
        return "at least {low}".format(**ends)
    if low is None:
        return "at most {high}".format(**ends)
    return "{low} to {high}".format(**ends)


def verdict(of: Estimand, pair: PairAnswer) -> str:
    digits = DIGITS[of.measure]
    if pair.different and not pair.alike:
        return "They are different."
    if of.smallest is None:
        return "That is undecided: a difference is not shown, and not ruled out either."
    if pair.alike and pair.different:
        text = "They are different, but by less than %(smallest)s points (90 %% range: %(range)s)."
    elif pair.alike:
        text = (
            "They are equivalent: what lies between them is less than %(smallest)s points (90 %% "
            "range: %(range)s)."
        )
    else:
        text = (
            "That is undecided: a difference is not shown, and one of %(smallest)s points is not "
            "ruled out (90 %% range: %(range)s)."
        )
    alike = _range(pair.alike_low, pair.alike_high, digits)
    return text % {"smallest": points(of.smallest, digits), "range": alike}
