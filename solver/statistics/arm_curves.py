"""How arms learn: what decisions cost game by game, and whether one arm learns faster."""

from collections.abc import Mapping, Sequence

import numpy as np

from solver.statistics.arm_compare import ArmComparison, compared
from solver.statistics.arm_figures import (
    TRAINING,
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmPerson,
    Curve,
    CurveStep,
)
from solver.statistics.arm_levels import Levels
from solver.statistics.chi_squared import Floats
from solver.statistics.inference import interval

LEAST_GAMES = 3  # of a person, for a line through them to say anything


def curves(games: Sequence[ArmGame], by: ArmComparison) -> tuple[Curve, ...]:
    """Each arm's games of the training phase, by their number within it."""
    found, played = [], _by_person(games, by.design).items()
    for arm in by.design.arms:
        of = [own for own in played if _is_in(own[0], arm, by.people)]
        found.append(_curve(arm, [costs for _key, costs in of]))
    return tuple(found)


def slopes(games: Sequence[ArmGame], by: ArmComparison) -> tuple[ArmDifference, ...]:
    """By how much faster an arm learns; where everybody is in every arm, order blurs that."""
    if by.design.within:
        return ()
    steep = {who: _slope(costs) for (who, _arm), costs in _by_person(games, by.design).items()}
    known = {who: value for who, value in steep.items() if value is not None}
    return compared(Levels.of_values(known), by)


def _by_person(
    games: Sequence[ArmGame], design: ArmDesign
) -> Mapping[tuple[str, str], Sequence[float]]:
    """Costs in the order of play, by person, and within people by condition too."""
    found: dict[tuple[str, str], list[float]] = {}
    for game in sorted(games, key=lambda game: game.number):
        if game.phase == TRAINING and game.regret is not None:
            key = game.person, game.arm if design.within else ""
            found.setdefault(key, []).append(game.regret)
    return found


def _is_in(key: tuple[str, str], arm: str, people: Mapping[str, ArmPerson]) -> bool:
    who, condition = key
    return (condition or people[who].arm) == arm


def _curve(arm: str, people: Sequence[Sequence[float]]) -> Curve:
    steps = []
    for number in range(max(map(len, people), default=0)):
        costs = [own[number] for own in people if len(own) > number]
        mean = float(np.mean(costs))
        steps.append(CurveStep(number + 1, len(costs), mean, interval(costs)))
    known = [steep for own in people if (steep := _slope(own)) is not None]
    return Curve(arm, tuple(steps), interval(known))


def _slope(costs: Sequence[float]) -> float | None:
    if len(costs) < LEAST_GAMES:
        return None
    numbers: Floats = np.arange(len(costs), dtype=np.float64) - (len(costs) - 1) / 2
    return float(numbers @ np.array(costs)) / float(numbers @ numbers)
