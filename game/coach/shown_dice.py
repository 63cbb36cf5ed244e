"""Dice as something was done with them."""

from dataclasses import dataclass

from solver.rules import Action, Hold, State


@dataclass(frozen=True, slots=True)
class ShownDie:
    face: int
    kept: bool


def shown_dice(state: State, action: Action) -> list[ShownDie]:
    """Those that were kept; a box keeps them all."""
    kept = action.places if isinstance(action, Hold) else range(len(state.dice))
    return [ShownDie(face, slot in kept) for slot, face in enumerate(state.dice)]
