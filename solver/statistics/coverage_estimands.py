"""Made-up trials whose arms an estimand compares: all ranges at once, and every false finding.

Of several pairs a trial has found something false where it found any difference between two arms
that are the same (the family-wise error), and its ranges hold where all of them do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from solver.statistics.arm_compare import Lots
from solver.statistics.arm_figures import TRAINING, ArmDesign
from solver.statistics.estimand import ALL, HOLM, LOT, MAX_T, NO_COVARIATE, WELCH, Estimand
from solver.statistics.estimating import PairAnswer, answered
from solver.statistics.made_up import MadeUp, World

LOTS = 499  # drawn for each made-up trial
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
