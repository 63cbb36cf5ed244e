"""Programs that break one rule each, written to a file and run by this very Python."""

import sys
from pathlib import Path

PLAYS = """
import json, os, sys, time

def choose(question):
    return {"action": "score", "category": next(iter(question["options"]))}

def act(message):
    if "questions" in message:
        return {"answers": [choose(question) for question in message["questions"]]}
    return choose(message)

def hello(message):
    return {"name": "hostile", "batch": BATCH}

def new(message):
    return {"ok": True}

end = new
BATCH = False
"""
LOOP = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "error":
        print(message["message"], file=sys.stderr)
        sys.exit(3)
    print(json.dumps(globals()[message["type"]](message)), flush=True)
"""


def program(folder: Path, *changes: str) -> str:
    path = folder / "hostile.py"
    path.write_text("\n".join((PLAYS, *changes, LOOP)))
    return f"{sys.executable} -S {path}"
