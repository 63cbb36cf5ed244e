"""What the database holds of the games that were played, replayed.

python -m tests.load.stored FILE, a pickle of acknowledged actions and totals by game, prints it as
JSON: from a process of its own, with the settings of a site.
"""

import json
import pickle
import sys
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import django

from solver.rules import Action


def compare(acknowledged: Mapping[str, list[Action]], totals: Mapping[str, int]) -> dict[str, Any]:
    """Return how many decisions are stored, lost and not judged, and what else is wrong."""
    django.setup()
    from game.core.game_queries import find_broken_games, replay_game
    from game.models import Decision, Game

    games, stored, lost = Game.objects.in_bulk(list(acknowledged)), 0, 0
    wrong = [f"{game} does not replay" for game in find_broken_games()]
    for key, actions in acknowledged.items():
        kept = list(replay_game(games[key]).actions) if key in games else []
        pairs = zip(actions, kept, strict=False)
        stored += len(kept)
        lost += len(actions) - len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        if kept != actions:
            wrong.append(f"{key}: other decisions are stored than were acknowledged")
        if key in games and totals.get(key, games[key].final_score) != games[key].final_score:
            wrong.append(f"{key}: {games[key].final_score} is stored, {totals[key]} was shown")
    silent = Decision.objects.filter(game__finished_at__isnull=False, roll__gt=0, regret=None)
    return {"stored": stored, "lost": lost, "unjudged": silent.count(), "wrong": wrong}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(compare(*pickle.loads(Path(sys.argv[1]).read_bytes()))))
