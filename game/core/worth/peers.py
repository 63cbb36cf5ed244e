"""The losses of players of a grade, in every place of the tree of ``leaks``.

They are bots that err as people do (``solver.players.erring``): an option is drawn the less often
the more it costs, at one temperature for each grade, the one at which a bot loses about as many
points a decision as the middle of the grade. People who lose as much differ in how: so do others
of these bots, that err in a half, a quarter or an eighth of their decisions and the more there. A
place has the mean of all four, and how far a player lies from it who is none of them.

Nobody is the middle of a grade: somebody is compared with ``alike``, between two grades, who lose
as much in all. ``./yatzy leak_peers`` has them play and writes the file of a ruleset; it is a
file of the repository, always the same one as long as numpy draws the same numbers from a seed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log, sqrt
from pathlib import Path as FilePath

import numpy as np

from game.core.worth.leak_tree import Misplay, Path, averaged, slips, summed
from game.core.worth.severity import FLAWLESS, GRADES, Grade, decisions_of
from game.core.worth.skill import Moments
from game.data import path_of
from solver.advice import Advisor, is_mistake
from solver.arena.match import at_random, play_out
from solver.dp.arrays import Floats
from solver.players.agent import Agent
from solver.players.erring import Erring
from solver.rules import Ruleset
from solver.statistics.inference import NOTHING

SEED = 1952
GAMES = 1000  # of every grade
TRIED = 40  # games a temperature, to find those of the grades
TEMPERATURES = tuple(0.02 * 1.6**step for step in range(13))
SELDOM = (0.5, 0.25, 0.125)  # in so many of their decisions others err, at other temperatures,
HOTTER = tuple(0.02 * 2.5**step for step in range(10))  # which are these,
FEWER = 4  # in so many times fewer games
# The middle of a grade: of its two ends as a ratio, and for the two without a second end this.
BEST_OF, WORST_OF = 0.5, 1.5
LEAST = 0.005  # points a game: what no grade loses as much of is not written
DIGITS = 4

ERRING = GRADES[1:]  # who has any mistakes to compare
NEXT_TO_NOTHING = LEAST / 5  # points a game: what a place without a line is taken to lose


@dataclass(frozen=True, slots=True)
class Usual:
    """Points a game in a place: the mean, and how far players lie from it who err otherwise."""

    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class Peers:
    """``rating`` is what they lose a decision, ``temperature`` that of the bots that they are, and
    ``deviation`` how what they lose varies from game to game, of all four kinds."""

    games: int
    rating: float
    temperature: float
    deviation: float
    lost: Mapping[Path, Usual]

    def at(self, path: Path) -> Usual:
        """Return the loss there; tiny ones count as 0."""
        return self.lost.get(path, Usual(0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Alike:
    """The bots that lose as many points per game as a player, interpolated between two grades."""

    total: float
    fewer: Peers
    more: Peers

    def at(self, path: Path) -> Usual:
        fewer, other = self.fewer.at(path), self.more.at(path)
        mean = _floored(fewer.mean) * self._times ** self._power(path)
        ends = [usual.spread / _floored(usual.mean) for usual in (fewer, other)]
        share = min(1.0, max(0.0, log(self._times) / self._apart))
        return Usual(mean, mean * (ends[0] + share * (ends[1] - ends[0])))

    def slope(self, path: Path) -> float:
        """Return how much more is lost there per point of the total loss."""
        return self.at(path).mean * self._power(path) / self.total

    def _power(self, path: Path) -> float:
        ends = (_floored(theirs.at(path).mean) for theirs in (self.more, self.fewer))
        return (log(next(ends)) - log(next(ends))) / self._apart

    @property
    def _times(self) -> float:
        return self.total / self.fewer.at(()).mean

    @property
    def _apart(self) -> float:
        return log(self.more.at(()).mean / self.fewer.at(()).mean)


def _floored(points: float) -> float:
    return max(points, NEXT_TO_NOTHING)


def alike(rules: Ruleset, total: float) -> Alike | None:
    """Return peers who lose as much; None if none were simulated, or for a player who loses
    nothing."""
    known = [theirs for theirs in peers(rules).values() if theirs.lost]
    if not known or not is_mistake(total):
        return None
    nearest = ((lower, other) for lower, other in pairwise(known) if total < other.at(()).mean)
    return Alike(total, *next(nearest, (known[-2], known[-1])))


def file_of(rules: Ruleset) -> FilePath:
    return path_of("leak_peers", rules, "json")


@cache
def peers(rules: Ruleset) -> Mapping[str, Peers]:
    """Return the bots' losses by grade; empty if they were never played. Flawless play needs no
    games."""
    if not file_of(rules).exists():
        return {}
    stored = json.loads(file_of(rules).read_text(encoding="utf-8"))
    games = stored["games"]
    rates = stored["temperatures"]
    by_grade = {FLAWLESS.id: Peers(games, 0.0, rates[ERRING[0].id], 0.0, {})}
    for at, grade in enumerate(stored["grades"]):
        losses = {
            tuple(name.split(".")) if name else (): Usual(*usual[at])
            for name, usual in stored["lost"].items()
        }
        rating, deviation = losses[()].mean / decisions_of(rules), stored["deviations"][grade]
        by_grade[grade] = Peers(games, rating, rates[grade], deviation, losses)
    return by_grade


def erring(grade: Grade) -> Grade:
    """Return the grade whose mistakes are compared with this grade; a flawless player gets the
    next one."""
    return ERRING[0] if grade == FLAWLESS else grade


def middle(grade: Grade) -> float:
    """Return the points lost per decision in the middle of a grade."""
    ends = [grade_below.below for grade_below in ERRING]
    at = ends.index(grade.below)
    if not at:
        return grade.below * BEST_OF
    below = ends[at - 1]
    return below * WORST_OF if at == len(ends) - 1 else sqrt(below * grade.below)


def made(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """Return the text of the file; the advisor had better be compiled."""
    rng = np.random.default_rng(seed)
    tried = [played(advisor, heat, TRIED, rng)[0] for heat in TEMPERATURES]
    heats = {grade.id: temperature_for(middle(grade), tried) for grade in ERRING}
    always = {grade: played(advisor, heat, games, rng)[1] for grade, heat in heats.items()}
    seldom = [_seldom(advisor, rate, always, games, rng) for rate in SELDOM]
    kinds = {
        grade: [losses, *(others[grade] for others in seldom if grade in others)]
        for grade, losses in always.items()
    }
    usual = [_usual(players) for players in kinds.values()]
    document = {
        "games": games,
        "grades": list(heats),
        "temperatures": {grade: round(heat, DIGITS) for grade, heat in heats.items()},
        "deviations": {
            grade: round(_deviation(players), DIGITS) for grade, players in kinds.items()
        },
    }
    lines = ",\n".join(_lines(usual))
    return f'{json.dumps(document, indent=1)[:-2]},\n "lost": {{\n{lines}\n }}\n}}\n'


def _seldom(
    advisor: Advisor,
    rate: float,
    always: Mapping[str, Mapping[Path, Moments]],
    games: int,
    rng: np.random.Generator,
) -> dict[str, dict[Path, Moments]]:
    """Return the loss of each grade that fewer mistakes can reach, with the same total."""
    tried = [played(advisor, heat, TRIED, rng, rate)[0] for heat in HOTTER]
    seldom = {}
    for grade, losses in always.items():
        rating = losses[()].mean / decisions_of(advisor.rules)
        if rating < max(tried):
            heat = temperature_for(rating, tried, HOTTER)
            theirs = played(advisor, heat, max(TRIED, games // FEWER), rng, rate)[1]
            seldom[grade] = _scaled(theirs, losses[()].mean / theirs[()].mean)
    return seldom


def _scaled(losses: Mapping[Path, Moments], factor: float) -> dict[Path, Moments]:
    return {
        path: Moments(m.count, factor * m.mean, factor**2 * m.square) for path, m in losses.items()
    }


def _usual(players: Sequence[Mapping[Path, Moments]]) -> dict[Path, Usual]:
    """Return the mean of the players, and how far apart they are beyond what chance did to each."""
    usual = {}
    for path in {path for losses in players for path in losses}:
        theirs = [losses.get(path, Moments(losses[()].count, 0.0, 0.0)) for losses in players]
        means = [moments.mean for moments in theirs]
        noise = sum(moments.deviation**2 / moments.count for moments in theirs) / len(theirs)
        apart = float(np.var(means, ddof=1)) if len(players) > 1 else 0.0
        beyond = max(0.0, apart - noise) + noise / len(players)
        usual[path] = Usual(float(np.mean(means)), sqrt(beyond))
    return usual


def _deviation(players: Sequence[Mapping[Path, Moments]]) -> float:
    """From game to game, of somebody of whom nobody knows which of the players he is like."""
    return sqrt(sum(losses[()].deviation ** 2 for losses in players) / len(players))


def temperature_for(
    rating: float, tried: Sequence[float], temperatures: Sequence[float] = TEMPERATURES
) -> float:
    """Between the temperatures that were tried, along straight lines of the logarithms."""
    heats: Floats = np.log(temperatures)
    return exp(float(np.interp(log(rating), np.log(np.maximum(tried, NOTHING)), heats)))


def played(
    advisor: Advisor,
    temperature: float,
    games: int,
    rng: np.random.Generator,
    rate: float = 1.0,
) -> tuple[float, dict[Path, Moments]]:
    """Points lost a decision, and in every place points lost a game."""
    bot = Erring(advisor, rate=rate, temperature=temperature)
    losses = averaged([summed(game_of(bot, advisor, rng)) for _ in range(games)])
    return losses[()].mean / decisions_of(advisor.rules), losses


def game_of(agent: Agent, advisor: Advisor, rng: np.random.Generator) -> tuple[Misplay, ...]:
    """Return the mistakes of an agent in a game with its own dice."""
    match = play_out(agent, advisor.rules, at_random(rng), rng)
    entries = advisor.ledger(match.decisions).entries
    decided = zip(match.decisions, entries, strict=True)
    return slips(advisor, ((state, action, entry.regret) for (state, action), entry in decided))


def _lines(grades: Sequence[Mapping[Path, Usual]]) -> Iterator[str]:
    """Yield a place a line, with the mean and the spread for every grade."""
    for path in sorted({path for losses in grades for path in losses}):
        row = [losses.get(path, Usual(0.0, 0.0)) for losses in grades]
        if not path or max(usual.mean for usual in row) >= LEAST:
            # As short as their numbers allow.
            pairs = [[round(number, 3) or 0 for number in (u.mean, u.spread)] for u in row]
            yield f'  "{".".join(path)}": {json.dumps(pairs, separators=(",", ":"))}'
