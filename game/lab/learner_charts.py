"""Charts of players that learned, in the reader's language."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from game.coach.scores import HEIGHT, WIDTH
from game.lab.learners import LabLearner
from game.words import phrases
from solver.charts import OWN, REFERENCE, Axis, Bars, Chart, Layer, Line, Rule


def lost_by_turn(told: LabLearner) -> str:
    costs = told.facts["regret_by_turn"]
    bands = tuple(str(turn) for turn in range(1, len(costs) + 1))
    title = _("Points lost, turn by turn: %(name)s") % {"name": told.name}
    return _drawn(title, [Bars(bands, costs)], _("turn"))


def simplified_curve(facts: Mapping[str, Any]) -> str:
    curve, learned = facts["curve"], facts["players"]["learned"]["turns"]
    layers: list[Layer] = [
        Line([one["games"] / 1000 for one in curve], [one["turns"] for one in curve], _("learning"))
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


def _drawn(title: str, layers: Sequence[Layer], x: str | Axis, y: Axis | None = None) -> str:
    return Chart(
        title,
        layers,
        x=x if isinstance(x, Axis) else Axis(x),
        y=y or Axis(_("points")),
        width=WIDTH,
        height=HEIGHT,
        show_title=False,
    ).for_page()
