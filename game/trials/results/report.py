"""Everything that the results of a trial are: figures, sentences and charts, for page and export.

``results_of`` asks the database some twelve times, however many took part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.functional import cached_property

from game.coach.score_charts import perfect
from game.core.profile_queries import Habit
from game.core.words import labels
from game.core.words import phrases as plain
from game.core.words.times import LONG, day_text
from game.models import Trial, TrialEvent
from game.practice.profile_board import kind_name
from game.trials.design.masking import MET
from game.trials.files.writers import FORMATS, moment
from game.trials.results import words
from game.trials.results.arm_results import ArmResults, arm_results_of
from game.trials.results.caveats import caveats
from game.trials.results.charts import Drawing, drawings
from game.trials.results.comparison import (
    ComparisonLine,
    PersonLine,
    TrialTen,
    comparison,
    person_line,
    tens,
)
from game.trials.results.planned import Planned, planned_of
from game.trials.results.ranges import analysis_told
from game.trials.results.reading import (
    Counted,
    TakingPart,
    boxes_lost,
    conditions_of,
    dice_rolled,
    dice_thrown,
    kinds_lost,
    ledgers_of,
    trial_finished,
    trial_people,
)
from solver.arena.facts import dice_facts
from solver.exact.distribution import Distribution
from solver.rules import Ruleset
from solver.statistics.fairness import DicePlaces, DiceTest, fairness_apart
from solver.statistics.inference import Significance
from solver.statistics.trial import Analysis, Conditions, analyse
from solver.study.dice import table_apart
from solver.study.html import Words, drawn
from solver.study.people import study_against_perfect
from solver.study.published import RULES as STUDY_RULES


@dataclass(frozen=True, slots=True)
class Unmasking:
    """``rule`` is how it then stood with the rule of stopping; ``reason`` is empty where the trial
    came to its end."""

    at: datetime
    rule: str
    reason: str

    @property
    def words(self) -> str:
        facts = {"day": day_text(self.at, LONG), "reason": self.reason}
        if self.reason:
            text = (
                "Unmasked on %(day)s by an owner, before it was closed at its end: anyone who saw"
                " these figures could decide by them when to stop. The reason: %(reason)s"
            )
        elif self.rule == MET:
            text = "Unmasked on %(day)s, when it was closed as its preregistration says."
        else:
            text = "Unmasked on %(day)s, when it was closed. No rule of stopping had been locked."
        return text % facts

    def facts(self) -> dict[str, Any]:
        return {"at": moment(self.at), "stopping_rule": self.rule, "reason": self.reason}


def unmasking_of(trial: Trial, until: datetime) -> Unmasking | None:
    """Return the unblinding; None if the trial was not blinded."""
    found = trial.events.filter(kind=TrialEvent.Kind.UNMASKED, at__lte=until).first()
    if found is None:
        return None
    return Unmasking(found.at, found.detail["stopping_rule"], found.detail.get("reason", ""))


@dataclass(frozen=True, slots=True)
class HabitLoss:
    """The cost of a kind of decision, or of turns by their box."""

    id: str
    name: str
    decisions: int
    a_game: float
    a_decision: float


@dataclass(frozen=True)
class Results:
    trial: Trial
    people: TakingPart
    conditions: Conditions
    analysis: Analysis
    kinds: Sequence[Habit]
    boxes: Sequence[Habit]
    counted: Counted
    perfect: Distribution | None  # None until the lab has worked it out
    arms: ArmResults | None = None  # None where nobody is to be compared
    preregistered: Planned | None = None  # None where nothing was preregistered
    unmasking: Unmasking | None = None  # None where it was never masked

    @property
    def finished(self) -> int:
        """The number of finished games, including arms with other rules or dice."""
        return self.analysis.games + self.people.elsewhere

    @property
    def planned(self) -> int:
        return self.people.planned

    @cached_property
    def told(self) -> Analysis:
        """The figures with intervals that are informative."""
        return analysis_told(self.analysis, self.conditions, self.rules)

    @cached_property
    def spreads(self) -> Mapping[str, tuple[str, str]]:
        """The spread of these people, and of people like these."""
        found = {"raw": self.told.raw, "skill": self.told.skill}
        return {
            name: (words.spread(one.these_people_alike), words.spread(one.people_like_these))
            for name, one in found.items()
            if one
        }

    @cached_property
    def sentences(self) -> Mapping[str, list[str]]:
        """In words what the numbers allow one to conclude, by the part of the page."""
        of, conditions, real = self.told, self.conditions, self.trial.real_dice
        return {
            "scores": words.scores(of, conditions),
            "skill": words.skill(of, conditions),
            "perfect": words.perfect(of, conditions),
            "study": words.study(self.study_against_perfect),
            "luck": words.luck(of, real=real),
            "learning": words.learning(of),
            "people": words.people(of),
            "dice": words.dice(self.dice, self.counted, real=real) if self.dice else [],
            "caveats": caveats(self.trial, self.people, of, by_lot=self.several_arms),
        }

    @property
    def several_arms(self) -> bool:
        return self.arms is not None and self.arms.several

    @cached_property
    def drawings(self) -> list[Drawing]:
        start = self.conditions.value_start
        of = (self.told, self.kinds, self.boxes, start, self.perfect)
        of_arms = self.arms.drawings if self.arms else []
        return [*of_arms, *drawings(self.rules, *of)]

    @cached_property
    def charts(self) -> Mapping[str, Drawing]:
        return {drawing.name.replace("-", "_"): drawing for drawing in self.drawings}

    @cached_property
    def comparison(self) -> list[ComparisonLine]:
        return comparison(self.trial, self.analysis, self.conditions)

    @property
    def rules(self) -> Ruleset:
        return self.trial.rules

    @property
    def beside_study(self) -> bool:
        return self.rules == STUDY_RULES

    @property
    def study_against_perfect(self) -> Significance | None:
        return study_against_perfect(self.conditions) if self.beside_study else None

    @property
    def chips(self) -> float | None:
        """Points of bonus chips a game, where the rules have any."""
        joker = self.rules.joker
        return self.analysis.chips if joker and joker.chip else None

    @property
    def tens(self) -> Iterator[TrialTen]:
        return tens(self.rules, self.analysis, self.perfect)

    @property
    def chips_name(self) -> str:
        return labels.chips(self.rules.joker) if self.rules.joker else ""

    @cached_property
    def dice(self) -> DiceTest | None:
        found, title = self.counted, "The dice of this trial"
        places = DicePlaces(self.trial.dice_places)
        return fairness_apart(title, found.dice, places) if sum(found.counts) else None

    @property
    def dice_apart(self) -> str:
        return drawn([table_apart(self.dice, Words())]) if self.dice and self.dice.apart else ""

    @property
    def faces(self) -> list[tuple[int, int]]:
        return list(enumerate(self.counted.counts, start=1))

    @property
    def parquet(self) -> bool:
        return "parquet" in FORMATS

    @property
    def persons(self) -> list[PersonLine]:
        start = self.conditions.value_start
        return [person_line(person, start) for person in self.told.people]

    @property
    def kind_losses(self) -> list[HabitLoss]:
        return [self._loss(habit, kind_name(habit.id, self.rules)) for habit in self.kinds]

    @property
    def box_losses(self) -> list[HabitLoss]:
        return [self._loss(habit, plain.box(self.rules, habit.id)) for habit in self.boxes]

    def _loss(self, habit: Habit, name: str) -> HabitLoss:
        a_game = habit.points / self.analysis.judged if self.analysis.judged else 0.0
        return HabitLoss(habit.id, name, habit.decisions, a_game, habit.points / habit.decisions)

    def facts(self) -> dict[str, Any]:
        study = self.study_against_perfect
        return {
            "trial": _trial_facts(self.trial),
            "taking_part": asdict(self.people) | {"games_planned": self.planned},
            "conditions": asdict(self.conditions),
            **self.analysis.facts(),
            "lost_by_kind": [asdict(habit) for habit in self.kinds],
            "lost_by_box": [asdict(habit) for habit in self.boxes],
            "dice": dice_facts(self.dice) | {"games": self.counted.games} if self.dice else None,
            "study_against_perfect": asdict(study) if study else None,
            "sentences": dict(self.sentences),
            "arms": self.arms.facts() if self.arms else None,
            "unmasked": self.unmasking.facts() if self.unmasking else None,
            "planned": self.preregistered.facts() if self.preregistered else None,
        }


def results_of(trial: Trial, until: datetime | None = None) -> Results:
    until = until or timezone.now()
    games, rules = trial_finished(trial, until), trial.rules
    conditions = conditions_of(trial, games)
    start = conditions.value_start
    played = ledgers_of(games, start)
    counted = dice_thrown(games, rules) if trial.real_dice else dice_rolled(games, rules)
    analysis = analyse(played, conditions)
    return Results(
        trial=trial,
        people=trial_people(trial, until),
        conditions=conditions,
        analysis=analysis,
        kinds=kinds_lost(games, rules, start) if start is not None else (),
        boxes=boxes_lost(games, rules, start) if start is not None else (),
        counted=counted,
        perfect=perfect(rules),
        arms=arm_results_of(trial, until),
        preregistered=planned_of(trial, until),
        unmasking=unmasking_of(trial, until),
    )


def _trial_facts(trial: Trial) -> dict[str, Any]:
    return {
        "slug": trial.slug,
        "title": trial.title,
        "state": trial.state,
        "rehearsal": trial.rehearsal,
        "places": trial.places,
        "games_each": trial.games_each,
        "ruleset": trial.ruleset,
        "dice": trial.dice,
        "shared_dice": trial.shared_dice,
    }
