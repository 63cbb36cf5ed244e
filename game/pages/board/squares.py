"""A game as a row of squares, one a turn, by the worst decision in it: it gives no die away."""

from collections.abc import Iterable, Sequence

from game.core.worth.severity import severity

SQUARES = {
    "best": "🟩",
    "good": "🟨",
    "small": "🟨",
    "inaccuracy": "🟨",
    "mistake": "🟧",
    "blunder": "🟥",
}
UNKNOWN = "⬜"
# How much of a drawn square is red: one that says more than its colour.
LOST = {"🟩": 0.0, "🟨": 1 / 3, "🟧": 2 / 3, "🟥": 1.0, UNKNOWN: None}


def square(regret: float | None) -> str:
    return UNKNOWN if regret is None else SQUARES[severity(regret).id]


def squares(regrets: Iterable[float | None]) -> str:
    return "".join(map(square, regrets))


def worst_of_turns(
    decided: Iterable[tuple[int, float | None]], turns: int
) -> Sequence[float | None]:
    """Of decisions, each with its turn; None where a turn has one that was not judged."""
    found: list[list[float | None]] = [[] for _turn in range(turns)]
    for turn, regret in decided:
        found[turn].append(regret)
    return [_worst(regrets) for regrets in found]


def _worst(regrets: Sequence[float | None]) -> float | None:
    known = [regret for regret in regrets if regret is not None]
    return max(known) if known and len(known) == len(regrets) else None
