"""The rows that the comparison of arms is made of: who was given what, and what came of it.

Everybody who was given an arm is a row, those who withdrew too: that they left is all that is
kept of them, and no arm may lose people unseen.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count, islice

from django.db.models import Count, Q, QuerySet, Sum

from game.models import Game, Participant, Trial
from game.selectors.export import STAYED
from game.trials.design.assignment import permuted, seed_of
from game.trials.design.phases import AFTER, TRAINING, TrialDesign, steps
from game.trials.design.reading import design_of
from solver.statistics.arm_figures import ArmDesign, ArmGame, ArmPerson
from solver.statistics.estimand import Estimand

ORDER = " → "  # between the arms of one who plays them all


def arm_design(trial: Trial) -> ArmDesign | None:
    """None where everybody plays the same games in one phase, and nothing can be compared."""
    design = design_of(trial)
    if design.plain:
        return None
    return ArmDesign(
        arms=tuple(arm.name for arm in design.arms) or ("",),
        outcome=outcome_phase(design),
        within=design.within,
        shared_dice=trial.shared_dice and all(arm.shared_dice is not False for arm in design.arms),
    )


def outcome_phase(design: TrialDesign) -> str:
    """That the trial asks about; without phases, the one that every game is in."""
    if design.plain:
        return ""
    return AFTER if design.after and not design.within else TRAINING


def usual_estimand(trial: Trial) -> Estimand | None:
    """None where there are not several arms to compare."""
    design = arm_design(trial)
    if design is None or len(design.arms) < 2:
        return None
    return Estimand.usual(design, before=trial.games_before > 0)


def arms_differ(trial: Trial) -> bool:
    """Whether some arms play by other rules, or with other dice, than others."""
    arms = design_of(trial).arms
    return len({(arm.ruleset or trial.ruleset, arm.dice or trial.dice) for arm in arms}) > 1


def arm_people(trial: Trial, until: datetime) -> list[ArmPerson]:
    design = design_of(trial)
    joined = trial.participants.order_by("number")
    if not design.arms:
        planned = design.before + design.games_each + design.after
        return [ArmPerson(one.label, "", planned=planned) for one in _stayed(trial, until)]
    given = list(joined.filter(arm__isnull=False, assigned_at__lte=until))
    blocks = _blocks(trial, design, given)
    return [_person(design, blocks, one) for one in given]


def _stayed(trial: Trial, until: datetime) -> QuerySet[Participant]:
    joined = trial.participants.filter(STAYED, player__created_at__lte=until)
    return joined.order_by("number")


def _person(
    design: TrialDesign, blocks: Mapping[str, Sequence[int]], one: Participant
) -> ArmPerson:
    order = one.order
    name = ORDER.join(design.arms[arm].name for arm in order)
    planned = len(steps(design, order)) - design.follow_up
    block = f"{one.stratum}:{blocks[one.stratum][(one.draw or 1) - 1]}"
    return ArmPerson(one.label, name, block, one.stratum, planned)


def _blocks(
    trial: Trial, design: TrialDesign, given: Sequence[Participant]
) -> Mapping[str, Sequence[int]]:
    """Of each stratum, which block of the sealed list every draw is in: chance put people in order
    within a block, and not over its edges."""
    draws: dict[str, int] = {}
    for one in given:
        draws[one.stratum] = max(draws.get(one.stratum, 0), one.draw or 1)
    seed = seed_of(trial.seed)
    return {
        stratum: list(islice(_block_of_draws(seed, stratum, design.conditions), most))
        for stratum, most in draws.items()
    }


def _block_of_draws(seed: str, stratum: str, conditions: int) -> Iterator[int]:
    for block in count():
        yield from [block] * len(permuted(seed, stratum, block, conditions))


def arm_games(trial: Trial, until: datetime) -> Iterator[ArmGame]:
    """Games as they stood then: one that had not ended has what its decisions had cost."""
    free = Q(decisions__forced=False, decisions__regret__isnull=False)
    unjudged = Q(decisions__roll__gt=0, decisions__regret__isnull=True)
    games = _begun(trial, until).annotate(
        cost=Sum("decisions__regret", filter=Q(decisions__created_at__lte=until)),
        free=Count("decisions", filter=free & Q(decisions__created_at__lte=until)),
        blind=Count("decisions", filter=unjudged),
    )
    facts = ("participant__number", "arm__name", "phase", "trial_number", "finished_at")
    told = ("final_score", "cost", "free", "blind", "seed")
    for row in games.values_list(*facts, *told):
        yield _game(until, *row)


def _begun(trial: Trial, until: datetime) -> QuerySet[Game]:
    stayed = trial.participants.filter(STAYED)
    games = Game.objects.filter(participant__in=stayed, started_at__lte=until).exclude(phase="")
    return games.order_by("participant__number", "trial_number")


def _game(
    until: datetime,
    participant: int,
    arm: str | None,
    phase: str,
    number: int,
    finished_at: datetime | None,
    score: int | None,
    cost: float | None,
    free: int,
    blind: int,
    seed: str,
) -> ArmGame:
    finished = finished_at is not None and finished_at <= until
    known = cost is not None and free > 0 and not blind
    return ArmGame(
        person=Participant(number=participant).label,
        arm=arm or "",
        phase=phase,
        number=number,
        finished=finished,
        score=score if finished else None,
        regret=cost if known else None,
        decisions=free if known else None,
        deal=seed,
    )
