"""The rows of the learning benchmark (docs/benchmark.md), as the learners' page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from game.lab.learners import DIGITS, KNOWS
from game.lab.study_words import whole
from game.words import phrases
from game.words.phrases import NO_BREAK
from solver.arena.benchmark import FIXED, MODEL_BASED, MODEL_FREE, BoardRow, targets

KNEW: Mapping[str, str | Promise] = MappingProxyType(
    {
        MODEL_FREE: KNOWS["model-free"],
        MODEL_BASED: KNOWS["knows the dice"],
        FIXED: _("Nothing was learned"),
    }
)


@dataclass(frozen=True, slots=True)
class BoardLine:
    """``reached`` are the games until each of the heights of ``heights``."""

    name: str
    knew: str | Promise
    runs: int
    mean: str
    lost: str
    games: str
    seconds: str
    reached: tuple[str, ...]


def board_lines(rows: Sequence[BoardRow]) -> list[BoardLine]:
    return [
        BoardLine(
            row.name,
            KNEW[row.knew],
            len(row.runs),
            _graded(row),
            phrases.points(sum(row.lost), DIGITS),
            _counted(row.trained("games")),
            _counted(row.trained("seconds")),
            tuple(_counted(row.reached(goal, "games")) for goal in targets(row.optimum)),
        )
        for row in rows
    ]


def heights(rows: Sequence[BoardRow]) -> list[str]:
    """Of the games that are counted until a learner is there."""
    return [phrases.points(goal, 0) for goal in targets(rows[0].optimum)] if rows else []


def _graded(row: BoardRow) -> str:
    found = phrases.points(row.mean, DIGITS)
    if not row.margin:
        return found
    return f"{found}{NO_BREAK}±{NO_BREAK}{phrases.points(row.margin, DIGITS)}"


def _counted(number: float | None) -> str:
    return whole(round(number)) if number else "–"
