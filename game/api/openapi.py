"""The OpenAPI document, written by hand; the tests hold every answer and refusal to it."""

from collections.abc import Callable
from typing import Any

from game.api.examples import CHIPS, GAME, JOKER, MANY, ONE
from game.api.limits import BODY, POSITIONS
from game.api.parsing import DEFAULT, OF_EACH
from solver.rules import RULESETS, Ruleset
from solver.rules.dice import FACES

Schema = dict[str, Any]


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(description: str, required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _number(description: str, **more: Any) -> Schema:
    return {"type": "number", "description": description, **more}


def _whole(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


def _list(items: Schema, description: str = "", **more: Any) -> Schema:
    described = {"description": description} if description else {}
    return {"type": "array", "items": items, **described, **more}


def _by_ruleset(says: Callable[[Ruleset], Schema]) -> Schema:
    """What holds of the properties under the rules that are named, or meant where none are."""

    def case(rules: Ruleset) -> Schema:
        named: Schema = {"properties": {"ruleset": {"const": rules.id}}}
        asked = named if rules == DEFAULT else {**named, "required": ["ruleset"]}
        return {"if": asked, "then": {"properties": says(rules)}}

    return {"allOf": [case(rules) for rules in RULESETS.values()]}


def _card_of(rules: Ruleset) -> Schema:
    """Boxes and throws that these rules have, one box at least being open."""
    boxes: Schema = {"items": _box_of(rules), "maxItems": len(rules.categories) - 1}
    card: Schema = {"filled": boxes, "rolls_left": {"maximum": rules.throws - 1}}
    return card if rules.joker else {**card, "chips_won": {"const": False}}


def _box_of(rules: Ruleset) -> Schema:
    return {"enum": [category.id for category in rules.categories]}


def _turns_of(rules: Ruleset) -> Schema:
    """As many turns as boxes; in each a hold between every two throws, and none before."""
    turns = [_throws(number) for number in range(1, rules.throws + 1)]
    turn = {"properties": {"category": _box_of(rules)}, "anyOf": turns}
    return {"turns": {"maxItems": len(rules.categories), "items": turn}}


def _throws(number: int) -> Schema:
    thrown = {"minItems": number, "maxItems": number}
    held = {"minItems": number - 1, "maxItems": number - 1}
    required = ["holds"] if number > 1 else []
    return {"properties": {"throws": thrown, "holds": held}, "required": required}


FACE: Schema = {"type": "integer", "minimum": 1, "maximum": FACES}
DICE = {rules.dice for rules in RULESETS.values()}
DICE_THROWN = _list(
    FACE, "all dice of the ruleset in any order", minItems=min(DICE), maxItems=max(DICE)
)
DICE_HELD = _list(FACE, "the dice that are held", maxItems=max(DICE))
BOX: Schema = {"type": "string", "description": "a box of the ruleset, such as sixes"}
RULESET: Schema = {"type": "string", "enum": list(RULESETS), "default": DEFAULT.id}
MOST_THROWS = max(rules.throws for rules in RULESETS.values())
TOP = _whole("how many of the best options are sent; without it all", minimum=1)
TOP_OF_EACH = _whole(
    "how many of the best options of each position are sent", minimum=1, default=OF_EACH
)

POSITION_DICE: Schema = {
    "dice": DICE_THROWN,
    "rolls_left": _whole("throws that are left in this turn", minimum=0, maximum=MOST_THROWS - 1),
}
POSITION_CARD: Schema = {
    "filled": _list(BOX, "the boxes that are filled", uniqueItems=True, default=[]),
    "upper": _whole("points in the upper boxes, without the bonus", minimum=0, default=0),
    "chips_won": {
        "type": "boolean",
        "default": False,
        "description": "Yahtzee with jokers: whether the box for five of a kind holds points",
    },
}
JUDGED: Schema = {
    "luck": _number("points that the throw before it brought, compared with the average"),
    "best": _number("value of the best option, in points from the start of the turn"),
    "value": _number("value of what was chosen"),
    "regret": _number("what the choice costs: best - value", minimum=0),
    "forced": {"type": "boolean", "description": "whether there was nothing to choose"},
}
OUTLOOK: Schema = {
    "bonus_chance": _number("chance of the upper bonus", minimum=0, maximum=1),
    "expected_rest": _number("points expected after those of this option"),
    "deviation": _number("standard deviation of the final score", minimum=0),
}

SCHEMAS: dict[str, Schema] = {
    "Position": _object("Dice on the table, and the card.", POSITION_DICE, POSITION_CARD),
    "OnePosition": _object(
        "One position.", POSITION_DICE, {**POSITION_CARD, "ruleset": RULESET, "top": TOP}
    )
    | _by_ruleset(_card_of),
    "ManyPositions": _object(
        "Positions that are answered in their order.",
        {"positions": _list(_ref("Position"), minItems=1, maxItems=POSITIONS)},
        {"ruleset": RULESET, "top": TOP_OF_EACH},
    )
    | _by_ruleset(lambda rules: {"positions": {"items": {"properties": _card_of(rules)}}}),
    "Option": _object(
        "A hold has dice, a box has its category. bonus_chance, expected_rest and deviation are"
        " there where the server has the table for them.",
        {
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": _whole("what is scored at once; 0 for a hold", minimum=0),
            "value": _number("points expected from here to the end of the game, bonus included"),
            "regret": _number("what it costs compared with the best option", minimum=0),
            "best": {"type": "boolean", "description": "whether no option is better"},
        },
        {"dice": DICE_HELD, "category": BOX, **OUTLOOK},
    ),
    "Advice": _object(
        "The options of a position, the best first.",
        {
            "value": _number("value of the best option"),
            "best": _ref("Option"),
            "options": _list(_ref("Option"), minItems=1),
        },
    ),
    "Turn": _object(
        "One turn: holds[n] was kept after throws[n], the last throw was scored in category.",
        {
            "throws": _list(
                DICE_THROWN, "all dice after every throw", minItems=1, maxItems=MOST_THROWS
            ),
            "category": BOX,
        },
        {
            "holds": _list(
                DICE_HELD, "one hold between two throws", maxItems=MOST_THROWS - 1, default=[]
            )
        },
    ),
    "Game": _object(
        "The turns of a game from its start; it may be unfinished.",
        {"turns": _list(_ref("Turn"), minItems=1)},
        {"ruleset": RULESET},
    )
    | _by_ruleset(_turns_of),
    "Entry": _object(
        "One decision; position is what advise takes.",
        {
            "turn": _whole("from 1", minimum=1),
            "throw": _whole("the throw that it follows, from 1", minimum=1, maximum=MOST_THROWS),
            "position": _ref("Position"),
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": _whole("what was scored, a bonus chip included; 0 for a hold", minimum=0),
            "chip": _whole("the bonus chip among these points; 0 without one", minimum=0),
            **JUDGED,
        },
        {"dice": DICE_HELD, "category": BOX},
    ),
    "Totals": _object(
        "Sums over the entries, and the card at the end of the last turn.",
        {
            "value_start": _number("expected score of perfect play"),
            "luck": _number("sum of luck"),
            "regret": _number("sum of regret", minimum=0),
            "points": _whole("points in the boxes and chips, without the upper bonus"),
            "chips": _whole("the bonus chips among these points", minimum=0),
            "expected_rest": _number("points still to come, the upper bonus included"),
            "score": {"type": ["integer", "null"], "description": "final score, once finished"},
            "decisions": _whole("number of entries"),
            "free_decisions": _whole("number of entries that were not forced"),
        },
    ),
    "Identity": _object(
        "Two ways to one number; they differ by rounding alone.",
        {
            "ledger": _number("value_start + luck - regret"),
            "game": _number("points + expected_rest"),
            "difference": _number("ledger - game"),
        },
    ),
    "Ruleset": _object(
        "What is played; joker is null where five of a kind is nothing but its box.",
        {
            "id": {"type": "string"},
            "title": {"type": "string"},
            "hash": {"type": "string", "description": "SHA-256 of all that changes a value"},
            "throws": _whole("of a turn", minimum=1),
            "boxes": _list(BOX, "in the order of the card"),
            "bonus_threshold": _whole("upper points from which on there is a bonus"),
            "bonus_points": _whole("what the bonus is"),
            "joker": {"oneOf": [_ref("Joker"), {"type": "null"}]},
        },
    ),
    "Joker": _object(
        "Five of a kind once their own box is filled.",
        {
            "box": BOX,
            "policy": {"type": "string", "enum": ["forced", "free"]},
            "chip": _whole("points for each joker after the box was filled with points"),
        },
    ),
    "Rulesets": _object(
        "Every ruleset that can be named.",
        {"default": RULESET, "rulesets": _list(_ref("Ruleset"), minItems=1)},
    ),
    "Problem": _object(
        "What is wrong in one field.",
        {
            "field": {"type": "string", "description": "such as positions[3].dice"},
            "message": {"type": "string"},
        },
    ),
    "Refusal": _object(
        "Why there is no answer.",
        {
            "error": {"type": "string", "description": "one sentence"},
            "status": _whole("the HTTP status"),
            "problems": _list(_ref("Problem")),
        },
    ),
}
SCHEMAS["OneAdvice"] = _object(
    "Advice on one position.", {"ruleset": RULESET, **SCHEMAS["Advice"]["properties"]}
)
SCHEMAS["ManyAdvices"] = _object(
    "Advice on each position, in their order.",
    {"ruleset": RULESET, "answers": _list(_ref("Advice"), minItems=1, maxItems=POSITIONS)},
)
SCHEMAS["Ledger"] = _object(
    "Luck and regret of every decision of a game.",
    {
        "ruleset": RULESET,
        "finished": {"type": "boolean"},
        "entries": _list(_ref("Entry"), minItems=1),
        "totals": _ref("Totals"),
        "identity": _ref("Identity"),
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


def _content(schema: Schema, examples: dict[str, Any] | None = None) -> Schema:
    shown = {name: {"value": value} for name, value in (examples or {}).items()}
    content = {"schema": schema, **({"examples": shown} if shown else {})}
    return {"application/json": content}


def _refusal(status: str, description: str) -> Schema:
    facts: Schema = {"description": description, "content": _content(_ref("Refusal"))}
    if status == "429":
        facts["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "required": True}}
    return facts


def _post(summary: str, operation: str, asks: Schema, answers: Schema) -> Schema:
    return {
        "post": {
            "summary": summary,
            "operationId": operation,
            "requestBody": {"required": True, "content": asks},
            "responses": {
                "200": {"description": summary, "content": answers},
                **{status: _refusal(status, text) for status, text in REFUSALS.items()},
            },
        }
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
        "/api/v1/advise": _post(
            "Every hold and box of positions, ranked",
            "advise",
            _content(
                {"oneOf": [_ref("OnePosition"), _ref("ManyPositions")]},
                {"one": ONE, "many": MANY, "joker": JOKER},
            ),
            _content({"oneOf": [_ref("OneAdvice"), _ref("ManyAdvices")]}),
        ),
        "/api/v1/ledger": _post(
            "Luck and regret of every decision of a game",
            "ledger",
            _content(_ref("Game"), {"game": GAME, "chips": CHIPS}),
            _content(_ref("Ledger")),
        ),
        "/api/v1/rulesets": {
            "get": {
                "summary": "The rulesets that can be named",
                "operationId": "rulesets",
                "responses": {
                    "200": {"description": "All of them", "content": _content(_ref("Rulesets"))}
                },
            }
        },
    },
    "components": {"schemas": SCHEMAS},
}
