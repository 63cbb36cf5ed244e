"""The questions and answers of docs/bots.md, as JSON on one line without spaces.

Positions and options are those of ``solver.advice.wire``, so a program can send them to the coach.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from solver.advice.wire import is_whole, serialise_position, serialise_ruleset
from solver.arena.programs.process import Limits, quote_text
from solver.rules import Action, Hold, IllegalAction, Ruleset, Score, State, apply_action
from solver.rules.position import find_position

PROTOCOL = 1
MOST_NAME = 60
MOST_SEED = 1 << 31  # exclusive limit of a seed, small enough for integers in every language


class BadAnswer(ValueError):
    """The error for an answer that does not match the question. The message gives the reason."""


def encode_message(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode()


def make_hello(rules: Ruleset, limits: Limits) -> dict[str, Any]:
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "ruleset": serialise_ruleset(rules),
        "limits": limits.facts,
    }


def make_question(state: State, others: Sequence[int] = ()) -> dict[str, Any]:
    names = [category.id for category in state.rules.categories]
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    return {
        "position": serialise_position(find_position(state)),
        "card": {n: box.points for n, box in zip(names, state.boxes, strict=True) if box},
        "score": state.total,
        "others": list(others),
        "options": {names[option.category]: option.points + option.chip for option in options},
    }


def read(line: bytes) -> dict[str, Any]:
    """Parse a program's answer. Raise BadAnswer if the program reports an error."""
    facts = parse_object(line)
    if "error" in facts:
        raise BadAnswer(f"refused: {quote_text(str(facts['error']).encode(errors='replace'))}")
    return facts


def parse_object(line: bytes) -> dict[str, Any]:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        raise BadAnswer(f"answered {quote_text(line)}, which is no JSON") from None
    if not isinstance(facts, dict):
        raise BadAnswer(f"answered {quote_text(line)}, which is no JSON object")
    return facts


def read_introduction(line: bytes) -> tuple[str, bool]:
    """Return a program's name, and whether it accepts several questions in one line."""
    facts = read(line)
    name, batch = facts.get("name"), facts.get("batch", False)
    if not isinstance(name, str) or not 1 <= len(name) <= MOST_NAME or not name.isprintable():
        raise BadAnswer(f"name is 1 to {MOST_NAME} printable characters, not {_format_value(name)}")
    if not isinstance(batch, bool):
        raise BadAnswer(f"batch is true or false, not {_format_value(batch)}")
    return name, batch


def read_ok(line: bytes) -> None:
    if read(line).get("ok") is not True:
        raise BadAnswer(f'answered {quote_text(line)} where {{"ok":true}} was due')


def read_answers(line: bytes, questions: int) -> list[Any]:
    answers = read(line).get("answers")
    if not isinstance(answers, list):
        raise BadAnswer(f"answered {quote_text(line)}: many questions want a list of answers")
    if len(answers) != questions:
        raise BadAnswer(f"gave {len(answers)} answers to {questions} questions")
    return answers


def parse_action(facts: Any, state: State) -> Action:
    answered, kind = f"answered {_format_value(facts)}", _get_value(facts, "action")
    action: Action
    if kind == "hold":
        faces = _get_value(facts, "dice")
        if not isinstance(faces, list) or not all(is_whole(face) for face in faces):
            raise BadAnswer(f"{answered}: dice is a list of the faces to keep")
        if Counter(faces) - Counter(state.dice):
            raise BadAnswer(f"{answered}: these dice do not lie there")
        action = Hold.from_faces(faces, state.dice, state.held)
    else:
        if kind != "score":
            raise BadAnswer(f'{answered}: action is "hold" or "score"')
        category = _get_value(facts, "category")
        if not isinstance(category, str):
            raise BadAnswer(f"{answered}: category is the name of a box")
        action = Score(category)
    try:
        apply_action(state, action)
    except IllegalAction as refusal:
        raise BadAnswer(f"{answered}: {refusal}") from None
    return action


def _get_value(facts: Any, key: str) -> Any:
    return facts.get(key) if isinstance(facts, dict) else None


def _format_value(value: Any) -> str:
    return (
        quote_text(encode_message(value))
        if isinstance(value, dict)
        else quote_text(json.dumps(value).encode())
    )
