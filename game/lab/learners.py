"""The page about bots that learned to play, from a report that comes with the program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from game.coach.position_addresses import explore_query
from game.core.words import phrases
from game.lab.labels import PLAYERS as WORDS
from game.lab.labels import SITE, make_lab_url, whole
from game.lab.players import format_percent
from solver.arena.learners import PERSON
from solver.charts import Axis, Bars, Chart
from solver.rules import Ruleset
from solver.rules.position import Position
from solver.study.html import Cell, Folded, Link, TextTable, render_parts

DIGITS, EACH_DIGITS = 2, 4  # decimals of points per game, and of points per decision
KNOWS: Mapping[str, Promise] = MappingProxyType(
    {
        "model-free": gettext_lazy("Its own games; people chose what it looks at"),
        "knows the dice": gettext_lazy("The odds of the dice; it calculates each turn exactly"),
    }
)


@dataclass(frozen=True, slots=True)
class Misplayed:
    """A bot's wrong decision, as texts for the page; ``card`` names the filled boxes."""

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
    def url(self) -> str:
        return make_lab_url("lab_player", self.rules, self.pk)

    @property
    def duel(self) -> str:
        return f"{reverse('duels')}?{urlencode({'rules': self.rules.id, 'opponent': self.pk})}"

    @property
    def row(self) -> list[Cell]:
        facts, curve = self.facts, self.facts["curve"]
        return [
            Link(self.name, f"#{self.pk}"),
            str(KNOWS[facts["kind"]]),
            phrases.format_points(facts["mean"], DIGITS),
            phrases.format_points(facts["regret"], DIGITS),
            phrases.format_points(facts["sd"], DIGITS),
            str(int(facts["median"])),
            format_percent(facts["bonus"]),
            format_percent(facts["five_of_a_kind"]),
            whole(curve[-1]["games"]) if curve else "–",
        ]

    @property
    def numbers(self) -> str:
        """The charts' numbers as HTML tables that the reader can unfold."""
        tables = [
            self._make_turns_table(),
            self._make_box_table(),
            *([self._make_curve_table()] if self.facts["curve"] else []),
        ]
        return render_parts([Folded(_("Show the numbers behind the charts"), tables)])

    def _make_turns_table(self) -> TextTable:
        costs = enumerate(self.facts["regret_by_turn"], start=1)
        rows = [[str(turn), phrases.format_points(cost, 3)] for turn, cost in costs]
        return TextTable(f"{_('By turn')}: {self.name}", [_("Turn"), _("Points lost")], rows)

    def _make_box_table(self) -> TextTable:
        head = [_("Box"), _("Points"), _("Perfect play"), _("Points lost by choosing the box")]
        rows = [
            [
                phrases.name_box(self.rules, box),
                phrases.format_points(self.facts["points"][box], DIGITS),
                phrases.format_points(self.perfect["points"][box], DIGITS),
                phrases.format_points(loss, 3),
            ]
            for box, loss in self.facts["regret_by_box"].items()
        ]
        return TextTable(f"{_('By box')}: {self.name}", head, rows)

    def _make_curve_table(self) -> TextTable:
        head = [_("Training games"), _("Seconds on one processor"), _("Mean")]
        rows = [
            [
                whole(point["games"]),
                whole(round(point["seconds"])),
                phrases.format_points(point["mean"], DIGITS),
            ]
            for point in self.facts["curve"]
        ]
        return TextTable(f"{_('Learning curve')}: {self.name}", head, rows)

    @property
    def mistakes(self) -> list[Misplayed]:
        return [make_misplayed(self.rules, facts) for facts in self.facts["mistakes"]]


def list_learners(rules: Ruleset, report: Mapping[str, Any]) -> list[LabLearner]:
    """Return the learners of a report, those with the highest mean score first."""
    ranked = sorted(report["learners"], key=lambda facts: -float(facts["mean"]))
    return [LabLearner(rules, facts, report["perfect"]) for facts in ranked]


def make_learner_tables(rules: Ruleset, report: Mapping[str, Any]) -> tuple[str, str]:
    """Return two HTML tables: each learner's scores, and its costs per kind of decision. The second
    table ends with a bot that makes mistakes as people do."""
    every = list_learners(rules, report)
    head = [
        _("Player"),
        _("Knowledge"),
        _("Mean"),
        _("Points lost per game"),
        _("Standard deviation"),
    ]
    head += [_("Median"), _("Bonus"), _("Five of a kind"), _("Training games")]
    rows = [learner.row for learner in every]
    worth = TextTable(_("Strength of each player"), head, rows, left=2, style="lab__linked")
    assert report["person"]["player"] == PERSON  # noqa: S101
    named = [(learner.name, learner.facts) for learner in every]
    named.append((_("A bot that errs as people do"), report["person"]))
    costs = [
        [
            name,
            *(phrases.format_points(facts[measure], DIGITS) for measure in ("mean", "regret")),
            *_format_costs_by_kind(facts),
        ]
        for name, facts in named
    ]
    head = [_("Player"), _("Mean"), _("Points lost per game"), *list_decision_names(rules)]
    by_kind = TextTable(_("Cost per decision, by kind"), head, costs, style="lab__linked")
    return render_parts([worth]), render_parts([by_kind])


def _format_costs_by_kind(facts: Mapping[str, Any]) -> tuple[str, ...]:
    pairs = zip(facts["regret_by_kind"], facts["decisions"], strict=True)
    return tuple(phrases.format_points(cost / made, EACH_DIGITS) for cost, made in pairs)


def list_decision_names(rules: Ruleset) -> list[str]:
    """Return column heads for a turn's decisions: the hold after each roll, and the box."""
    holds = [_("Hold after roll %(number)s") % {"number": n} for n in range(1, rules.throws)]
    return [*holds, _("Box")]


def make_misplayed(rules: Ruleset, facts: Mapping[str, Any]) -> Misplayed:
    position = Position(
        rules,
        rules.make_mask(facts["filled"]),
        facts["upper"],
        tuple(facts["dice"]),
        facts["throws_left"],
        facts["chips_won"],
    )
    left = facts["throws_left"]
    return Misplayed(
        card=_format_card(rules, facts["filled"], facts["upper"]),
        dice=phrases.format_dice(facts["dice"]),
        left=ngettext("%(left)s roll left", "%(left)s rolls left", left) % {"left": left},
        choice=_format_choice(rules, facts["choice"]),
        best=_format_choice(rules, facts["best"]),
        cost=phrases.format_points(facts["cost"], DIGITS),
        often=_("1 game in %(games)s") % {"games": whole(round(1 / facts["share"]))},
        explore=f"{reverse('explore')}?{explore_query(position)}",
    )


def _format_card(rules: Ruleset, filled: Sequence[str], upper: int) -> str:
    if not filled:
        return _("Empty card")
    names = ", ".join(phrases.name_box(rules, box) for box in filled)
    return _("Filled: %(boxes)s; upper total %(upper)s") % {"boxes": names, "upper": upper}


def _format_choice(rules: Ruleset, choice: Any) -> str:
    if isinstance(choice, str):
        return phrases.name_box(rules, choice)
    return phrases.describe_hold(tuple(choice), rules)


def make_simplified_table(facts: Mapping[str, Any]) -> str:
    names = {
        "random": _("Random"),
        "learned": _("Learned"),
        "fewest turns": _("Perfect play: fewest turns"),
        "most points": _("Perfect play: most points"),
    }
    rows = [
        [
            name,
            *(
                phrases.format_points(facts["players"][key][measure], DIGITS)
                for measure in ("turns", "points")
            ),
        ]
        for key, name in names.items()
    ]
    head = [_("Player"), _("Turns"), _("Points")]
    return render_parts([TextTable(_("Turns and points to fill all four boxes"), head, rows)])


def draw_loss_by_turn(learner: LabLearner) -> str:
    costs = learner.facts["regret_by_turn"]
    bands = tuple(str(turn) for turn in range(1, len(costs) + 1))
    title = _("Points lost, turn by turn: %(name)s") % {"name": learner.name}
    chart = Chart(title, [Bars(bands, costs)], Axis(_("turn")), Axis(_("points")))
    return SITE.adapt_chart(chart).draw_for_page()
