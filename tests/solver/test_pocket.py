"""The solver that runs in a browser, against the server's: every card, and random positions."""

import json
import shutil
import subprocess
from dataclasses import replace
from math import comb
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.advice.advising import advise_many
from solver.advice.options import sort_by_cost
from solver.advice.wire import serialise_advice, serialise_position
from solver.dp.arrays import Floats
from solver.dp.space import Space
from solver.dp.sweep import solve
from solver.pocket import build, collect_facts
from solver.rules import RULESETS, Ruleset
from tests.solver.made_up import FIVE_DICE, MADE_UP
from tests.solver.test_advice import random_position

SCRIPT = build.BUILT.parent / "js" / "pocket.js"
HARNESS = Path(__file__).with_name("pocket.mjs")
EXACT, SINGLE = "float64", "float32"
# How far V, and what follows from it, may be off; and what an option may cost that is played.
WITHIN = {EXACT: 1e-11, SINGLE: 1e-3}
LOSES = {EXACT: 1e-9, SINGLE: 3e-3}

NODE = pytest.mark.needs("node")


class Told(NamedTuple):
    values: Floats
    answers: list[dict[str, Any]]
    cards: list[float]
    heard: list[int]


def in_node(folder: Path, asked: list[tuple[Ruleset, str, list[Position]]]) -> list[Told]:
    script = folder / "pocket.mjs"
    script.write_text(SCRIPT.read_text() + HARNESS.read_text())
    shutil.copy(SCRIPT.with_name("shelf.js"), folder)
    files = [(folder / f"{n}.values", folder / f"{n}.json") for n in range(len(asked))]
    wanted = [
        {
            "program": str(build.BUILT / f"{precision}.wasm"),
            "facts": collect_facts(rules),
            "precision": precision,
            "positions": list(map(serialise_position, positions)),
            "values": str(values),
            "answers": str(answers),
        }
        for (rules, precision, positions), (values, answers) in zip(asked, files, strict=True)
    ]
    (folder / "asked.json").write_text(json.dumps(wanted))
    subprocess.run(["node", script, folder / "asked.json"], check=True)
    found = []
    for (rules, precision, _), (values, answers) in zip(asked, files, strict=True):
        told = json.loads(answers.read_text())
        flat = np.fromfile(values, dtype=precision).reshape(Space(rules).rows, -1)
        of_cards = flat[:, : Space(rules).columns].astype(np.float64)
        found.append(Told(of_cards, told["told"], told["cards"], told["heard"]))
    return found


def expect_same_values(rules: Ruleset, found: Floats, values: Floats, precision: str) -> None:
    reachable = Space(rules).reachable
    assert np.abs(found - values)[reachable].max() < WITHIN[precision], (rules.id, precision)


class Choice(NamedTuple):
    names: list[tuple[object, ...]]
    figures: list[float]
    first: tuple[object, ...]
    best: set[tuple[object, ...]]
    regrets: dict[tuple[object, ...], float]


def choice(answer: dict[str, Any]) -> Choice:
    assert answer["best"] == answer["options"][0]
    named = {(o["action"], o.get("category", ""), *o.get("dice", ())): o for o in answer["options"]}
    options = [named[name] for name in sorted(named)]
    figures = [figure for o in options for figure in (o["points"], o["value"], o["regret"])]
    best = {name for name, o in named.items() if o["best"]}
    regrets = {name: o["regret"] for name, o in named.items()}
    names = sorted([*named, *[("twice",)] * (len(answer["options"]) - len(named))])
    return Choice(names, [answer["value"], *figures], next(iter(named)), best, regrets)


def expect_same_choices(ours: list[Choice], told: list[Choice], precision: str) -> None:
    assert [one.names for one in told] == [one.names for one in ours]
    figures = [np.concatenate([one.figures for one in some]) for some in (ours, told)]
    assert np.abs(figures[0] - figures[1]).max() < 2 * WITHIN[precision]
    if precision == EXACT:
        assert [(one.first, one.best) for one in told] == [(one.first, one.best) for one in ours]
    cost = [mine.regrets[theirs.first] for mine, theirs in zip(ours, told, strict=True)]
    assert max(cost) <= LOSES[precision]


def expect_as_the_server(advisor: Advisor, number: int, folder: Path, seed: int = 0) -> None:
    random, rules = Random(seed), advisor.rules
    positions = [random_position(rules, random) for _ in range(number)]
    ours = [choice(serialise_advice(advice)) for advice in advise_many(advisor, positions)]
    asked = [(rules, precision, positions) for precision in WITHIN]
    for (_, precision, _), told in zip(asked, in_node(folder, asked), strict=True):
        expect_same_values(rules, told.values, advisor.values.read_all(), precision)
        expect_same_choices(ours, list(map(choice, told.answers)), precision)
        boxes = len(rules.categories)
        assert told.heard == [comb(boxes, filled) for filled in range(boxes + 1)]
        cards = [advisor.value(p.filled, p.upper, chips_won=p.chips_won) for p in positions]
        assert np.abs(np.subtract(told.cards, cards)).max() < WITHIN[precision]


@NODE
def test_equal_options_stay_as_they_are_listed_wherever_rounding_ends(tmp_path: Path) -> None:
    """The order is that of `advice.options.in_order` and `dp.turn.first_best`."""
    tie, values = 1e-9, [2.5e-9 + 1e-13, 0.0, 2.5e-9 - 1e-13, 9e-9, 9.9e-9, 1e-14]
    ask = f"""
        const values = {values};
        const places = values.map((_, place) => place);
        const value = (place) => values[place];
        const found = [inOrder(places, value, {tie}), firstBest(places, (at) => -value(at), {tie})];
        process.stdout.write(JSON.stringify(found));
    """
    script = tmp_path / "pocket.mjs"
    script.write_text(SCRIPT.read_text() + ask)
    shutil.copy(SCRIPT.with_name("shelf.js"), tmp_path)
    done = subprocess.run(["node", script], capture_output=True, check=True)
    assert json.loads(done.stdout) == [sort_by_cost(values), 1]
    assert sort_by_cost(values) == [1, 5, 0, 2, 3, 4]


@NODE
@pytest.mark.sampled("any_advisor")
def test_it_answers_as_the_server_does(any_advisor: Advisor, tmp_path: Path) -> None:
    expect_as_the_server(any_advisor, 1000, tmp_path)


@NODE
@pytest.mark.nightly
def test_it_answers_a_hundred_thousand_positions_as_the_server_does(
    any_advisor: Advisor, tmp_path: Path
) -> None:
    for lot in range(10):
        expect_as_the_server(any_advisor, 10_000, tmp_path, lot)


@NODE
def test_rules_that_nobody_plays_are_solved_too(tmp_path: Path) -> None:
    far = replace(FIVE_DICE, id="far", bonus_threshold=70)
    every = (*MADE_UP, far)
    asked = [(rules, precision, list[Position]()) for rules in every for precision in WITHIN]
    for (rules, precision, _), told in zip(asked, in_node(tmp_path, asked), strict=True):
        expect_same_values(rules, told.values, solve(rules, threads=1), precision)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_the_words_of_a_ruleset_are_whole_and_small(rules: Ruleset) -> None:
    facts = collect_facts(rules)
    words, at, sections = facts["words"], 0, 0
    assert all(type(word) is int for word in words)
    while at < len(words):
        at, sections = at + 1 + words[at], sections + 1
    assert (at, sections) == (len(words), 12)
    assert len(json.dumps(facts)) < 40_000


def test_the_programs_are_small() -> None:
    for name in build.PROGRAMS:
        assert (build.BUILT / name).stat().st_size < 25_000


@pytest.mark.nightly
@pytest.mark.needs("ziglang")
def test_the_programs_are_what_the_source_makes(tmp_path: Path) -> None:
    build.build(tmp_path)
    for name in build.PROGRAMS:
        assert (tmp_path / name).read_bytes() == (build.BUILT / name).read_bytes(), "make pocket"
