"""Keeps the face that most dice show; at the end takes the box that brings the most."""

import json
import sys


def choose(question):
    dice, options = question["position"]["dice"], question["options"]
    if question["position"]["rolls_left"] and len(set(dice)) > 1:
        face = max(dice, key=lambda die: (dice.count(die), die))
        return {"action": "hold", "dice": [face] * dice.count(face)}
    return {"action": "score", "category": max(options, key=options.get)}


def answer(message):
    match message["type"]:
        case "hello":
            return {"name": "Most of a face", "batch": True}
        case "new" | "end":
            return {"ok": True}
        case "act" if "questions" in message:
            return {"answers": [choose(question) for question in message["questions"]]}
        case "act":
            return choose(message)
        case "error":
            sys.exit(message["message"])
    return {"error": "unknown type"}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except (ValueError, TypeError, LookupError) as problem:
        reply = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(reply), flush=True)
