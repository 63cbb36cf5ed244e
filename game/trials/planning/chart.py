"""How sure a plan is by the number of people: a curve a design."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from game.coach.scores import HEIGHT, WIDTH
from solver.charts import Axis, Chart, Layer, Line, Rule
from solver.statistics.planning import Design, Plan, Spread, sureness

STEPS = 60
DRAWN = (Design.LIKE_THESE, Design.THESE, Design.TWO_ARMS, Design.BEFORE_AFTER)


def drawn(
    plan: Plan,
    spread: Spread,
    names: Mapping[Design, str],
    asked: str,
    told: Sequence[str],
) -> str:
    """``asked`` stands at the plan itself, ``told`` is what the picture says in words."""
    people = _people(plan.people)
    curves = [
        Line(*curve, label=str(names[design]), series=series)
        for series, design in enumerate(DRAWN, start=1)
        if (curve := _curve(plan, spread, design, people))[0]
    ]
    layers: list[Layer] = [*curves, Rule(x=float(plan.people), label=asked)]
    title = "How sure would it be? By the number of people"
    x, y = Axis("people"), Axis("± points a game", low=0.0)
    chart = Chart(title, layers, x, y, " ".join(told), WIDTH, HEIGHT, show_title=False)
    return chart.for_page()


def _people(asked: int) -> list[int]:
    """Around what was asked for; with very few people all curves would be walls."""
    least = max(4, asked // 4)
    most = max(2 * asked, least + 8)
    return sorted({round(least + (most - least) * step / STEPS) for step in range(STEPS + 1)})


def _curve(
    plan: Plan, spread: Spread, design: Design, people: Sequence[int]
) -> tuple[list[float], list[float]]:
    found = ((count, sureness(replace(plan, people=count), spread, design)) for count in people)
    known = [(float(count), one.half) for count, one in found if one]
    return [count for count, _half in known], [half for _count, half in known]
