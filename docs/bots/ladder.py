"""Lets a program that speaks the protocol of docs/bots.md play on the ladder of a site.

    python3 ladder.py SITE TOKEN COMMAND...        such as: python3 bot.py

It asks for a game, plays it and says how it ended: started again it asks for the next one.
RULESET and PAUSE (seconds between two looks while others are on) may stand in the environment.
"""

import json
import os
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SITE, TOKEN, *COMMAND = sys.argv[1:]
RULESET, PAUSE = os.environ.get("RULESET", "yatzy"), float(os.environ.get("PAUSE", "1"))
bot = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(**message):
    print(json.dumps(message), file=bot.stdin, flush=True)
    return json.loads(bot.stdout.readline())


def ask(what, **facts):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    address = f"{SITE}/api/v1/ladder/{what}"
    try:
        with urlopen(Request(address, json.dumps(facts).encode(), headers)) as answer:
            return json.load(answer)
    except HTTPError as refusal:
        if refusal.code != 429:
            sys.exit(json.load(refusal)["error"])
        time.sleep(int(refusal.headers["Retry-After"]))
        return ask(what, **facts)


tell(type="new", seed=1)
game = ask("ask", ruleset=RULESET)
while "outcome" not in game:
    if not game.get("to_move"):  # nobody has sat down yet, or it is for the other to move
        time.sleep(PAUSE)
        game = ask("ask") if game["state"] == "open" else ask("look", game=game["game"])
        continue
    action = {"action": "throw"} if game["to_throw"] else tell(type="act", **game["question"])
    game = ask("move", game=game["game"], seq=game["seq"], **action)
print(game["outcome"], game["score"], *game["others"])
