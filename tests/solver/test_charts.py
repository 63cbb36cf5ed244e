from dataclasses import replace
from itertools import combinations, pairwise
from math import exp
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.charts import (
    Axis,
    Bars,
    Chart,
    Columns,
    Here,
    Histogram,
    Layer,
    Line,
    Mark,
    Marks,
    Points,
    Rule,
    Waterfall,
    WaterfallBar,
)
from solver.charts.frame import (
    CHANGE,
    LOSS,
    PALETTE,
    TOTAL,
    Frame,
    estimate_width,
    format_tick,
    list_ticks,
)
from solver.charts.layers import place_points
from tests.known import known

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
    "marks": Marks([Mark(1, 2, 8, "worse", "a mistake", "/there?a=1&b=2")]),
    "columns of links": Columns([1, 2], [3, 4], ["/a", "/b"]),
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
    assert fall.list_spans() == [(0, 10), (10, 6), (0, 6)]


def test_only_what_somebody_lost_is_red() -> None:
    steps = (
        WaterfallBar("start", 10, "total"),
        WaterfallBar("bad luck", -4),
        WaterfallBar("a mistake", -1, "loss"),
    )
    drawn = parsed(Chart("", [Waterfall(steps)])).findall(f".//{SVG}rect")
    assert [bar.attrib["fill"] for bar in drawn] == [TOTAL, CHANGE, LOSS]
    assert not {TOTAL, CHANGE, *PALETTE} & {LOSS}


def test_every_colour_of_a_file_is_told_from_its_paper() -> None:
    for colour in (*PALETTE, TOTAL, CHANGE, LOSS):
        shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares
        )
        assert 1.05 / ((0.2126 * red + 0.7152 * green + 0.0722 * blue) + 0.05) >= 3, colour


def test_lines_of_more_series_than_have_their_own_colour_are_dashed() -> None:
    chart = Chart("", [Line([0, 1], [0, 1], label=f"{number}") for number in range(9)])
    lines = [e for e in parsed(chart).iter(f"{SVG}path") if "chart-line" in e.attrib["class"]]
    looks = {(line.attrib["stroke"], line.attrib.get("stroke-dasharray")) for line in lines}
    assert len(looks) == 9


def test_a_bar_without_a_height_is_left_out() -> None:
    bands = ("a", "b", "c")
    chart = Chart(
        "", [Bars(bands, [2.0, None, 4.0], values=["x", "y", "z"]), Bars(bands, [1, 1, 1])]
    )
    texts = "".join(parsed(chart).itertext())
    assert len(parsed(chart).findall(f".//{SVG}rect[@class='chart-bar series-1']")) == 2
    assert "z" in texts
    assert "y" not in texts


def test_bands_share_the_width() -> None:
    frame = Frame(10, 0, 110, 50, (0, 1), (0, 1), bands=("a", "b", "c", "d"))
    assert frame.band == 25
    assert replace(frame, bands=()).band == 100


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
    assert list_ticks(*limits, 5) == pytest.approx(expected)


@given(st.integers(0, 500), st.integers(1, 5000), st.integers(1, 12))
def test_what_is_counted_has_whole_ticks_and_never_too_many(
    low: int, wide: int, about: int
) -> None:
    marks = list_ticks(low, low + wide, about, whole=True)
    assert all(mark == round(mark) for mark in marks)
    assert len(marks) <= about + 1
    assert list_ticks(0, 15, 6, whole=True) == (0, 5, 10, 15)


@pytest.mark.parametrize(
    ("step", "value", "percent", "written"),
    [
        (100, -1200, False, "−1,200"),
        (1000, 2000, False, "2,000"),
        (2.5, 2.5, False, "2.5"),
        (0.5, 3.0, False, "3.0"),
        (0.5, -0.0, False, "0.0"),  # what is shown as nought has no sign
        (1, -0.2, False, "0"),
        (0.01, -0.0004, False, "0.00"),
        (1, -0.6, False, "−1"),
        (0.25, 0.5, False, "0.50"),
        (0.1, 3 * 0.1, False, "0.3"),  # which is 0.30000000000000004
        (0.1 + 1e-12, 0.2, False, "0.2"),
        (0.2 / 3, 0.2, False, "0.2000000"),
        (1e-9, 2e-9, False, "0.0000000"),
        (0.25, 0.25, True, "25\u00a0%"),
        (0.025, 0.075, True, "7.5\u00a0%"),
    ],
)
def test_a_tick_has_the_decimals_of_its_step_and_seven_at_most(
    step: float, value: float, percent: bool, written: str
) -> None:
    assert format_tick(value, step, percent=percent) == written


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        Chart("", [Line([0, 1], [0, float("nan")]), Line([0], [float("inf")])]).svg()


# Marks that lead somewhere


def linked(*layers: Layer) -> ElementTree.Element:
    return ElementTree.fromstring(Chart("Way", layers, role="group").svg())


def test_every_mark_is_a_link_with_its_name_where_its_point_is() -> None:
    marks = [
        Mark(1, 10, 4, "slip", "first <one>", "/a?x=1&y=2"),
        Mark(2, 30, 7, "slip", "second", "/b"),
        Mark(3, 20, 11, "worse", "third", "/c"),
        Mark(4, 20, 16, "worst", "fourth", "/d"),
    ]
    root = linked(Marks(marks))
    assert root.get("role") == "group"
    links = root.findall(f".//{SVG}a")
    assert [link.get("href") for link in links] == [mark.href for mark in marks]
    assert [known(link.find(f"{SVG}title")).text for link in links] == [m.title for m in marks]
    circles = [known(link.find(f"{SVG}circle")) for link in links]
    heights = [float(circle.get("cy", "")) for circle in circles]
    assert heights[1] < heights[2] == heights[3] < heights[0]
    ticks_drawn = [known(link.find(f"{SVG}path")).get("d", "") for link in links]
    lengths = [line.partition("v")[2].partition("h")[0] for line in ticks_drawn]
    assert lengths == ["4", "7", "11", "16"]


def test_columns_share_the_whole_width_without_gaps() -> None:
    xs = [1.0, 2.0, 3.0, 4.0]
    chart = linked(Line([0.0, *xs], [1.0] * 5), Columns(xs, xs, [f"/{x:.0f}" for x in xs]))
    columns = [one for one in chart.iter(f"{SVG}a") if one.get("class") == "chart-column"]
    spans = []
    for column in columns:
        area = known(column.find(f"{SVG}rect"))
        left = float(area.get("x", ""))
        spans.append((left, left + float(area.get("width", ""))))
        assert left < float(column.get("data-x", "")) < spans[-1][1]
        assert column.get("tabindex") == "-1"
    for (_, end), (begin, _) in pairwise(spans):
        assert abs(end - begin) <= 0.2


def test_the_ring_stands_where_the_column_says() -> None:
    xs, ys = [1.0, 2.0, 3.0], [5.0, 9.0, 7.0]
    chart = linked(Line(xs, ys), Columns(xs, ys, ["/a", "/b", "/c"]), Here(2.0, 9.0))
    column = next(one for one in chart.iter(f"{SVG}a") if one.get("data-at") == "2")
    here = next(one for one in chart.iter(f"{SVG}g") if one.get("class") == "chart-here")
    ring = known(here.find(f"{SVG}circle"))
    assert (ring.get("cx"), ring.get("cy")) == (column.get("data-x"), column.get("data-y"))


def test_the_last_tick_is_written_whole() -> None:
    root = ElementTree.fromstring(Chart("", [Line([0, 1000], [0, 1])], width=300).svg())
    middle = [e for e in root.iter(f"{SVG}text") if e.get("text-anchor") == "middle"]
    last = next(e for e in middle if e.text == "1,000")
    assert float(last.get("x", "")) + estimate_width("1,000", 11) / 2 <= 300.05


def test_the_name_of_a_strategy_fits_below_three_bars_on_a_phone() -> None:
    names = ("Scorecard-based", "Dice-based", "Forced scoring")
    written = Chart("", [Bars(names, [1, 2, 3])], width=300).svg()
    assert ">Scorecard-based<" in written


@pytest.mark.parametrize("width", [640.0, 300.0])
def test_labels_at_lines_cover_neither_each_other_nor_another_line(width: float) -> None:
    scores = list(range(301))

    tops = {"perfect play": 80, "a playbook": 150, "greedy play": 170}
    layers = [
        Line(scores, [exp(-(((score - top) / 30) ** 2)) for score in scores], name)
        for name, top in tops.items()
    ]
    chart = replace(Chart("How far apart?", layers, labels_at_lines=True), width=width)
    assert not parsed(chart).findall(f"{SVG}g[@class='chart-legend']")
    labels = [e for e in parsed(chart) if "chart-rule-label" in e.get("class", "")]
    boxes = [
        (float(e.get("x", "")), float(e.get("y", "")), estimate_width(e.text or "", 11))
        for e in labels
    ]
    for (left, base, wide), label in zip(boxes, labels, strict=True):
        for layer in layers:
            for x, y in place_points(chart.frame, layer.xs, layer.ys):
                assert layer.label == label.text or not (
                    left < x < left + wide and -8 < y - base < 0
                )
    assert len(boxes) == 3
    for (left, base, wide), (other, below, broad) in combinations(boxes, 2):
        assert abs(base - below) > 10 or left + wide < other or other + broad < left
