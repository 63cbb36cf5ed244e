"""What the leak finder reads: the slips of a player's latest games, each in its place."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from game.core.game_queries import Played, games_played
from game.core.profile_queries import judged_games, latest_own
from game.core.worth.leak_tree import DEEPEST, Misplay, Path, slips
from game.core.worth.severity import INACCURACY
from game.models import Decision, DrillAttempt, Game, Player
from solver.advice import Advisor

DRILLED = 3  # mistakes: fewer of a place that were asked in the drill did not drill it
REMEMBERED = 5000  # games, of about 2 kB each

# Finding the places means replaying a game, and a game that is finished never changes.
_remembered: dict[str, tuple[Misplay, ...]] = {}


@dataclass(frozen=True, slots=True)
class SlipsOfGame:
    game: Game
    slips: Sequence[Misplay]


def player_slips(player: Player, coach: Advisor) -> list[SlipsOfGame]:
    """Of the latest judged games that were played without help, the latest first."""
    games = list(latest_own(judged_games(player, coach.rules, coach.value_start)))
    known = {game.pk: _remembered[game.pk] for game in games if game.pk in _remembered}
    missing = [game for game in games if game.pk not in known]
    if missing:
        known |= {one.game.pk: _slips_of(one, coach) for one in games_played(missing)}
        _remember({game.pk: known[game.pk] for game in missing})
    return [SlipsOfGame(game, known[game.pk]) for game in games]


def leak_mistakes(player: Player, coach: Advisor, path: Path) -> list[int]:
    """The keys of the decisions in a place that are worth going back to."""
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
    """The places that were drilled, each with when its first mistake was asked."""
    tries = DrillAttempt.objects.filter(
        card__player=player, card__decision__game__in=[one.game.pk for one in games], number=0
    )
    made = "card__decision__game", "card__decision__seq", "card__decision__turn"
    rows = tries.values_list(*made, "created_at")
    first = {(game, seq - turn): at for game, seq, turn, at in rows}
    asked: dict[Path, list[datetime]] = defaultdict(list)
    for one in games:
        for slip in one.slips:
            if at := first.get((one.game.pk, slip.number)):
                for steps in range(1, DEEPEST + 1):
                    asked[slip.place[:steps]].append(at)
    return {path: min(times) for path, times in asked.items() if len(times) >= DRILLED}


def _slips_of(played: Played, coach: Advisor) -> tuple[Misplay, ...]:
    made = ((one.state, one.action, one.entry) for one in played.moves)
    judged = ((state, action, entry.regret if entry else 0.0) for state, action, entry in made)
    return slips(coach, judged)


def _remember(found: dict[str, tuple[Misplay, ...]]) -> None:
    if len(_remembered) + len(found) > REMEMBERED:
        _remembered.clear()
    _remembered.update(found)
