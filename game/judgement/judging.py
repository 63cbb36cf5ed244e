"""What a decision was worth, worked out at the moment it is made."""

from game.judgement.tables import asked
from solver.advice import Entry
from solver.rules import Action, State


def judge(state: State, action: Action) -> Entry | None:
    """None where there is nothing to judge: no dice yet, or no sound table on this server."""
    if not state.dice:
        return None
    return asked(state.rules, lambda coach: coach.entry(state, action))
