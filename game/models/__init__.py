"""Facts and constraints. What a game's dice show is never stored: it is replayed."""

from game.models.decision import Decision
from game.models.drill import DrillAttempt, DrillCard
from game.models.game import Game
from game.models.player import Coach, Player

__all__ = ["Coach", "Decision", "DrillAttempt", "DrillCard", "Game", "Player"]
