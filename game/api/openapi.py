"""The OpenAPI document, written by hand. The tests compare every answer and error with it."""

from collections.abc import Callable, Mapping
from typing import Any

from game.api.api_limits import BODY, POSITIONS
from game.api.examples import CHIPS, GAME, JOKER, MANY, ONE
from game.api.parsing import DEFAULT, OF_EACH
from solver.rules import PLAYED, Ruleset
from solver.rules.dice import FACES

Schema = dict[str, Any]


def make_ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def define_object(description: str, required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def define_number(description: str, **more: Any) -> Schema:
    return {"type": "number", "description": description, **more}


def define_integer(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


def define_list(items: Schema, description: str = "", **more: Any) -> Schema:
    described = {"description": description} if description else {}
    return {"type": "array", "items": items, **described, **more}


def make_content(schema: Schema, examples: dict[str, Any] | None = None) -> Schema:
    shown = {name: {"value": value} for name, value in (examples or {}).items()}
    content = {"schema": schema, **({"examples": shown} if shown else {})}
    return {"application/json": content}


def make_post_operation(
    summary: str, operation: str, asks: Schema, answers: Schema, refusals: Mapping[str, str]
) -> Schema:
    refused: Schema = {}
    for status, text in refusals.items():
        refused[status] = {"description": text, "content": make_content(make_ref("Refusal"))}
        if status == "429":
            header = {"schema": {"type": "integer"}, "required": True}
            refused[status]["headers"] = {"Retry-After": header}
    return {
        "post": {
            "summary": summary,
            "operationId": operation,
            "requestBody": {"required": True, "content": asks},
            "responses": {
                "200": {"description": summary, "content": answers},
                **refused,
            },
        }
    }


def _make_ruleset_cases(says: Callable[[Ruleset], Schema]) -> Schema:
    """Return a schema with a case per ruleset: if a request has this ruleset, the schemas of
    ``says(rules)`` apply to its fields. A request that names none has the default ruleset."""

    cases = []
    for rules in PLAYED.values():
        named: Schema = {"properties": {"ruleset": {"const": rules.id}}}
        condition = named if rules == DEFAULT else {**named, "required": ["ruleset"]}
        cases.append({"if": condition, "then": {"properties": says(rules)}})
    return {"allOf": cases}


def _make_card_schemas(rules: Ruleset) -> Schema:
    boxes: Schema = {"items": _make_box_schema(rules), "maxItems": len(rules.categories) - 1}
    card: Schema = {
        "filled": boxes,
        "rolls_left": {"maximum": rules.throws - 1},
        "dice": _make_dice_schema(rules),
        "stock": rules.stock > 0 and {"maximum": rules.most_saved(len(rules.categories) - 1)},
    }
    return card if rules.joker else {**card, "chips_won": {"const": False}}


def _make_dice_schema(rules: Ruleset) -> Schema:
    return {"minItems": rules.dice, "maxItems": rules.dice}


def _make_box_schema(rules: Ruleset) -> Schema:
    return {"enum": [category.id for category in rules.categories]}


def _make_turns_schema(rules: Ruleset) -> Schema:
    most = rules.find_most_rolls(len(rules.categories) - 1)
    turns = []
    for rolls in range(1, most + 1):
        thrown = {"minItems": rolls, "maxItems": rolls, "items": _make_dice_schema(rules)}
        held = {"minItems": rolls - 1, "maxItems": rolls - 1}
        required = ["holds"] if rolls > 1 else []
        turns.append({"properties": {"throws": thrown, "holds": held}, "required": required})
    turn = {"properties": {"category": _make_box_schema(rules)}, "anyOf": turns}
    return {"turns": {"maxItems": len(rules.categories), "items": turn}}


FACE: Schema = {"type": "integer", "minimum": 1, "maximum": FACES}
DICE = {rules.dice for rules in PLAYED.values()}
DICE_THROWN = define_list(
    FACE, "all dice of the ruleset in any order", minItems=min(DICE), maxItems=max(DICE)
)
DICE_HELD = define_list(FACE, "the dice that are held", maxItems=max(DICE))
BOX: Schema = {"type": "string", "description": "a box of the ruleset, such as sixes"}
RULESET: Schema = {"type": "string", "enum": list(PLAYED), "default": DEFAULT.id}
MOST_LEFT = max(rules.throws for rules in PLAYED.values()) - 1
MOST_THROWS = max(rules.find_most_rolls(len(rules.categories) - 1) for rules in PLAYED.values())
TOP = define_integer("number of options to send, best first (default: all)", minimum=1)
TOP_OF_EACH = define_integer(
    "number of options to send per position, best first", minimum=1, default=OF_EACH
)

POSITION_DICE: Schema = {
    "dice": DICE_THROWN,
    "rolls_left": define_integer("rolls left in this turn", minimum=0, maximum=MOST_LEFT),
}
POSITION_CARD: Schema = {
    "filled": define_list(BOX, "the filled boxes", uniqueItems=True, default=[]),
    "upper": define_integer("points in the upper boxes, without the bonus", minimum=0, default=0),
    "chips_won": {
        "type": "boolean",
        "default": False,
        "description": "Yahtzee with jokers: whether the box for five of a kind holds points",
    },
    "stock": define_integer("unused rolls that earlier turns saved", minimum=0, default=0),
}
JUDGED: Schema = {
    "luck": define_number("points that the roll before this decision gained over the average"),
    "best": define_number("value of the best option: points expected from this turn to the end"),
    "value": define_number("value of the chosen option"),
    "regret": define_number("points that the choice costs: best - value", minimum=0),
    "forced": {"type": "boolean", "description": "whether there was only one option"},
    "event": {"type": "object", "description": "the coach's verdict, in the reader's language"},
}
OUTLOOK: Schema = {
    "bonus_chance": define_number("chance of the upper bonus", minimum=0, maximum=1),
    "expected_rest": define_number("points still expected after the points of this option"),
    "deviation": define_number("standard deviation of the final score", minimum=0),
}

SCHEMAS: dict[str, Schema] = {
    "Position": define_object("The rolled dice and the card.", POSITION_DICE, POSITION_CARD),
    "OnePosition": define_object(
        "One position.", POSITION_DICE, {**POSITION_CARD, "ruleset": RULESET, "top": TOP}
    )
    | _make_ruleset_cases(_make_card_schemas),
    "ManyPositions": define_object(
        "Positions; the answers come in the same order.",
        {"positions": define_list(make_ref("Position"), minItems=1, maxItems=POSITIONS)},
        {"ruleset": RULESET, "top": TOP_OF_EACH},
    )
    | _make_ruleset_cases(
        lambda rules: {"positions": {"items": {"properties": _make_card_schemas(rules)}}}
    ),
    "Option": define_object(
        "A hold has dice; a box has a category. bonus_chance, expected_rest and deviation are"
        " present if the server has the table for them.",
        {
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": define_integer("points scored at once; 0 for a hold", minimum=0),
            "value": define_number("points expected from this turn to the end, bonus included"),
            "regret": define_number(
                "points that the option costs, compared with the best one", minimum=0
            ),
            "best": {"type": "boolean", "description": "whether no option is better"},
        },
        {"dice": DICE_HELD, "category": BOX, **OUTLOOK},
    ),
    "Advice": define_object(
        "The options of a position, the best first.",
        {
            "value": define_number("value of the best option"),
            "best": make_ref("Option"),
            "options": define_list(make_ref("Option"), minItems=1),
        },
    ),
    "Turn": define_object(
        "One turn: the player held holds[n] after throws[n], and scored the last roll in category.",
        {
            "throws": define_list(
                DICE_THROWN, "all dice after each roll", minItems=1, maxItems=MOST_THROWS
            ),
            "category": BOX,
        },
        {
            "holds": define_list(
                DICE_HELD, "one hold per reroll", maxItems=MOST_THROWS - 1, default=[]
            )
        },
    ),
    "Game": define_object(
        "The turns of a game from its start; the game may be unfinished.",
        {"turns": define_list(make_ref("Turn"), minItems=1)},
        {"ruleset": RULESET},
    )
    | _make_ruleset_cases(_make_turns_schema),
    "Entry": define_object(
        "One decision; advise accepts its position.",
        {
            "turn": define_integer("number of the turn, from 1", minimum=1),
            "throw": define_integer(
                "number of the roll before this decision, from 1", minimum=1, maximum=MOST_THROWS
            ),
            "position": make_ref("Position"),
            "action": {"type": "string", "enum": ["hold", "score"]},
            "points": define_integer(
                "points scored, a bonus chip included; 0 for a hold", minimum=0
            ),
            "chip": define_integer("points of the bonus chip; 0 without a bonus chip", minimum=0),
            "dice": DICE_HELD | {"description": "the dice that were held; [] if a box was filled"},
            "category": {
                "anyOf": [BOX, {"const": ""}],
                "description": "the box that was filled; empty for a hold",
            },
            **JUDGED,
        },
    ),
    "Totals": define_object(
        "Sums over the entries, and the card at the end of the last turn.",
        {
            "value_start": define_number("expected score of perfect play"),
            "luck": define_number("sum of luck"),
            "regret": define_number("sum of regret", minimum=0),
            "points": define_integer("points in the boxes and chips, without the upper bonus"),
            "chips": define_integer("points of the bonus chips, which points includes", minimum=0),
            "expected_rest": define_number("points still expected, the upper bonus included"),
            "score": {
                "type": ["integer", "null"],
                "description": "final score; null if the game is unfinished",
            },
            "decisions": define_integer("number of entries"),
            "free_decisions": define_integer("number of entries that were not forced"),
        },
    ),
    "Identity": define_object(
        "Two calculations of the same number; only rounding makes them differ.",
        {
            "ledger": define_number("value_start + luck - regret"),
            "game": define_number("points + expected_rest"),
            "difference": define_number("ledger - game"),
        },
    ),
    "Ruleset": define_object(
        "The rules of a game; joker is null if five of a kind is never a joker.",
        {
            "id": {"type": "string"},
            "title": {"type": "string"},
            "hash": {"type": "string", "description": "SHA-256 of all rules that change a value"},
            "dice": define_integer("number of dice", minimum=2),
            "throws": define_integer("rolls per turn", minimum=1),
            "stock": define_integer("most rolls that a turn can save", minimum=0),
            "boxes": define_list(BOX, "boxes in the order of the card"),
            "bonus_threshold": define_integer("upper points needed for the bonus"),
            "bonus_points": define_integer("points of the bonus"),
            "joker": {"oneOf": [make_ref("Joker"), {"type": "null"}]},
        },
    ),
    "Joker": define_object(
        "Five of a kind when the box for five of a kind is already filled.",
        {
            "box": BOX,
            "policy": {"type": "string", "enum": ["forced", "free"]},
            "chip": define_integer("points for each joker if that box holds points"),
        },
    ),
    "Rulesets": define_object(
        "Every ruleset that a request can name.",
        {"default": RULESET, "rulesets": define_list(make_ref("Ruleset"), minItems=1)},
    ),
    "Problem": define_object(
        "A problem with one field.",
        {
            "field": {"type": "string", "description": "path, such as positions[3].dice"},
            "message": {"type": "string"},
        },
    ),
    "Refusal": define_object(
        "The reason why the server refused a request.",
        {
            "error": {"type": "string", "description": "the reason in one sentence"},
            "status": define_integer("the HTTP status"),
            "problems": define_list(make_ref("Problem")),
        },
    ),
}
SCHEMAS["OneAdvice"] = define_object(
    "Advice on one position.", {"ruleset": RULESET, **SCHEMAS["Advice"]["properties"]}
)
SCHEMAS["ManyAdvices"] = define_object(
    "Advice on each position, in the order of the request.",
    {
        "ruleset": RULESET,
        "answers": define_list(make_ref("Advice"), minItems=1, maxItems=POSITIONS),
    },
)
SCHEMAS["Ledger"] = define_object(
    "Luck and regret of every decision of a game.",
    {
        "ruleset": RULESET,
        "finished": {"type": "boolean"},
        "entries": define_list(make_ref("Entry"), minItems=1),
        "totals": make_ref("Totals"),
        "identity": make_ref("Identity"),
    },
)

REFUSALS = {
    "400": "The body is not a JSON object.",
    "403": "A cookie names a player who is in a trial, or whose ranked game has this position.",
    "405": "The method is not POST. Allow names the right one.",
    "413": f"The body has more than {BODY:,} bytes.",
    "415": "The content type is not application/json.",
    "422": "The position or game is impossible; problems names the fields.",
    "429": "Too many requests; Retry-After gives the seconds to wait.",
    "503": "This server has no value table for the ruleset.",
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
        "/api/v1/advise": make_post_operation(
            "Every hold and box of positions, ranked",
            "advise",
            make_content(
                {"oneOf": [make_ref("OnePosition"), make_ref("ManyPositions")]},
                {"one": ONE, "many": MANY, "joker": JOKER},
            ),
            make_content({"oneOf": [make_ref("OneAdvice"), make_ref("ManyAdvices")]}),
            REFUSALS,
        ),
        "/api/v1/ledger": make_post_operation(
            "Luck and regret of every decision of a game",
            "ledger",
            make_content(make_ref("Game"), {"game": GAME, "chips": CHIPS}),
            make_content(make_ref("Ledger")),
            REFUSALS,
        ),
        "/api/v1/rulesets": {
            "get": {
                "summary": "The rulesets that a request can name",
                "operationId": "rulesets",
                "responses": {
                    "200": {
                        "description": "All rulesets",
                        "content": make_content(make_ref("Rulesets")),
                    }
                },
            }
        },
    },
    "components": {"schemas": SCHEMAS},
}
