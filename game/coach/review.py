"""The review of a finished game: the cost of each decision, the luck of each roll, and the sums."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.coach.hints import Ranked, ShownDie, find_chosen_option, mark_held_dice, rank_option
from game.coach.position_addresses import explore_query
from game.coach.reasons import explain_best, make_verdict
from game.core.words import phrases
from game.core.words.equation import Equation
from game.core.words.sentences import Event
from game.core.words.speech import say
from game.core.worth.severity import (
    INACCURACY,
    SEVERITIES,
    Grade,
    Severity,
    find_grade,
    find_severity,
    sum_mistakes,
)
from game.core.worth.skill import calculate_accuracy
from solver.advice import Advice, Advisor, Entry, Option
from solver.rules import Action, Block, Hold, Ruleset, Score, State, replay_actions

AFTER: dict[int, Promise] = {
    1: gettext_lazy("After the first roll"),
    2: gettext_lazy("After the second roll"),
}
ALTERNATIVES = 3


@dataclass(frozen=True, slots=True)
class PartView:
    name: str
    points: float
    shown: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A review step as a question: it shows the player's option and hides the best one."""

    chosen: Option
    best: None = None


@dataclass(frozen=True)
class Step:
    number: int
    state: State
    entry: Entry
    advisor: Advisor

    @cached_property
    def advice(self) -> Advice:
        """The advice, calculated only when a page shows this step in full."""
        return self.advisor.advise(self.entry.position, outlook=True)

    @cached_property
    def chosen(self) -> Option:
        return find_chosen_option(self.advice, self.entry.action, self.state)

    @property
    def holds(self) -> bool:
        return isinstance(self.entry.action, Hold)

    @property
    def turn(self) -> int:
        return self.entry.turn + 1

    @property
    def throw(self) -> int:
        return self.state.throws_made

    @property
    def dice(self) -> list[ShownDie]:
        return mark_held_dice(self.state, self.entry.action)

    @property
    def best(self) -> Ranked:
        """The best option, or the chosen one if it is as good; it marks dice held before first."""
        action = self.entry.action
        kept = action.slots if isinstance(action, Hold) else self.state.held
        return rank_option(replace(self.state, held=kept), self._best)

    @property
    def _best(self) -> Option:
        return self.chosen if self.chosen.best else self.advice.best

    @property
    def unanswered(self) -> "Unanswered":
        return Unanswered(self.chosen)

    @property
    def best_dice(self) -> list[ShownDie]:
        """The dice, marked if the best option holds them; empty if the best option is a box."""
        best = self.best
        if best.category:
            return []
        return [ShownDie(face, at in best.slots) for at, face in enumerate(self.state.dice)]

    @property
    def first_best(self) -> str:
        """The option that ``reason`` explains: the chosen one if it is best, else the first."""
        return phrases.describe_option(self.state.rules, self._best)

    @property
    def mistaken(self) -> bool:
        """True if the move was an inaccuracy, a mistake or a blunder; False if it cost less."""
        return self.entry.regret >= INACCURACY

    @property
    def severity(self) -> Severity:
        return find_severity(self.entry.regret)

    @property
    def label(self) -> str:
        return phrases.describe_move(self.state, self.entry.action)

    @property
    def cost(self) -> str:
        return phrases.format_cost(self.entry.regret)

    @property
    def place(self) -> str:
        return say("turn_roll", turn=self.turn, throw=self.throw)

    @property
    def event(self) -> Event:
        event = make_verdict(self.entry.regret, act="why" if self.mistaken else "")
        words = say("decided", place=self.place, deed=self.label, verdict=event.says)
        return event._replace(says=words)

    @property
    def taken_off(self) -> str:
        return phrases.format_deduction(self.entry.regret)

    @property
    def luck(self) -> str:
        return phrases.describe_luck(self.entry.luck)

    @property
    def before(self) -> float:
        """The expected final score with these dice if the player plays perfectly from now on."""
        return self.state.points + self.entry.best

    @property
    def after(self) -> float:
        return self.state.points + self.entry.value

    @property
    def deviation(self) -> float:
        return self.chosen.outlook.deviation if self.chosen.outlook else 0.0

    @property
    def alternatives(self) -> list[Ranked]:
        """The options to list: the best ones, and the chosen one if it is not among them."""
        best = list(self.advice.options[:ALTERNATIVES])
        if self.chosen not in best:
            best.append(self.chosen)
        return [rank_option(self.state, option) for option in best]

    @property
    def explore(self) -> str:
        return f"{reverse('explore')}?{self.query}"

    @property
    def query(self) -> str:
        return explore_query(self.entry.position)

    @cached_property
    def reason(self) -> str:
        return explain_best(self.advisor, self.entry.position, self.advice, self.chosen)

    @cached_property
    def why(self) -> list[PartView]:
        """The boxes in which the best option gains points, the largest gain first."""
        if self.entry.regret < SEVERITIES[-1].at_least:
            return []
        parts = self.advisor.why(self.entry.position, self.advice.best, self.chosen) or ()
        shown = [part for part in parts if abs(part.points) >= 0.05]
        shown.sort(key=lambda part: -abs(part.points))
        rules = self.state.rules
        return [
            PartView(phrases.name_box(rules, p.box), p.points, phrases.format_signed(p.points))
            for p in shown
        ]


@dataclass(frozen=True, slots=True)
class Loss:
    """Points lost in decisions of one kind, or in turns that ended in one box."""

    name: str
    decisions: int
    points: float
    shown: str  # points as printed; the rows of a table add up to the printed cost of mistakes

    @property
    def average(self) -> float:
        return self.points / self.decisions if self.decisions else 0.0


@dataclass(frozen=True)
class Review:
    rules: Ruleset
    value_start: float
    steps: Sequence[Step]
    score: int

    @property
    def luck(self) -> float:
        return sum(step.entry.luck for step in self.steps)

    @property
    def regret(self) -> float:
        return sum_mistakes(step.entry.regret for step in self.steps)

    @property
    def grade(self) -> Grade:
        return find_grade(self.regret, self.rules)

    @cached_property
    def equation(self) -> Equation:
        return Equation.from_game(self.score, self.luck, self.regret)

    @cached_property
    def counts(self) -> list[tuple[Severity, int]]:
        named = [step.severity.id for step in self.steps]
        return [(grade, named.count(grade.id)) for grade in SEVERITIES]

    @cached_property
    def mistakes(self) -> list[Step]:
        return [step for step in self.steps if step.mistaken]

    @property
    def accuracy(self) -> str:
        return phrases.format_accuracy(calculate_accuracy(self.regret, self.rules))

    @cached_property
    def by_throw(self) -> list[Loss]:
        """Points lost in decisions after each roll of a turn; holds and boxes count together."""
        after = {
            throw: [step for step in self.steps if min(step.throw, self.rules.throws) == throw]
            for throw in range(1, self.rules.throws + 1)
        }
        named = [(format_throw_heading(self.rules, throw), steps) for throw, steps in after.items()]
        return _sum_losses(self.equation, named)

    @cached_property
    def by_box(self) -> list[Loss]:
        """Points lost in whole turns, by the box that the turn filled; costliest box first."""
        turns: dict[int, list[Step]] = {}
        for step in self.steps:
            turns.setdefault(step.turn, []).append(step)
        named = [
            (phrases.name_box(self.rules, self.boxes[turn]), steps)
            for turn, steps in turns.items()
            if turn in self.boxes
        ]
        return sorted(_sum_losses(self.equation, named), key=lambda loss: -loss.points)

    @cached_property
    def boxes(self) -> dict[int, str]:
        ended = ((step.turn, step.entry.action) for step in self.steps)
        return {turn: action.category for turn, action in ended if isinstance(action, Score)}


def format_throw_heading(rules: Ruleset, throw: int) -> str:
    """Return the heading for decisions after this roll; the heading for the last roll also covers
    saved rolls."""
    if throw == rules.throws:
        later = _("After roll %(n)s or later") % {"n": throw}
        return later if rules.stock else _("After the last roll")
    return str(AFTER[throw]) if throw in AFTER else _("After roll %(n)s") % {"n": throw}


def review_game(advisor: Advisor, block: Block, actions: Sequence[Action]) -> Review:
    """Return the review of a finished game. A turn's first roll does not count as a decision."""
    rules = advisor.rules
    moves = [
        (state, action) for state, action in replay_actions(rules, block, actions) if state.dice
    ]
    steps = [build_step(advisor, n, state, action) for n, (state, action) in enumerate(moves, 1)]
    score = round(steps[-1].after) if steps else 0
    return Review(rules, advisor.value_start, steps, score)


def build_step(advisor: Advisor, number: int, state: State, action: Action) -> Step:
    return Step(number, state, advisor.entry(state, action), advisor)


def _sum_losses(equation: Equation, named: Sequence[tuple[str, list[Step]]]) -> list[Loss]:
    points = [sum_mistakes(step.entry.regret for step in steps) for _name, steps in named]
    shown = equation.format_shares(points)
    return [
        Loss(name, len(steps), points_lost, words)
        for (name, steps), points_lost, words in zip(named, points, shown, strict=True)
    ]


HOLD, BOX = "hold", "box"


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for decisions. An empty field excludes nothing. ``box`` is the box that the turn
    filled, ``cost`` the lowest severity to show."""

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

    def matches(self, step: Step, ended_in: str) -> bool:
        least = next((grade.at_least for grade in SEVERITIES if grade.id == self.cost), 0.0)
        return (
            (not self.kind or step.holds == (self.kind == HOLD))
            and (not self.box or ended_in == self.box)
            and (not self.turn or step.turn == self.turn)
            and step.entry.regret >= least
        )


@dataclass(frozen=True)
class Walk:
    """The review steps that pass a filter, and the step that the page shows. ``asked`` is the step
    number in the address; the review may not have this step."""

    review: Review
    filter: Filter
    here: str
    asked: int | None = None

    @cached_property
    def steps(self) -> Sequence[Step]:
        boxes = self.review.boxes
        return [
            step
            for step in self.review.steps
            if self.filter.matches(step, boxes.get(step.turn, ""))
        ]

    @cached_property
    def at(self) -> Step:
        """The step in the address, else the costliest step in the filter, else the costliest of
        all."""
        every = self.review.steps
        if self.asked is not None and 1 <= self.asked <= len(every):
            return every[self.asked - 1]
        return max(self.steps or every, key=lambda step: step.entry.regret)

    @property
    def previous(self) -> str:
        return self._find_nearest(-1)

    @property
    def next(self) -> str:
        return self._find_nearest(1)

    @property
    def previous_mistake(self) -> str:
        return self._find_nearest(-1, mistakes=True)

    @property
    def next_mistake(self) -> str:
        return self._find_nearest(1, mistakes=True)

    def _find_nearest(self, way: int, *, mistakes: bool = False) -> str:
        """Return the address of the nearest step or mistake, or "". ``way`` is -1 for earlier."""
        for step in self.steps[::way]:
            if way * (step.number - self.at.number) > 0 and (step.mistaken or not mistakes):
                return self.address(step)
        return ""

    def address(self, step: Step) -> str:
        return f"{self.here}?{urlencode({'step': step.number, **self.filter.query})}"

    @property
    def lines(self) -> list[tuple[Step, str]]:
        return [(step, self.address(step)) for step in self.steps]
