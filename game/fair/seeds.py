"""When the seed of a game may be seen."""

from game.fair import days
from game.models import DuelSeat, Game


def shown_seed(game: Game | None) -> str:
    """The seed once it can do no harm: the game is over, and so is its day, trial or duel."""
    if game is None or not game.over or (game.day is not None and not days.closed(game.day)):
        return ""
    if game.participant is not None and game.participant.trial.closed_at is None:
        return ""
    if dice_in_play(game):
        return ""
    return game.seed


def dice_in_play(game: Game) -> bool:
    """Whether others in a duel still play these dice."""
    if game.mode != Game.Mode.DUEL:
        return False
    return DuelSeat.objects.filter(game=game, duel__finished_at=None).exists()
