"""Data of a trial's results: its finished games, and the dice they were played with.

Anyone who has withdrawn has no games any more; a participant who is half way has some that count.
A game counts from its end on, and a participant from the first consent on, so that everything is
told as it stood at one moment.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from game.coach.score_charts import perfect as perfect_distribution
from game.core.fair.blocks import block
from game.core.profile_queries import Habit, judged, losses_by_box, losses_by_kind
from game.core.words.equation import LEDGER
from game.core.worth import tables
from game.models import Decision, Game, Participant, Throw, Trial
from game.trials.files.export_queries import STAYED
from game.trials.reading import PLANNED
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.plain import Advised
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.statistics.trial import Conditions, TrialGame

LONG_PAUSE = timedelta(minutes=30)
MOST_BLOCKS = 1000  # games whose dice are counted


@dataclass(frozen=True, slots=True)
class TakingPart:
    joined: int
    withdrawn: int
    planned: int = 0  # games of those who joined; of who was screened out those that were played
    elsewhere: int = 0  # finished games of arms with other rules or dice


@dataclass(frozen=True, slots=True)
class Counted:
    """``dice[n][f]`` times f + 1 fell in place n + 1, in so many of the trial's games with dice of
    their own; virtual dice have no places."""

    dice: Sequence[Sequence[int]]
    games: int
    of: int

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.dice, strict=True)))


def trial_people(trial: Trial, until: datetime) -> TakingPart:
    stayed = STAYED & Q(player__created_at__lte=until)
    found = trial.participants.aggregate(
        joined=Count("pk", filter=stayed),
        withdrawn=Count("pk", filter=Q(withdrawn_at__isnull=False)),
        planned=Coalesce(Sum(PLANNED, filter=stayed & Q(screened_out_at__isnull=True)), 0),
    )
    finished = _finished(trial, until).aggregate(
        elsewhere=Count("pk", filter=~_as_the_trial_says(trial)),
        gone=Count("pk", filter=Q(participant__screened_out_at__isnull=False)),
    )
    found["planned"] += finished["gone"]
    return TakingPart(**found, elsewhere=finished["elsewhere"])


def trial_finished(trial: Trial, until: datetime) -> QuerySet[Game]:
    """Return the finished games by the trial's own rules and dice. Games of an arm with others
    are left out."""
    return _finished(trial, until).filter(_as_the_trial_says(trial))


def _finished(trial: Trial, until: datetime) -> QuerySet[Game]:
    stayed = trial.participants.filter(STAYED)
    return Game.objects.filter(participant__in=stayed, finished_at__lte=until)


def _as_the_trial_says(trial: Trial) -> Q:
    alike = (
        Q(arm__ruleset__in=["", trial.ruleset])
        & Q(arm__dice__in=["", trial.dice])
        & (Q(arm__shared_dice__isnull=True) | Q(arm__shared_dice=trial.shared_dice))
    )
    return Q(arm__isnull=True) | alike


def ledgers_of(games: QuerySet[Game], value_start: float | None) -> list[TrialGame]:
    """Luck and regret only where all of a game's decisions were judged."""
    rows = games.order_by("participant__number", "trial_number")
    facts = rows.values_list(
        "participant__number", "trial_number", "final_score", "bonus", "regret", "luck", "chips"
    )
    played = [_played(value_start, *row) for row in facts]
    sittings = _sittings(rows.values_list("participant__number", "started_at", "finished_at"))
    return [replace(game, session=one) for game, one in zip(played, sittings, strict=True)]


def _sittings(rows: Iterable[tuple[int, datetime, datetime | None]]) -> Iterator[int]:
    """In which sitting of its player each game was: a long pause between two games ends one."""
    whose, sitting, last = 0, 0, None
    for participant, started, finished in rows:
        if participant != whose:
            whose, sitting = participant, 1
        elif last is not None and started - last > LONG_PAUSE:
            sitting += 1
        last = finished
        yield sitting


def _played(
    value_start: float | None,
    participant: int,
    number: int | None,
    score: int | None,
    bonus: int | None,
    regret: float | None,
    luck: float | None,
    chips: int | None,
) -> TrialGame:
    score, won = score or 0, chips or 0
    facts = (_label(participant), number or 0, score, bonus or 0)
    if value_start is None or regret is None or luck is None:
        return TrialGame(*facts, chips=won)
    right = abs(value_start + luck - regret - score) <= LEDGER
    return TrialGame(*facts, regret, luck, won) if right else TrialGame(*facts, chips=won)


@lru_cache(maxsize=8192)
def _label(number: int) -> str:
    return Participant(number=number).label


def kinds_lost(games: QuerySet[Game], rules: Ruleset, value_start: float) -> list[Habit]:
    return losses_by_kind(_decisions(games, value_start), rules)


def boxes_lost(games: QuerySet[Game], rules: Ruleset, value_start: float) -> list[Habit]:
    return losses_by_box(_decisions(games, value_start), rules)


def _decisions(games: QuerySet[Game], value_start: float) -> QuerySet[Decision]:
    return Decision.objects.filter(game__in=judged(games, value_start), regret__isnull=False)


def seeds_shared(games: QuerySet[Game]) -> Mapping[int, str]:
    """Return the seeds of shared dice, by the number of the game."""
    rows = games.order_by("trial_number").values_list("trial_number", "seed")
    return {number: seed for number, seed in rows.distinct() if number is not None}


def dice_rolled(games: QuerySet[Game], rules: Ruleset) -> Counted:
    """Count the virtual dice that fell; shared ones count once."""
    seeds = games.order_by("seed").values_list("seed", flat=True).distinct()
    some = list(seeds[:MOST_BLOCKS])
    holds = Decision.objects.filter(game__in=games, game__seed__in=some, hold__isnull=False)
    rows = holds.order_by("game__seed").values_list("game__seed", "turn", "roll", "hold")
    counts = [0] * FACES
    for seed, rolls in groupby(rows.distinct(), key=itemgetter(0)):
        dealt = block(seed, rules)
        fallen = {
            (t, r, slot) for _, t, r, held in rolls for slot in _thrown_slots(held or 0, rules.dice)
        }
        for turn, roll, slot in fallen:
            counts[dealt[turn][roll][slot] - 1] += 1
    return Counted([counts], len(some), seeds.count())


def _thrown_slots(held: int, dice: int) -> list[int]:
    return [slot for slot in range(dice) if not held >> slot & 1]


def dice_thrown(games: QuerySet[Game], rules: Ruleset) -> Counted:
    """Count real dice: the last entry of each roll, without held dice."""
    hold = Decision.objects.filter(game=OuterRef("game"), seq=OuterRef("seq")).values("hold")
    throws = Throw.objects.filter(game__in=games).order_by("number")
    rows = throws.annotate(held=Subquery(hold)).values_list("game", "seq", "faces", "held")
    last = {(game, seq): (faces, held or 0) for game, seq, faces, held in rows}
    dice = [[0] * FACES for _slot in range(rules.dice)]
    for faces, held in last.values():
        for slot in _thrown_slots(held, rules.dice):
            dice[slot][int(faces[slot]) - 1] += 1
    of = len({game for game, _seq in last})
    return Counted(dice, of, of)


def conditions_of(trial: Trial, games: QuerySet[Game]) -> Conditions:
    """Return the conditions; perfect play is unknown without its table."""
    advisor = tables.advisor(trial.rules)
    if advisor is None:
        return Conditions(None, shared_dice=trial.shared_dice)
    perfect = perfect_scores(games, advisor) if trial.shared_dice else {}
    return Conditions(advisor.value_start, deviation(advisor), trial.shared_dice, perfect)


def deviation(advisor: Advisor) -> float | None:
    """Return the standard deviation of perfect play's scores, or None."""
    if advisor.outlook_start:
        return advisor.outlook_start.deviation
    found = perfect_distribution(advisor.rules)
    return found.deviation if found else None


def perfect_scores(games: QuerySet[Game], advisor: Advisor) -> Mapping[int, int]:
    """Return perfect play's scores on shared dice, by the number of the game."""
    return {number: perfect_score(advisor, seed) for number, seed in seeds_shared(games).items()}


@lru_cache(maxsize=4096)
def perfect_score(advisor: Advisor, seed: str) -> int:
    """Played out over the dice of this seed, in about 3 ms."""
    faces = from_block(block(seed, advisor.rules))
    return play_out(Advised(advisor), advisor.rules, faces).end.total
