"""The page of the leak finder: the leaks (boxes that a player plays badly) that chance does not
explain, and the tree of all points lost (``game.core.worth.leak_tree``)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.coach.review import format_throw_heading
from game.core.words import phrases
from game.core.worth.leak_tree import (
    AIMED,
    BOX,
    DEEPEST,
    FEWEST,
    HOLD,
    SHOWN,
    Leak,
    Misplay,
    Path,
    average_losses,
    build_tree,
    sum_losses,
)
from game.core.worth.severity import INACCURACY, Severity, find_severity
from game.models import Game
from game.practice.leak_queries import SlipsOfGame, find_sure_leaks
from solver.rules import Hold, Ruleset
from solver.statistics.inference import estimate_mean

EXAMPLES = 3
BEFORE_AND_SINCE = 5  # least number of games; with fewer, one bad game would decide
NAMES: Mapping[str, Promise] = {
    "hold": gettext_lazy("Choosing what to hold"),
    "box": gettext_lazy("Choosing a box"),
    "early": gettext_lazy("Early in the game"),
    "middle": gettext_lazy("In the middle of the game"),
    "late": gettext_lazy("Late in the game"),
    "open": gettext_lazy("Bonus within reach"),
    "safe": gettext_lazy("Bonus secured"),
    "gone": gettext_lazy("Bonus out of reach"),
}


def format_step_name(rules: Ruleset, path: Path) -> str:
    """Return the name of a path's last step in the leak tree."""
    step = path[-1]
    if len(path) == 2:
        return format_throw_heading(rules, int(step))
    if len(path) != AIMED:
        return str(NAMES[step])
    box = {"box": phrases.name_box(rules, step)}
    return (_("Holds that aimed at %(box)s") if path[0] == HOLD else _("Filled: %(box)s")) % box


def format_path_name(rules: Ruleset, path: Path) -> str:
    if path and path[0] not in (HOLD, BOX):
        within = [_format_path(rules, path[1:])] if path[1:] else []
        return " · ".join([phrases.name_box(rules, path[0]), *within])
    return _format_path(rules, path)


def _format_path(rules: Ruleset, path: Path) -> str:
    """Join the names of the steps on a path of the leak tree with dots."""
    return " · ".join(format_step_name(rules, path[:end]) for end in range(1, len(path) + 1))


@dataclass(frozen=True, slots=True)
class LeakExample:
    game: Game
    slip: Misplay
    rules: Ruleset

    @property
    def dice(self) -> list[tuple[int, bool]]:
        """The dice, each as (face, whether the move held it); a box counts as holding all dice."""
        action = self.slip.action
        kept = action.places if isinstance(action, Hold) else range(len(self.slip.dice))
        return [(face, slot in kept) for slot, face in enumerate(self.slip.dice)]

    @property
    def label(self) -> str:
        action = self.slip.action
        if isinstance(action, Hold):
            return phrases.describe_hold(action.kept(self.slip.dice), self.rules)
        return phrases.name_box(self.rules, action.category)

    @property
    def severity(self) -> Severity:
        return find_severity(self.slip.regret)

    @property
    def cost(self) -> str:
        return phrases.format_cost(self.slip.regret)

    @property
    def url(self) -> str:
        return f"{reverse('review', args=[self.game.pk])}?step={self.slip.number}#step"


@dataclass(frozen=True)
class LeakLine:
    leak: Leak
    page: "LeakPage"

    @property
    def name(self) -> str:
        return format_step_name(self.page.rules, self.leak.path)

    @property
    def full_name(self) -> str:
        return format_path_name(self.page.rules, self.leak.path)

    @property
    def points(self) -> str:
        return phrases.format_loss(self.leak.points)

    @property
    def half(self) -> str:
        interval = self.leak.lost.interval
        return phrases.format_points(interval.half if interval else 0.0)

    @property
    def width(self) -> str:
        """The width of the bar, in per cent of all points lost."""
        return f"{100.0 * self.leak.points / (self.page.root.leak.points or 1.0):.1f}"

    @cached_property
    def children(self) -> list["LeakLine"]:
        return [LeakLine(child, self.page) for child in self.leak.children]

    @property
    def rest(self) -> str:
        """The points lost on branches below this line that have no line of their own; "" if few."""
        deepest = len(self.leak.path) == DEEPEST
        return (
            phrases.format_points(self.leak.rest) if self.leak.rest >= SHOWN and not deepest else ""
        )

    @property
    def drill(self) -> str:
        """The address that drills the mistakes of this leak, or "" without mistakes."""
        if not self.page.mistakes[self.leak.path]:
            return ""
        query = {"rules": self.page.rules.id}
        if self.leak.path:
            query["leak"] = ".".join(self.leak.path)
        return f"{reverse('drill')}?{urlencode(query)}"

    @property
    def mistakes(self) -> int:
        return self.page.mistakes[self.leak.path]

    @cached_property
    def drilled(self) -> "Drilled | None":
        since = self.page.since.get(self.leak.path)
        return Drilled.from_line(self, since) if since else None

    @property
    def examples(self) -> list[LeakExample]:
        path = self.leak.path
        examples = [
            LeakExample(game.game, slip, self.page.rules)
            for game in self.page.games
            for slip in game.slips
            if not path or path in slip.places
        ]
        return sorted(examples, key=lambda example: -example.slip.regret)[:EXAMPLES]


@dataclass(frozen=True, slots=True)
class Drilled:
    """The points per game that a leak cost before, and after, the player drilled its mistakes."""

    name: str
    before: str
    before_half: str
    after: str
    after_half: str

    @classmethod
    def from_line(cls, line: LeakLine, since: datetime) -> "Drilled | None":
        """Return the costs before and after ``since``, or None if one of them has too few games."""
        parts: tuple[list[float], list[float]] = ([], [])
        for game in line.page.games:
            since_then = (game.game.finished_at or since) > since
            parts[since_then].append(game.sum_losses(line.leak.path))
        if min(map(len, parts)) < BEFORE_AND_SINCE:
            return None
        figures = list[str]()
        for losses in parts:
            interval = estimate_mean(losses)
            half = interval.half if interval else 0.0
            figures += (phrases.format_loss(fmean(losses)), phrases.format_points(half))
        return cls(line.full_name, *figures)


@dataclass(frozen=True)
class LeakPage:
    """The page of the leak finder. ``since`` has, by path, the time of the first drill."""

    rules: Ruleset
    games: Sequence[SlipsOfGame]
    since: Mapping[Path, datetime] = field(default_factory=dict)

    @property
    def enough(self) -> bool:
        return len(self.games) >= FEWEST

    @property
    def fewest(self) -> int:
        return FEWEST

    @cached_property
    def root(self) -> LeakLine:
        return LeakLine(
            build_tree(average_losses([sum_losses(game.slips) for game in self.games])), self
        )

    @cached_property
    def mistakes(self) -> Counter[Path]:
        """The number of mistakes that the player can drill, by path in the leak tree."""
        return Counter(
            path
            for game in self.games
            for slip in game.slips
            if slip.regret >= INACCURACY
            for path in ((), *slip.places)
        )

    @cached_property
    def findings(self) -> list[LeakLine]:
        return [self._make_line(path) for path in find_sure_leaks(self.rules, self.games)]

    def _make_line(self, path: Path) -> LeakLine:
        (loss,) = average_losses([{(): game.sum_losses(path)} for game in self.games]).values()
        return LeakLine(Leak(path, loss), self)

    @cached_property
    def shown(self) -> list[LeakLine]:
        """The lines that show examples: all leaks or, if there is none, the line of the total."""
        return self.findings or [self.root]

    @cached_property
    def drilled(self) -> list[Drilled]:
        """The costs before and after the drill, for drilled boxes that are no longer leaks."""
        leaks = {finding.leak.path for finding in self.findings}
        lines = [
            self._make_line(path) for path in self.since if len(path) == 1 and path not in leaks
        ]
        return [line.drilled for line in lines if line.drilled]
