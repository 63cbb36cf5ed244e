"""A policy of anybody's, graded as docs/benchmark.md says: a row of the board."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solver.arena.benchmark import (
    FIXED,
    PROTOCOL,
    BadRow,
    BoardRow,
    GradedRun,
    Point,
    curve_of,
    read_curve,
)
from solver.arena.contestants import Contestant, find_contestant
from solver.arena.grading import GradedPlayer, graded, kinds_of
from solver.arena.illegal import Disqualified
from solver.arena.programs import USUAL, Limits
from solver.players import Agent, Tabular, estimates, network
from solver.players.files import BadLearned, opened
from solver.players.learned import NetworkPlay
from solver.rules import IllegalAction, Ruleset

SEED = 20_261_123  # of the dice for all who have no table of their decisions
PLAYED = 10_000  # games of theirs


@dataclass(frozen=True)
class Submission:
    """A policy in ``paths`` for each of the ``seeds``; ``curves`` are files of those that bring
    none. Without ``games`` whoever has a table of its decisions is graded exactly."""

    rules: Ruleset
    knew: str
    paths: Sequence[str]
    seeds: Sequence[int]
    curves: Sequence[Path] = ()
    games: int | None = None
    name: str = ""
    by: str = ""
    about: str = ""
    limits: Limits = USUAL

    def row(self, tell: Callable[[str], None] = lambda _: None) -> BoardRow:
        if len(self.seeds) != len(self.paths) or len(self.curves) not in (0, len(self.paths)):
            raise BadRow("name a seed for each policy, and a curve for each or for none")
        policies, runs, optimum = [], [], 0.0
        with ExitStack() as opened_here:
            for path in self.paths:
                policies.append(policy_at(path, self.rules, self.limits))
                opened_here.callback(policies[-1].contestant.close)
            curves = [self._curve(n, policy) for n, policy in enumerate(policies)]
            for seed, policy, curve in zip(self.seeds, policies, curves, strict=True):
                tell(f"grading {policy.contestant.name}")
                grade = _graded(policy.contestant, self.rules, self.games)
                runs.append(_run(grade, seed, policy.digest, curve))
                optimum = grade.optimum
        name = self.name or policies[0].contestant.name
        about = (name, self.knew, self.rules.id, self.by, self.about)
        return BoardRow(PROTOCOL, *about, optimum, kinds_of(self.rules), tuple(runs))

    def _curve(self, number: int, policy: "SubmittedPolicy") -> tuple[Point, ...]:
        curve = read_curve(self.curves[number]) if self.curves else policy.curve
        if self.knew == FIXED:
            return ()
        if not curve:
            raise BadRow(f"{self.paths[number]} learned and brings no curve: --curve names a file")
        return curve


@dataclass(frozen=True)
class SubmittedPolicy:
    """``curve`` is what its file tells of itself, ``digest`` a fingerprint of the file."""

    contestant: Contestant
    digest: str = ""
    curve: tuple[Point, ...] = ()


def policy_at(path: str, rules: Ruleset, limits: Limits = USUAL) -> SubmittedPolicy:
    if path.endswith(".npz"):
        return _of_file(Path(path), rules)
    return SubmittedPolicy(find_contestant(path, rules, limits))


def _of_file(path: Path, rules: Ruleset) -> SubmittedPolicy:
    with opened(path, "") as (facts, _):
        kind, ruleset, curve = facts["kind"], facts.get("ruleset"), facts.get("curve", [])
    open_it = _readers().get(kind)
    if open_it is None:
        raise BadLearned(f"{path} holds {kind}, which does not play")
    if ruleset != rules.id:
        raise BadLearned(f"{path} was learned for {ruleset}, not for {rules.id}: see --ruleset")
    contestant = Contestant(path.stem, open_it(path, rules))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return SubmittedPolicy(contestant, digest, curve_of(curve, str(path)))


def _readers() -> dict[Any, Callable[[Path, Ruleset], Agent]]:
    """By what a file says that it holds."""
    from solver.learning.baselines import single_head  # loads Gymnasium, where that is installed

    return {
        network.POLICY: lambda path, _: NetworkPlay(network.read(path)),
        estimates.KIND: estimates.greedy_by,
        single_head.KIND: lambda path, _: single_head.read_single_head(path),
    }


def _graded(contestant: Contestant, rules: Ruleset, games: int | None) -> GradedPlayer:
    agent = contestant.agent
    contestant.tell("sit_down", rules, 1)
    asked = games or (None if isinstance(agent, Tabular) else PLAYED)
    try:
        return graded(contestant.name, agent, rules, games=asked, seed=SEED)
    except IllegalAction as error:
        raise Disqualified(f"{contestant.name} did what the rules forbid: {error}") from None
    except Disqualified as error:
        raise Disqualified(f"{contestant.name} {error.reason}") from None


def _run(grade: GradedPlayer, seed: int, digest: str, curve: tuple[Point, ...]) -> GradedRun:
    """Its mean is not that of its games: whatever was luck in them is not in what was lost."""
    return GradedRun(
        seed,
        digest,
        grade.how,
        grade.games,
        grade.optimum - grade.regret,
        grade.error,
        grade.scores.deviation,
        grade.scores.bonus_probability,
        tuple(grade.tally.regret.sum(axis=0).tolist()),
        curve,
    )
