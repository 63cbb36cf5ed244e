"""What came of a fault, and the table of all of them."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

TITLES = (
    *("fault", "what a person saw", "behind the proxy"),
    *("acknowledged", "stored", "lost", "how it recovered", "s"),
)
WIDTHS = (26, 40, 32, 12, 7, 5, 34, 6)


@dataclass
class Outcome:
    fault: str
    seen: str = ""
    behind: str = ""  # the proxy
    acknowledged: int = 0
    stored: int = 0
    lost: int = 0
    recovered: str = ""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    not_tried: str = ""  # why

    @property
    def good(self) -> bool:
        return not self.lost and not self.wrong

    @property
    def cells(self) -> tuple[str, ...]:
        if self.not_tried:
            return (self.fault, f"not tried: {self.not_tried}", *[""] * 6)
        counts = (f"{self.acknowledged:,}", f"{self.stored:,}", f"{self.lost:,}")
        return (self.fault, self.seen, self.behind, *counts, self.recovered, f"{self.seconds:.1f}")


def table(outcomes: Sequence[Outcome]) -> str:
    """For a terminal, every cell as narrow as its column."""
    lines = [_row(TITLES), _row(["-" * width for width in WIDTHS])]
    lines += [_row(outcome.cells) for outcome in outcomes]
    lines += [f"WRONG {one.fault}: {text}" for one in outcomes for text in one.wrong]
    return "\n".join(lines)


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The same as docs/reliability.md has it."""
    rule = ["---", "---", "---", "--:", "--:", "--:", "---", "--:"]
    rows = [TITLES, rule, *(outcome.cells for outcome in outcomes)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(cells: Sequence[str]) -> str:
    columns = [
        textwrap.wrap(cell, width) or [""] for cell, width in zip(cells, WIDTHS, strict=True)
    ]
    height = max(map(len, columns))
    lines = [
        "  ".join(
            (column[number] if number < len(column) else "").ljust(width)
            for column, width in zip(columns, WIDTHS, strict=True)
        ).rstrip()
        for number in range(height)
    ]
    return "\n".join(lines)
