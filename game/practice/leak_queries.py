"""The leaks in a player's stored games: the mistakes on each path of the leak tree, and the paths
that cost more than chance explains."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from game.core.game_queries import replay_games
from game.core.profile_queries import find_latest_unaided, query_judged_games
from game.core.worth.leak_chance import LeakTest, MoveOptions, list_risky_moves
from game.core.worth.leak_tree import Misplay, Path, find_mistakes
from game.core.worth.severity import INACCURACY
from game.models import Decision, DrillAttempt, Game, Player
from solver.advice import Advisor
from solver.rules import Ruleset

DRILLED = 3  # a path counts as drilled after drill questions about this number of its mistakes
REMEMBERED = 2000  # most games in the first cache (15 kB per game), most players in the second

# The replayed games are cached, because a finished game never changes.
_remembered: dict[str, tuple[tuple[Misplay, ...], tuple[MoveOptions, ...]]] = {}
_leaks: dict[tuple[str, ...], list[Path]] = {}


@dataclass(frozen=True, slots=True)
class SlipsOfGame:
    game: Game
    slips: Sequence[Misplay]
    choices: Sequence[MoveOptions] = ()

    def sum_losses(self, path: Path) -> float:
        return sum(slip.regret for slip in self.slips if path in slip.places)


def list_slips(player: Player, coach: Advisor) -> list[SlipsOfGame]:
    """Return the mistakes in each of the latest judged games without help, latest game first."""
    games = list(find_latest_unaided(query_judged_games(player, coach.rules, coach.value_start)))
    known = {game.pk: _remembered[game.pk] for game in games if game.pk in _remembered}
    missing = [game for game in games if game.pk not in known]
    if missing:
        for played in replay_games(missing):
            made = [(move.state, move.action, move.entry) for move in played.moves]
            judged = [
                (state, action, entry.regret if entry else 0.0) for state, action, entry in made
            ]
            mistakes = find_mistakes(coach, judged)
            known[played.game.pk] = mistakes, list_risky_moves(coach, [move[:2] for move in made])
        if len(_remembered) + len(missing) > REMEMBERED:
            _remembered.clear()
        _remembered.update({game.pk: known[game.pk] for game in missing})
    return [SlipsOfGame(game, *known[game.pk]) for game in games]


def find_sure_leaks(rules: Ruleset, games: Sequence[SlipsOfGame]) -> list[Path]:
    """Return the paths that cost more than chance explains, the costliest path first."""
    key = tuple(played.game.pk for played in games)
    if key not in _leaks:
        moves = [played.choices for played in games]
        if len(_leaks) >= REMEMBERED:
            _leaks.clear()
        _leaks[key] = LeakTest(rules, moves).find_leaks() if any(moves) else []
    return _leaks[key]


def list_leak_mistakes(player: Player, coach: Advisor, path: Path) -> list[int]:
    """Return the keys of this path's decisions that should be drilled."""
    places = {
        (played.game.pk, slip.number)
        for played in list_slips(player, coach)
        for slip in played.slips
        if slip.regret >= INACCURACY and path in slip.places
    }
    games = {game for game, _number in places}
    made = Decision.objects.filter(game__in=games, regret__gte=INACCURACY)
    rows = made.values_list("pk", "game_id", "seq", "turn")
    # The first roll of a turn has no ``slip.number``.
    return [pk for pk, game, seq, turn in rows if (game, seq - turn) in places]


def find_drill_starts(player: Player, games: Sequence[SlipsOfGame]) -> dict[Path, datetime]:
    """Return the leak paths that the player drilled, each with the time of the first question."""
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
                for path in slip.places:
                    drilled[path].append(at)
    return {path: min(times) for path, times in drilled.items() if len(times) >= DRILLED}
