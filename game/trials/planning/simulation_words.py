"""The results of a simulation in words, always with how far they may be off by chance."""

from collections.abc import Iterator
from dataclasses import dataclass

from game.core.words.phrases import percent, points, share
from game.trials.planning.one_trial import EFFECT, KEPT, NONE
from game.trials.planning.simulation import Simulation, WorldTallies
from solver.statistics.tallies import TrialTally


@dataclass(frozen=True, slots=True)
class SimulationWords:
    of: Simulation

    @property
    def sentences(self) -> list[str]:
        if not self.of.trials:
            return list(self._carried_over())
        return [
            *self._found(),
            *self._false_findings(),
            *self._half(),
            *self._carried_over(),
            *self._how_sure(),
        ]

    @property
    def progress(self) -> str:
        return f"Simulated so far: {self.of.trials} of about {self.of.needed} trials."

    def _found(self) -> Iterator[str]:
        world = self.of.worlds.get(EFFECT)
        if world is None:
            return
        effect = {"points": points(self.of.trial.effect or 0.0)}
        if self.of.trial.arms == 2:
            text = (
                "By this design a difference of %(points)s points a game is found in %(share)s of"
                " simulated trials."
            )
            yield text % (effect | {"share": _share(world.found)})
            return
        text = (
            "By this design an arm that is %(points)s points a game better than the first is found"
            " in %(share)s of simulated trials, at least one of them in %(any)s."
        )
        yield text % (effect | {"share": _share(world.found), "any": _share(world.any_found)})

    def _false_findings(self) -> Iterator[str]:
        found = {"share": _share(self.of.worlds[NONE].any_found)}
        yield "Where no arm makes a difference, one is found in {share}.".format(**found)
        if self.of.trial.arms > 2 and not self.of.trial.together:
            yield "That is with each difference for itself; results allow for several arms."

    def _half(self) -> Iterator[str]:
        world = self._asked
        people, half = world.people.mean, world.half
        if half.mean is None or people is None:
            yield "So few people cannot tell a difference."
            return
        text = (
            "The 95 %% range of a difference reaches %(half)s points a game to either side, and"
            " %(people)s of %(all)s people count in it, both on average."
        )
        facts = {"half": _points(half), "people": points(people), "all": self.of.trial.people}
        yield text % facts

    @property
    def _asked(self) -> WorldTallies:
        return self.of.worlds.get(EFFECT) or self.of.worlds[NONE]

    def _carried_over(self) -> Iterator[str]:
        """Yield sentences about carry-over in a crossover."""
        if not self.of.trial.within:
            return
        yield (
            "A person once coached goes on knowing it: silent games after coached ones are not"
            " as silent as those before them, and the difference comes out too small."
        )
        world, effect = self.of.worlds.get(KEPT), self.of.trial.effect
        if world is None or effect is None or world.gained.mean is None:
            return
        bias = points(world.gained.mean - effect)
        yield (
            f"Were half of the effect kept, {_points(world.gained)} points a game would be "
            "found on average"
            f" instead of {points(effect)}: a bias of {bias} points."
        )

    def _how_sure(self) -> Iterator[str]:
        yield (
            f"So say {self.of.trials} simulated trials: every ± is how far that may be from "
            "what endless"
            " ones would say, in 95 of 100 cases."
        )


def not_precise() -> str:
    return "The time was over before that was known more closely. With more it goes on from here."


def _share(of: TrialTally) -> str:
    told = {"share": percent(of.mean or 0.0), "margin": share(points(100 * of.share_margin))}
    return "{share} (± {margin})".format(**told)


def _points(of: TrialTally) -> str:
    told = {"points": points(of.mean or 0.0), "margin": points(of.margin or 0.0, 2)}
    return "{points} (± {margin})".format(**told)
