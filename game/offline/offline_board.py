"""The table of a game without a network: cards that nobody has begun, drawn as every other card,
and the words with which a script goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.words import labels, sentences
from game.models import Game
from game.offline import offline_coach
from game.pages.board.board import Board, Die, Row, Sight, build
from solver.rules import RULESETS, Ruleset, start

NONE = Row("", "", "", "", 0, None, (), 0, playable=True, just_filled=False)


@dataclass(frozen=True, slots=True)
class OfflineCard:
    board: Board
    facts: Mapping[str, Any]  # for the script


def cards() -> Iterator[OfflineCard]:
    for rules in RULESETS.values():
        board = build(Sight(start(rules), owner=True, level=Game.Coach.LIVE))
        board = replace(board, mode_label=_("Without a network"), player_label="")
        yield OfflineCard(board, _facts(rules, board))


def blank_row() -> Row:
    return NONE


def filled_row() -> Row:
    return replace(NONE, points=0, just_filled=True)


def blank_die() -> Die:
    return Die(0, 1, held=False, fresh=True)


def _facts(rules: Ruleset, board: Board) -> dict[str, Any]:
    rows = {row.id: row for row in (*board.upper, *board.lower)}
    upper = {row.id for row in board.upper}
    names = ("name", "hint", "key", "maximum")
    joker = rules.joker
    return {
        "throws": rules.throws,
        "goal": rules.bonus_threshold,
        "bonus": rules.bonus_points,
        "boxes": [
            {"id": category.id, "upper": category.id in upper}
            | {name: getattr(rows[category.id], name) for name in names}
            for category in rules.categories
        ],
        "dice": rules.dice,
        **offline_coach.facts(rules),
        "joker": joker.box if joker else "",
        "chipless": (_("none, as %(name)s holds 0") % {"name": labels.CATEGORIES[joker.box]})
        if joker
        else "",
    }


def words() -> dict[str, Any]:
    """With places that the script fills; [of one, of several] where something is counted."""
    return {
        "faces": [str(labels.FACES[face]) for face in range(len(labels.FACES))],
        "held": _("die %(number)s, shows %(face)s, held"),
        "free": _("die %(number)s, shows %(face)s"),
        "turn": _("Turn %(turn)s of %(turns)s"),
        "left": _both("%(left)s left", "%(left)s left"),
        "choose": _("Choose a box"),
        "begin": sentences.guide("roll", 0),
        "decide": _("Hold dice and throw again, or choose a box."),
        "score": _("That was the last throw: choose a box."),
        "joker": _("These dice are a joker: only boxes that show points take them."),
        "show": _both(
            "The dice show %(dice)s; %(left)s throw left.",
            "The dice show %(dice)s; %(left)s throws left.",
        ),
        "show_last": _("The dice show %(dice)s; choose a box."),
        "scored": _both(
            "%(name)s: %(points)s point; throw for turn %(turn)s of %(turns)s.",
            "%(name)s: %(points)s points; throw for turn %(turn)s of %(turns)s.",
        ),
        "over": _both(
            "The game is over with %(total)s point.", "The game is over with %(total)s points."
        ),
        "offer": _both("%(name)s: score %(points)s point", "%(name)s: score %(points)s points"),
        "used": _both(
            "%(name)s: %(points)s point, with the dice %(dice)s",
            "%(name)s: %(points)s points, with the dice %(dice)s",
        ),
        "sum_of": _("%(sum)s of %(goal)s"),
        "upper": _("Upper boxes: %(sum)s"),
        "short": _("%(missing)s short of the bonus"),
        "out": _("out of reach by now"),
        "to_go": _("%(missing)s to go for %(points)s"),
        "failed": _("This browser cannot do it:"),
    }


def _both(one: str, several: str) -> list[str]:
    return [ngettext(one, several, number) for number in (1, 2)]
