"""Published numbers. The file has a row for each number that a page calls published. A fact that
the source does not give is None or has no entry."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from solver.players import PLAYERS
from solver.players.base import gettext_noop
from solver.rules import RULESETS
from solver.study.slips import APPENDIX, SECTION, TABLE

# Words for the keys of the file. Pages translate them.
FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "mean": gettext_noop("Mean"),
        "median": gettext_noop("Median"),
        "mean of tens": gettext_noop("Mean of the printed table in bands of ten"),
        "deviation": gettext_noop("Standard deviation"),
        "optimum": gettext_noop("Mean of perfect play"),
        "turns": gettext_noop("Turns"),
        "points": gettext_noop("Points"),
        "games counted": gettext_noop("Games in the printed table"),
        "dice": gettext_noop("Dice rolled"),
        "setting": gettext_noop("Setting"),
        "won": gettext_noop("Games won out of 100, against a player who looks one turn ahead"),
    }
)
WHO: Mapping[str, str] = MappingProxyType(
    {
        "optimal program": gettext_noop("Optimal program"),
        "six people": gettext_noop("Six people"),
        "random": gettext_noop("Random"),
        "learned": gettext_noop("Learned"),
    }
)
RULES: Mapping[str, str] = MappingProxyType(
    {
        "untold": gettext_noop("Yahtzee; joker rule not stated"),
        "four boxes": gettext_noop("A smaller game"),
        "three of a kind": gettext_noop("Only three of a kind"),
    }
)
PLACES: Mapping[str, str] = MappingProxyType(
    {
        "section": SECTION,
        "appendix": APPENDIX,
        "table": TABLE,
        "abstract": gettext_noop("Abstract"),
        "itself": gettext_noop("Its text"),
        "answer": gettext_noop("Its output"),
        "study": gettext_noop("As cited in the study"),
        "drafts": gettext_noop("As cited in the drafts"),
        "yatzy-solver": gettext_noop("As cited in yatzy-solver"),
    }
)
NOTES: Mapping[str, str] = MappingProxyType(
    {
        "about": gettext_noop("The source gives only an approximate number."),
        "added up": gettext_noop("The counts in the source add up to this number."),
        "against": gettext_noop("Measured in two-player games against perfect play for points."),
        "mean or median": gettext_noop(
            "The source's table calls this number the mean; its abstract calls it the median."
        ),
        "nearly": gettext_noop("The result was slightly less than this number."),
        "no bonus": gettext_noop(
            "This number is without bonus chips. Without them, perfect play averages 245.87 points."
        ),
        "no punishment": gettext_noop("A wasted turn cost no points."),
        "not above": gettext_noop("The result did not exceed this number."),
        "one pair": gettext_noop(
            "The source's program counts one pair as two pairs; by the source's stated rules, "
            "the mean is 248.44."
        ),
        "punished by 5": gettext_noop("The learner lost 5 points for each wasted turn."),
        "punished by 10": gettext_noop(
            "The learner lost 10 points for each wasted turn, and took fewer than 2 turns per game."
        ),
    }
)


@dataclass(frozen=True, slots=True)
class CitedNumber:
    """A published number as printed. ``of`` is the player, ``rules`` the ruleset. ``games`` is the
    number of games from which the number comes, and ``trained`` the number of training games."""

    value: str
    figure: str
    place: str
    of: str = ""
    rules: str = ""
    games: int | None = None
    trained: int | None = None
    note: str = ""

    @property
    def where(self) -> tuple[str, dict[str, str]]:
        """The place in the source: a text to translate, and the values for its placeholders."""
        kind, _, number = self.place.partition(" ")
        return PLACES[kind], {"number": number}

    @property
    def who(self) -> str:
        return PLAYERS[self.of].title if self.of in PLAYERS else WHO.get(self.of, self.of)


@dataclass(frozen=True, slots=True)
class CitedWork:
    """A cited work. ``licence`` is its code's licence: None if it has no code, "" if not stated."""

    id: str
    authors: str
    year: int | None
    title: str
    where: str
    address: str
    numbers: tuple[CitedNumber, ...]
    licence: str | None = None
    about: str = ""  # a sentence about the work's content, besides its numbers


@cache
def read_cited_works() -> tuple[CitedWork, ...]:
    text = files("solver.study").joinpath("data/sources.json").read_text(encoding="utf-8")
    return tuple(
        CitedWork(**facts | {"numbers": tuple(CitedNumber(**row) for row in facts["numbers"])})
        for facts in json.loads(text)
    )


def find_cited_number(work_id: str, rules: str) -> float:
    """Return the first published number of a work for these rules."""
    work = next(work for work in read_cited_works() if work.id == work_id)
    return next(float(number.value) for number in work.numbers if number.rules == rules)


def format_markdown() -> str:
    """Return the page ``docs/sources.md``: a section with a table for each cited work."""
    lines = [
        "# Sources\n",
        "These tables give the source of every number that the documents, the lab and the tests",
        "call published. A test fails if such a number has no row. The page is `/lab/sources/`.",
        "`./yatzy solver sources > docs/sources.md` writes this page.",
    ]
    for work in read_cited_works():
        lines.append(f"\n## {work.title}\n")
        lines.append(f"{work.authors or 'Author not stated'}, {work.year or 'year not stated'}.")
        lines.append(work.where + (f", <{work.address}>." if work.address else "."))
        if work.licence is not None:
            lines.append(f"Licence of its code: {work.licence or 'not stated'}.")
        if work.about:
            lines.append(work.about)
        if not work.numbers:
            lines.append("We use no number from this source.")
            continue
        lines.append("\n| number | figure | player | rules | games | training games | place |")
        lines.append("| --- | --- | --- | --- | --- | --- | --- |")
        for cited in work.numbers:
            words, number = cited.where
            cells = [
                cited.value,
                FIGURES[cited.figure],
                cited.who,
                RULES.get(cited.rules, f"`{cited.rules}`" if cited.rules in RULESETS else ""),
                f"{cited.games:,}" if cited.games else "",
                f"{cited.trained:,}" if cited.trained else "",
                " ".join(filter(None, (words % number + ".", NOTES.get(cited.note)))),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
