"""The rows of a trial's results at one moment: games, people, real dice.

A game counts once it has ended, and a participant counts from the first consent. The rows omit
people who have withdrawn.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce

from game.coach.score_charts import read_perfect_scores as perfect_distribution
from game.core.words.equation import LEDGER
from game.core.worth import tables
from game.models import Decision, Game, Throw
from game.trials.analysis.describe import DiceFigures, GameResult, describe_dice, group_values
from game.trials.analysis.primary import COST, ArmPerson, Estimand
from game.trials.design.phases import AFTER, BEFORE, TRAINING, TrialDesign
from game.trials.design.reading import build_design
from game.trials.files.export_queries import PLACED, STAYED
from game.trials.models import Trial
from game.trials.reading import PLANNED
from solver.rules.dice import FACES

LONG_PAUSE = timedelta(minutes=30)
ORDER = " → "  # separates the arms of a person who plays two arms


class GameCounts(NamedTuple):
    """Numbers of games. ``planned`` has all planned games, but of people who were screened out only
    the finished ones. ``elsewhere`` has finished games with another ruleset or dice."""

    planned: int
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Conditions:
    """Mean and deviation of perfect play by the trial's rules. None without a value table."""

    value_start: float | None
    deviation: float | None
    shared_dice: bool


class ResultRow(NamedTuple):
    """A finished game. ``alike`` is True if its arm has the same ruleset and dice as the trial."""

    key: int
    game: GameResult
    alike: bool


def count_games(trial: Trial, until: datetime) -> GameCounts:
    staying = STAYED & Q(player__created_at__lte=until, screened_out_at__isnull=True)
    planned = trial.participants.aggregate(n=Coalesce(Sum(PLANNED, filter=staying), 0))["n"]
    finished = _query_all_finished(trial, until)
    gone = finished.filter(trial_game__participant__screened_out_at__isnull=False)
    return GameCounts(planned + gone.count(), finished.filter(alike=False).count())


def query_finished_games(trial: Trial, until: datetime) -> QuerySet[Any]:
    """Return the finished games with the trial's own rules and dice."""
    return _query_all_finished(trial, until).filter(alike=True)


def _query_all_finished(trial: Trial, until: datetime) -> QuerySet[Any]:
    """Return the finished games. ``alike`` is true if their rules and dice are the trial's own."""
    stayed = trial.participants.filter(STAYED)
    games = Game.objects.filter(trial_game__participant__in=stayed, finished_at__lte=until)
    shared = "trial_game__arm__shared_dice"
    own_dice = Q((f"{shared}__isnull", True)) | Q((shared, trial.shared_dice))
    own_rules = Q(ruleset=trial.ruleset, real_dice=trial.real_dice)
    return games.annotate(alike=ExpressionWrapper(own_rules & own_dice, BooleanField()))


def find_conditions(trial: Trial) -> Conditions:
    coach = tables.load_advisor(trial.rules)
    if coach is None:
        return Conditions(None, None, trial.shared_dice)
    apart = coach.outlook_start or perfect_distribution(trial.rules)
    return Conditions(coach.value_start, apart.deviation if apart else None, trial.shared_dice)


def list_result_rows(trial: Trial, until: datetime) -> list[ResultRow]:
    """Return the finished games, participant by participant, in playing order. Omit cost and luck
    if they do not add up to the score."""
    games = _query_all_finished(trial, until).select_related(*PLACED)
    start, sitting = find_conditions(trial).value_start, 0
    rows: list[ResultRow] = []
    last: Any = None
    for game in games.order_by("trial_game__participant__number", "trial_game__number"):
        place, score, cost, luck = game.trial_game, game.final_score or 0, game.regret, game.luck
        if last is None or last.trial_game.participant_id != place.participant_id:
            sitting = 1
        elif game.started_at - last.finished_at > LONG_PAUSE:
            sitting += 1
        last, judged = game, cost is not None and luck is not None
        if judged and start is not None and game.ruleset == trial.ruleset:
            judged = abs(start + luck - cost - score) <= LEDGER
        result = GameResult(
            participant=place.participant.label,
            number=place.number,
            phase=place.phase,
            arm=place.arm.position - 1 if place.arm else None,
            score=score,
            bonus=game.bonus or 0,
            chips=game.chips or 0,
            cost=cost if judged else None,
            luck=luck if judged else None,
            decisions=game.free_decisions or 0,
            sitting=sitting,
        )
        rows.append(ResultRow(place.participant_id, result, game.alike))
    return rows


def find_outcome_phase(design: TrialDesign) -> str:
    if design.plain:
        return ""
    return AFTER if design.after and not design.within else TRAINING


def make_usual_estimand(
    trial: Trial, *, measure: str = COST, direction: str = "either", smallest: float | None = None
) -> Estimand | None:
    """Return the default estimand. Return None with fewer than two arms, or if each person plays
    more than two arms."""
    design = build_design(trial)
    names = tuple(arm.name for arm in design.arms)
    if len(names) < 2 or (design.within and len(names) > 2):
        return None
    phase = find_outcome_phase(design)
    return Estimand(names, phase, measure, direction, smallest, design.within)


def map_arm_people(
    given: Mapping[int, tuple[str, tuple[int, ...]]],
    estimand: Estimand,
    rows: Sequence[ResultRow],
    left_out: Container[int],
) -> dict[int, ArmPerson]:
    """Return the compared value and the baseline mean of each participant with an arm, by key."""
    values = group_values(
        ((key, game.phase, game.arm if estimand.within else None), value)
        for key, game, _alike in rows
        if (value := game.measured(estimand.measure)) is not None
    )
    means = {place: fmean(known) for place, known in values.items()}
    people = {}
    for key, (label, order) in given.items():
        if estimand.within:
            first, second = (means.get((key, estimand.phase, arm)) for arm in order)
            value = None if first is None or second is None else (first - second) / 2
            people[key] = ArmPerson(label, order[0], value, None, key in left_out)
        else:
            value, before = (means.get((key, phase, None)) for phase in (estimand.phase, BEFORE))
            people[key] = ArmPerson(label, order[0], value, before, key in left_out)
    return people


def count_dice(trial: Trial, until: datetime) -> list[DiceFigures]:
    """Count the faces that were rolled and typed last: of all dice, then of each known die."""
    games = query_finished_games(trial, until).values("pk")
    hold = Decision.objects.filter(game=OuterRef("game"), seq=OuterRef("seq")).values("hold")
    throws = Throw.objects.filter(game__in=games).order_by("number")
    rows = throws.annotate(held=Subquery(hold)).values_list("game", "seq", "faces", "held")
    last = {(game, seq): (faces, held or 0) for game, seq, faces, held in rows}
    counts = [[0] * FACES for _slot in range(trial.rules.dice)]
    for faces, held in last.values():
        for slot, count in enumerate(counts):
            if not held >> slot & 1:
                count[int(faces[slot]) - 1] += 1
    together = [sum(fallen) for fallen in zip(*counts, strict=True)]
    if not sum(together):
        return []
    known = {"each": len(counts), "first": 1}.get(trial.dice_places, 0)
    apart = [describe_dice(count, die) for die, count in enumerate(counts[:known], start=1)]
    return [describe_dice(together), *apart]
