"""Columns that several tables of a trial share."""

from game.exports.tables import Column
from solver.rules import RULESETS

PARTICIPANT = Column("participant", "text", "Label of the participant within the trial: P01, P02.")
GAME = Column("game", "whole", "Which of the participant's games, in the order of play, from 1.")
GAME_ID = Column("game_id", "text", "Names the game within the server that it was played on.")
RULES = Column(
    "ruleset",
    "text",
    "Rules that were played by; their hash is in the description.",
    values="; ".join(RULESETS),
)
UNFINISHED = "the game was not finished"
FINISHED = Column("finished", "truth", "Whether the game was played to its end.")
