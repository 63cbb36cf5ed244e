"""A compiled network decides as the network in numpy, whatever its shape."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from solver.dp.space import Space
from solver.players import find_player
from solver.players.features import (
    Positions,
    find_allowed_boxes,
    make_features_at,
    mark_distinct_holds,
    number_holds,
)
from solver.players.learned import CLOSE, NetworkPlay
from solver.players.network import (
    BERNOULLI,
    CATEGORICAL,
    Network,
    Shape,
    calculate_choice_logits,
    pick_boxes,
    pick_slots,
)
from solver.rules import RULESETS, Ruleset

POSITIONS = 20_000
SHAPES: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "no norm, relu": {"layer_norm": False, "activation": "relu"},
    "tanh, three layers": {"activation": "tanh", "depth": 3},
    "one narrow layer": {"depth": 1, "width": 24},
    "every die alone": {"rolling": BERNOULLI},
    "one of 32 holds": {"rolling": CATEGORICAL},
    "dice as vectors": {"embedding": 4, "places": True, "inputs": ("counts", "open", "upper_par")},
}


def cards_of(rules: Ruleset, number: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the choice, and by how much it leads."""
    space = Space(rules)
    found = np.argwhere(space.reachable[:, : space.columns])
    full = (found[:, 0] & rules.full) == rules.full
    found = found[~full]
    drawn = found[np.sort(np.random.default_rng(4).choice(len(found), number, replace=False))]
    return drawn[:, 0], drawn[:, 1]


def at_random(rules: Ruleset, cards: int) -> Positions:
    rng = np.random.default_rng(5)
    card, left, roll = (rng.integers(n, size=POSITIONS) for n in (cards, rules.throws, 252))
    rows, columns = cards_of(rules, cards)
    return Positions(rows[card], columns[card], roll, left)


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", ["learned-yahtzee", "learned-yatzy"])
def test_a_network_decides_on_cards_as_in_games(name: str) -> None:
    entry = find_player(name)
    player = cast(NetworkPlay, entry.open(RULESETS[entry.rulesets[0]]))
    rows, columns = cards_of(player.rules, 300)
    holds, boxes = player.cards(rows, columns)
    at = at_random(player.rules, 300)
    place = np.searchsorted(rows * 64 + columns, at.rows * 64 + at.columns)
    held, scored = player.choose_holds(at), player.choose_boxes(at)
    assert (holds[place, 0, at.left - 1, at.rolls] == held)[at.left > 0].all()
    assert (boxes[place, 0, at.rolls] == scored)[at.left == 0].all()


def test_what_leads_by_little_is_asked_of_the_network_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = cast(NetworkPlay, find_player("learned-yatzy").open(RULESETS["yatzy"]))
    rows, columns = cards_of(player.rules, 2)
    due = player.cards(rows, columns)
    choose = type(player._compiled).choose

    def unsure(*asked: Any) -> Any:
        choice, lead = choose(*asked)
        return np.zeros_like(choice), np.zeros_like(lead)

    monkeypatch.setattr(type(player._compiled), "choose", unsure)
    for table, expected in zip(player.cards(rows, columns), due, strict=True):
        assert np.array_equal(table, expected)


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", ["yahtzee", "yatzy"])
@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_leads_by_what_its_logits_say(kind: str, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    usual = Shape(("dice", "open", "upper_share", "upper_par", "throws_left", "potential"), 32)
    shape = replace(usual, **SHAPES[kind])
    rng = np.random.default_rng(2)
    sizes = shape.list_parameters(rules).items()
    parameters = {one: rng.normal(0.1, 0.4, size).astype(np.float32) for one, size in sizes}
    player = NetworkPlay(Network(rules, shape, parameters))
    every = at_random(rules, 40)
    for head in ("holds", "boxes"):
        at = every.part((every.left > 0) == (head == "holds"))
        choice, lead = player._compiled.choose(head, at)
        hidden = player.network.hidden(make_features_at(rules, at))
        logits = calculate_choice_logits(shape, player.network.parameters, head, hidden, at.rolls)
        due, due_lead = chosen(head, shape, rules, logits, at)
        sure = due_lead > CLOSE / 10
        assert (choice == due)[sure].all()
        most = np.finfo(np.float32).max  # where there is no other choice
        assert lead == pytest.approx(np.minimum(due_lead, most), abs=CLOSE / 10)


def chosen(
    head: str, shape: Shape, rules: Ruleset, logits: npt.NDArray[Any], at: Positions
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    if head == "boxes":
        allowed = find_allowed_boxes(rules, at)
        return pick_boxes(logits, allowed), lead_of(np.where(allowed, logits, -np.inf))
    distinct = mark_distinct_holds(rules.dice)[at.rolls]
    slots = pick_slots(shape, logits, distinct)
    alone = shape.rolling == BERNOULLI
    lead = np.abs(logits).min(axis=1) if alone else lead_of(np.where(distinct, logits, -np.inf))
    return number_holds(rules.dice)[at.rolls, slots], lead


def lead_of(logits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    ordered = np.sort(logits, axis=1)
    lead: npt.NDArray[Any] = ordered[:, -1] - ordered[:, -2]
    return lead
