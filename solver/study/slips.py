"""Contradictions in the study's numbers, and in the drafts on policy gradients. We calculated each
contradiction from the printed numbers (``data/reported.json``) and the rules. The tests repeat the
calculation."""

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
    """A wrong claim in a text: where it is, its words, and the facts that contradict it."""

    place: str
    number: str
    says: str
    but: str
    facts: Mapping[str, Any]
    digits: int = 2  # number of decimals of a fact that is not a whole number

    def translate_texts(self, words: Words) -> list[str]:
        """Return the place, the claim and the contradiction, with formatted facts."""
        facts = {}
        for key, fact in self.facts.items():
            if isinstance(fact, str):
                facts[key] = words.player(fact) if fact in PLAYERS else fact
            elif isinstance(fact, int):
                facts[key] = words.format_whole(fact)
            else:
                facts[key] = words.number(fact, self.digits)
        place = words.gettext(self.place) % {"number": self.number}
        return [place, words.gettext(self.says) % facts, words.gettext(self.but) % facts]


SLIPS = (
    Slip(
        SECTION,
        "2.2.1",
        gettext_noop("The graph has %(stated)s states."),
        gettext_noop(
            "This number is for three of the graph's six sets; all six have %(counted)s states."
        ),
        {"stated": 1_499_463_680, "counted": 3_525_312_512},
    ),
    Slip(
        SECTION,
        "2.2.1",
        gettext_noop("You can hold one to five dice in %(stated)s ways."),
        gettext_noop(
            "You can hold one to five dice in %(counted)s ways. You can also hold no dice."
        ),
        {"stated": 462, "counted": 461},
    ),
    Slip(
        TABLE,
        "4.5",
        gettext_noop("%(throws)s rolls of five dice are %(stated)s dice in all."),
        gettext_noop("The counts add up to %(counted)s, and the percentages to %(percent)s %%."),
        {"throws": 100, "stated": 500, "counted": 510, "percent": 102},
    ),
    Slip(
        SECTION,
        "4.2.1",
        gettext_noop("The mean of the real dice is %(stated)s."),
        gettext_noop(
            "%(pips)s pips on %(counted)s dice average %(mean)s. The stated average of "
            "%(stated)s needs %(wrong)s dice."
        ),
        {"stated": 3.64, "pips": 1820, "counted": 510, "wrong": 500, "mean": 1820 / 510},
    ),
    Slip(
        APPENDIX,
        "B",
        gettext_noop(
            "The appendix states %(stated)s games of people; section 5.5 mentions %(discussed)s."
        ),
        gettext_noop(
            "The counts add up to %(counted)s, and the percentages are shares of this sum."
        ),
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
        gettext_noop("Another strategy has a range of %(least)s points: %(other)s."),
        {"player": "dice-based", "range": 252, "other": "forced-scoring", "least": 225},
    ),
    Slip(
        SECTIONS,
        "4.1.1, 4.2.2",
        gettext_noop("The optimal program averages %(program)s points, and people %(people)s."),
        gettext_noop(
            "Perfect play averages %(perfect)s points, and no one can do better in the long run."
        ),
        {"program": 213, "people": 253.82, "perfect": 248.44},
    ),
    Slip(
        SECTION,
        "5.3.1",
        gettext_noop("The chance of Yatzy in one roll is 1 in %(stated)s."),
        gettext_noop(
            "This chance is for one given face; for any face, the chance is 1 in %(true)s."
        ),
        {"stated": 6**5, "true": 6**4},
    ),
    Slip(
        SECTION,
        "5.3.1",
        gettext_noop("The chance of Yatzy in three rolls is 1 in %(stated)s."),
        gettext_noop("A player who aims only at Yatzy gets Yatzy once in %(true)s turns."),
        {"stated": 29, "true": 21.7},
        digits=1,
    ),
    Slip(
        SECTION,
        "3.1",
        gettext_noop("A die has three prepared numbers per turn, the same for all programs."),
        gettext_noop(
            "If each roll has its own numbers, no dice can give round %(throw_round)s of game "
            "%(throw_game)s. If each die shows its own next number, no dice can give round "
            "%(die_round)s of game %(die_game)s. No single rule gives all printed turns with the "
            "same dice in the same places."
        ),
        {"throw_game": 4, "throw_round": 7, "die_game": 2, "die_round": 4},
    ),
    Slip(
        TABLE,
        "2.1",
        gettext_noop("The bonus is for more than %(points)s points."),
        gettext_noop(
            "The text below the table gives the bonus for %(points)s points or more. This agrees "
            "with the rules."
        ),
        {"points": 63},
    ),
)

DRAFT_SLIPS = (
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop("A position has %(sum)s = %(stated)s inputs."),
        gettext_noop("%(sum)s is %(inputs)s."),
        {"sum": "30 + 3 + 30 + 13", "stated": 52, "inputs": 76},
    ),
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop(
            "A layer needs at least %(stated)s neurons, %(added)s more than it has inputs."
        ),
        gettext_noop(
            "The draft uses %(fewer)s inputs for this calculation. It leaves out the counts of "
            "faces, which the draft has just listed. With these counts, there are %(inputs)s "
            "inputs, and the same rule gives %(width)s neurons."
        ),
        {"stated": 49, "added": 3, "fewer": 46, "inputs": 76, "width": 79},
    ),
    Slip(
        SECTION,
        "7.0.1",
        gettext_noop(
            "The number of neurons grows as the logarithm of the number of positions, so "
            "%(stated)s neurons are enough."
        ),
        gettext_noop(
            "The square root of the draft's %(times)s × 10^%(power)s positions is %(root)s; "
            "the logarithm is %(true)s."
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
        gettext_noop(
            "The text above gives the rule: %(points)s points for %(threshold)s points or more."
        ),
        {"reached": 0, "missed": 35, "threshold": 63, "points": 35},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop("The turn, from %(first)s to %(last)s, is the number of filled boxes."),
        gettext_noop(
            "In the first turn no box is filled, and in the last turn %(filled)s boxes are filled."
        ),
        {"first": 1, "last": 13, "filled": 12},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop("A player chooses a box after %(last)s rolls."),
        gettext_noop("A turn has %(throws)s rolls, without the first roll."),
        {"last": 2, "throws": 3},
    ),
    Slip(
        SECTION,
        "3.1.2",
        gettext_noop(
            "The earlier draft lists the possible scores of the boxes up to box %(last)s, and "
            "lists box %(twice)s twice."
        ),
        gettext_noop("There are %(boxes)s boxes."),
        {"last": 12, "twice": 9, "boxes": 13},
    ),
    Slip(
        SECTION,
        "4.1.3",
        gettext_noop("For every box where u is 1, the score of the current dice is an input."),
        gettext_noop("u is 1 if a box is filled, so the scores of open boxes are not inputs."),
        {},
    ),
    Slip(
        SECTIONS,
        "2.3, 3.1.2",
        gettext_noop(
            "Perfect play averages %(optimum)s points; the score is the boxes plus a bonus of "
            "%(points)s points."
        ),
        gettext_noop(
            "This average includes %(chip)s points for each further Yahtzee, but the score leaves "
            "these points out. Without these points, the average is %(plain)s."
        ),
        {"optimum": 254.59, "points": 35, "chip": 100, "plain": 245.87},
    ),
)
