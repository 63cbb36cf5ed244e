"""Contradictions within the study's numbers, and within the drafts on policy gradients.

Each row was calculated once from the printed numbers (``data/reported.json``) and the rules. The
tests calculate them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from solver.players import PLAYERS
from solver.players.base import gettext_noop
from solver.study.html import Words

TABLE, SECTION = gettext_noop("Table %(number)s"), gettext_noop("Section %(number)s")
SECTIONS, APPENDIX = gettext_noop("Sections %(number)s"), gettext_noop("Appendix %(number)s")


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong claim: its place, its words, and the facts against it."""

    place: str
    number: str
    says: str
    but: str
    facts: Mapping[str, Any]
    digits: int = 2  # decimals of facts that are no whole numbers

    def texts(self, words: Words) -> list[str]:
        """Return place, claim and objection in the reader's language."""
        facts = {key: self._written(fact, words) for key, fact in self.facts.items()}
        place = words.gettext(self.place) % {"number": self.number}
        return [place, words.gettext(self.says) % facts, words.gettext(self.but) % facts]

    def _written(self, fact: Any, words: Words) -> str:
        if isinstance(fact, str):
            return words.player(fact) if fact in PLAYERS else fact
        return words.whole(fact) if isinstance(fact, int) else words.number(fact, self.digits)


SLIPS = (
    Slip(
        SECTION,
        "2.2.1",
        gettext_noop("The graph has %(stated)s states."),
        gettext_noop("Those are three of its six sets; all six have %(counted)s."),
        {"stated": 1_499_463_680, "counted": 3_525_312_512},
    ),
    Slip(
        SECTION,
        "2.2.1",
        gettext_noop("One to five dice can be kept in %(stated)s ways."),
        gettext_noop("They can in %(counted)s; the other way is to keep none."),
        {"stated": 462, "counted": 461},
    ),
    Slip(
        TABLE,
        "4.5",
        gettext_noop("%(throws)s rolls of five dice, %(stated)s in all."),
        gettext_noop("The counts add up to %(counted)s, and the percentages to %(percent)s %%."),
        {"throws": 100, "stated": 500, "counted": 510, "percent": 102},
    ),
    Slip(
        SECTION,
        "4.2.1",
        gettext_noop("The mean of the real dice is %(stated)s."),
        gettext_noop(
            "%(pips)s pips on %(counted)s dice are %(mean)s; only over %(wrong)s dice they "
            "are %(stated)s."
        ),
        {"stated": 3.64, "pips": 1820, "counted": 510, "wrong": 500, "mean": 1820 / 510},
    ),
    Slip(
        APPENDIX,
        "B",
        gettext_noop("%(stated)s games of people; section 5.5 speaks of %(discussed)s."),
        gettext_noop("The counts add up to %(counted)s, and the percentages are shares of that."),
        {"stated": 300, "discussed": 200, "counted": 301},
    ),
    *(
        Slip(
            APPENDIX,
            "A",
            gettext_noop("%(stated)s games. Strategy: %(player)s."),
            gettext_noop("The counts add up to %(counted)s."),
            {"player": player, "stated": 100_000, "counted": counted},
        )
        for player, counted in (("dice-based", 99_999), ("forced-scoring", 99_995))
    ),
    Slip(
        SECTION,
        "5.3.1",
        gettext_noop("%(player)s has the narrowest range: %(range)s points."),
        gettext_noop("Another has a range of %(least)s points: %(other)s."),
        {"player": "dice-based", "range": 252, "other": "forced-scoring", "least": 225},
    ),
    Slip(
        SECTIONS,
        "4.1.1, 4.2.2",
        gettext_noop("The optimal program averages %(program)s points, and people %(people)s."),
        gettext_noop(
            "Perfect play averages %(perfect)s, and no one can do better in the long run."
        ),
        {"program": 213, "people": 253.82, "perfect": 248.44},
    ),
    Slip(
        SECTION,
        "5.3.1",
        gettext_noop("The chance of Yatzy in one roll is 1 in %(stated)s."),
        gettext_noop("That is the chance of one given face; of any face it is 1 in %(true)s."),
        {"stated": 6**5, "true": 6**4},
    ),
    Slip(
        SECTION,
        "5.3.1",
        gettext_noop("The chance of Yatzy in three rolls is 1 in %(stated)s."),
        gettext_noop("A player who aims only at it gets it once in %(true)s turns."),
        {"stated": 29, "true": 21.7},
        digits=1,
    ),
    Slip(
        SECTION,
        "3.1",
        gettext_noop("A die has three prepared numbers per turn, the same for all programs."),
        gettext_noop(
            "If it shows the number of the roll, no dice give round %(throw_round)s of "
            "game %(throw_game)s; if it shows its next number, none give round "
            "%(die_round)s of game %(die_game)s. Not all printed turns follow from one "
            "rule and the same dice in their places."
        ),
        {"throw_game": 4, "throw_round": 7, "die_game": 2, "die_round": 4},
    ),
    Slip(
        TABLE,
        "2.1",
        gettext_noop("The bonus is for more than %(points)s points."),
        gettext_noop(
            "The text below it gives the bonus for %(points)s or more, which is the rule."
        ),
        {"points": 63},
    ),
)

DRAFT_SLIPS = (
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop("A position is %(sum)s = %(stated)s inputs."),
        gettext_noop("%(sum)s is %(inputs)s."),
        {"sum": "30 + 3 + 30 + 13", "stated": 52, "inputs": 76},
    ),
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop("A layer needs %(stated)s neurons at least, %(added)s more than inputs."),
        gettext_noop(
            "It takes %(fewer)s inputs for that, without the counts of faces. For the inputs "
            "that it has just listed, %(inputs)s in truth, the same rule gives %(width)s."
        ),
        {"stated": 49, "added": 3, "fewer": 46, "inputs": 76, "width": 79},
    ),
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop(
            "The neurons grow as the logarithm of the positions, so %(stated)s are enough."
        ),
        gettext_noop(
            "The square root of its %(times)s × 10^%(power)s positions is %(root)s; the "
            "logarithm is %(true)s."
        ),
        {"times": 7, "power": 15, "stated": 84_000_000, "root": 83_666_002, "true": 52.6},
        digits=1,
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop(
            "The bonus is %(reached)s for %(threshold)s points or more, and otherwise %(missed)s."
        ),
        gettext_noop("The text above it has the rule: %(points)s for %(threshold)s or more."),
        {"reached": 0, "missed": 35, "threshold": 63, "points": 35},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop("The turn, from %(first)s to %(last)s, is how many boxes are filled."),
        gettext_noop("In the first turn none is filled, and in the last %(filled)s are."),
        {"first": 1, "last": 13, "filled": 12},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop("A box is chosen after %(last)s rolls."),
        gettext_noop("A turn has %(throws)s rolls: the first is not counted."),
        {"last": 2, "throws": 3},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop(
            "The earlier draft lists what boxes can hold up to box %(last)s, box %(twice)s twice."
        ),
        gettext_noop("There are %(boxes)s boxes."),
        {"last": 12, "twice": 9, "boxes": 13},
    ),
    Slip(
        SECTION,
        "4.1.3",
        gettext_noop("What the dice would score now is an input for every box where u is 1."),
        gettext_noop("u is 1 where a box is filled, so open boxes get nothing."),
        {},
    ),
    Slip(
        SECTIONS,
        "2.3, 3.1.2",
        gettext_noop(
            "Perfect play averages %(optimum)s; the score is boxes and a bonus of %(points)s."
        ),
        gettext_noop(
            "That average counts %(chip)s points for each further Yahtzee, which the score "
            "leaves out. Without them it is %(plain)s."
        ),
        {"optimum": 254.59, "points": 35, "chip": 100, "plain": 245.87},
    ),
)
