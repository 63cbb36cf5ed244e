"""Stages that follow on each other, drawn."""

from xml.etree import ElementTree

import pytest

from solver.charts.chart import BARS, NARROW, TALL, Stage, Stages

SVG = "{http://www.w3.org/2000/svg}"
STAGES = Stages(
    "How many?",
    "One & two",
    ("all", "some"),
    [
        Stage("first", "1", 1, 0.5),
        Stage("<second>", "1,000", 1000, 250),
        Stage("third", "", 500, 125),
    ],
)


def drawn(stages: Stages) -> ElementTree.Element:
    return ElementTree.fromstring(stages.svg())


def bars(root: ElementTree.Element, kind: str) -> list[tuple[float, ...]]:
    found = [one for one in root.iter(f"{SVG}rect") if kind in one.get("class", "")][1:]
    return [tuple(float(one.get(of, "")) for of in ("x", "y", "width")) for one in found]


def test_it_is_well_formed_and_told_in_words() -> None:
    root = drawn(STAGES)
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == ("How many?", "One & two")
    texts = [one.text for one in root.iter(f"{SVG}text")]
    assert texts == ["all", "some", "first", "1", "<second>", "1,000", "third", None]
    assert not [one for one in root.iter() if one.get("style")]


@pytest.mark.parametrize("width", [480.0, NARROW])
def test_bars_are_as_long_as_what_they_stand_for_and_fill_the_width(width: float) -> None:
    root = drawn(Stages("", "", STAGES.keys, STAGES.stages, width=width))
    sizes, parts = bars(root, "chart-histogram"), bars(root, "chart-bar")
    most = width - BARS - 8
    assert [length for _x, _y, length in sizes] == pytest.approx([1, most, most / 2], abs=0.06)
    assert [length for _x, _y, length in parts] == pytest.approx([1, most / 4, most / 8], abs=0.06)
    assert [(x, y) for x, y, _ in sizes] == [(x, y) for x, y, _ in parts]
    assert [y - sizes[0][1] for _x, y, _ in sizes] == [0, TALL, 2 * TALL]
    box = [float(value) for value in root.get("viewBox", "").split()]
    assert sizes[-1][1] + 12 < box[3] < sizes[-1][1] + 40
    assert box[2] == width


def test_a_way_leads_down_to_each_and_back_to_the_first() -> None:
    arrows = [one for one in drawn(STAGES).iter(f"{SVG}path") if one.get("fill") is None]
    assert len(arrows) == len(STAGES.stages)
    assert len(list(drawn(STAGES).iter(f"{SVG}circle"))) == len(STAGES.stages)


def test_a_page_gets_a_narrow_one_too() -> None:
    assert (
        STAGES.draw_for_page()
        == STAGES.svg()
        + Stages(
            "How many?", "One & two", STAGES.keys, STAGES.stages, NARROW, "chart chart--narrow"
        ).svg()
    )
