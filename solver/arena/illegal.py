"""The disqualification of a player, with the reason and the decision that caused it."""

from dataclasses import dataclass

from solver.rules import State


@dataclass(frozen=True, slots=True)
class Where:
    """The position in which a player failed. ``game`` and ``turn`` count from 1."""

    game: int
    turn: int
    dice: tuple[int, ...]
    throws_left: int
    filled: tuple[str, ...]

    @classmethod
    def from_state(cls, game: int, state: State) -> "Where":
        filled = state.rules.ids(state.filled)
        return cls(game + 1, state.turn + 1, state.dice, state.throws_left, filled)

    def __str__(self) -> str:
        dice = " ".join(map(str, self.dice))
        return f"game {self.game}, turn {self.turn}, {dice} with {self.throws_left} throws left"


class Disqualified(Exception):
    """The error for a player that must leave, with the reason; the arena adds the position."""

    def __init__(self, reason: str, where: Where | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where
