"""When the seed of a game may be seen."""

from game.fair import days
from game.models import Game


def shown_seed(game: Game | None) -> str:
    """The seed once it can do no harm: the game is over, and so is its day or its trial."""
    if game is None or not game.over or (game.day is not None and not days.closed(game.day)):
        return ""
    if game.participant is not None and game.participant.trial.closed_at is None:
        return ""
    return game.seed
