"""The points that the lab's players lose, by kind of decision, from a stored file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.core.words import phrases
from game.lab.labels import PLAYERS, SITE
from game.lab.learners import list_decision_names
from solver.arena.learners import read_stored_losses
from solver.charts import Axis, Chart, Waterfall, WaterfallBar
from solver.rules import Ruleset
from solver.study.html import Folded, TextTable, render_parts


@dataclass(frozen=True)
class PlayerLost:
    player: str
    rules: Ruleset
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(PLAYERS[self.player].name)

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
        """A foldable table with two costs per box: of filling it, and of not filling it when it was
        best."""
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
        head = [_("Box"), _("by filling the box"), _("by not filling the box")]
        return render_parts([Folded(title, [TextTable(title, head, rows, captioned=False)])])

    @property
    def answer(self) -> str:
        """A sentence that compares the points lost by the player's boxes and by its holds."""
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

    def draw_waterfall(self, optimum: float) -> str:
        names = [_("Roll %(number)s") % {"number": n} for n in range(1, self.rules.throws)]
        bars = [
            WaterfallBar(_("Perfect play"), optimum, "total", phrases.format_points(optimum)),
            *(
                WaterfallBar(name, -cost, "loss", phrases.format_deduction(cost))
                for name, cost in zip([*names, _("Box")], self.by_kind, strict=True)
            ),
        ]
        left = optimum - self.regret
        bars.append(WaterfallBar(_("Mean"), left, "total", phrases.format_points(left)))
        title = _("From perfect play to the mean of %(name)s") % {"name": self.name}
        chart = Chart(title, [Waterfall(tuple(bars))], y=Axis(_("points")))
        return SITE.adapt_chart(chart).draw_for_page()


def _format_costliest_box(rules: Ruleset, costs: Mapping[str, float]) -> str:
    box = max(costs, key=lambda name: costs[name])
    return f"{phrases.name_box(rules, box)} ({phrases.format_points(costs[box])})"


def make_loss_context(player: str, rules: Ruleset) -> dict[str, object]:
    """Return template context about the points a player loses; {} if none are stored."""
    stored = read_stored_losses(rules)
    if stored is None or player not in stored["players"]:
        return {}
    losses = PlayerLost(player, rules, stored["players"][player])
    return {
        "lost": losses,
        "kinds": list_decision_names(rules),
        "lost_chart": losses.draw_waterfall(stored["optimum"]),
    }
