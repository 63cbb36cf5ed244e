"""Why a player is out, and where it happened; the arena and the players raise the same."""

from dataclasses import dataclass

from solver.rules import State


@dataclass(frozen=True, slots=True)
class Where:
    """The decision that was asked for; ``game`` and ``turn`` count from 1."""

    game: int
    turn: int
    dice: tuple[int, ...]
    throws_left: int
    filled: tuple[str, ...]

    @classmethod
    def of(cls, game: int, state: State) -> "Where":
        filled = state.rules.ids(state.filled)
        return cls(game + 1, state.turn + 1, state.dice, state.throws_left, filled)

    def __str__(self) -> str:
        dice = " ".join(map(str, self.dice))
        return f"game {self.game}, turn {self.turn}, {dice} with {self.throws_left} throws left"


class Disqualified(Exception):
    """A player that cannot go on, or was caught at something illegal; ``reason`` says what.

    Anyone who raises it gives the reason; the arena knows ``where``.
    """

    def __init__(self, reason: str, where: Where | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where
