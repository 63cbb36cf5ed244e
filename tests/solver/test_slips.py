"""Every number of the slips is what the study and the drafts print, or what follows from it."""

from collections.abc import Mapping
from math import isqrt, log2
from typing import Any

import pytest

from solver.dp.space import Space
from solver.players.values import average_boxes
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE
from solver.study.graph import count_vertices
from solver.study.html import Words
from solver.study.published import HUMANS, KEYS, read_reported, require_published
from solver.study.slips import DRAFT_SLIPS, SLIPS, Slip
from solver.study.sources import find_cited_number

ALL = (*SLIPS, *DRAFT_SLIPS)


def facts_of(text: str, of: tuple[Slip, ...] = SLIPS) -> Mapping[str, Any]:
    (found,) = [slip.facts for slip in of if text in slip.says]
    return found


@pytest.mark.parametrize("slip", ALL, ids=lambda slip: f"{slip.number} {slip.says[:20]}")
def test_every_fact_stands_in_a_sentence_and_every_place_is_filled(slip: Slip) -> None:
    assert "%(" not in " ".join(slip.translate_texts(Words()))
    assert all(f"%({name})s" in slip.says + slip.but for name in slip.facts)


def test_the_slips_about_dice_and_graph_follow_from_what_is_printed() -> None:
    assert len(SLIPS) == 13
    stated = read_reported()["graph"]
    assert facts_of("The graph has") == {
        "stated": stated["states"],
        "counted": sum(one.defined for one in count_vertices(YATZY)),
    }
    kept = sum(bool(dice) for dice in YATZY.cup.holds)
    assert facts_of("You can hold") == {"stated": stated["holds"], "counted": kept}
    dice = read_reported()["real_dice_test"]
    counts = {int(face): count for face, count in dice["counts"].items()}
    counted, pips = sum(counts.values()), sum(face * count for face, count in counts.items())
    assert facts_of("rolls of five dice") == {
        "throws": dice["throws"],
        "stated": dice["reported_total"],
        "counted": counted,
        "percent": 100 * counted / dice["reported_total"],
    }
    mean = facts_of("mean of the real dice")
    assert (mean["stated"], mean["pips"], mean["counted"]) == (dice["reported_mean"], pips, counted)
    assert mean["mean"] == pytest.approx(pips / counted)
    assert pips / mean["wrong"] == pytest.approx(mean["stated"])


def test_the_slips_about_games_follow_from_the_appendices() -> None:
    people = facts_of("games of people")
    assert (people["stated"], people["counted"]) == (300, require_published(HUMANS).games)
    told = [slip.facts for slip in SLIPS if "Strategy" in slip.says]
    assert told == [
        {"player": name, "stated": of.stated, "counted": of.games}
        for name in ("dice-based", "forced-scoring")
        for of in [require_published(name)]
    ]
    assert {one["player"] for one in told} == {
        name for name in KEYS if require_published(name).games != require_published(name).stated
    }
    ranges = {name: require_published(name).range for name in KEYS}
    least = min(ranges, key=lambda name: ranges[name])
    assert facts_of("narrowest range") == {
        "player": "dice-based",
        "range": ranges["dice-based"],
        "other": least,
        "least": ranges[least],
    }
    means = require_published("optimal").mean, require_published(HUMANS).mean
    assert tuple(facts_of("optimal program averages").values()) == (*means, 248.44)


def test_the_slips_about_chances_and_rules_follow_from_the_rules() -> None:
    assert facts_of("Yatzy in one roll") == {"stated": 6**5, "true": 6**5 // 6}
    turns = 50 / float(average_boxes(YATZY)[YATZY.index["yatzy"]])
    assert facts_of("Yatzy in three rolls")["true"] == round(turns, 1)
    assert facts_of("The bonus is for more") == {"points": YATZY.bonus_threshold}
    assert Space(YATZY).columns == YATZY.bonus_threshold + 1


def test_the_slips_of_the_drafts_follow_from_what_they_print() -> None:
    """Inputs: one of six for each die 30, throws 3, counts of faces 30, boxes 13."""
    inputs = 30 + 3 + 30 + 13
    assert facts_of("A position has", DRAFT_SLIPS)["inputs"] == inputs
    width = facts_of("A layer needs", DRAFT_SLIPS)
    assert (width["inputs"], width["fewer"]) == (inputs, inputs - 30)
    assert (width["stated"], width["width"]) == (inputs - 30 + 3, inputs + width["added"])
    neurons = facts_of("The number of neurons grows", DRAFT_SLIPS)
    positions = neurons["times"] * 10 ** neurons["power"]
    assert (neurons["root"], neurons["true"]) == (isqrt(positions), round(log2(positions), 1))
    assert round(neurons["root"], -6) == neurons["stated"]
    bonus = facts_of("otherwise", DRAFT_SLIPS)
    assert (bonus["threshold"], bonus["points"]) == (YAHTZEE.bonus_threshold, YAHTZEE.bonus_points)
    boxes = len(YAHTZEE.categories)
    assert facts_of("The turn, from", DRAFT_SLIPS)["filled"] == boxes - 1
    assert facts_of("A player chooses a box", DRAFT_SLIPS)["throws"] == YAHTZEE.throws
    assert facts_of("The earlier draft", DRAFT_SLIPS)["boxes"] == boxes
    assert facts_of("the score is the boxes", DRAFT_SLIPS) == {
        "optimum": find_cited_number("verhoeff", "yahtzee-free-joker"),
        "plain": find_cited_number("glenn", "yahtzee-plain"),
        "points": YAHTZEE.bonus_points,
        "chip": YAHTZEE.joker.chip if YAHTZEE.joker else 0,
    }
