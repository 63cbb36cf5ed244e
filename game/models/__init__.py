"""The models and their constraints. All dice follow from seeds, except typed real dice."""

from game.models.decision import Decision, Throw
from game.models.drill import FIVE, DrillAttempt, DrillCard, FiveAnswer, KeptPosition, PositionList
from game.models.duel import Duel, DuelSeat
from game.models.game import DayChain, Game, SpentTicket
from game.models.party import Party, PartySeat
from game.models.player import WISHES, Coach, Player, Reminder

__all__ = [
    "FIVE",
    "WISHES",
    "Coach",
    "DayChain",
    "Decision",
    "DrillAttempt",
    "DrillCard",
    "Duel",
    "DuelSeat",
    "FiveAnswer",
    "Game",
    "KeptPosition",
    "Party",
    "PartySeat",
    "Player",
    "PositionList",
    "Reminder",
    "SpentTicket",
    "Throw",
]
