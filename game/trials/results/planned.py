"""The planned analysis of a trial: done as it was locked, without those whom its rules name."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from game.models import Preregistration, Trial
from game.trials.design.masking import rule_met
from game.trials.results.analyses import ANALYSES, AnalysisFinding, Basis
from game.trials.results.exclusions import EXCLUSIONS, labels_of, whom
from game.trials.results.preregistration import (
    SettingChange,
    changes_since,
    estimand_told,
    locked_estimand,
    outcome_words,
    stopping_words,
)
from game.trials.results.reading import conditions_of, ledgers_of, trial_finished
from solver.statistics.estimating import Estimand
from solver.statistics.trial import analyse


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The people whom a rule excludes; several rules may exclude a person."""

    rule: str
    words: str
    people: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    name: str
    words: str
    finding: AnalysisFinding


@dataclass(frozen=True, slots=True)
class Planned:
    preregistration: Preregistration
    outcome: str
    games: int
    estimand: Estimand | None
    answers: Sequence[PlannedAnswer]
    left_out: Sequence[LeftOut]
    stopping: str
    stopped: bool
    changes: Sequence[SettingChange]

    @property
    def looks(self) -> int:
        """Looks before the end that were locked when trials still had them; nobody takes them."""
        return int(self.preregistration.locked["trial"].get("looks", 0))

    @property
    def estimand_words(self) -> Sequence[str]:
        return estimand_told(self.estimand)

    @property
    def people_left_out(self) -> list[str]:
        return sorted({label for one in self.left_out for label in one.people})

    def facts(self) -> dict[str, Any]:
        return {
            "sha256": self.preregistration.digest,
            "outcome": self.preregistration.outcome,
            "games": self.games,
            "estimand": self.estimand.facts() if self.estimand else None,
            "analyses": [asdict(one) for one in self.answers],
            "left_out": [asdict(one) for one in self.left_out],
            "stopping_rule_met": self.stopped,
            "changed_since": [asdict(one) for one in self.changes],
            "everything_else": "exploratory",
        }


def planned_of(trial: Trial, until: datetime) -> Planned | None:
    """Return the planned analyses; None if nothing was locked by then."""
    found = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    if found is None:
        return None
    keys = whom(trial, until, found.exclusions)
    basis = _basis(trial, until, set().union(*keys.values()), locked_estimand(found))
    return Planned(
        preregistration=found,
        outcome=outcome_words(found),
        games=basis.analysis.games,
        estimand=basis.estimand,
        answers=[_answer(name, basis, found.outcome) for name in found.analyses],
        left_out=_left_out(trial, found.exclusions, keys),
        stopping=stopping_words(found),
        stopped=rule_met(found, until),
        changes=changes_since(found),
    )


def _basis(trial: Trial, until: datetime, without: set[int], estimand: Estimand | None) -> Basis:
    games = trial_finished(trial, until).exclude(participant__in=without)
    conditions = conditions_of(trial, games)
    return Basis(
        trial=trial,
        games=games,
        conditions=conditions,
        analysis=analyse(ledgers_of(games, conditions.value_start), conditions),
        until=until,
        left_out=labels_of(trial, without),
        estimand=estimand,
    )


def _answer(name: str, basis: Basis, outcome: str) -> PlannedAnswer:
    """Return an answer; of an analysis that this version no longer has, that it is missing."""
    analysis = ANALYSES.get(name)
    if analysis is None:
        return PlannedAnswer(name, name, AnalysisFinding(["This program cannot do this analysis."]))
    return PlannedAnswer(name, analysis.words, analysis.finds(basis, outcome))


def _left_out(
    trial: Trial, rules: Mapping[str, int], keys: Mapping[str, set[int]]
) -> list[LeftOut]:
    return [
        LeftOut(name, EXCLUSIONS[name].told(rules[name]), labels_of(trial, left_out))
        for name, left_out in keys.items()
    ]
