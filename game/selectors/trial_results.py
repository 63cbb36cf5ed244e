"""What the results of a trial are made of: its finished games, and the dice they were played with.

Whoever has withdrawn has no games any more; a participant who is half way has some that count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from game.fair.blocks import block
from game.models import Decision, Game, Participant, Throw, Trial
from game.selectors.losses import LEDGER, Habit, judged, losses_by_box, losses_by_kind
from solver.rules.dice import DICE, FACES
from solver.statistics.trial_figures import Played

MOST_BLOCKS = 1000  # games whose dice are counted


@dataclass(frozen=True, slots=True)
class People:
    """Who took part: those with a game that counts are told by the games."""

    joined: int
    withdrawn: int


@dataclass(frozen=True, slots=True)
class Counted:
    """``counts[n]`` dice showed n + 1, in so many of the trial's games with dice of their own."""

    counts: tuple[int, ...]
    games: int
    of: int


def trial_people(trial: Trial) -> People:
    found = trial.participants.aggregate(
        joined=Count("pk", filter=Q(consent__isnull=False, withdrawn_at__isnull=True)),
        withdrawn=Count("pk", filter=Q(withdrawn_at__isnull=False)),
    )
    return People(**found)


def trial_finished(trial: Trial) -> QuerySet[Game]:
    return Game.objects.filter(
        participant__trial=trial,
        participant__withdrawn_at__isnull=True,
        finished_at__isnull=False,
    )


def trial_played(trial: Trial, value_start: float | None) -> list[Played]:
    """Every finished game; luck and regret only where all of its decisions were judged."""
    rows = trial_finished(trial).order_by("participant__number", "trial_number")
    columns = ("participant__number", "trial_number", "final_score", "bonus", "regret", "luck")
    return [_played(value_start, *row) for row in rows.values_list(*columns)]


def _played(
    value_start: float | None,
    participant: int,
    number: int,
    score: int,
    bonus: int,
    regret: float | None,
    luck: float | None,
) -> Played:
    facts = (_label(participant), number, score, bonus)
    if value_start is None or regret is None or luck is None:
        return Played(*facts)
    right = abs(value_start + luck - regret - score) <= LEDGER
    return Played(*facts, regret, luck) if right else Played(*facts)


@lru_cache(maxsize=8192)
def _label(number: int) -> str:
    return Participant(number=number).label


def trial_kinds(trial: Trial, value_start: float) -> list[Habit]:
    return losses_by_kind(_decisions(trial, value_start))


def trial_boxes(trial: Trial, value_start: float) -> list[Habit]:
    return losses_by_box(_decisions(trial, value_start))


def _decisions(trial: Trial, value_start: float) -> QuerySet[Decision]:
    games = judged(trial_finished(trial), value_start)
    return Decision.objects.filter(game__in=games, regret__isnull=False)


def trial_seeds(trial: Trial) -> Mapping[int, str]:
    """Of shared dice, by the number of the game."""
    rows = trial_finished(trial).order_by("trial_number").values_list("trial_number", "seed")
    return {number: seed for number, seed in rows.distinct() if number is not None}


def trial_dice(trial: Trial) -> Counted:
    """Real dice: those that were thrown, as they were typed in. Virtual dice: every die of a game,
    thrown or not; dice that several played with count once."""
    return _thrown(trial) if trial.real_dice else _dealt(trial)


def _dealt(trial: Trial) -> Counted:
    seeds = trial_finished(trial).order_by("seed").values_list("seed", flat=True).distinct()
    counts = [0] * FACES
    for seed in seeds[:MOST_BLOCKS]:
        dice = [face for turn in block(seed, trial.rules) for throw in turn for face in throw]
        counts = [count + dice.count(face) for face, count in enumerate(counts, start=1)]
    of = seeds.count()
    return Counted(tuple(counts), min(of, MOST_BLOCKS), of)


def _thrown(trial: Trial) -> Counted:
    """Of the last entry of each throw, the dice that were not held."""
    hold = Decision.objects.filter(game=OuterRef("game"), seq=OuterRef("seq")).values("hold")
    throws = Throw.objects.filter(game__in=trial_finished(trial)).order_by("number")
    rows = throws.annotate(held=Subquery(hold)).values_list("game", "seq", "faces", "held")
    last = {(game, seq): (faces, held or 0) for game, seq, faces, held in rows}
    counts = [0] * FACES
    for faces, held in last.values():
        for slot in range(DICE):
            if not held >> slot & 1:
                counts[int(faces[slot]) - 1] += 1
    games = len({game for game, _seq in last})
    return Counted(tuple(counts), games, games)
