"""Planned looks at the comparison of a masked trial: what each may be held against.

A look is planned at an equal share of the people who are to play all their games, and is held
against the boundary at the share that there is when it is taken (``solver.statistics.spending``).
The last look of a plan is the end of the trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from django.utils.translation import gettext as _

from game.models import Preregistration, Trial, TrialEvent
from game.trials.design.masking import letters
from game.trials.design.stopping import people_done, places_in_all, stopping_rule
from game.trials.results.analyses import OUTCOMES
from game.trials.results.words_arms import chance
from game.trials.results.words_estimand import BOUND_DIGITS, DIGITS
from game.words.phrases import points, signed
from solver.statistics.randomisation import ALPHA
from solver.statistics.spending import LookBoundary, boundaries


@dataclass(frozen=True, slots=True)
class LookTaken:
    """What a look saw: ``arm`` and ``beside`` are letters, and ``ends`` a boundary reached."""

    look: int
    people: int
    share: float
    outcome: str
    arm: str
    beside: str
    difference: float
    p: float
    bound: float
    ends: bool


@dataclass(frozen=True, slots=True)
class LookLine:
    """A look of the plan; ``people`` is how many must have played all their games."""

    number: int
    people: int
    boundary: LookBoundary
    last: bool
    taken: LookTaken | None

    @property
    def percent(self) -> float:
        return 100 * self.boundary.share

    @property
    def words(self) -> str:
        return look_words(self.taken) if self.taken else ""


@dataclass(frozen=True, slots=True)
class Looks:
    """``due`` is the number of the look that may be taken now, or 0; ``names`` are those of the
    arms by their letters, once they are unmasked."""

    lines: Sequence[LookLine]
    spending: str
    due: int
    done: int
    names: Sequence[tuple[str, str]]

    def facts(self) -> list[dict[str, Any]]:
        """As plain data, for JSON."""
        return [
            {
                "look": line.number,
                "share": line.boundary.share,
                "z": line.boundary.z,
                "p_at_most": line.boundary.p,
                "alpha_spent": line.boundary.spent,
                "taken": {name: getattr(line.taken, name) for name in LookTaken.__slots__}
                if line.taken
                else None,
            }
            for line in self.lines
        ]


def looks_of(trial: Trial, until: datetime) -> Looks | None:
    """None where no look was planned."""
    if not trial.looks:
        return None
    done = people_done(trial, until)
    return Looks(
        lines=_lines(trial, looks_taken(trial, until)),
        spending=trial.get_spending_display(),
        due=look_due(trial, done),
        done=done,
        names=() if trial.masked else _names(trial),
    )


def looks_taken(trial: Trial, until: datetime | None = None) -> list[LookTaken]:
    found = trial.events.filter(kind=TrialEvent.Kind.LOOKED).order_by("at", "pk")
    found = found.filter(at__lte=until) if until else found
    return [LookTaken(**one.detail) for one in found]


def alpha_at_the_end(trial: Trial, until: datetime) -> float:
    """What p may be at most once the trial has ended: looks have spent a part of alpha."""
    if not trial.looks:
        return ALPHA
    return _lines(trial, looks_taken(trial, until))[-1].boundary.p


def look_due(trial: Trial, done: int) -> int:
    """The latest look of the plan that so many people allow, unless it was taken; one that was
    passed over is not made up for, and the last one is the end of the trial itself."""
    wanted = people_wanted(trial)
    reached = [look for look in range(1, trial.looks) if done >= _needed(trial, look)]
    taken = [one.look for one in looks_taken(trial)]
    ready = trial.masked and trial.is_open and done < wanted and reached
    return reached[-1] if ready and reached[-1] not in taken else 0


def people_wanted(trial: Trial) -> int:
    """Who are to play all their games: as the rule of stopping says, else every place."""
    rule = stopping_rule(trial)
    if rule is not None and rule.stopping == Preregistration.Stopping.PEOPLE:
        return rule.stopping_people or trial.places
    return places_in_all(trial)


def _needed(trial: Trial, look: int) -> int:
    return ceil(look * people_wanted(trial) / trial.looks)


def _lines(trial: Trial, taken: Sequence[LookTaken]) -> list[LookLine]:
    """Those that were taken, with the share that there was, and those still to come."""
    by_number = {one.look: one for one in taken}
    after = max(by_number, default=0)
    numbers = [look for look in range(1, trial.looks + 1) if look in by_number or look > after]
    shares = [
        by_number[look].share if look in by_number else look / trial.looks for look in numbers
    ]
    return [
        LookLine(look, _needed(trial, look), boundary, look == trial.looks, by_number.get(look))
        for look, boundary in zip(numbers, boundaries(shares, trial.spending), strict=True)
    ]


def _names(trial: Trial) -> list[tuple[str, str]]:
    called = dict(trial.arms.values_list("position", "name"))
    return [(letter, called[position]) for position, letter in letters(trial).items()]


def look_words(of: LookTaken) -> str:
    facts = {
        "outcome": str(OUTCOMES.get(of.outcome, of.outcome)),
        "arm": of.arm,
        "beside": of.beside,
        "difference": signed(of.difference, DIGITS[of.outcome]),
        "p": chance(of.p),
        "bound": points(of.bound, BOUND_DIGITS),
    }
    if of.ends:
        text = _(
            "%(outcome)s, arm %(arm)s beside arm %(beside)s: %(difference)s (%(p)s). That is at"
            " most %(bound)s, so the trial may be closed."
        )
    else:
        text = _(
            "%(outcome)s, arm %(arm)s beside arm %(beside)s: %(difference)s (%(p)s). That is not at"
            " most %(bound)s, so the trial goes on."
        )
    return text % facts
