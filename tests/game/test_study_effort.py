"""Time and memory, and the graph of states, on the page of the published study."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import translation

from game.lab import study_effort
from solver.study.effort import Effort
from tests.game.lab import rows
from tests.game.test_study import empty_lab, text  # noqa: F401

GAMES = {"optimal": 0.4, "scorecard-based": 0.2, "dice-based": 0.25, "forced-scoring": 0.1}
MADE_UP = Effort("2026-01-31", 2, "a processor", 1.5, 2.0, 9.5, 250_000_000, 16_900_000, GAMES)


@pytest.fixture
def html(empty_lab: Path, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: F811
    monkeypatch.setattr(study_effort, "measured", lambda: MADE_UP)
    return text().replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.django_db
def test_what_the_study_took_stands_beside_what_this_program_takes(html: str) -> None:
    found = rows(html)
    for row in (
        ["Making the graph; here the table of values 4.1.1", "2 h", "1.5 s"],
        ["One of these games", "0.72 s", "0.004 ms"],
        ["How many times the slowest other program's time 5.3.1", "over 22,759", "8"],
        ["100,000 games: Dice-based 4.1.2", "2.14 s", "0.25 s"],
    ):
        assert row in found
    told = re.sub(r"<.*?>", "", html)
    assert "measured on 31 Jan 2026 with 2 cores (a processor)" in told
    assert "the second figure is 9.5 s" in told


@pytest.mark.django_db
def test_the_sets_of_the_graph_are_counted_and_drawn(html: str) -> None:
    found = rows(html)
    for row in (
        ["V1", "2,097,152", "1,430,528", "1,204,216"],
        ["V3", "968,884,224", "660,874,368", "556,347,792"],
        ["V1–V3", "1,499,463,680", "–", "–"],
        ["V1–V6", "3,525,312,512", "2,404,610,048", "2,024,287,096"],
    ):
        assert row in found
    assert "stores V1 alone, 2,097,152 numbers" in html
    assert "in 3,696 numbers" in html
    for name in ("V1: cards before a throw", "V2: with throw 1", "V5: held after throw 2"):
        assert html.count(f">{name}<") == 2  # for a desk and for a phone
    assert html.count("<title>States of the graph</title>") == 2


@pytest.mark.django_db
def test_the_slips_name_the_sets_that_are_left_out_and_the_hold_of_nothing(html: str) -> None:
    assert "Those are three of its six sets; all six have 3,525,312,512." in html
    assert "They can in 461; the other way is to keep none." in html


def test_amounts_are_written_as_the_reader_writes_numbers() -> None:
    with translation.override("sv"):
        assert study_effort.number(0.25, 2) == "0,25"
        assert study_effort.number(22759.4, 0).split() == ["22", "759"]


def test_slow_programs_are_no_matter_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_effort, "measured", lambda: replace(MADE_UP, first=7200.0))
    assert study_effort.context()["effort_first"] == "2\N{NO-BREAK SPACE}h"


def test_what_the_study_says_with_a_figure_is_said_in_the_readers_language() -> None:
    with translation.override("fi"):
        lines = study_effort.context()["effort"]
    assert "yli 22\N{NO-BREAK SPACE}h" in [line.theirs for line in lines]  # type: ignore[attr-defined]
