"""What the leak finder reads: the slips of a player's latest games, each in its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.judgement.leaks import Misplay, Path, slips
from game.judgement.severity import INACCURACY
from game.models import Decision, Game, Player
from game.selectors.games import Played, games_played
from game.selectors.profile import judged_games, latest_own
from solver.advice import Advisor

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


def _slips_of(played: Played, coach: Advisor) -> tuple[Misplay, ...]:
    made = ((one.state, one.action, one.entry) for one in played.moves)
    judged = ((state, action, entry.regret if entry else 0.0) for state, action, entry in made)
    return slips(coach, judged)


def _remember(found: dict[str, tuple[Misplay, ...]]) -> None:
    if len(_remembered) + len(found) > REMEMBERED:
        _remembered.clear()
    _remembered.update(found)
