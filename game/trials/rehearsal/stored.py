"""What the database says of a trial without the export: sums, and which arm was to be given."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet, Sum

from game.models import Agreement, Answer, Decision, Game, Participant, Trial
from game.selectors.export import STAYED
from game.trials.design.assignment import condition, seed_of
from game.trials.design.phases import TrialDesign, steps
from game.trials.design.reading import design_of

ROWS = "rows"


def finished_games(trial: Trial) -> QuerySet[Game]:
    return _games(trial).filter(finished_at__isnull=False)


def totals(trial: Trial) -> dict[str, dict[str, float | None]]:
    """By table: how many rows it has, and what some of its columns add up to."""
    stayed, games = _people(trial), _games(trial)
    answers = Answer.objects.filter(participant__in=stayed)
    decisions = Decision.objects.filter(game__in=games, roll__gt=0)
    ends = finished_games(trial).aggregate(
        score=Sum("final_score"), bonus=Sum("bonus"), regret=Sum("regret"), luck=Sum("luck")
    )
    made = {name: Sum(name) for name in ("best", "value", "regret", "luck", "milliseconds")}
    judged = decisions.aggregate(**made)
    events = trial.events.filter(Q(participant=None) | Q(participant__in=stayed))
    agreements = Agreement.objects.filter(participant__in=stayed)
    return {
        "participants": {ROWS: stayed.count(), "games_finished": finished_games(trial).count()},
        "consents": {ROWS: agreements.count()},
        "arms": {ROWS: trial.arms.count()},
        "answers": {ROWS: answers.count(), **answers.aggregate(tries=Sum("tries"))},
        "events": {ROWS: events.count()},
        "games": {ROWS: games.count(), **ends, **games.aggregate(hints=Sum("hints"))},
        "decisions": {ROWS: decisions.count(), "best_value": judged.pop("best"), **judged},
    }


def off_the_plan(trial: Trial) -> Iterator[str]:
    """Arms that are not those of the sealed list, and games that are not as they were planned."""
    design = design_of(trial)
    for participant in _people(trial):
        yield from _off_the_list(participant, design)
        for game in participant.games.select_related("arm"):
            stored = (game.arm.name if game.arm else None, game.phase)
            if stored != _planned(participant, design, game.trial_number or 1):
                yield f"game {game.pk}: its arm or phase is not as planned"


def _off_the_list(participant: Participant, design: TrialDesign) -> Iterator[str]:
    if participant.draw is None:
        return
    seed, stratum = seed_of(participant.trial.seed), participant.stratum
    order = design.order(condition(seed, stratum, participant.draw, design.conditions))
    planned = (order, len(steps(design, order)))
    if (participant.order, participant.games_planned) != planned:
        yield f"{participant.label}: its arm or number of games is not as in the sealed list"


def _planned(
    participant: Participant, design: TrialDesign, number: int
) -> tuple[str | None, str] | None:
    """Arm and phase; None where no such game was planned."""
    planned = steps(design, participant.order)[number - 1 : number]
    for phase, arm in planned:
        return None if arm is None else design.arms[arm].name, phase
    return None


def _people(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _games(trial: Trial) -> QuerySet[Game]:
    return Game.objects.filter(participant__in=_people(trial))
