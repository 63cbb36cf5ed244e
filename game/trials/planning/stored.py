"""The numbers that a plan starts from: the spread of people and games in finished trials."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Literal

from django.db.models import Exists, F, OuterRef, QuerySet

from game.core.worth import tables
from game.models import Coach, Game, Trial
from game.trials.design.phases import TRAINING
from game.trials.planning.bots import spread_of_bots
from game.trials.results.reading import ledgers_of, trial_finished
from solver.rules import Ruleset
from solver.statistics.components import Group, dice_share, spread_of
from solver.statistics.inference import Games
from solver.statistics.planning import Spread
from solver.statistics.trial import TrialGame

LEAST_PEOPLE = 6  # with fewer the spread of people is little more than a guess
LEAST_DICE = 10  # games on shared dice, from which the part of the dice is told
MINUTES_A_TURN = 0.5  # assumed where nobody has played
MINUTE = timedelta(minutes=1)
OUTCOMES = {"cost": "regret", "score": "score"}  # to what a game tells


@dataclass(frozen=True, slots=True)
class Known:
    """``source`` says where the spread is from, but for ``own`` figures, and ``asked`` whether
    trials were to be asked; ``minutes`` a game takes, ``timed`` or assumed."""

    spread: Spread
    source: Literal["trials", "bots"]
    minutes: float
    timed: bool
    trials: int = 0
    people: int = 0
    games: int = 0
    own: tuple[str, ...] = ()
    asked: bool = False


def known(rules: Ruleset, outcome: str, *, from_trials: bool = False) -> Known:
    """Return the known spread of bots, or of this site's trials if asked and possible."""
    trials = Trial.objects.filter(
        ruleset=rules.id, rehearsal=False, closed_at__isnull=False, unmasked_at__isnull=False
    )
    minutes = _minutes(trials)
    time = (minutes or assumed_minutes(rules), bool(minutes))
    bots = Known(spread_of_bots(rules, outcome), "bots", *time, asked=from_trials)
    if not from_trials:
        return bots
    groups = {trial: _people(trial) for trial in trials}
    groups = {trial: people for trial, people in groups.items() if len(people) > 1}
    found = _spread(groups, outcome, rules)
    people = sum(map(len, groups.values()))
    if found is None or people < LEAST_PEOPLE:
        return bots
    games = sum(len(one) for group in groups.values() for one in group)
    return Known(found, "trials", *time, len(groups), people, games, asked=True)


def assumed_minutes(rules: Ruleset) -> float:
    return MINUTES_A_TURN * len(rules.categories)


def _people(trial: Trial) -> list[list[TrialGame]]:
    """Return the finished games without a coach of each who finished two or more."""
    advisor = tables.advisor(trial.rules)
    people: dict[str, list[TrialGame]] = {}
    for game in ledgers_of(_silent(_games(trial)), advisor.value_start if advisor else None):
        people.setdefault(game.participant, []).append(game)
    return [games for games in people.values() if len(games) > 1]


def _games(trial: Trial) -> QuerySet[Game]:
    return trial_finished(trial, trial.closed_at) if trial.closed_at else Game.objects.none()


def _silent(games: QuerySet[Game]) -> QuerySet[Game]:
    """Until somebody was coached for the first time: what a coach leaves behind goes on."""
    training = Game.objects.filter(participant=OuterRef("participant"), phase=TRAINING)
    before = training.filter(arm__isnull=False, trial_number__lte=OuterRef("trial_number"))
    return games.exclude(Exists(before.exclude(arm__coach=Coach.OFF)))


def _spread(
    groups: Mapping[Trial, list[list[TrialGame]]], outcome: str, rules: Ruleset
) -> Spread | None:
    """Return the spread between people; the share of dice comes from trials with shared dice,
    else from bots."""
    values = [
        Group(_values(people, OUTCOMES[outcome]), trial.shared_dice)
        for trial, people in groups.items()
    ]
    numbers = [{number for one in of.people for number in one} for of in values if of.shared_dice]
    shared = dice_share(values) if sum(map(len, numbers)) >= LEAST_DICE else None
    return spread_of(values, spread_of_bots(rules, outcome).dice if shared is None else shared)


def _values(people: list[list[TrialGame]], name: str) -> list[Games]:
    found = ({game.number: getattr(game, name) for game in games} for games in people)
    return [
        {number: float(value) for number, value in games.items() if value is not None}
        for games in found
    ]


def _minutes(trials: Iterable[Trial]) -> float | None:
    """Return the median, for some games are left lying for days."""
    took: list[float] = []
    for trial in trials:
        games = _games(trial).annotate(took=F("finished_at") - F("started_at"))
        took += [one / MINUTE for one in games.values_list("took", flat=True)]
    return median(took) if took else None
