"""Whether ranges hold what they say: thousands of made-up trials, and how often each covers.

A 95 % range should hold the truth in 95 of 100 trials, and a test at 5 % should find something
where there is nothing in 5 of 100. Where a method does not keep that, the table shows it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from solver.statistics.arm_compare import ArmComparison, Lots
from solver.statistics.arm_figures import AFTER, TRAINING, ArmDesign, ArmDifference, Measure
from solver.statistics.arms import phase_figures
from solver.statistics.estimating import (
    ALL,
    HOLM,
    LOT,
    MAX_T,
    NO_COVARIATE,
    WELCH,
    Estimand,
    PairAnswer,
    answered,
)
from solver.statistics.inference import Interval, t_test
from solver.statistics.student import LEVEL
from solver.statistics.trial import Conditions, analyse
from tests.solver.made_up_trials import (
    COST,
    START,
    MadeUp,
    World,
    learning_curve,
    made_up,
    mean_share,
)

LOTS = 499  # drawn for each made-up trial
NEXT = 50  # games after those that were played

EFFECT = 0.25
PEOPLE = {2: 40, 3: 60}


@dataclass(frozen=True, slots=True)
class TriedRange:
    """A range in one trial, and the truth; whether a test found an effect where there is none, and
    whether it found one where there is one. Of several ranges it is one that misses, if any does.
    """

    about: str
    truth: float
    low: float
    high: float
    false_positive: bool | None = None
    found: bool | None = None


@dataclass(frozen=True, slots=True)
class Covered:
    """``false_positives``: share of trials in which an effect was found where there is none;
    ``power``: of those with an effect, in which one was found."""

    world: str
    about: str
    trials: int
    nominal: float
    covered: float
    half: float
    false_positives: float | None
    power: float | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    world: World
    tries: Callable[[MadeUp], Iterator[TriedRange]]


def coverage(trials: int, seed: int, only: str = "") -> Iterator[Covered]:
    """A line for every range in every world whose name begins so."""
    chosen = [one for one in SCENARIOS if one.name.startswith(only)]
    for scenario in chosen:
        rng = np.random.default_rng([seed, SCENARIOS.index(scenario)])
        found: dict[str, list[TriedRange]] = {}
        for _trial in range(trials):
            for tried in scenario.tries(made_up(scenario.world, rng)):
                found.setdefault(tried.about, []).append(tried)
        yield from (_covered(scenario.name, about, of) for about, of in found.items())


def _covered(world: str, about: str, of: list[TriedRange]) -> Covered:
    truths, lows, highs = (
        np.array([getattr(one, name) for one in of]) for name in ("truth", "low", "high")
    )
    return Covered(
        world,
        about,
        len(of),
        LEVEL,
        float(np.mean((lows <= truths) & (truths <= highs))),
        float(np.mean(highs - lows) / 2),
        _share([one.false_positive for one in of]),
        _share([one.found for one in of]),
    )


def _share(of: Sequence[bool | None]) -> float | None:
    told = [one for one in of if one is not None]
    return sum(told) / len(told) if told else None


# One group of people


def _survey(made: MadeUp, *, sittings: bool = True, named: str = "") -> Iterator[TriedRange]:
    """The results of a trial without arms, as they stand."""
    world = made.world
    games = made.trial_games(sittings=sittings)
    found = analyse(games, Conditions(START, shared_dice=world.shared_dice))
    these, others = START - _of_these(made), START - _of_others(world)
    for name, estimate in (("mean score", found.raw), ("skill", found.skill)):
        if estimate and estimate.these_people_alike and estimate.people_like_these:
            yield _tried(f"{name}, these people{named}", these, estimate.these_people_alike)
            if not named:
                yield _tried(f"{name}, people like these", others, estimate.people_like_these)
    if found.learning and found.learning.slope:
        yield _slope(made, f"slope of learning{named}", found.learning.slope)


def _learners(made: MadeUp) -> Iterator[TriedRange]:
    """The range is about the games that were played, not about those to come."""
    for tried in _survey(made):
        yield tried
        if tried.about == "skill, these people":
            about = "the same, taken for the next games"
            yield replace(tried, about=about, truth=START - _later(made, NEXT))


def _later(made: MadeUp, games: int) -> float:
    world = made.world
    later = learning_curve(world, world.games + games)[world.games :]
    return float(made.levels.mean() * later.mean())


def _sitters(made: MadeUp) -> Iterator[TriedRange]:
    """As results are, which know the sittings, and as they would be if nobody did."""
    yield from _survey(made)
    yield from _survey(made, sittings=False, named=", games one by one")


def _of_these(made: MadeUp) -> float:
    """Everybody counts the same, however many games they have played."""
    shares = made.played / made.played.sum(1, keepdims=True)
    return float((made.expected * shares).sum(1).mean())


def _of_others(world: World) -> float:
    return COST * float(learning_curve(world, world.games).mean())


def _slope(made: MadeUp, about: str, found: Interval) -> TriedRange:
    """The truth is the line through what the games cost on average."""
    across = upwards = 0.0
    for costs, played in zip(made.expected, made.played, strict=True):
        numbers = np.flatnonzero(played).astype(float)
        numbers -= numbers.mean()
        across += float(numbers @ numbers)
        upwards += float(numbers @ costs[played])
    test = t_test(found)
    wrong = None if made.world.learning or test is None else test.p < 1 - LEVEL
    return TriedRange(about, upwards / across, found.low, found.high, wrong)


def _tried(about: str, truth: float, found: Interval) -> TriedRange:
    return TriedRange(about, truth, found.low, found.high)


# Arms

MEASURED: Mapping[Measure, str] = {"cost_a_decision": "cost a decision", "score": "score"}


def _arms(made: MadeUp) -> Iterator[TriedRange]:
    """The difference that the arm makes, by the lot and by the model."""
    world = made.world
    outcome = AFTER if world.before else TRAINING
    design = ArmDesign(("off", "on"), outcome, world.within, world.shared_dice)
    games, people = made.arm_games(), {one.person: one for one in made.arm_people()}
    for measure, name in MEASURED.items():
        by = ArmComparison(people, design, Lots(LOTS, seed=0))
        figures = phase_figures(games, by, design.outcome, measure)
        for found in figures.comparisons:
            yield from _differences(made, measure, name, found)


def _differences(
    made: MadeUp, measure: Measure, name: str, found: ArmDifference
) -> Iterator[TriedRange]:
    scale = mean_share() if measure == "cost_a_decision" else -1.0
    helped = -made.world.effect * float(made.learnt[made.world.before :].mean())
    none = made.world.effect == 0
    lot, model = found.lot, found.model
    if lot and lot.low is not None and lot.high is not None:
        truth = scale * helped * float(made.levels.mean())
        wrong = lot.p <= 1 - LEVEL if none else None
        yield TriedRange(f"{name}, these people, by lot", truth, lot.low, lot.high, wrong)
    if model and found.test:
        wrong = found.test.p <= 1 - LEVEL if none else None
        truth = scale * helped * COST
        yield TriedRange(
            f"{name}, people like these, by model", truth, model.low, model.high, wrong
        )


# Arms, as an estimand compares them: of several pairs a trial has found something false where it
# found any difference between two arms that are the same, and its ranges hold where all of them do.

_Told = tuple[PairAnswer, float, float]  # with its ends

USUAL = Estimand(pairs=ALL, measure="cost", covariate=NO_COVARIATE)
WAYS: Mapping[str, Estimand] = {
    "cost a game, all pairs, largest by lot": replace(USUAL, test=LOT, multiplicity=MAX_T),
    "cost a game, all pairs, Welch and Holm": replace(USUAL, test=WELCH, multiplicity=HOLM),
}


def estimand_worlds() -> Iterator[tuple[str, World]]:
    """With three arms the third does nothing, so that one pair in three is never different."""
    kinds = {
        "": {},
        ", learning": {"learning": 0.4},
        ", unequal games": {"fewest": 2},
        ", the weak drop out": {"fewest": 0, "weak_leave": True},
    }
    for arms, people in PEOPLE.items():
        plain = World(people=people, games=10, arms=True, further=(0.0,) * (arms - 2))
        for kind, changed in kinds.items():
            for effect, told in ((0.0, "no effect"), (EFFECT, "an effect")):
                world = replace(plain, effect=effect, **changed)  # type: ignore[arg-type]
                yield f"{arms} arms, {told}{kind}", world
    within = World(people=20, games=20, arms=True, within=True)
    for carry in (0.0, 0.5):
        for effect, told in ((0.0, "no effect"), (EFFECT, "an effect")):
            if carry and not effect:
                continue  # nothing is left behind by what does nothing
            named = ", half of it carried over" if carry else ""
            yield f"within people, {told}{named}", replace(within, effect=effect, carry=carry)


def estimands_tried(made: MadeUp) -> Iterator[TriedRange]:
    world = made.world
    design = ArmDesign(world.names, TRAINING, world.within, world.shared_dice)
    games, people = made.arm_games(), {one.person: one for one in made.arm_people()}
    for about, estimand in WAYS.items():
        pairs = answered(estimand, games, people, design, Lots(LOTS)).pairs
        told = [
            (pair, pair.low, pair.high)
            for pair in pairs
            if pair.low is not None and pair.high is not None
        ]
        if told:
            yield _family(about, told, _truths(made))


def _truths(made: MadeUp) -> Mapping[str, float]:
    """What each arm makes of the cost of those who played, as the mean of their own games."""
    played = made.played[:, made.world.before :]
    counted = played.any(1)
    shares = played[counted] / played[counted].sum(1, keepdims=True)
    learnt = made.learnt[made.world.before :]
    usual = float((made.levels[counted] * (shares @ learnt)).mean())
    effects = zip(made.world.names, made.world.effects, strict=True)
    return {name: usual * (1 - effect) for name, effect in effects}


def _family(about: str, pairs: Sequence[_Told], truths: Mapping[str, float]) -> TriedRange:
    tried = [(told, truths[told[0].arm] - truths[told[0].beside]) for told in pairs]
    same = [told[0].different for told, true in tried if true == 0]
    other = [told[0].different for told, true in tried if true != 0]
    missed = [(told, true) for told, true in tried if true not in told[0]]
    (_pair, low, high), true = (missed or tried)[0]
    found = any(other) if other else None
    return TriedRange(about, true, low, high, any(same) if same else None, found)


TWO_ARMS = World(people=40, games=10, arms=True, effect=0.25)

SCENARIOS = (
    Scenario("own dice", World(), _survey),
    Scenario("shared dice", World(shared_dice=True), _survey),
    Scenario("learning", World(learning=0.4), _learners),
    Scenario("unequal games", World(fewest=5), _survey),
    Scenario("sessions", World(days=0.2), _sitters),
    Scenario("arms, own dice", TWO_ARMS, _arms),
    Scenario("arms, no effect", replace(TWO_ARMS, effect=0.0), _arms),
    Scenario("arms, shared dice", replace(TWO_ARMS, shared_dice=True), _arms),
    Scenario("arms, 5 games before", replace(TWO_ARMS, before=5), _arms),
    Scenario("arms, learning", replace(TWO_ARMS, learning=0.4), _arms),
    Scenario("arms, sessions", replace(TWO_ARMS, days=0.2, sitting=5), _arms),
    Scenario("arms, the weak play less", replace(TWO_ARMS, fewest=2, weak_leave=True), _arms),
    Scenario("arms, 8 people", replace(TWO_ARMS, people=8), _arms),
    Scenario("arms within people", replace(TWO_ARMS, people=20, games=20, within=True), _arms),
    *(Scenario(name, world, estimands_tried) for name, world in estimand_worlds()),
)
