"""The coach's texts for offline games, and the grades of decisions and games, in the reader's
language. A script in the browser fills in the values."""

from typing import Any

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _l

from game.core.profile_queries import MIDDLE
from game.core.words import labels
from game.core.words.sentences import Event
from game.core.words.speech import map_texts, say, translate_both_numbers
from game.core.worth.severity import (
    BEST,
    GOOD,
    GRADES,
    INACCURACY,
    SEVERITIES,
    Severity,
    count_decisions,
)
from game.models import Player
from solver.rules import Ruleset

MOST = 1000.0  # points; no decision costs more
BARS = ("luck", "lost")
PARTS = (_l("Score"), _l("Perfect play"), _l("Luck"), _l("Mistakes"))
EQUATION = ("score", "start", "luck", "lost")


def make_texts() -> dict[str, Any]:
    return {
        "table": map_texts(translate_both_numbers),
        "best": say("best"),
        "drill": _("Drill"),
        "hold": _("Hold"),
        "let_go": _("Release"),
        "decimal": get_format("DECIMAL_SEPARATOR"),
        "severities": list(map(_make_severity, SEVERITIES)),
        "good": _make_severity(GOOD),
        "none": _make_severity(BEST),
        "grades": [{"name": str(grade.name), "below": min(grade.below, MOST)} for grade in GRADES],
        "middle": MIDDLE.id,
        "mistaken": INACCURACY,
        "threshold": Player._meta.get_field("coach_threshold").default,
    }


def make_parts() -> dict[str, Any]:
    """Return the template context for the coach's parts of a board, with placeholders."""
    places = {name: f"%({name})s" for name in ("move", "cost", "luck", "reason", "best")}
    severity = {"id": "%(id)s", "name": "%(name)s"}
    verdict = places | {"severity": severity, "shown": True, "event": {"act": "why"}}
    verdict["tray"] = {name: f"%({name})s" for name in ("figure", "title", "advice")}
    bars = {
        f"{name}_bar": {"start": f"%({name}_x)s", "width": f"%({name}_width)s"} for name in BARS
    }
    named = zip(("score", "start", "luck", "mistakes"), PARTS, EQUATION, strict=True)
    hint = Event("hint", say("best_is", option="%(option)s"), "why")
    return {
        "words": make_texts(),
        "account": {
            "parts": [(kind, name, f"%({number})s") for kind, name, number in named],
            "equation": {"printed_lost": True},
            "grade": {"name": "%(grade)s"},
            **{name: f"%({name})s" for name in ("accuracy", "start_at", "score_at")},
            "luck_bar": bars["luck_bar"],
            "mistakes_bar": {"start": "%(mistakes_x)s", "width": "%(mistakes_width)s"},
        },
        "worst": [
            {
                "severity": {"id": "%(id)s"},
                "label": "%(deed)s",
                "review": "#%(number)s",
                "again": "#%(number)s",
                **{name: f"%({name})s" for name in ("turn", "throw", "points", "place")},
            }
        ],
        "sheet": {"game": True, "coach": {"available": True}},
        "standing": {"equation": {f"{name}_words": f"%({name})s" for name in EQUATION}} | bars,
        "later": {"hints_later": True, "may_act": True, "phase": "score"},
        "hint": {"coach": {"can_hint": True}, "may_act": True, "phase": "score"},
        "best": {
            "best": {"label": "%(option)s"},
            "may_act": True,
            "phase": "score",
            "notes": [hint],
        },
        "options": [{"expected": 0.0, "regret": 0.0}],
        "live": {"coach": {"holds": ["%(costs)s"]}, "phase": "decide", "live_cost": "%(cost)s"},
        "slip": {"verdict": verdict | {"best_dice": ["%(dice)s"]}},
    }


def make_facts(rules: Ruleset) -> dict[str, Any]:
    return {"count": labels.count(rules.dice), "decisions": count_decisions(rules)}


def _make_severity(severity: Severity) -> dict[str, Any]:
    return {"id": severity.id, "name": str(severity.name), "at_least": severity.at_least}
