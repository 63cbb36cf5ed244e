from time import perf_counter
from xml.etree import ElementTree

import pytest

from solver.charts import (
    Axis,
    Bars,
    Chart,
    Histogram,
    Layer,
    Line,
    Points,
    Rule,
    Waterfall,
    WaterfallBar,
)
from solver.charts.frame import shown, ticks

SVG = "{http://www.w3.org/2000/svg}"
LAYERS: dict[str, Layer] = {
    "line": Line([0, 1, 2], [3, 5, 4], "road", band=([4, 6, 5], [2, 4, 3]), area=True),
    "histogram": Histogram([0, 10, 20], [0.4, 0.6], "games"),
    "columns": Histogram([0, 10, 20], [0.4, 0.6], columns=True),
    "bars": Bars(("first", "second"), [3, -4], values=["3", "-4"]),
    "points": Points([1, 2], [3, 4], titles=["a mistake"]),
    "rule": Rule(x=3, label="mean"),
    "level": Rule(y=3, label="mean"),
    "waterfall": Waterfall((WaterfallBar("start", 248.4, "total"), WaterfallBar("luck", -8.0))),
    "nothing": Line([], []),
}


def parsed(chart: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(chart.svg())


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_draws_well_formed_svg_that_a_strict_policy_allows(name: str) -> None:
    root = parsed(Chart("A question", [LAYERS[name]], Axis("x"), Axis("y", percent=True)))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "A question"
    assert not [
        e for e in root.iter() if e.get("style") or e.tag in (f"{SVG}style", f"{SVG}script")
    ]
    assert not {"nan", "inf"} & set(Chart("", [LAYERS[name]]).svg().replace('"', " ").split())


def test_all_that_is_written_is_escaped() -> None:
    layers: list[Layer] = [
        Line([0, 1], [0, 1], "<b>"),
        Rule(x=1, label="a & b"),
        Points([0], [0], titles=["<i>"]),
    ]
    root = parsed(Chart("<script>\x00", layers, Axis('"x"'), description="a < b"))
    assert root.findtext(f"{SVG}title") == "<script>"
    assert not [element for element in root.iter() if element.tag.endswith(("script", "b", "i"))]


def test_a_colour_counts_the_series_and_rules_have_none_of_their_own() -> None:
    chart = Chart("", [Rule(x=1), Line([0], [0]), Line([0], [0]), Rule(x=2, series=2)])
    assert chart.series == [0, 1, 2, 2]


def test_bars_stand_on_zero_and_a_waterfall_ends_where_its_changes_lead() -> None:
    bars = parsed(Chart("", [Bars(("a", "b"), [2.0, 4.0])])).findall(f".//{SVG}rect")
    small, large = (float(bar.attrib["height"]) for bar in bars)
    assert large == pytest.approx(2 * small, abs=0.2)
    fall = Waterfall(
        (
            WaterfallBar("start", 10, "total"),
            WaterfallBar("luck", -4),
            WaterfallBar("end", 6, "total"),
        )
    )
    assert fall.spans() == [(0, 10), (10, 6), (0, 6)]


def test_a_bar_without_a_height_is_left_out() -> None:
    bands = ("a", "b", "c")
    chart = Chart(
        "", [Bars(bands, [2.0, None, 4.0], values=["x", "y", "z"]), Bars(bands, [1, 1, 1])]
    )
    texts = "".join(parsed(chart).itertext())
    assert len(parsed(chart).findall(f".//{SVG}rect[@class='chart-bar series-1']")) == 2
    assert "z" in texts
    assert "y" not in texts


def test_labels_of_rules_side_by_side_take_rows_of_their_own() -> None:
    near = [Rule(x=100, label="mean 100"), Rule(x=100.5, label="median 100.5")]
    root = parsed(Chart("", [Line([0, 200], [0, 1]), *near]))
    labels = [e for e in root.iter(f"{SVG}text") if e.get("class") == "chart-rule-label"]
    assert len({label.get("y") for label in labels}) == 2


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((0, 1), (0, 0.2, 0.4, 0.6, 0.8, 1)),
        ((-3, 17), (0, 5, 10, 15)),
        ((2, 3), (2, 2.2, 2.4, 2.6, 2.8, 3)),
    ],
)
def test_ticks_are_round(limits: tuple[float, float], expected: tuple[float, ...]) -> None:
    assert ticks(*limits, 5) == pytest.approx(expected)


def test_numbers_are_written_as_people_write_them() -> None:
    assert [
        shown(-1200, 100),
        shown(0.25, 0.25, percent=True),
        shown(-0.0, 0.5),
        shown(2.5, 2.5),
    ] == [
        "−1,200",
        "25\u00a0%",
        "0.0",
        "2.5",
    ]


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        Chart("", [Line([0, 1], [0, float("nan")]), Line([0], [float("inf")])]).svg()


def test_a_chart_takes_less_than_five_milliseconds() -> None:
    xs = list(range(375))
    best = 1.0
    for _ in range(5):
        began = perf_counter()
        Chart("t", [Line(xs, xs, area=True), Line(xs, xs), Rule(x=3, label="x")]).svg()
        best = min(best, perf_counter() - began)
    assert best < 0.005
