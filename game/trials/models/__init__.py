"""The models of trials. The table names date from when trials were part of the app ``game``."""

from game.trials.models.publication import Preregistration, Publication
from game.trials.models.question import Answer, QuestionFile
from game.trials.models.recruitment import Arrival, ArrivalCount, Recruitment, WithdrawnLabel
from game.trials.models.trial import (
    Agreement,
    Arm,
    Consent,
    NoAnswer,
    Participant,
    Trial,
    TrialEvent,
    TrialGame,
    TrialStaff,
)

__all__ = [
    "Agreement",
    "Answer",
    "Arm",
    "Arrival",
    "ArrivalCount",
    "Consent",
    "NoAnswer",
    "Participant",
    "Preregistration",
    "Publication",
    "QuestionFile",
    "Recruitment",
    "Trial",
    "TrialEvent",
    "TrialGame",
    "TrialStaff",
    "WithdrawnLabel",
]
