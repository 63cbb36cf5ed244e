"""The coach's texts for offline games, and the grades of decisions and games, in the reader's
language. A script in the browser fills in the values."""

from collections.abc import Iterator
from typing import Any

from django.utils.formats import get_format
from django.utils.translation import gettext as _

from game.core.profile_queries import MIDDLE
from game.core.words.sentences import Event
from game.core.words.speech import map_texts, say, translate_both_numbers
from game.core.worth.severity import BEST, GOOD, GRADES, INACCURACY, SEVERITIES
from game.models import Player
from game.pages.board.ending import Account
from solver.rules import Ruleset

MOST = 1000.0  # points; no decision costs more
EQUATION = ("score", "start_words", "luck_words", "lost_words")


def make_texts() -> dict[str, Any]:
    return {
        "table": map_texts(translate_both_numbers),
        "drill": _("Drill"),
        "hold": _("Hold"),
        "let_go": _("Release"),
        "decimal": get_format("DECIMAL_SEPARATOR"),
        "severities": [
            {"id": severity.id, "name": str(severity), "at_least": severity.at_least}
            for severity in (*SEVERITIES, GOOD, BEST)
        ],
        "grades": [{"name": str(grade.name), "below": min(grade.below, MOST)} for grade in GRADES],
        "middle": MIDDLE.id,
        "mistaken": INACCURACY,
        "threshold": Player._meta.get_field("coach_threshold").default,
    }


class Placeholder:
    """A placeholder of a fact, which the browser's script fills in. ``known`` has the attributes
    that are no placeholders."""

    def __init__(self, path: str = "", **known: object) -> None:
        self.path, self.known = path, known

    def __getitem__(self, name: str) -> object:
        return self.known.get(name, Placeholder(f"{self.path}.{name}".strip(".")))

    def __iter__(self) -> Iterator["Placeholder"]:
        yield self

    def __str__(self) -> str:
        return f"%({self.path})s"


def make_parts(rules: Ruleset) -> dict[str, Any]:
    """Return the template context for the coach's parts of a board, with placeholders."""
    names = ((kind, name) for kind, name, _number in Account(rules, 0, 0.0, 0.0).parts)
    parts = [(*named, f"%({place})s") for named, place in zip(names, EQUATION, strict=True)]
    hint = Event("hint", say("best_is", option="%(option)s"), "why")
    verdict = Placeholder(
        event={"act": "why"},
        shown=True,
        costs=False,
        severity={"id": "%(id)s", "name": "%(severity)s"},
        best_dice=Placeholder("dice"),
    )
    board = {"may_act": True, "phase": "score"}
    return {
        "words": make_texts(),
        "account": Placeholder(parts=parts, help_note=""),
        "worst": [Placeholder(review="#%(number)s", again="#%(number)s")],
        "sheet": {"game": True, "coach": {"available": True}},
        "standing": Placeholder(equation=Placeholder()),
        "later": board | {"hints_later": True},
        "hint": board | {"coach": {"can_hint": True}},
        "best": board | {"best": {"label": "%(option)s"}, "notes": [hint]},
        "options": [{"expected": 0.0, "regret": 0.0}],
        "live": {
            "coach": {"holds": Placeholder("costs")},
            "phase": "decide",
            "live_cost": "%(cost)s",
        },
        "slip": {"verdict": verdict},
    }
