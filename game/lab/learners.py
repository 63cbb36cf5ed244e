"""The page about bots that learned to play. Its report comes with the program."""

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
from game.lab.labels import SITE, format_percent, make_lab_url, whole
from solver.arena.learners import PERSON, read_stored_losses
from solver.charts import Axis, Bars, Chart, Waterfall, WaterfallBar
from solver.rules import Ruleset
from solver.rules.position import Position
from solver.study.html import Cell, Folded, Link, TextTable, render_parts

DIGITS, EACH_DIGITS = 2, 4  # decimals of points per game, and of points per decision
KNOWS: Mapping[str, Promise] = MappingProxyType(
    {
        "model-free": gettext_lazy("This bot learns only from its games; people chose its inputs"),
        "knows the dice": gettext_lazy(
            "This bot knows the odds of the dice, and calculates each turn exactly"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Misplayed:
    """A wrong decision of a bot, as texts for the page. ``card`` names the filled boxes."""

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
        """The numbers of the charts as HTML tables that the reader can unfold."""
        facts, curve = self.facts, self.facts["curve"]
        costs = enumerate(facts["regret_by_turn"], start=1)
        turns = [[str(turn), phrases.format_points(cost, 3)] for turn, cost in costs]
        boxes = [
            [
                phrases.name_box(self.rules, box),
                phrases.format_points(facts["points"][box], DIGITS),
                phrases.format_points(self.perfect["points"][box], DIGITS),
                phrases.format_points(loss, 3),
            ]
            for box, loss in facts["regret_by_box"].items()
        ]
        training = [
            [
                whole(point["games"]),
                whole(round(point["seconds"])),
                phrases.format_points(point["mean"], DIGITS),
            ]
            for point in curve
        ]
        box_head = [_("Box"), _("Points"), _("Perfect play"), _("Points lost by choosing the box")]
        curve_head = [_("Training games"), _("Seconds on one processor"), _("Mean")]
        tables = [
            TextTable(f"{title}: {self.name}", head, rows)
            for title, head, rows in (
                (_("By turn"), [_("Turn"), _("Points lost")], turns),
                (_("By box"), box_head, boxes),
                (_("Learning curve"), curve_head, training),
            )
            if rows
        ]
        return render_parts([Folded(_("Show the numbers behind the charts"), tables)])

    @property
    def mistakes(self) -> list[Misplayed]:
        rules, mistakes = self.rules, []
        for facts in self.facts["mistakes"]:
            position = Position(
                rules,
                rules.make_mask(facts["filled"]),
                facts["upper"],
                tuple(facts["dice"]),
                facts["throws_left"],
                facts["chips_won"],
            )
            left, card = facts["throws_left"], _("Empty card")
            if facts["filled"]:
                names = ", ".join(phrases.name_box(rules, box) for box in facts["filled"])
                words = {"boxes": names, "upper": facts["upper"]}
                card = _("Filled: %(boxes)s; upper total %(upper)s") % words
            mistakes.append(
                Misplayed(
                    card=card,
                    dice=phrases.format_dice(facts["dice"]),
                    left=ngettext("%(left)s roll left", "%(left)s rolls left", left)
                    % {"left": left},
                    choice=_format_choice(rules, facts["choice"]),
                    best=_format_choice(rules, facts["best"]),
                    cost=phrases.format_points(facts["cost"], DIGITS),
                    often=_("1 game in %(games)s") % {"games": whole(round(1 / facts["share"]))},
                    explore=f"{reverse('explore')}?{explore_query(position)}",
                )
            )
        return mistakes


def list_learners(rules: Ruleset, report: Mapping[str, Any]) -> list[LabLearner]:
    """Return the bots in a report about learning, the highest mean score first."""
    ranked = sorted(report["learners"], key=lambda facts: -float(facts["mean"]))
    return [LabLearner(rules, facts, report["perfect"]) for facts in ranked]


def make_learner_tables(rules: Ruleset, report: Mapping[str, Any]) -> tuple[str, str]:
    """Return two HTML tables about the bots that learned: their scores, and their costs per kind of
    decision. The second table ends with a bot that errs as people do."""
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
    named.append((_("A bot that makes mistakes as people do"), report["person"]))
    costs = []
    for name, facts in named:
        pairs = zip(facts["regret_by_kind"], facts["decisions"], strict=True)
        figures = [phrases.format_points(facts[measure], DIGITS) for measure in ("mean", "regret")]
        figures += (phrases.format_points(cost / made, EACH_DIGITS) for cost, made in pairs)
        costs.append([name, *figures])
    head = [_("Player"), _("Mean"), _("Points lost per game"), *list_decision_names(rules)]
    by_kind = TextTable(_("Cost per decision, by kind"), head, costs, style="lab__linked")
    return render_parts([worth]), render_parts([by_kind])


def list_decision_names(rules: Ruleset) -> list[str]:
    """Return the column heads for a turn's decisions: the hold after each roll, and the box."""
    holds = [_("Hold after roll %(number)s") % {"number": n} for n in range(1, rules.throws)]
    return [*holds, _("Box")]


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


@dataclass(frozen=True)
class PlayerLost:
    player: str
    rules: Ruleset
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(WORDS[self.player].name)

    @property
    def regret(self) -> float:
        return float(self.facts["regret"])

    @property
    def by_kind(self) -> Sequence[float]:
        costs: Sequence[float] = self.facts["regret_by_kind"]
        return costs

    @property
    def by_boxes(self) -> float:
        return self.by_kind[-1]

    @property
    def by_holds(self) -> float:
        return self.regret - self.by_boxes

    @property
    def figures(self) -> list[str]:
        return [phrases.format_points(cost) for cost in (self.regret, *self.by_kind)]

    @property
    def costliest(self) -> str:
        return _format_costliest_box(self.rules, self.facts["regret_by_box"])

    @property
    def most_missed(self) -> str:
        return _format_costliest_box(self.rules, self.facts["regret_by_best_box"])

    @property
    def boxes(self) -> str:
        """A table per box: the points lost by filling it, and by filling another box instead."""
        missed = self.facts["regret_by_best_box"]
        rows = [
            [
                phrases.name_box(self.rules, box),
                phrases.format_points(taken, 2),
                phrases.format_points(missed[box], 2),
            ]
            for box, taken in self.facts["regret_by_box"].items()
        ]
        title = _("Points lost, box by box")
        head = [_("Box"), _("lost by filling this box"), _("lost by filling another box")]
        return render_parts([Folded(title, [TextTable(title, head, rows, captioned=False)])])

    @property
    def answer(self) -> str:
        """A sentence that compares the points that this player loses by boxes and by holds."""
        facts = {
            "name": self.name,
            "lost": phrases.format_points(self.regret),
            "boxes": phrases.format_points(self.by_boxes),
            "holds": phrases.format_points(self.by_holds),
        }
        if self.by_boxes > self.by_holds:
            text = _(
                "This player's boxes cost more than its holds: of %(lost)s points lost per "
                "game, boxes cost %(boxes)s and holds %(holds)s."
            )
        else:
            text = _(
                "This player's holds cost more than its boxes: of %(lost)s points lost per "
                "game, holds cost %(holds)s and boxes %(boxes)s."
            )
        return text % facts


def _format_costliest_box(rules: Ruleset, costs: Mapping[str, float]) -> str:
    box = max(costs, key=lambda name: costs[name])
    return f"{phrases.name_box(rules, box)} ({phrases.format_points(costs[box])})"


def make_loss_context(player: str, rules: Ruleset) -> dict[str, object]:
    """Return the template context for the points that a player loses, or {} if none are stored."""
    stored = read_stored_losses(rules)
    if stored is None or player not in stored["players"]:
        return {}
    losses = PlayerLost(player, rules, stored["players"][player])
    optimum = stored["optimum"]
    names = [_("Roll %(number)s") % {"number": n} for n in range(1, losses.rules.throws)]
    bars = [
        WaterfallBar(_("Perfect play"), optimum, "total", phrases.format_points(optimum)),
        *(
            WaterfallBar(name, -cost, "loss", phrases.format_deduction(cost))
            for name, cost in zip([*names, _("Box")], losses.by_kind, strict=True)
        ),
    ]
    left = optimum - losses.regret
    bars.append(WaterfallBar(_("Mean"), left, "total", phrases.format_points(left)))
    title = _("From perfect play to the mean of %(name)s") % {"name": losses.name}
    chart = Chart(title, [Waterfall(tuple(bars))], y=Axis(_("points")))
    return {
        "lost": losses,
        "kinds": list_decision_names(rules),
        "lost_chart": SITE.adapt_chart(chart).draw_for_page(),
    }
