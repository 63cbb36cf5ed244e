"""When the seed of a game may be seen."""

from game.kind import kind_of
from game.models import Game


def shown_seed(game: Game | None) -> str:
    """The seed once it can do no harm: the game is over, and nobody else is to play its dice."""
    if game is None or not game.over or kind_of(game).dice_withheld:
        return ""
    return game.seed
