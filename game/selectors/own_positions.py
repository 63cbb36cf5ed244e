"""Where a player's own games stand that are held against those of others on the same dice."""

from dataclasses import replace

from django.db.models import QuerySet

from game.kind import kind_of, modes
from game.models import Game, Player
from game.selectors.games import OPEN, RELATED, games_played
from solver.advice import Position, position_of


def alike(position: Position) -> Position:
    """One for all that are worth the same: above what secures the bonus the total means nothing."""
    upper = min(position.upper, position.rules.bonus_threshold)
    return replace(position, upper=upper, dice=tuple(sorted(position.dice)))


def compared_games() -> QuerySet[Game]:
    """Under way; among them may be one of a day that is over by now."""
    compared = modes(lambda kind: kind.compared)
    return Game.objects.filter(OPEN, mode__in=compared, unranked=False)


def contested_positions(player: Player | None) -> set[Position]:
    if player is None:
        return set()
    own = compared_games().filter(player=player).select_related(*RELATED)
    running = [game for game in own if kind_of(game).dice_withheld]
    states = (played.state for played in games_played(running))
    return {alike(position_of(state)) for state in states if state.deciding}
