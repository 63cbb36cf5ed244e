"""Everything that the results of a trial are: figures, sentences and charts, for page and export.

``results_of`` asks the database some twelve times, however many took part.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.functional import cached_property

from game.coach.portrait import kind_name
from game.coach.scores import perfect
from game.judgement.die_values import die_is_asked, die_value
from game.lab.dice_apart import ApartRow, rows_apart
from game.models import Trial
from game.selectors.losses import Habit
from game.trials.results import words, words_dice, words_people
from game.trials.results.arm_results import ArmResults, arm_results_of
from game.trials.results.beside_learners import DoublingLine, beside_learners, doubling_lines
from game.trials.results.beside_study import BesideStudy, beside_study
from game.trials.results.boxes import BoxTable, box_table
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
from game.trials.results.perfect import conditions_of
from game.trials.results.planned import Planned, planned_of
from game.trials.results.ranges import analysis_told, doublings_told
from game.trials.results.reading import (
    Counted,
    TakingPart,
    boxes_lost,
    dice_rolled,
    dice_thrown,
    kinds_lost,
    ledgers_of,
    trial_finished,
    trial_people,
)
from game.trials.results.reading_boxes import TrialBoxes, trial_boxes
from game.trials.results.unfinished import UnderWay, under_way
from game.trials.results.unmasking import Unmasking, unmasking_of
from game.words import labels
from game.words import phrases as plain
from game.words.equation import MeanEquation
from solver.arena.facts import dice_facts
from solver.exact.any_die import DieValue
from solver.exact.distribution import Distribution
from solver.rules import Ruleset
from solver.statistics.doublings import Doubling, doublings
from solver.statistics.fairness import DicePlaces, DiceTest, fairness_apart
from solver.statistics.inference import Significance
from solver.statistics.trial import analyse
from solver.statistics.trial_figures import Analysis, Conditions
from solver.study.people import study_against_perfect
from solver.study.published import RULES as STUDY_RULES


@dataclass(frozen=True, slots=True)
class HabitLoss:
    """What a kind of decision, or the turns that ended in a box, cost."""

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
    under_way: UnderWay
    own_dice: DieValue | None = None  # perfect play with the real dice of a closed trial
    arms: ArmResults | None = None  # None where nobody is to be compared
    made: TrialBoxes | None = None  # points by box
    preregistered: Planned | None = None  # None where nothing was preregistered
    doublings: Sequence[Doubling] = ()  # what is lost while they learn
    unmasking: Unmasking | None = None  # None where it was never masked

    @property
    def finished(self) -> int:
        """As the monitor counts them: those of arms with other rules or dice, too."""
        return self.analysis.games + self.people.elsewhere

    @property
    def planned(self) -> int:
        return self.people.planned

    @cached_property
    def told(self) -> Analysis:
        """With those ranges alone that tell something."""
        return analysis_told(self.analysis, self.conditions, self.rules)

    @cached_property
    def spreads(self) -> Mapping[str, tuple[str, str]]:
        """Of these people, and of people like these."""
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
            "luck": words_dice.luck(of, real=real),
            "learning": words_people.learning(of),
            "people": words_people.people(of),
            "dice": words_dice.dice(self.dice, self.counted, real=real) if self.dice else [],
            "own_dice": self._own_dice(),
            "caveats": caveats(
                self.trial, self.people, of, self.under_way, by_lot=self.several_arms
            ),
        }

    @property
    def several_arms(self) -> bool:
        return self.arms is not None and self.arms.several

    @cached_property
    def drawings(self) -> list[Drawing]:
        start = self.conditions.value_start
        of = (self.told, self.kinds, self.boxes, start, self.perfect)
        of_arms = self.arms.drawings if self.arms else []
        learnt = [] if start is None else beside_learners(self.rules, self._learning, start)
        return [*of_arms, *drawings(self.rules, *of), *learnt]

    @cached_property
    def charts(self) -> Mapping[str, Drawing]:
        """By names that a template can ask for."""
        return {drawing.name.replace("-", "_"): drawing for drawing in self.drawings}

    @cached_property
    def comparison(self) -> list[ComparisonLine]:
        return comparison(self.trial, self.analysis, self.conditions)

    @property
    def rules(self) -> Ruleset:
        return self.trial.rules

    @property
    def beside_study(self) -> bool:
        """Whether the published study is about the same game."""
        return self.rules == STUDY_RULES

    @cached_property
    def spread(self) -> BesideStudy | None:
        found = (self.trial.title, self.analysis, self.conditions)
        return beside_study(*found) if self.beside_study else None

    @property
    def doubling_lines(self) -> list[DoublingLine]:
        start = self.conditions.value_start
        return [] if start is None else doubling_lines(self._learning, start)

    @property
    def _learning(self) -> list[Doubling]:
        return doublings_told(self.doublings, self.conditions, self.rules)

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

    @cached_property
    def boxes_made(self) -> BoxTable | None:
        return box_table(self.rules, self.made) if self.made else None

    @property
    def lab_missing(self) -> bool:
        return any(line.unknown for line in self.comparison)

    @property
    def chips_name(self) -> str:
        return labels.chips(self.rules.joker) if self.rules.joker else ""

    @cached_property
    def dice(self) -> DiceTest | None:
        found, title = self.counted, "The dice of this trial"
        places = DicePlaces(self.trial.dice_places)
        return fairness_apart(title, found.dice, places) if sum(found.counts) else None

    @property
    def dice_apart(self) -> list[ApartRow]:
        return rows_apart(self.dice) if self.dice else []

    def _own_dice(self) -> list[str]:
        if not self.trial.real_dice or self.dice is None:
            return []
        if not die_is_asked(self.rules):
            return [words_dice.not_for_these_rules()]
        found = (self.analysis, self.conditions, self.own_dice)
        return words_dice.own_dice(*found, closed=self.trial.closed_at is not None)

    @property
    def faces(self) -> list[tuple[int, int]]:
        return list(enumerate(self.counted.counts, start=1))

    @property
    def skill(self) -> MeanEquation | None:
        start, found = self.conditions.value_start, self.analysis.skill
        return words.skill_equation(found, start) if found and start is not None else None

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
        """As plain data, for JSON."""
        study = self.study_against_perfect
        return {
            "trial": _trial_facts(self.trial),
            "taking_part": asdict(self.people) | {"games_planned": self.planned},
            "conditions": asdict(self.conditions),
            **self.analysis.facts(),
            "lost_by_kind": [asdict(habit) for habit in self.kinds],
            "lost_by_box": [asdict(habit) for habit in self.boxes],
            "points_by_box": asdict(self.made) if self.made else None,
            "games_under_way": asdict(self.under_way),
            "value_with_own_dice": asdict(self.own_dice) if self.own_dice else None,
            "dice": dice_facts(self.dice) | {"games": self.counted.games} if self.dice else None,
            "study_against_perfect": asdict(study) if study else None,
            "spread_beside_study": self.spread.facts() if self.spread else None,
            "learning_in_doublings": [asdict(one) for one in self.doublings],
            "sentences": dict(self.sentences),
            "arms": self.arms.facts() if self.arms else None,
            "unmasked": self.unmasking.facts() if self.unmasking else None,
            "planned": self.preregistered.facts() if self.preregistered else None,
        }


def results_of(trial: Trial, until: datetime | None = None) -> Results:
    """As the trial stood then, or stands now."""
    until = until or timezone.now()
    games, rules = trial_finished(trial, until), trial.rules
    conditions = conditions_of(trial, games)
    start = conditions.value_start
    played = ledgers_of(games, start)
    counted = dice_thrown(games, rules) if trial.real_dice else dice_rolled(games, rules)
    final = trial.real_dice and trial.closed_at is not None
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
        own_dice=die_value(rules, counted.counts) if final else None,
        under_way=under_way(trial, until, [game.score for game in played]),
        arms=arm_results_of(trial, until),
        made=trial_boxes(games, rules, analysis.games),
        preregistered=planned_of(trial, until),
        doublings=doublings(played),
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
