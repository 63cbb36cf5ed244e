"""What a simulation says, in words: always with how far it may be from the truth by itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.trials.planning.one_trial import EFFECT, KEPT, NONE
from game.trials.planning.simulation import Simulation, WorldTallies
from game.words.phrases import percent, points, share
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
        text = _("Simulated so far: %(trials)s of about %(needed)s trials.")
        return text % {"trials": self.of.trials, "needed": self.of.needed}

    def _found(self) -> Iterator[str]:
        world = self.of.worlds.get(EFFECT)
        if world is None:
            return
        effect = {"points": points(self.of.trial.effect or 0.0)}
        if self.of.trial.arms == 2:
            text = _(
                "By this design a difference of %(points)s points a game is found in %(share)s of"
                " simulated trials."
            )
            yield text % (effect | {"share": _share(world.found)})
            return
        text = _(
            "By this design an arm that is %(points)s points a game better than the first is found"
            " in %(share)s of simulated trials, at least one of them in %(any)s."
        )
        yield text % (effect | {"share": _share(world.found), "any": _share(world.any_found)})

    def _false_findings(self) -> Iterator[str]:
        found = {"share": _share(self.of.worlds[NONE].any_found)}
        yield _("Where no arm makes a difference, one is found in %(share)s.") % found
        if self.of.trial.arms > 2 and not self.of.trial.together:
            yield _("That is with each difference for itself; results allow for several arms.")

    def _half(self) -> Iterator[str]:
        world = self._asked
        people, half = world.people.mean, world.half
        if half.mean is None or people is None:
            yield _("So few people cannot tell a difference.")
            return
        text = _(
            "The 95 %% range of a difference reaches %(half)s points a game to either side, and"
            " %(people)s of %(all)s people count in it, both on average."
        )
        facts = {"half": _points(half), "people": points(people), "all": self.of.trial.people}
        yield text % facts

    @property
    def _asked(self) -> WorldTallies:
        return self.of.worlds.get(EFFECT) or self.of.worlds[NONE]

    def _carried_over(self) -> Iterator[str]:
        """Of those who play every arm."""
        if not self.of.trial.within:
            return
        yield _(
            "Whoever has been coached goes on knowing it: silent games after coached ones are not"
            " as silent as those before them, and the difference comes out too small."
        )
        world, effect = self.of.worlds.get(KEPT), self.of.trial.effect
        if world is None or effect is None or world.gained.mean is None:
            return
        text = _(
            "Were half of the effect kept, %(found)s points a game would be found on average"
            " instead of %(points)s: a bias of %(bias)s points."
        )
        bias = points(world.gained.mean - effect)
        yield text % {"found": _points(world.gained), "points": points(effect), "bias": bias}

    def _how_sure(self) -> Iterator[str]:
        text = _(
            "So say %(trials)s simulated trials: every ± is how far that may be from what endless"
            " ones would say, in 95 of 100 cases."
        )
        yield text % {"trials": self.of.trials}


def not_precise() -> str:
    return _(
        "The time was over before that was known more closely. With more it goes on from here."
    )


def _share(of: TrialTally) -> str:
    told = {"share": percent(of.mean or 0.0), "margin": share(points(100 * of.share_margin))}
    return _("%(share)s (± %(margin)s)") % told


def _points(of: TrialTally) -> str:
    told = {"points": points(of.mean or 0.0), "margin": points(of.margin or 0.0, 2)}
    return _("%(points)s (± %(margin)s)") % told
