"""An estimand, and what came of it, in plain words: different, equivalent or undecided.

A p that is large is never said to mean that there is nothing.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.models import Game
from game.trials.results.words import p_value
from game.words.phrases import points, signed
from solver.statistics.estimand import CHANGE, CHOSEN, Estimand
from solver.statistics.estimating import EstimandAnswer, PairAnswer
from solver.statistics.inference import Significance

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DIGITS: Mapping[str, int] = {"cost_a_decision": 3, "cost": 1, "score": 1}

PHASES: Mapping[str, "StrOrPromise"] = {
    **dict(Game.Phase.choices),
    CHANGE: gettext_lazy("Change from the games before"),
}
MEASURED: Mapping[str, "StrOrPromise"] = {
    "cost_a_decision": gettext_lazy("points lost a decision"),
    "cost": gettext_lazy("points lost a game"),
    "score": gettext_lazy("final score"),
}
# What there is to choose, in the order of the form.
CHOICES: Mapping[str, Mapping[str, "StrOrPromise"]] = {
    "pairs": {
        "first": gettext_lazy("Every arm beside the first"),
        "all": gettext_lazy("Every arm beside every other"),
    },
    "phase": {name: PHASES[name] for name in ("training", "after", "follow_up", CHANGE)},
    "direction": {
        "two_sided": gettext_lazy("In either direction"),
        "greater": gettext_lazy("Greater alone: the range has a lower end only"),
        "less": gettext_lazy("Less alone: the range has an upper end only"),
    },
    "covariate": {
        "before": gettext_lazy("Adjusted for what the games before had cost or scored"),
        "none": gettext_lazy("Not adjusted for the games before"),
    },
    "test": {
        "lot": gettext_lazy("By the lot that gave people their arms"),
        "welch": gettext_lazy("Student’s t, with Welch’s error"),
    },
    "multiplicity": {
        "max_t": gettext_lazy("Several pairs: held against the largest difference of every lot"),
        "holm": gettext_lazy("Several pairs: after Holm"),
        "none": gettext_lazy("Several pairs: each for itself"),
    },
    "missing": {
        "complete": gettext_lazy("Whoever has no finished game there is left out"),
        "worst": gettext_lazy("Whoever has no finished game there counts as the worst of all"),
        "mean": gettext_lazy("Whoever has no finished game there counts as the mean of all"),
    },
}
LABELS: Mapping[str, "StrOrPromise"] = {
    "pairs": gettext_lazy("Which arms are compared"),
    "phase": gettext_lazy("In which games"),
    "direction": gettext_lazy("The difference may lie"),
    "smallest": gettext_lazy("The smallest difference of interest"),
    "covariate": gettext_lazy("What was before"),
    "test": gettext_lazy("The test"),
    "multiplicity": gettext_lazy("Several pairs"),
    "missing": gettext_lazy("Who has not played"),
}


def estimand_words(of: Estimand) -> list[str]:
    """Every choice, as it is locked."""
    told = [str(CHOICES[name][getattr(of, name)]) for name in CHOICES if name != "pairs"]
    return [_pairs(of), *told, _smallest(of)]


def _pairs(of: Estimand) -> str:
    if of.pairs == CHOSEN and of.chosen:
        return beside(*of.chosen)
    return str(CHOICES["pairs"][of.pairs])


def beside(arm: str, other: str) -> str:
    return _("“%(arm)s” beside “%(beside)s”") % {"arm": arm, "beside": other}


def _smallest(of: Estimand) -> str:
    if of.smallest is None:
        return _("No smallest difference of interest is stated")
    text = _("The smallest difference of interest is %(points)s points")
    return text % {"points": points(of.smallest, DIGITS[of.measure])}


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
        yield _("%(phase)s: these are too few people to tell “%(arm)s” from “%(beside)s”.") % facts
        return
    digits = DIGITS[of.measure]
    facts |= {"mean": signed(pair.estimate, digits), "p": p_value(Significance(0.0, pair.p))}
    facts["range"] = _range(pair.low, pair.high, digits)
    yield (
        _(
            "%(phase)s, %(measure)s: “%(arm)s” less “%(beside)s” is %(mean)s (95 %% "
            "range: %(range)s; %(p)s)."
        )
        % facts
    )
    yield verdict(of, pair)


def _range(low: float | None, high: float | None, digits: int) -> str:
    ends = {
        name: signed(end, digits) for name, end in (("low", low), ("high", high)) if end is not None
    }
    if not ends:
        return _("none, for too few lots were possible")
    if high is None:
        return _("at least %(low)s") % ends
    if low is None:
        return _("at most %(high)s") % ends
    return _("%(low)s to %(high)s") % ends


def verdict(of: Estimand, pair: PairAnswer) -> str:
    digits = DIGITS[of.measure]
    if pair.different and not pair.alike:
        return _("They are different.")
    if of.smallest is None:
        return _("That is undecided: a difference is not shown, and not ruled out either.")
    if pair.alike and pair.different:
        text = _(
            "They are different, but by less than %(smallest)s points (90 %% range: %(range)s)."
        )
    elif pair.alike:
        text = _(
            "They are equivalent: what lies between them is less than %(smallest)s points (90 %% "
            "range: %(range)s)."
        )
    else:
        text = _(
            "That is undecided: a difference is not shown, and one of %(smallest)s points is not "
            "ruled out (90 %% range: %(range)s)."
        )
    alike = _range(pair.alike_low, pair.alike_high, digits)
    return text % {"smallest": points(of.smallest, digits), "range": alike}
