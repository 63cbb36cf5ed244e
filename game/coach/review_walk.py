"""The way through a review: which decisions one looks at, and which come before and after one."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.utils.functional import cached_property

from game.coach.review import Review, Step
from game.core.worth.severity import SEVERITIES

HOLD, BOX = "hold", "box"


@dataclass(frozen=True, slots=True)
class Filter:
    """Every field narrows; ``box`` is what the turn ended in, ``cost`` a severity or worse."""

    kind: str = ""
    box: str = ""
    turn: int | None = None
    cost: str = ""

    @property
    def active(self) -> bool:
        return self != Filter()

    @property
    def query(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items() if value}

    def passes(self, step: Step, ended_in: str) -> bool:
        return (
            (not self.kind or step.holds == (self.kind == HOLD))
            and (not self.box or ended_in == self.box)
            and (not self.turn or step.turn == self.turn)
            and step.entry.regret >= self._least
        )

    @property
    def _least(self) -> float:
        return next((one.at_least for one in SEVERITIES if one.id == self.cost), 0.0)


@dataclass(frozen=True)
class Walk:
    """``asked`` is the number that an address names, which may be anything."""

    review: Review
    filter: Filter
    here: str
    asked: int | None = None

    @cached_property
    def steps(self) -> Sequence[Step]:
        """Those that pass the filter."""
        boxes = self.review.boxes
        return [
            step for step in self.review.steps if self.filter.passes(step, boxes.get(step.turn, ""))
        ]

    @cached_property
    def at(self) -> Step:
        """What the address names, else the costliest decision, else the first."""
        every = self.review.steps
        if self.asked is not None and 1 <= self.asked <= len(every):
            return every[self.asked - 1]
        return max(self.steps or every, key=lambda step: step.entry.regret)

    @property
    def previous(self) -> str:
        return self._before(lambda step: True)

    @property
    def next(self) -> str:
        return self._after(lambda step: True)

    @property
    def previous_mistake(self) -> str:
        return self._before(lambda step: step.mistaken)

    @property
    def next_mistake(self) -> str:
        return self._after(lambda step: step.mistaken)

    def _before(self, wanted: Callable[[Step], bool]) -> str:
        """The address of the nearest one; empty where there is none."""
        found = [s for s in self.steps if s.number < self.at.number and wanted(s)]
        return self.address(found[-1]) if found else ""

    def _after(self, wanted: Callable[[Step], bool]) -> str:
        found = [s for s in self.steps if s.number > self.at.number and wanted(s)]
        return self.address(found[0]) if found else ""

    def address(self, step: Step) -> str:
        return f"{self.here}?{urlencode({'step': step.number, **self.filter.query})}"

    @property
    def lines(self) -> list[tuple[Step, str]]:
        """For the list of decisions."""
        return [(step, self.address(step)) for step in self.steps]
