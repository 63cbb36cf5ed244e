"""Every stored game, replayed: what the database says of it is what its decisions give."""

from collections.abc import Iterator

from game.models import Game
from game.selectors.games import Played, games, games_played
from solver.rules import IllegalAction

AT_ONCE = 100  # games


def games_that_do_not_replay() -> Iterator[str]:
    keys = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(keys), AT_ONCE):
        for game in games().filter(pk__in=keys[first : first + AT_ONCE]):
            if not _replays(game):
                yield game.pk


def _replays(game: Game) -> bool:
    try:
        (played,) = games_played([game])
    except (IllegalAction, ValueError, LookupError):
        return False
    return _agrees(played)


def _agrees(played: Played) -> bool:
    game, state = played.game, played.state
    if game.finished_at is None:
        return not state.finished
    return state.finished and state.total == game.final_score
