"""The coach of a game without a network: his texts, of the server's catalogues, and the marks of a
decision and of a game. What he says of a position a script chooses by the rules
of ``game.core.words.phrases`` and ``game.coach.reasons``, from values alone."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _l
from django.utils.translation import ngettext

from game.coach.winning_advice import RARE, SELDOM, SPOKEN
from game.core.words import labels
from game.core.worth.severity import (
    BEST,
    GOOD,
    GRADES,
    INACCURACY,
    SEVERITIES,
    Severity,
    decisions_of,
)
from game.models import Player
from solver.rules import Ruleset

BARS = ("luck", "lost")
PARTS = (_l("Score"), _l("Perfect play"), _l("Luck"), _l("Mistakes"))
EQUATION = ("score", "start", "luck", "lost")
STANDING = ("start", "total", "luck", "lost")
SCRIPTS = (
    *("coach_says.js", "coach_reasons.js", "coach_tells.js"),
    *("offline_coach.js", "offline_after.js"),
)
COUNTED = re.compile(r'\.many\(\s*"([^"]+)",\s*"([^"]+)"')
QUOTED = re.compile(r'"([^"\n]*)"')  # what has a space is read by people


@cache
def script_texts() -> tuple[dict[str, str], frozenset[str]]:
    """Return the texts of scripts: those with a plural, and all others."""
    folder = Path(settings.BASE_DIR) / "static" / "js"
    script = "".join((folder / name).read_text() for name in SCRIPTS)
    counted = dict(COUNTED.findall(script))
    read = {text for text in QUOTED.findall(script) if " " in text or "%(" in text}
    return counted, frozenset(read - counted.keys() - set(counted.values()))


def words() -> dict[str, Any]:
    counted, alone = script_texts()
    several = {
        one: [ngettext(one, many, number) for number in (1, 2)] for one, many in counted.items()
    }
    return {
        "said": {text: _(text) for text in sorted(alone)} | several,
        "best": _("best"),
        "drill": _("Drill"),
        "hold": _("Hold"),
        "let_go": _("Release"),
        "decimal": get_format("DECIMAL_SEPARATOR"),
        "odds": {
            "rare": [RARE, _("very seldom")],
            "seldom": [SELDOM, _("seldom")],
            "spoken": [[chance, str(text)] for chance, text in SPOKEN],
        },
        "severities": list(map(_severity, SEVERITIES)),
        "good": _severity(GOOD),
        "none": _severity(BEST),
        "grades": [{"name": str(grade.name), "below": grade.below} for grade in GRADES[:-1]],
        "last_grade": str(GRADES[-1].name),
        "mistaken": INACCURACY,
        "threshold": Player._meta.get_field("coach_threshold").default,
    }


def parts() -> dict[str, Any]:
    """Return the parts of every board, with places that the script fills instead of a game."""
    verdict = {
        "severity": {"id": "%(id)s", "name": "%(name)s"},
        **{name: f"%({name})s" for name in ("price", "points", "move", "cost", "luck", "reason")},
    }
    missed = verdict | {"best": "%(best)s"}
    bars = {
        f"{name}_bar": {"start": f"%({name}_x)s", "width": f"%({name}_width)s"} for name in BARS
    }
    stretches = {
        f"{name}_bar": {"x": f"%({name}_x)s", "width": f"%({name}_width)s"}
        for name in ("luck", "mistakes")
    }
    named = zip(("score", "start", "luck", "mistakes"), PARTS, EQUATION, strict=True)
    return {
        "words": words(),
        "account": {
            "parts": [(kind, name, f"%({number})s") for kind, name, number in named],
            "equation": {"printed_lost": True},
            "grade": {"name": "%(grade)s"},
            **{name: f"%({name})s" for name in ("accuracy", "start_at", "score_at")},
            **stretches,
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
        "best": {"best": {"label": "%(option)s"}, "may_act": True, "phase": "score"},
        "options": [{"expected": 0.0, "regret": 0.0}],
        "live": {"coach": {"holds": ["%(costs)s"]}, "phase": "decide", "live_cost": "%(cost)s"},
        "missed": {"verdict": missed},
        "veiled": {"verdict": missed | {"veiled": True}},
        "good": {"verdict": verdict | {"reason": ""}},
    }


def facts(rules: Ruleset) -> dict[str, Any]:
    return {"count": labels.count(rules.dice), "decisions": decisions_of(rules)}


def _severity(severity: Severity) -> dict[str, Any]:
    return {"id": severity.id, "name": str(severity.name), "at_least": severity.at_least}
