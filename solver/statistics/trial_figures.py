"""The games of a trial as the statistics take them, and the figures that they give."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from solver.statistics.inference import Interval, Significance
from solver.statistics.tens import Ten

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
    """What perfect play is good for, and whether the games with one number had the same dice.

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
    """Of the average score over endless games: of these people, and of people like these.

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
        """What is told first: everybody counts the same, however many games they have played."""
        return self.of_people


@dataclass(frozen=True, slots=True)
class Lost:
    """What decisions cost a game; ``flawless`` games lost nothing."""

    mean: float
    deviation: float | None
    flawless: int
    test: Significance | None


@dataclass(frozen=True, slots=True)
class Luck:
    """What the dice brought a game, which is 0 on average for everybody."""

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
        """As plain data, for JSON."""
        return asdict(self)
