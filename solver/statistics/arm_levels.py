"""What each person is worth in a phase: the mean of their games, without what the dice share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from solver.statistics.arm_figures import ArmGame, Measure
from solver.statistics.chi_squared import Floats

ROUNDS = 500  # of taking means off people and dice in turns; complete tables need one
SETTLED = 1e-10


@dataclass(frozen=True, slots=True)
class Levels:
    """``noise``: the variance of a game about its person's level (and the worth of its dice).

    ``left[i, d]`` is what is left then of the game of person i on the dice d, ``seen`` whether
    there was one; both are empty where everybody's dice were their own.
    """

    people: tuple[str, ...]
    values: Floats
    games: Floats
    noise: float
    seen: Floats
    left: Floats

    @classmethod
    def of_values(cls, values: Mapping[str, float]) -> "Levels":
        """One value a person, of which no games are known."""
        alone = np.empty((len(values), 0))
        found = np.array(list(values.values()))
        return cls(tuple(values), found, np.ones(len(values)), 0.0, alone, alone)

    def by_person(self) -> dict[str, float]:
        return dict(zip(self.people, self.values.tolist(), strict=True))


def levels_of(games: Iterable[ArmGame], measure: Measure, *, shared_dice: bool) -> Levels:
    """On shared dice every value is first freed of what its dice were worth to all."""
    known = [(game.person, game.deal, game.measured(measure)) for game in games]
    rows = [(who, deal, value) for who, deal, value in known if value is not None]
    return _on_shared_dice(rows) if shared_dice else _on_own_dice(rows)


def _on_own_dice(rows: Sequence[tuple[str, str, float]]) -> Levels:
    values: dict[str, list[float]] = {}
    for who, _deal, value in rows:
        values.setdefault(who, []).append(value)
    of = [np.array(one) for one in values.values()]
    spare = sum(map(len, of)) - len(of)
    noise = sum(float(one.var()) * len(one) for one in of) / spare if spare else 0.0
    means, games = np.array([one.mean() for one in of]), np.array([len(one) for one in of], float)
    none = np.empty((len(of), 0))
    return Levels(tuple(values), means, games, noise, none, none)


def _on_shared_dice(rows: Sequence[tuple[str, str, float]]) -> Levels:
    people = _numbered(who for who, _deal, _value in rows)
    deals = _numbered(deal for _who, deal, _value in rows)
    seen, values = np.zeros((2, len(people), len(deals)))
    for who, deal, value in rows:
        seen[people[who], deals[deal]] = 1.0
        values[people[who], deals[deal]] = value
    persons, worth = _apart(seen, values)
    left = seen * (values - persons[:, None] - worth[None, :])
    spare = int(seen.sum()) - len(people) - len(deals) + 1
    noise = float((left**2).sum()) / spare if spare > 0 else 0.0
    return Levels(tuple(people), persons, seen.sum(1), noise, seen, left)


def _numbered(names: Iterable[str]) -> Mapping[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def _apart(seen: Floats, values: Floats) -> tuple[Floats, Floats]:
    """People's levels and the worth of dice, by least squares; the worth is 0 on average."""
    if not seen.size:
        return np.empty(seen.shape[0]), np.empty(seen.shape[1])
    persons, worth = np.zeros(seen.shape[0]), np.zeros(seen.shape[1])
    for _round in range(ROUNDS):
        before = persons
        persons = (seen * (values - worth)).sum(1) / seen.sum(1)
        worth = (seen * (values - persons[:, None])).sum(0) / seen.sum(0)
        if np.abs(persons - before).max() <= SETTLED * max(1.0, float(np.abs(persons).max())):
            break
    return persons + worth.mean(), worth - worth.mean()
