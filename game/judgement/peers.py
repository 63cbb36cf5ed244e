"""What players of a grade lose in every place of the tree of ``leaks``.

They are bots that err as people do (``solver.players.erring``): an option is drawn the less often
the more it costs, at one temperature for each grade, the one at which a bot loses about as many
points a decision as the middle of the grade. ``manage.py leak_peers`` has them play and writes the
file of a ruleset; it is a file of the repository, always the same one as long as numpy draws the
same numbers from a seed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path as FilePath
from typing import TypeAlias

import numpy as np

from game.judgement.leaks import Path, averaged, slips, summed
from game.judgement.severity import FLAWLESS, GRADES, Grade, decisions_of
from game.judgement.skill import Moments
from solver.advice import Advisor
from solver.arena.match import at_random, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import Ruleset
from solver.statistics.inference import Interval
from solver.statistics.student import t_quantile

FOLDER = FilePath(__file__).resolve().parent.parent / "data"
SEED = 1952
GAMES = 1000  # of every grade
TRIED = 40  # games a temperature, to find those of the grades
TEMPERATURES = tuple(0.02 * 1.6**step for step in range(13))
# The middle of a grade: of its two ends as a ratio, and for the two without a second end this.
BEST_OF, WORST_OF = 0.5, 1.5
LEAST = 0.005  # points a game: what no grade loses as much of is not written
DIGITS = 4

ERRING = GRADES[1:]  # who has any mistakes to compare
Lost: TypeAlias = dict[Path, Interval]


@dataclass(frozen=True, slots=True)
class Peers:
    """``rating`` is what they lose a decision, ``temperature`` that of the bots that they are."""

    games: int
    rating: float
    temperature: float
    lost: Mapping[Path, Interval]

    def at(self, path: Path) -> Interval:
        """Nothing where they lose next to nothing."""
        return self.lost.get(path, Interval(0.0, 0.0, 0.0, 0.0, self.games - 1))


def file_of(rules: Ruleset) -> FilePath:
    return FOLDER / f"leak_peers_{rules.id}.json"


@cache
def peers(rules: Ruleset) -> Mapping[str, Peers]:
    """By grade; of none where nobody had them play.

    Who makes no mistake loses nothing anywhere, and need not be played to know it.
    """
    if not file_of(rules).exists():
        return {}
    told = json.loads(file_of(rules).read_text(encoding="utf-8"))
    games = told["games"]
    rates = told["temperatures"]
    found = {FLAWLESS.id: Peers(games, 0.0, rates[ERRING[0].id], {})}
    for at, grade in enumerate(told["grades"]):
        lost = dict(_read(told["lost"], at, games))
        found[grade] = Peers(games, lost[()].mean / decisions_of(rules), rates[grade], lost)
    return found


def erring(grade: Grade) -> Grade:
    """Whose mistakes a grade is compared with: the next one's for whoever makes none."""
    return ERRING[0] if grade == FLAWLESS else grade


def _read(
    lost: Mapping[str, Sequence[Sequence[float]]], at: int, games: int
) -> Iterator[tuple[Path, Interval]]:
    for name, grades in lost.items():
        mean, error = grades[at]
        half = t_quantile(games - 1) * error
        path = tuple(name.split(".")) if name else ()
        yield path, Interval(mean, mean - half, mean + half, error, games - 1)


def middle(grade: Grade) -> float:
    """Points lost a decision."""
    ends = [one.below for one in ERRING]
    at = ends.index(grade.below)
    if not at:
        return grade.below * BEST_OF
    below = ends[at - 1]
    return below * WORST_OF if at == len(ends) - 1 else sqrt(below * grade.below)


def made(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """The text of the file; the advisor had better be compiled."""
    rng = np.random.default_rng(seed)
    tried = [played(advisor, heat, TRIED, rng)[0] for heat in TEMPERATURES]
    heats = {one.id: temperature_for(middle(one), tried) for one in ERRING}
    found = {grade: played(advisor, heat, games, rng) for grade, heat in heats.items()}
    told = {
        "games": games,
        "grades": list(heats),
        "temperatures": {grade: round(heat, DIGITS) for grade, heat in heats.items()},
    }
    lines = ",\n".join(_lines([lost for _, lost in found.values()]))
    return f'{json.dumps(told, indent=1)[:-2]},\n "lost": {{\n{lines}\n }}\n}}\n'


def temperature_for(rating: float, tried: Sequence[float]) -> float:
    """Between the temperatures that were tried, along straight lines of the logarithms."""
    heats: Floats = np.log(TEMPERATURES)
    return exp(float(np.interp(log(rating), np.log(tried), heats)))


def played(
    advisor: Advisor, temperature: float, games: int, rng: np.random.Generator
) -> tuple[float, dict[Path, Moments]]:
    """Points lost a decision, and in every place points lost a game."""
    bot = Erring(advisor, rate=1.0, temperature=temperature)
    sums = []
    for _ in range(games):
        match = play_out(bot, advisor.rules, at_random(rng), rng)
        entries = advisor.ledger(match.decisions).entries
        decided = zip(match.decisions, entries, strict=True)
        judged = ((state, action, entry.regret) for (state, action), entry in decided)
        sums.append(summed(slips(advisor, judged)))
    lost = averaged(sums)
    return lost[()].mean / decisions_of(advisor.rules), lost


def _lines(grades: Sequence[Mapping[Path, Moments]]) -> Iterator[str]:
    """A place a line, with the mean and its error for every grade."""
    nothing = Moments(1, 0.0, 0.0)
    for path in sorted({path for lost in grades for path in lost}):
        row = [lost.get(path, nothing) for lost in grades]
        if not path or max(one.mean for one in row) >= LEAST:
            told = json.dumps([_told(one) for one in row], separators=(",", ":"))
            yield f'  "{".".join(path)}": {told}'


def _told(lost: Moments) -> list[float]:
    """As short as their numbers allow."""
    error = lost.deviation / sqrt(lost.count)
    return [round(number, 3) or 0 for number in (lost.mean, error)]
