"""A simulation as the page shows it, while it is worked out and afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.trials.planning.background import AwaitedSimulation
from game.trials.planning.simulation import LEAST
from game.trials.planning.simulation_words import SimulationWords, not_precise


@dataclass(frozen=True, slots=True)
class SimulationPage:
    """``words``: the options by which the command goes on with it."""

    awaited: AwaitedSimulation
    words: Sequence[str]

    @property
    def sentences(self) -> list[str]:
        """Of very few trials nothing is said yet."""
        found = self.awaited.so_far
        if not self.awaited.over and found.trials < LEAST:
            return []
        told = SimulationWords(found).sentences
        return told if found.precise or not self.awaited.over else [*told, not_precise()]

    @property
    def progress(self) -> str:
        return SimulationWords(self.awaited.so_far).progress

    @property
    def command(self) -> str:
        return " ".join(["manage.py trial_plan", *self.words])
