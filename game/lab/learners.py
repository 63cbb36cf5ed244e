"""The page of players that learned, from a report that comes with the program."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.coach.position_addresses import explore_query
from game.coach.score_charts import HEIGHT, WIDTH
from game.core.words import phrases
from game.lab.labels import PLAYERS as WORDS
from game.lab.labels import lab_url, whole
from game.lab.players import percent
from solver.arena.learners import PERSON
from solver.charts import OWN, REFERENCE, Axis, Bars, Chart, Layer, Line, Rule
from solver.rules import Ruleset
from solver.rules.position import Position

DIGITS, EACH_DIGITS = 2, 4  # decimals of points per game, and of points per decision
KNOWS: Mapping[str, Promise] = MappingProxyType(
    {
        "model-free": gettext_lazy("What it has seen; people chose what it looks at"),
        "knows the dice": gettext_lazy("The dice: each turn is calculated exactly"),
    }
)


@dataclass(frozen=True, slots=True)
class Profile:
    """The points lost by a player, per game and per decision of each kind."""

    name: str
    mean: str
    lost: str
    each: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoxLine:
    name: str
    points: str
    perfect: str
    lost: str


@dataclass(frozen=True, slots=True)
class Misplayed:
    """A wrong decision; ``card`` names the boxes that are filled already."""

    card: str
    dice: str
    left: str
    choice: str
    best: str
    cost: str
    often: str
    explore: str


@dataclass(frozen=True)
class LabLearner:
    rules: Ruleset
    facts: Mapping[str, Any]
    perfect: Mapping[str, Any]

    @property
    def pk(self) -> str:
        return str(self.facts["player"])

    @property
    def name(self) -> str:
        return str(WORDS[self.pk].name)

    @property
    def summary(self) -> str:
        return str(WORDS[self.pk].summary)

    @property
    def knows(self) -> Promise:
        return KNOWS[self.facts["kind"]]

    @property
    def url(self) -> str:
        return lab_url("lab_player", self.rules, self.pk)

    @property
    def duel(self) -> str:
        return f"{reverse('duels')}?{urlencode({'rules': self.rules.id, 'opponent': self.pk})}"

    @property
    def trained(self) -> str:
        curve = self.curve
        return whole(curve[-1]["games"]) if curve else ""

    @property
    def mean(self) -> str:
        return phrases.points(self.facts["mean"], DIGITS)

    @property
    def deviation(self) -> str:
        return phrases.points(self.facts["sd"], DIGITS)

    @property
    def median(self) -> int:
        return int(self.facts["median"])

    @property
    def bonus(self) -> str:
        return percent(self.facts["bonus"])

    @property
    def five_of_a_kind(self) -> str:
        return percent(self.facts["five_of_a_kind"])

    @property
    def lost(self) -> str:
        return phrases.points(self.facts["regret"], DIGITS)

    @property
    def curve(self) -> list[dict[str, Any]]:
        curve: list[dict[str, Any]] = self.facts["curve"]
        return curve

    @property
    def curve_lines(self) -> list[tuple[str, str, str]]:
        return [
            (
                whole(point["games"]),
                whole(round(point["seconds"])),
                phrases.points(point["mean"], DIGITS),
            )
            for point in self.curve
        ]

    @property
    def turns(self) -> list[tuple[int, str]]:
        costs = self.facts["regret_by_turn"]
        return [(n, phrases.points(cost, 3)) for n, cost in enumerate(costs, start=1)]

    @property
    def boxes(self) -> Iterator[BoxLine]:
        for box, loss in self.facts["regret_by_box"].items():
            yield BoxLine(
                phrases.box(self.rules, box),
                phrases.points(self.facts["points"][box], DIGITS),
                phrases.points(self.perfect["points"][box], DIGITS),
                phrases.points(loss, 3),
            )

    @property
    def mistakes(self) -> list[Misplayed]:
        return [misplayed(self.rules, facts) for facts in self.facts["mistakes"]]


def learners_of(rules: Ruleset, report: Mapping[str, Any]) -> list[LabLearner]:
    """Return the learners, best first."""
    ranked = sorted(report["learners"], key=lambda facts: -float(facts["mean"]))
    return [LabLearner(rules, facts, report["perfect"]) for facts in ranked]


def profiles(rules: Ruleset, report: Mapping[str, Any]) -> list[Profile]:
    """Return the profiles of all learners, and then that of a bot that errs as people do."""
    return [*map(_profile, learners_of(rules, report)), _persons(report["person"])]


def _profile(learner: LabLearner) -> Profile:
    return Profile(learner.name, learner.mean, learner.lost, _each(learner.facts))


def _persons(facts: Mapping[str, Any]) -> Profile:
    assert facts["player"] == PERSON  # noqa: S101
    mean, loss = (phrases.points(facts[name], DIGITS) for name in ("mean", "regret"))
    return Profile(_("A bot that errs as people do"), mean, loss, _each(facts))


def _each(facts: Mapping[str, Any]) -> tuple[str, ...]:
    pairs = zip(facts["regret_by_kind"], facts["decisions"], strict=True)
    return tuple(phrases.points(cost / made, EACH_DIGITS) for cost, made in pairs)


def kinds(rules: Ruleset) -> list[str]:
    """Return the decisions of a turn, as heads of columns."""
    holds = [_("Hold after roll %(number)s") % {"number": n} for n in range(1, rules.throws)]
    return [*holds, _("Box")]


def misplayed(rules: Ruleset, facts: Mapping[str, Any]) -> Misplayed:
    position = Position(
        rules,
        rules.mask(facts["filled"]),
        facts["upper"],
        tuple(facts["dice"]),
        facts["throws_left"],
        facts["chips_won"],
    )
    left = facts["throws_left"]
    return Misplayed(
        card=_card(rules, facts["filled"], facts["upper"]),
        dice=phrases.dice(facts["dice"]),
        left=ngettext("%(left)s roll left", "%(left)s rolls left", left) % {"left": left},
        choice=_choice(rules, facts["choice"]),
        best=_choice(rules, facts["best"]),
        cost=phrases.points(facts["cost"], DIGITS),
        often=_("1 game in %(games)s") % {"games": whole(round(1 / facts["share"]))},
        explore=f"{reverse('explore')}?{explore_query(position)}",
    )


def _card(rules: Ruleset, filled: Sequence[str], upper: int) -> str:
    if not filled:
        return _("Empty card")
    names = ", ".join(phrases.box(rules, box) for box in filled)
    return _("Filled: %(boxes)s; upper total %(upper)s") % {"boxes": names, "upper": upper}


def _choice(rules: Ruleset, choice: Any) -> str:
    if isinstance(choice, str):
        return phrases.box(rules, choice)
    return phrases.held(tuple(choice), rules)


@dataclass(frozen=True, slots=True)
class SimplifiedLine:
    name: str
    turns: str
    points: str


def simplified_lines(facts: Mapping[str, Any]) -> list[SimplifiedLine]:
    names = {
        "random": _("Random"),
        "learned": _("Learned"),
        "fewest turns": _("Perfect play: fewest turns"),
        "most points": _("Perfect play: most points"),
    }
    return [
        SimplifiedLine(
            name,
            phrases.points(facts["players"][key]["turns"], DIGITS),
            phrases.points(facts["players"][key]["points"], DIGITS),
        )
        for key, name in names.items()
    ]


def lost_by_turn(learner: LabLearner) -> str:
    costs = learner.facts["regret_by_turn"]
    bands = tuple(str(turn) for turn in range(1, len(costs) + 1))
    title = _("Points lost, turn by turn: %(name)s") % {"name": learner.name}
    return _drawn(title, [Bars(bands, costs)], _("turn"))


def simplified_curve(facts: Mapping[str, Any]) -> str:
    curve, learned = facts["curve"], facts["players"]["learned"]["turns"]
    layers: list[Layer] = [
        Line(
            [point["games"] / 1000 for point in curve],
            [point["turns"] for point in curve],
            _("learning"),
        )
    ]
    fewest = facts["players"]["fewest turns"]["turns"]
    for name, turns, series in (
        (_("learned"), learned, OWN),
        (_("fewest possible"), fewest, REFERENCE),
    ):
        label = f"{name}: {phrases.points(turns, 2)}"
        layers.append(Rule(y=turns, label=label, series=series, at_start=series == OWN))
    title, axis = _("Turns of a game while it learned"), Axis(_("turns"))
    return _drawn(title, layers, _("thousands of training games"), axis)


def _drawn(title: str, layers: Sequence[Layer], x: str, y: Axis | None = None) -> str:
    return Chart(
        title,
        layers,
        x=Axis(x),
        y=y or Axis(_("points")),
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()
