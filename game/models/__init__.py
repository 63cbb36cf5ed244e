"""The models and their constraints. Only typed real dice are stored; others follow from a seed."""

from game.models.decision import Decision, Throw
from game.models.drill import FIVE, DrillAttempt, DrillCard, FiveAnswer, KeptPosition, PositionList
from game.models.duel import Duel, DuelSeat
from game.models.game import DayChain, Game, SpentTicket
from game.models.party import Party, PartySeat
from game.models.player import WISHES, Coach, Player, Reminder
from game.models.publication import Preregistration, Publication, ReleasedAnswer
from game.models.question import Answer, QuestionFile
from game.models.recruitment import Arrival, ArrivalCount, Recruitment, WithdrawnLabel
from game.models.trial import (
    Agreement,
    Arm,
    Consent,
    NoAnswer,
    Participant,
    Trial,
    TrialEvent,
    TrialGame,
    TrialStaff,
    Withdrawal,
)

__all__ = [
    "FIVE",
    "WISHES",
    "Agreement",
    "Answer",
    "Arm",
    "Arrival",
    "ArrivalCount",
    "Coach",
    "Consent",
    "DayChain",
    "Decision",
    "DrillAttempt",
    "DrillCard",
    "Duel",
    "DuelSeat",
    "FiveAnswer",
    "Game",
    "KeptPosition",
    "NoAnswer",
    "Participant",
    "Party",
    "PartySeat",
    "Player",
    "PositionList",
    "Preregistration",
    "Publication",
    "QuestionFile",
    "Recruitment",
    "ReleasedAnswer",
    "Reminder",
    "SpentTicket",
    "Throw",
    "Trial",
    "TrialEvent",
    "TrialGame",
    "TrialStaff",
    "Withdrawal",
    "WithdrawnLabel",
]
