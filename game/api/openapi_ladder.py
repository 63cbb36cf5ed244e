"""What the OpenAPI document says of games on the ladder."""

from game.api.schemas import Schema, a_list, a_number, a_whole, an_object, content_of, posted, ref
from game.models.duel import MOST_ADDED
from solver.rules import PLAYED

TOKEN: Schema = {"type": "string", "description": "the name of the game"}
POINTS: Schema = {"type": "object", "additionalProperties": a_whole("points", minimum=0)}
MOVES = ["throw", "hold", "score", "resign"]
OUTCOMES = ["won", "lost", "tied", "given-up", None]
REFUSALS = {
    "400": "The body is not a JSON object.",
    "401": "No token of a program.",
    "403": "Its owner takes part in a trial.",
    "404": "The program has no such game.",
    "405": "Another method than POST; Allow names it.",
    "409": "The game had moved on, or it is not for this program to move.",
    "413": "Too many bytes.",
    "415": "Another content type than application/json.",
    "422": "What cannot be; problems names the fields.",
    "429": "Too many requests; Retry-After says for how many seconds.",
}
LADDER_SCHEMAS: dict[str, Schema] = {
    "LadderAsk": an_object(
        "By which rules a game is asked for.",
        {},
        {
            "ruleset": {"type": "string", "enum": list(PLAYED)},
            "added": {"type": "string", "maxLength": MOST_ADDED, "description": "to the dice"},
        },
    ),
    "LadderLook": an_object("Which game.", {"game": TOKEN}),
    "LadderMove": an_object(
        "What is done in it; seq is that of the answer which it was decided by.",
        {"game": TOKEN, "action": {"type": "string", "enum": MOVES}},
        {
            "seq": a_whole("decisions made so far", minimum=0),
            "dice": a_list({"type": "integer"}, "faces that are held"),
            "category": {"type": "string", "description": "the box"},
        },
    ),
    "Question": an_object(
        "What docs/bots.md asks a program.",
        {
            "position": ref("Position"),
            "card": POINTS,
            "score": a_whole("so far", minimum=0),
            "others": a_list(a_whole("score of another so far", minimum=0)),
            "options": POINTS,
        },
    ),
    "LadderGame": an_object(
        "A game as the program may see it.",
        {
            "game": TOKEN,
            "state": {"type": "string", "enum": ["open", "running", "finished", "withdrawn"]},
            "ruleset": {"type": "string", "enum": list(PLAYED)},
            "against": a_list({"type": "string"}, "who sits there besides"),
        },
        {
            "seq": a_whole("decisions made so far", minimum=0),
            "to_move": {"type": "boolean"},
            "to_throw": {"type": "boolean", "description": "whether it is the first throw"},
            "seconds_left": a_number("on the clock", minimum=0),
            "question": ref("Question"),
            "outcome": {"enum": OUTCOMES, "description": "null where it was called off"},
            "score": a_whole("at the end", minimum=0),
            "others": a_list(a_whole("score of another at the end", minimum=0)),
        },
    ),
}


def _asked(summary: str, what: str) -> Schema:
    name = f"Ladder{what.capitalize()}"
    answer = content_of(ref("LadderGame"))
    found = posted(summary, f"ladder_{what}", content_of(ref(name)), answer, REFUSALS)
    return {"post": {**found["post"], "security": [{"token": []}]}}


LADDER = {
    "/api/v1/ladder/ask": _asked("The game that a program is in, or a new one", "ask"),
    "/api/v1/ladder/look": _asked("A game as it stands", "look"),
    "/api/v1/ladder/move": _asked("A move, or giving up", "move"),
}
