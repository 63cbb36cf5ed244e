"""Analysis of a trial's games: what they tell about the people who played them.

A final score is V(start) + luck - regret, and luck is 0 on average whatever anybody does. So two
things estimate the same average: the mean score, and V(start) less the mean of what decisions
cost. The second has no dice in it and is surer by far.

Every estimate has two intervals, for two questions (``solver.statistics.inference``): how these
people would do if they went on, and how people like these do.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

from solver.statistics import inference
from solver.statistics.inference import Games, Interval, Significance, around, t_test, z_test
from solver.statistics.sessions import mean_by_sessions, several, slope_by_sessions
from solver.statistics.tens import Ten, in_tens

DOUBT = 0.05  # a chance below which something is no longer put down to accident
FLAWLESS = 1e-9  # points that a game without a mistake loses, in rounding: a tie of ``dp.space``


@dataclass(frozen=True, slots=True)
class TrialGame:
    """A finished game; ``regret`` and ``luck`` are None where nobody judged it."""

    participant: str
    number: int
    score: int
    bonus: int
    regret: float | None = None
    luck: float | None = None
    chips: int = 0
    session: int | None = None  # of which sitting of this person it was; None where nobody knows


@dataclass(frozen=True, slots=True)
class Conditions:
    """The worth of perfect play, and whether the games with one number had the same dice.

    ``sessions[p][number]`` is the sitting in which somebody's game was, where that matters.
    ``deviation`` is that of its final scores, ``perfect[number]`` what it scores on the dice of
    that game. Without ``value_start`` nothing is compared with it, and no game is judged.
    """

    value_start: float | None
    deviation: float | None = None
    shared_dice: bool = False
    perfect: Mapping[int, int] = field(default_factory=dict)
    sessions: tuple[Mapping[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    mean: float
    median: float
    most: int
    least: int
    range: int
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of the average score over endless games: of these people, and of people like
    these.

    ``mean`` is that of all games, ``of_people`` that of the people's own means: another one where
    some have played more games than others. ``these_people_alike`` is the range around the latter.
    """

    mean: float
    these_people: Interval | None
    people_like_these: Interval | None
    of_people: float
    these_people_alike: Interval | None

    @property
    def first(self) -> float:
        """The main estimate, in which each person counts the same."""
        return self.of_people


@dataclass(frozen=True, slots=True)
class Lost:
    """The cost of decisions per game; ``flawless`` games lost nothing."""

    mean: float
    deviation: float | None
    flawless: int
    test: Significance | None


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of the dice per game; its average is 0 for everyone."""

    mean: float
    deviation: float | None
    interval: Interval | None
    test: Significance | None


@dataclass(frozen=True, slots=True)
class LearningStep:
    """The games that were everybody's first, second..., and what decisions cost in them."""

    number: int
    games: int
    lost: float


@dataclass(frozen=True, slots=True)
class Learning:
    """``slope``: by how much what decisions cost changes from one game to the next."""

    steps: tuple[LearningStep, ...]
    slope: Interval | None
    test: Significance | None

    @property
    def shows(self) -> bool:
        """Then the games played are one thing, and the next ones another."""
        return self.test is not None and self.test.p < DOUBT


@dataclass(frozen=True, slots=True)
class Person:
    """``against_others`` and ``against_perfect`` are differences of scores on the same dice."""

    participant: str
    games: int
    mean: float
    bonus_share: float
    judged: int
    lost: float | None
    luck: float | None
    estimate: float | None
    skill: Interval | None
    against_others: Interval | None
    against_perfect: Interval | None


@dataclass(frozen=True, slots=True)
class Analysis:
    games: int
    judged: int
    people: tuple[Person, ...]
    scores: ScoreSummary | None
    occurrences: tuple[tuple[int, int], ...]
    tens: tuple[Ten, ...]
    bonus_share: float | None
    chips: float | None  # points of bonus chips a game
    raw: Estimate | None
    raw_against_perfect: Significance | None
    skill: Estimate | None
    narrower: float | None
    narrower_like_these: float | None
    sessions: int | None  # sittings of all people together, where the errors allow for them
    unequal: bool  # some have played more games than others
    lost: Lost | None
    luck: Luck | None
    learning: Learning | None
    against_perfect: Interval | None  # everybody's scores less perfect play's on the same dice

    def facts(self) -> dict[str, Any]:
        return asdict(self)


def analyse(played: Iterable[TrialGame], conditions: Conditions) -> Analysis:
    """Everything at once; what too few games cannot tell is None."""
    people = _by_person(played)
    games = [game for person in people for game in person]
    conditions = _known(people, conditions)
    scores = [game.score for game in games]
    found, counts = np.unique(np.array(scores, dtype=np.int64), return_counts=True)
    raw = _estimate([_values(person, "score") for person in people], conditions)
    regrets = [_regrets(person, conditions) for person in people]
    skill = _skill(_estimate(regrets, conditions), conditions)
    return Analysis(
        games=len(games),
        judged=sum(map(len, regrets)),
        people=_people(people, conditions),
        scores=_scores(scores),
        occurrences=tuple(zip(found.tolist(), counts.tolist(), strict=True)),
        tens=tuple(in_tens(np.bincount(scores))) if scores else (),
        bonus_share=_with_bonus(games),
        chips=fmean(game.chips for game in games) if games else None,
        raw=raw,
        raw_against_perfect=_against_known(games, conditions),
        skill=skill,
        narrower=_narrower(raw.these_people, skill.these_people) if raw and skill else None,
        narrower_like_these=_narrower(raw.people_like_these, skill.people_like_these)
        if raw and skill
        else None,
        sessions=len(set(_sessions_of(people))) if conditions.sessions else None,
        unequal=len({len(person) for person in people}) > 1,
        lost=_lost(regrets, conditions),
        luck=_luck([_values(person, "luck") for person in people], conditions),
        learning=_learning(regrets, conditions),
        against_perfect=_within([_less_perfect(one, conditions) for one in people], conditions),
    )


def _by_person(played: Iterable[TrialGame]) -> list[list[TrialGame]]:
    """People in the order in which they come, each one's games by their numbers."""
    people: dict[str, list[TrialGame]] = {}
    for game in played:
        people.setdefault(game.participant, []).append(game)
    return [sorted(games, key=lambda game: game.number) for games in people.values()]


def _values(games: Sequence[TrialGame], name: str) -> Games:
    """Return the known values by the number of the game."""
    values = ((game.number, getattr(game, name)) for game in games)
    return {number: float(value) for number, value in values if value is not None}


def _regrets(games: Sequence[TrialGame], conditions: Conditions) -> Games:
    return _values(games, "regret") if conditions.value_start is not None else {}


def _scores(scores: Sequence[int]) -> ScoreSummary | None:
    if not scores:
        return None
    most, least = max(scores), min(scores)
    return ScoreSummary(
        fmean(scores), median(scores), most, least, most - least, _deviation(scores)
    )


def _deviation(values: Sequence[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None


def _with_bonus(games: Sequence[TrialGame]) -> float | None:
    return sum(game.bonus > 0 for game in games) / len(games) if games else None


def _flat(people: Sequence[Games]) -> list[float]:
    return [value for person in people for value in person.values()]


def _known(people: Sequence[Sequence[TrialGame]], conditions: Conditions) -> Conditions:
    """With everybody's sittings, where there are enough of them to tell anything."""
    found = [_sittings(person) for person in people]
    if not several([_values(person, "score") for person in people], found):
        return conditions
    return replace(conditions, sessions=tuple(found))


def _sittings(games: Sequence[TrialGame]) -> Mapping[int, int]:
    return {game.number: game.session for game in games if game.session is not None}


def _sessions_of(people: Sequence[Sequence[TrialGame]]) -> Iterator[tuple[str, int | None]]:
    return ((game.participant, game.session) for person in people for game in person)


def _within(
    people: Sequence[Games], conditions: Conditions, *, each: bool = False
) -> Interval | None:
    """Return the interval of the mean of these people's games, or with ``each`` of the mean of
    their means."""
    lists = [list(person.values()) for person in people]
    alone = inference.stratified(lists, each=each)
    shared = inference.same_dice(people, each=each) if conditions.shared_dice else None
    if not conditions.sessions:
        return shared if conditions.shared_dice else alone
    sat = mean_by_sessions(people, conditions.sessions, each=each)
    return _both(shared, sat, alone) if conditions.shared_dice else sat


def _both(dice: Interval | None, sat: Interval | None, alone: Interval | None) -> Interval | None:
    """Games that share dice with those of others, and an evening with others of the same person.

    What the evenings add to games that share nothing is added to the error that the dice make.
    """
    if dice is None or sat is None or alone is None:
        return dice
    more = max(0.0, sat.error**2 - alone.error**2)
    return around(dice.mean, dice.error**2 + more, min(dice.degrees, sat.degrees))


def _across(people: Sequence[Games], conditions: Conditions) -> Interval | None:
    """Return the interval of the mean of people like these."""
    if conditions.shared_dice:
        return inference.across_people_and_dice(people)
    return inference.across_people([list(person.values()) for person in people])


def _estimate(people: Sequence[Games], conditions: Conditions) -> Estimate | None:
    values = _flat(people)
    if not values:
        return None
    return Estimate(
        mean=fmean(values),
        these_people=_within(people, conditions),
        people_like_these=_across(people, conditions),
        of_people=fmean(fmean(person.values()) for person in people if person),
        these_people_alike=_within(people, conditions, each=True),
    )


def _skill(lost: Estimate | None, conditions: Conditions) -> Estimate | None:
    start = conditions.value_start
    if lost is None or start is None:
        return None
    return Estimate(
        mean=start - lost.mean,
        these_people=_less(start, lost.these_people),
        people_like_these=_less(start, lost.people_like_these),
        of_people=start - lost.of_people,
        these_people_alike=_less(start, lost.these_people_alike),
    )


def _less(start: float | None, lost: Interval | None) -> Interval | None:
    return None if lost is None or start is None else inference.less(start, lost)


def _narrower(raw: Interval | None, skill: Interval | None) -> float | None:
    """Return how many times wider the interval of the mean score is."""
    return raw.half / skill.half if raw and skill else None


def _against_known(games: Sequence[TrialGame], conditions: Conditions) -> Significance | None:
    """Return the mean score as one of perfect play; games on the same dice would all be equal
    then."""
    if not games or conditions.value_start is None:
        return None
    times = np.ones(len(games))
    if conditions.shared_dice:
        times = np.bincount([game.number for game in games]).astype(float)
    independent = len(games) ** 2 / float((times**2).sum())
    mean = fmean(game.score for game in games)
    return z_test(mean, independent, conditions.value_start, conditions.deviation)


def _lost(people: Sequence[Games], conditions: Conditions) -> Lost | None:
    values = _flat(people)
    if not values:
        return None
    flawless = sum(value <= FLAWLESS for value in values)
    return Lost(fmean(values), _deviation(values), flawless, t_test(_within(people, conditions)))


def _luck(people: Sequence[Games], conditions: Conditions) -> Luck | None:
    values = _flat(people)
    if not values:
        return None
    found = _within(people, conditions)
    return Luck(fmean(values), _deviation(values), found, t_test(found))


def _learning(people: Sequence[Games], conditions: Conditions) -> Learning | None:
    steps: dict[int, list[float]] = {}
    for person in people:
        for number, lost in person.items():
            steps.setdefault(number, []).append(lost)
    if not steps:
        return None
    rows = tuple(LearningStep(number, len(of), fmean(of)) for number, of in sorted(steps.items()))
    slope = _slope(people, conditions)
    return Learning(rows, slope, t_test(slope))


def _slope(people: Sequence[Games], conditions: Conditions) -> Interval | None:
    alone = inference.slope(people)
    shared = inference.slope_same_dice(people) if conditions.shared_dice else None
    if not conditions.sessions:
        return shared if conditions.shared_dice else alone
    sat = slope_by_sessions(people, conditions.sessions)
    return _both(shared, sat, alone) if conditions.shared_dice else sat


def _less_perfect(games: Sequence[TrialGame], conditions: Conditions) -> Games:
    best = conditions.perfect
    return {
        game.number: float(game.score - best[game.number]) for game in games if game.number in best
    }


def _people(people: Sequence[Sequence[TrialGame]], conditions: Conditions) -> tuple[Person, ...]:
    everybody: dict[int, list[int]] = {}
    for game in (game for games in people for game in games):
        everybody.setdefault(game.number, []).append(game.score)
    others = everybody if conditions.shared_dice else {}
    return tuple(_person(games, conditions, others) for games in people)


def _person(
    games: Sequence[TrialGame], conditions: Conditions, everybody: Mapping[int, Sequence[int]]
) -> Person:
    regrets = list(_regrets(games, conditions).values())
    lucks = list(_values(games, "luck").values())
    lost, start = fmean(regrets) if regrets else None, conditions.value_start
    return Person(
        participant=games[0].participant,
        games=len(games),
        mean=fmean(game.score for game in games),
        bonus_share=_with_bonus(games) or 0.0,
        judged=len(regrets),
        lost=lost,
        luck=fmean(lucks) if lucks else None,
        estimate=start - lost if start is not None and lost is not None else None,
        skill=_less(start, inference.interval(regrets)),
        against_others=inference.interval(_less_others(games, everybody)),
        against_perfect=inference.interval(_less_perfect(games, conditions).values()),
    )


def _less_others(
    games: Sequence[TrialGame], everybody: Mapping[int, Sequence[int]]
) -> Iterable[float]:
    """Each score less the mean of the others on the same dice, where there are others."""
    for game in games:
        scores = everybody.get(game.number, ())
        if len(scores) > 1:
            yield game.score - (sum(scores) - game.score) / (len(scores) - 1)
