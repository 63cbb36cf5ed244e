"""Facts and constraints. What a game's dice show is never stored: it is replayed."""

from game.models.arm import Arm
from game.models.day_chain import DayChain
from game.models.decision import Decision
from game.models.drill import DrillAttempt, DrillCard
from game.models.duel import Duel, DuelSeat
from game.models.five import FIVE, FiveAnswer
from game.models.game import Game
from game.models.kept import KeptPosition, PositionList
from game.models.party import Party, PartySeat
from game.models.player import WISHES, Coach, Player
from game.models.preregistration import Preregistration
from game.models.publication import Publication, ReleasedAnswer
from game.models.question import Answer, QuestionFile
from game.models.recruitment import Arrival, ArrivalCount, Recruitment, WithdrawnLabel
from game.models.reminder import Reminder
from game.models.throw import Throw
from game.models.trial import Agreement, Consent, NoAnswer, Participant, Trial
from game.models.trial_event import TrialEvent
from game.models.trial_staff import TrialStaff
from game.models.withdrawal import Withdrawal

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
    "Throw",
    "Trial",
    "TrialEvent",
    "TrialStaff",
    "Withdrawal",
    "WithdrawnLabel",
]
