"""Where the drafts on policy gradients disagree with themselves, from what they print."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from math import isqrt, log2
from types import MappingProxyType
from typing import Any

from solver.players.base import gettext_noop
from solver.rules import find_ruleset
from solver.study.disagreements import SECTION, SECTIONS, Disagreement, Wording
from solver.study.sources import cited

YAHTZEE = find_ruleset("yahtzee")
WORDS: Mapping[str, Wording] = MappingProxyType(
    {
        "inputs": Wording(
            SECTION,
            "7.0.1",
            gettext_noop("A position is %(sum)s = %(stated)s inputs."),
            gettext_noop("%(sum)s is %(inputs)s."),
        ),
        "width": Wording(
            SECTION,
            "7.0.1",
            gettext_noop("A layer needs %(stated)s neurons at least, %(added)s more than inputs."),
            gettext_noop(
                "It takes %(fewer)s inputs for that, without the counts of faces. For the inputs "
                "that it has just listed, %(inputs)s in truth, the same rule gives %(width)s."
            ),
        ),
        "neurons": Wording(
            SECTION,
            "7.0.1",
            gettext_noop(
                "The neurons grow as the logarithm of the positions, so %(stated)s are enough."
            ),
            gettext_noop(
                "The square root of its %(times)s × 10^%(power)s positions is %(root)s; the "
                "logarithm is %(true)s."
            ),
        ),
        "bonus": Wording(
            SECTION,
            "3.1.2",
            gettext_noop(
                "The bonus is %(reached)s for %(threshold)s points or more, and otherwise "
                "%(missed)s."
            ),
            gettext_noop("The text above it has the rule: %(points)s for %(threshold)s or more."),
        ),
        "turns": Wording(
            SECTION,
            "3.1.2",
            gettext_noop("The turn, from %(first)s to %(last)s, is how many boxes are filled."),
            gettext_noop("In the first turn none is filled, and in the last %(filled)s are."),
        ),
        "throws": Wording(
            SECTION,
            "3.1.2",
            gettext_noop("A box is chosen when %(last)s throws were made."),
            gettext_noop("A turn has %(throws)s throws: the first is not counted."),
        ),
        "sets": Wording(
            SECTION,
            "3.1.2",
            gettext_noop(
                "The earlier draft lists what boxes can hold up to box %(last)s, box %(twice)s "
                "twice."
            ),
            gettext_noop("There are %(boxes)s boxes."),
        ),
        "potential": Wording(
            SECTION,
            "4.1.3",
            gettext_noop("What the dice would score now is an input for every box where u is 1."),
            gettext_noop("u is 1 where a box is filled, so open boxes get nothing."),
        ),
        "optimum": Wording(
            SECTIONS,
            "2.3, 3.1.2",
            gettext_noop(
                "Perfect play averages %(optimum)s; the score is boxes and a bonus of %(points)s."
            ),
            gettext_noop(
                "That average counts %(chip)s points for each further Yahtzee, which the score "
                "leaves out. Without them it is %(plain)s."
            ),
        ),
    }
)


class DraftSlip(Disagreement):
    @property
    def words(self) -> Wording:
        return WORDS[self.kind]


@cache
def printed() -> Any:
    return json.loads(files("solver.study").joinpath("data/drafts.json").read_text())


def draft_slips() -> Iterator[Disagreement]:
    yield from _network()
    rule = {"threshold": YAHTZEE.bonus_threshold, "points": YAHTZEE.bonus_points}
    yield DraftSlip("bonus", printed()["bonus"] | rule)
    turns = printed()["turns"]
    yield DraftSlip("turns", turns | {"filled": len(YAHTZEE.categories) - 1})
    yield DraftSlip("throws", printed()["throws_counted"] | {"throws": YAHTZEE.throws})
    yield _sets(printed()["sets"])
    yield DraftSlip("potential", {})
    values = {"optimum": cited("verhoeff", "yahtzee-free-joker")}
    values["plain"] = cited("glenn", "yahtzee-plain")
    chip = YAHTZEE.joker.chip if YAHTZEE.joker else 0
    yield DraftSlip("optimum", values | {"points": YAHTZEE.bonus_points, "chip": chip})


def _network() -> Iterator[Disagreement]:
    parts, width, neurons = (printed()[key] for key in ("inputs", "width", "neurons"))
    inputs = sum(parts.values())
    total = " + ".join(map(str, parts.values()))
    stated = printed()["stated_inputs"]
    yield DraftSlip("inputs", {"sum": total, "stated": stated, "inputs": inputs})
    least = {"fewer": inputs - parts[width["without"]], "inputs": inputs}
    yield DraftSlip("width", width | least | {"width": inputs + width["added"]})
    positions = neurons["times"] * 10 ** neurons["power"]
    yield DraftSlip("neurons", neurons | {"root": isqrt(positions), "true": log2(positions)})


def _sets(numbers: list[int]) -> Disagreement:
    twice = next(number for number in numbers if numbers.count(number) > 1)
    facts = {"last": max(numbers), "twice": twice, "boxes": len(YAHTZEE.categories)}
    return DraftSlip("sets", facts)
