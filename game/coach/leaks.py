"""What the leak finder shows: the tree of ``game.judgement.leaks`` in words, beside one's peers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.coach.review import after_throw
from game.judgement.leaks import (
    AIMED,
    DEEPEST,
    FEWEST,
    HOLD,
    Leak,
    Misplay,
    Path,
    averaged,
    summed,
    tree,
)
from game.judgement.peers import Peers, peers
from game.judgement.severity import (
    INACCURACY,
    Grade,
    Severity,
    decisions_of,
    grade,
    severity,
)
from game.judgement.skill import Moments
from game.models import Game
from game.selectors.leaks import SlipsOfGame
from game.words import phrases
from solver.rules import Hold, Ruleset
from solver.statistics.inference import Interval, difference, t_test

FINDINGS = 5
EXAMPLES = 3
LEVEL = 0.05
NAMES: Mapping[str, Promise] = {
    "hold": gettext_lazy("Choosing what to hold"),
    "box": gettext_lazy("Choosing a box"),
    "early": gettext_lazy("Early in the game"),
    "middle": gettext_lazy("In the middle of the game"),
    "late": gettext_lazy("Late in the game"),
    "open": gettext_lazy("Bonus in reach"),
    "safe": gettext_lazy("Bonus secured"),
    "gone": gettext_lazy("Bonus out of reach"),
}
MORE, LESS, EQUAL = (
    gettext_lazy("%(points)s more than players of the grade %(grade)s, give or take %(half)s"),
    gettext_lazy("%(points)s less than players of the grade %(grade)s, give or take %(half)s"),
    gettext_lazy("As much as players of the grade %(grade)s, give or take %(half)s"),
)


def step_name(rules: Ruleset, path: Path) -> str:
    """The last step of a path, as a line below its others."""
    step = path[-1]
    if len(path) == 2:
        return after_throw(rules, int(step))
    if len(path) != AIMED:
        return str(NAMES[step])
    box = {"box": phrases.box(rules, step)}
    return (_("Aimed at: %(box)s") if path[0] == HOLD else _("Filled: %(box)s")) % box


def path_name(rules: Ruleset, path: Path) -> str:
    return " · ".join(step_name(rules, path[:end]) for end in range(1, len(path) + 1))


@dataclass(frozen=True, slots=True)
class LeakExample:
    game: Game
    slip: Misplay
    rules: Ruleset

    @property
    def dice(self) -> list[tuple[int, bool]]:
        """Each with whether it was kept; a box keeps them all."""
        action = self.slip.action
        kept = action.places if isinstance(action, Hold) else range(len(self.slip.dice))
        return [(face, slot in kept) for slot, face in enumerate(self.slip.dice)]

    @property
    def label(self) -> str:
        action = self.slip.action
        if isinstance(action, Hold):
            return phrases.held(action.kept(self.slip.dice), self.rules)
        return phrases.box(self.rules, action.category)

    @property
    def severity(self) -> Severity:
        return severity(self.slip.regret)

    @property
    def cost(self) -> str:
        return phrases.cost(self.slip.regret)

    @property
    def url(self) -> str:
        return f"{reverse('review', args=[self.game.pk])}?step={self.slip.number}#step"


@dataclass(frozen=True)
class LeakLine:
    """One place in the tree."""

    leak: Leak
    page: "LeakPage"

    @property
    def id(self) -> str:
        return "-".join(("leak", *self.leak.path))

    @property
    def name(self) -> str:
        return step_name(self.page.rules, self.leak.path)

    @property
    def within(self) -> str:
        """What it is a part of."""
        return path_name(self.page.rules, self.leak.path[:-1])

    @property
    def full_name(self) -> str:
        return path_name(self.page.rules, self.leak.path)

    @property
    def points(self) -> str:
        return phrases.lost(self.leak.points)

    @property
    def half(self) -> str:
        interval = self.leak.lost.interval
        return phrases.points(interval.half if interval else 0.0)

    @cached_property
    def peers(self) -> Interval:
        return self.page.peers.at(self.leak.path)

    @property
    def theirs(self) -> str:
        return phrases.lost(self.peers.mean)

    @property
    def width(self) -> str:
        """Of the bar, in hundredths of all that is lost."""
        return self._share(self.leak.points)

    @property
    def mark(self) -> str:
        """Where the bar of the peers would end."""
        return self._share(self.peers.mean)

    def _share(self, points: float) -> str:
        return f"{min(100.0, 100.0 * points / (self.page.root.leak.points or 1.0)):.1f}"

    @cached_property
    def children(self) -> list["LeakLine"]:
        return [LeakLine(child, self.page) for child in self.leak.children]

    @property
    def rest(self) -> str:
        """What is lost in places that have no line; empty where that is next to nothing."""
        deepest = len(self.leak.path) == DEEPEST
        return phrases.points(self.leak.rest) if self.leak.rest >= LEVEL and not deepest else ""

    @property
    def drill(self) -> str:
        """Where its mistakes are asked again; empty where there are none."""
        if not self.page.mistakes[self.leak.path]:
            return ""
        asked = {"rules": self.page.rules.id, "leak": ".".join(self.leak.path)}
        return f"{reverse('drill')}?{urlencode(asked)}"

    @property
    def mistakes(self) -> int:
        return self.page.mistakes[self.leak.path]

    @cached_property
    def more(self) -> Interval | None:
        """How much more is lost there than the peers lose."""
        lost = self.leak.lost.interval
        return difference(lost, self.peers) if lost else None

    @property
    def excess(self) -> float:
        return self.leak.points - self.peers.mean

    @cached_property
    def sure(self) -> bool:
        """More than the peers, and not by chance: one of so many places that are looked at.

        The limit is shared among the places (Bonferroni), or one in twenty would stand out always.
        """
        found = t_test(self.more)
        return found is not None and self.excess > 0 and found.p * self.page.compared < LEVEL

    @property
    def compared(self) -> str:
        """In a sentence."""
        facts = {
            "points": phrases.points(abs(self.excess)),
            "half": phrases.points(self.more.half if self.more else 0.0),
            "grade": self.page.grade.name,
        }
        shown = round(self.excess, phrases.DIGITS)
        told = MORE if shown > 0 else LESS if shown < 0 else EQUAL
        return str(told) % facts

    @property
    def examples(self) -> list[LeakExample]:
        """The costliest decisions there."""
        path = self.leak.path
        found = [
            LeakExample(one.game, slip, self.page.rules)
            for one in self.page.games
            for slip in one.slips
            if slip.place[: len(path)] == path
        ]
        return sorted(found, key=lambda example: -example.slip.regret)[:EXAMPLES]


@dataclass(frozen=True)
class LeakPage:
    rules: Ruleset
    games: Sequence[SlipsOfGame]

    @property
    def enough(self) -> bool:
        return len(self.games) >= FEWEST

    @property
    def fewest(self) -> int:
        return FEWEST

    @cached_property
    def lost(self) -> dict[Path, Moments]:
        return averaged([summed(one.slips) for one in self.games])

    @cached_property
    def root(self) -> LeakLine:
        return LeakLine(tree(self.lost), self)

    @cached_property
    def rating(self) -> float:
        """Points lost a decision."""
        return self._lost_a_game / decisions_of(self.rules)

    @property
    def grade(self) -> Grade:
        return grade(self._lost_a_game, self.rules)

    @cached_property
    def _lost_a_game(self) -> float:
        return sum(one.game.regret or 0.0 for one in self.games) / len(self.games)

    @cached_property
    def peers(self) -> Peers:
        return peers(self.rules)[self.grade.id]

    @cached_property
    def mistakes(self) -> Counter[Path]:
        """How many decisions of every place are worth going back to."""
        return Counter(
            slip.place[:steps]
            for one in self.games
            for slip in one.slips
            if slip.regret >= INACCURACY
            for steps in range(DEEPEST + 1)
        )

    @cached_property
    def compared(self) -> int:
        """Places that may stand out."""
        return sum(len(path) == AIMED for path in self.lost)

    @cached_property
    def findings(self) -> list[LeakLine]:
        """Boxes aimed at or filled: what is surely more than others lose, then what is most."""
        places = [line for line in self.lines if len(line.leak.path) == AIMED]
        return sorted(places, key=lambda line: (not line.sure, -line.leak.points))[:FINDINGS]

    @cached_property
    def lines(self) -> list[LeakLine]:
        """The tree, line by line."""
        return list(_flat(self.root.children))


def _flat(lines: Sequence[LeakLine]) -> Iterator[LeakLine]:
    for line in lines:
        yield line
        yield from _flat(line.children)
