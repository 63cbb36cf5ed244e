"""Leaks: where a player loses points in the stored games, compared with chance."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import hypot, sqrt

import numpy as np

from game.core.game_queries import Played, games_played
from game.core.profile_queries import judged_games, latest_own
from game.core.worth.leak_tree import DEEPEST, Leak, Misplay, Path, Sums, slips
from game.core.worth.peers import Alike
from game.core.worth.severity import INACCURACY
from game.models import Decision, DrillAttempt, Game, Player
from solver.advice import Advisor
from solver.statistics.inference import NOTHING
from solver.statistics.student import t_p

# Of one place alone. So many places are looked at that one player in a hundred has one by chance:
# ``python -m tests.game.finding_leaks`` counts them.
SELDOM = 1 / 500
NEARLY = 0.8  # of what a place has too much
FEW = 2  # places that are named in the stead of the one that they are part of


@dataclass(frozen=True, slots=True)
class Excess:
    """Points a game in a place: somebody's own, and those of others alike.

    ``error`` is what chance did to the difference, ``spread`` how far players differ.
    """

    own: float
    theirs: float
    error: float
    spread: float
    games: int

    @property
    def points(self) -> float:
        return self.own - self.theirs

    @property
    def likely(self) -> float:
        variance = max(self.spread**2, self.points**2 - self.error**2)
        known = variance + self.error**2
        return self.theirs + self.points * variance / max(known, NOTHING)

    @property
    def sure(self) -> bool:
        doubt = hypot(self.error, self.spread)
        t = self.points / max(doubt, NOTHING)
        return t > 0 and t_p(t, self.games - 1) / 2 < SELDOM


def excess(games: Sequence[Sums], path: Path, alike: Alike) -> Excess:
    """Return the excess of a place, from at least two games."""
    usual, slope = alike.at(path), alike.slope(path)
    own = np.array([sums.get(path, 0.0) for sums in games])
    totals = np.array([sums.get((), 0.0) for sums in games])
    error = float(np.std(own - slope * totals, ddof=1)) / sqrt(len(games))
    return Excess(float(own.mean()), usual.mean, error, usual.spread, len(games))


def named(root: Leak, games: Sequence[Sums], alike: Alike) -> list[Leak]:
    """Return the leaks, the largest first; none where chance explains what stands out."""
    found = [pair for child in root.children for pair in _named(child, games, alike)]
    return [leak for leak, _ in sorted(found, key=lambda pair: (-pair[1].points, pair[0].path))]


def _named(leak: Leak, games: Sequence[Sums], alike: Alike) -> list[tuple[Leak, Excess]]:
    within = [pair for child in leak.children for pair in _named(child, games, alike)]
    here = excess(games, leak.path, alike)
    if not here.sure or (0 < len(within) <= FEW and _tells(here, [part for _, part in within])):
        return within
    return [(leak, here)]


def _tells(here: Excess, parts: Sequence[Excess]) -> bool:
    """Return whether the parts account for the excess of a place, not only for its losses."""
    nearly = NEARLY * here.points <= sum(part.points for part in parts)
    return nearly and sum(part.theirs for part in parts) <= NEARLY * here.theirs


DRILLED = 3  # mistakes: fewer of a place that were asked in the drill did not drill it
REMEMBERED = 5000  # games, of about 2 kB each

# Finding the places means replaying a game, and a game that is finished never changes.
_remembered: dict[str, tuple[Misplay, ...]] = {}


@dataclass(frozen=True, slots=True)
class SlipsOfGame:
    game: Game
    slips: Sequence[Misplay]


def player_slips(player: Player, coach: Advisor) -> list[SlipsOfGame]:
    """Return the mistakes of the latest judged games without help, latest first."""
    games = list(latest_own(judged_games(player, coach.rules, coach.value_start)))
    known = {game.pk: _remembered[game.pk] for game in games if game.pk in _remembered}
    missing = [game for game in games if game.pk not in known]
    if missing:
        known |= {one.game.pk: _slips_of(one, coach) for one in games_played(missing)}
        _remember({game.pk: known[game.pk] for game in missing})
    return [SlipsOfGame(game, known[game.pk]) for game in games]


def leak_mistakes(player: Player, coach: Advisor, path: Path) -> list[int]:
    """Return the keys of the decisions in a place that are worth going back to."""
    places = {
        (one.game.pk, slip.number)
        for one in player_slips(player, coach)
        for slip in one.slips
        if slip.regret >= INACCURACY and slip.place[: len(path)] == path
    }
    games = {game for game, _number in places}
    made = Decision.objects.filter(game__in=games, regret__gte=INACCURACY)
    rows = made.values_list("pk", "game_id", "seq", "turn")
    # A review numbers the decisions but for the first throw of every turn.
    return [pk for pk, game, seq, turn in rows if (game, seq - turn) in places]


def drilled_since(player: Player, games: Sequence[SlipsOfGame]) -> dict[Path, datetime]:
    """Return the places that were drilled, each with when its first mistake was asked."""
    tries = DrillAttempt.objects.filter(
        card__player=player, card__decision__game__in=[slips.game.pk for slips in games], number=0
    )
    place = "card__decision__game", "card__decision__seq", "card__decision__turn"
    rows = tries.values_list(*place, "created_at")
    first = {(game, seq - turn): at for game, seq, turn, at in rows}
    drilled: dict[Path, list[datetime]] = defaultdict(list)
    for made in games:
        for slip in made.slips:
            if at := first.get((made.game.pk, slip.number)):
                for steps in range(1, DEEPEST + 1):
                    drilled[slip.place[:steps]].append(at)
    return {path: min(times) for path, times in drilled.items() if len(times) >= DRILLED}


def _slips_of(played: Played, coach: Advisor) -> tuple[Misplay, ...]:
    made = ((move.state, move.action, move.entry) for move in played.moves)
    judged = ((state, action, entry.regret if entry else 0.0) for state, action, entry in made)
    return slips(coach, judged)


def _remember(slips: dict[str, tuple[Misplay, ...]]) -> None:
    if len(_remembered) + len(slips) > REMEMBERED:
        _remembered.clear()
    _remembered.update(slips)
