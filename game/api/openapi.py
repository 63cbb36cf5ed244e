"""The OpenAPI document, written by hand; the tests compare every answer and refusal with it."""

from collections.abc import Callable
from typing import Any

from game.api.api_limits import BODY, POSITIONS
from game.api.examples import CHIPS, GAME, JOKER, MANY, ONE
from game.api.parsing import DEFAULT, OF_EACH
from game.api.schemas import (
    Schema,
    a_list,
    a_number,
    a_whole,
    an_object,
    content_of,
    posted,
    ref,
)
from solver.rules import PLAYED, Ruleset
from solver.rules.dice import FACES


def _by_ruleset(says: Callable[[Ruleset], Schema]) -> Schema:
    """Return a schema with a case per ruleset, and the default rules without one."""

    def case(rules: Ruleset) -> Schema:
        named: Schema = {"properties": {"ruleset": {"const": rules.id}}}
        condition = named if rules == DEFAULT else {**named, "required": ["ruleset"]}
        return {"if": condition, "then": {"properties": says(rules)}}

    return {"allOf": [case(rules) for rules in PLAYED.values()]}


def _card_of(rules: Ruleset) -> Schema:
    """Return the schema of a card by these rules with at least one open box."""
    boxes: Schema = {"items": _box_of(rules), "maxItems": len(rules.categories) - 1}
    card: Schema = {
        "filled": boxes,
        "rolls_left": {"maximum": rules.throws - 1},
        "dice": _dice_of(rules),
        "stock": rules.stock > 0 and {"maximum": rules.most_saved(len(rules.categories) - 1)},
    }
    return card if rules.joker else {**card, "chips_won": {"const": False}}


def _dice_of(rules: Ruleset) -> Schema:
    return {"minItems": rules.dice, "maxItems": rules.dice}


def _box_of(rules: Ruleset) -> Schema:
    return {"enum": [category.id for category in rules.categories]}


def _turns_of(rules: Ruleset) -> Schema:
    """Return the schema of turns: at most one per box, with a hold between two rolls."""
    most = rules.most_throws(len(rules.categories) - 1)
    turns = [_throws(rules, number) for number in range(1, most + 1)]
    turn = {"properties": {"category": _box_of(rules)}, "anyOf": turns}
    return {"turns": {"maxItems": len(rules.categories), "items": turn}}


def _throws(rules: Ruleset, number: int) -> Schema:
    thrown = {"minItems": number, "maxItems": number, "items": _dice_of(rules)}
    held = {"minItems": number - 1, "maxItems": number - 1}
    required = ["holds"] if number > 1 else []
    return {"properties": {"throws": thrown, "holds": held}, "required": required}


FACE: Schema = {"type": "integer", "minimum": 1, "maximum": FACES}
DICE = {rules.dice for rules in PLAYED.values()}
DICE_THROWN = a_list(
    FACE, "all dice of the ruleset in any order", minItems=min(DICE), maxItems=max(DICE)
)
DICE_HELD = a_list(FACE, "the dice that are held", maxItems=max(DICE))
BOX: Schema = {"type": "string", "description": "a box of the ruleset, such as sixes"}
RULESET: Schema = {"type": "string", "enum": list(PLAYED), "default": DEFAULT.id}
MOST_LEFT = max(rules.throws for rules in PLAYED.values()) - 1
MOST_THROWS = max(rules.most_throws(len(rules.categories) - 1) for rules in PLAYED.values())
TOP = a_whole("how many of the best options are sent; without it all", minimum=1)
TOP_OF_EACH = a_whole(
    "how many of the best options of each position are sent", minimum=1, default=OF_EACH
)

POSITION_DICE: Schema = {
    "dice": DICE_THROWN,
    "rolls_left": a_whole("throws that are left in this turn", minimum=0, maximum=MOST_LEFT),
}
POSITION_CARD: Schema = {
    "filled": a_list(BOX, "the boxes that are filled", uniqueItems=True, default=[]),
    "upper": a_whole("points in the upper boxes, without the bonus", minimum=0, default=0),
    "chips_won": {
        "type": "boolean",
        "default": False,
        "description": "Yahtzee with jokers: whether the box for five of a kind holds points",
    },
    "stock": a_whole("saved: throws of earlier turns that are left", minimum=0, default=0),
}
JUDGED: Schema = {
    "luck": a_number("points that the throw before it brought, compared with the average"),
    "best": a_number("value of the best option, in points from the start of the turn"),
    "value": a_number("value of what was chosen"),
    "regret": a_number("what the choice costs: best - value", minimum=0),
    "forced": {"type": "boolean", "description": "whether there was nothing to choose"},
}
OUTLOOK: Schema = {
    "bonus_chance": a_number("chance of the upper bonus", minimum=0, maximum=1),
    "expected_rest": a_number("points expected after those of this option"),
    "deviation": a_number("standard deviation of the final score", minimum=0),
}

SCHEMAS: dict[str, Schema] = {
    "Position": an_object("Dice on the table, and the card.", POSITION_DICE, POSITION_CARD),
    "OnePosition": an_object(
        "One position.", POSITION_DICE, {**POSITION_CARD, "ruleset": RULESET, "top": TOP}
    )
    | _by_ruleset(_card_of),
    "ManyPositions": an_object(
        "Positions that are answered in their order.",
        {"positions": a_list(ref("Position"), minItems=1, maxItems=POSITIONS)},
        {"ruleset": RULESET, "top": TOP_OF_EACH},
    )
    | _by_ruleset(lambda rules: {"positions": {"items": {"properties": _card_of(rules)}}}),
    "Option": an_object(
        "A hold has dice, a box has its category. bonus_chance, expected_rest and deviation are"
        " there where the server has the table for them.",
        {
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": a_whole("what is scored at once; 0 for a hold", minimum=0),
            "value": a_number("points expected from here to the end of the game, bonus included"),
            "regret": a_number("what it costs compared with the best option", minimum=0),
            "best": {"type": "boolean", "description": "whether no option is better"},
        },
        {"dice": DICE_HELD, "category": BOX, **OUTLOOK},
    ),
    "Advice": an_object(
        "The options of a position, the best first.",
        {
            "value": a_number("value of the best option"),
            "best": ref("Option"),
            "options": a_list(ref("Option"), minItems=1),
        },
    ),
    "Turn": an_object(
        "One turn: holds[n] was kept after throws[n], the last throw was scored in category.",
        {
            "throws": a_list(
                DICE_THROWN, "all dice after every throw", minItems=1, maxItems=MOST_THROWS
            ),
            "category": BOX,
        },
        {
            "holds": a_list(
                DICE_HELD, "one hold between two throws", maxItems=MOST_THROWS - 1, default=[]
            )
        },
    ),
    "Game": an_object(
        "The turns of a game from its start; it may be unfinished.",
        {"turns": a_list(ref("Turn"), minItems=1)},
        {"ruleset": RULESET},
    )
    | _by_ruleset(_turns_of),
    "Entry": an_object(
        "One decision; position is what advise takes.",
        {
            "turn": a_whole("from 1", minimum=1),
            "throw": a_whole("the throw that it follows, from 1", minimum=1, maximum=MOST_THROWS),
            "position": ref("Position"),
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": a_whole("what was scored, a bonus chip included; 0 for a hold", minimum=0),
            "chip": a_whole("the bonus chip among these points; 0 without one", minimum=0),
            "dice": DICE_HELD
            | {"description": "the dice that were held; none where a box is filled"},
            "category": {"anyOf": [BOX, {"const": ""}], "description": "empty for a hold"},
            **JUDGED,
        },
    ),
    "Totals": an_object(
        "Sums over the entries, and the card at the end of the last turn.",
        {
            "value_start": a_number("expected score of perfect play"),
            "luck": a_number("sum of luck"),
            "regret": a_number("sum of regret", minimum=0),
            "points": a_whole("points in the boxes and chips, without the upper bonus"),
            "chips": a_whole("the bonus chips among these points", minimum=0),
            "expected_rest": a_number("points still to come, the upper bonus included"),
            "score": {"type": ["integer", "null"], "description": "final score, once finished"},
            "decisions": a_whole("number of entries"),
            "free_decisions": a_whole("number of entries that were not forced"),
        },
    ),
    "Identity": an_object(
        "Two ways to one number; they differ by rounding alone.",
        {
            "ledger": a_number("value_start + luck - regret"),
            "game": a_number("points + expected_rest"),
            "difference": a_number("ledger - game"),
        },
    ),
    "Ruleset": an_object(
        "What is played; joker is null where five of a kind is nothing but its box.",
        {
            "id": {"type": "string"},
            "title": {"type": "string"},
            "hash": {"type": "string", "description": "SHA-256 of all that changes a value"},
            "dice": a_whole("that are thrown", minimum=2),
            "throws": a_whole("of a turn", minimum=1),
            "stock": a_whole("throws that can be saved; 0 where none are", minimum=0),
            "boxes": a_list(BOX, "in the order of the card"),
            "bonus_threshold": a_whole("upper points from which on there is a bonus"),
            "bonus_points": a_whole("what the bonus is"),
            "joker": {"oneOf": [ref("Joker"), {"type": "null"}]},
        },
    ),
    "Joker": an_object(
        "Five of a kind once their own box is filled.",
        {
            "box": BOX,
            "policy": {"type": "string", "enum": ["forced", "free"]},
            "chip": a_whole("points for each joker after the box was filled with points"),
        },
    ),
    "Rulesets": an_object(
        "Every ruleset that can be named.",
        {"default": RULESET, "rulesets": a_list(ref("Ruleset"), minItems=1)},
    ),
    "Problem": an_object(
        "What is wrong in one field.",
        {
            "field": {"type": "string", "description": "such as positions[3].dice"},
            "message": {"type": "string"},
        },
    ),
    "Refusal": an_object(
        "Why there is no answer.",
        {
            "error": {"type": "string", "description": "one sentence"},
            "status": a_whole("the HTTP status"),
            "problems": a_list(ref("Problem")),
        },
    ),
}
SCHEMAS["OneAdvice"] = an_object(
    "Advice on one position.", {"ruleset": RULESET, **SCHEMAS["Advice"]["properties"]}
)
SCHEMAS["ManyAdvices"] = an_object(
    "Advice on each position, in their order.",
    {"ruleset": RULESET, "answers": a_list(ref("Advice"), minItems=1, maxItems=POSITIONS)},
)
SCHEMAS["Ledger"] = an_object(
    "Luck and regret of every decision of a game.",
    {
        "ruleset": RULESET,
        "finished": {"type": "boolean"},
        "entries": a_list(ref("Entry"), minItems=1),
        "totals": ref("Totals"),
        "identity": ref("Identity"),
    },
)

REFUSALS = {
    "400": "The body is not a JSON object.",
    "403": "A cookie names a player who takes part in a trial, or whose own ranked game stands so.",
    "405": "Another method than POST; Allow names it.",
    "413": f"More than {BODY:,} bytes.",
    "415": "Another content type than application/json.",
    "422": "A position or game that cannot be; problems names the fields.",
    "429": "Too many requests; Retry-After says for how many seconds.",
    "503": "This server has no table for the ruleset.",
}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Yatzy coach",
        "version": "1",
        "summary": "Exact values of every option of a position, and the ledger of a game.",
    },
    "servers": [{"url": "/"}],
    "paths": {
        "/api/v1/advise": posted(
            "Every hold and box of positions, ranked",
            "advise",
            content_of(
                {"oneOf": [ref("OnePosition"), ref("ManyPositions")]},
                {"one": ONE, "many": MANY, "joker": JOKER},
            ),
            content_of({"oneOf": [ref("OneAdvice"), ref("ManyAdvices")]}),
            REFUSALS,
        ),
        "/api/v1/ledger": posted(
            "Luck and regret of every decision of a game",
            "ledger",
            content_of(ref("Game"), {"game": GAME, "chips": CHIPS}),
            content_of(ref("Ledger")),
            REFUSALS,
        ),
        "/api/v1/rulesets": {
            "get": {
                "summary": "The rulesets that can be named",
                "operationId": "rulesets",
                "responses": {
                    "200": {"description": "All of them", "content": content_of(ref("Rulesets"))}
                },
            }
        },
    },
    "components": {"schemas": SCHEMAS},
}
