"""What a decision was worth, worked out at the moment it is made."""

from game.judgement.tables import advisor
from solver.advice import Entry
from solver.rules import Action, State


def judge(state: State, action: Action) -> Entry | None:
    """None where there is nothing to judge: no dice yet, or no table on this server."""
    if not state.dice:
        return None
    coach = advisor(state.rules)
    return coach.entry(state, action) if coach else None
