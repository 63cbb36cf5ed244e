"""What a database has kept of what was acknowledged: in a process of its own, with its settings.

python -m tests.faults.kept FILE, where FILE is JSON: the actions and the totals of games by id.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from solver.rules import Action, Hold, Score
from tests.load.stored import compare


def written(
    acknowledged: Mapping[str, Sequence[Action]], totals: Mapping[str, int], file: Path
) -> None:
    games = {
        game: [one.slots if isinstance(one, Hold) else one.category for one in actions]
        for game, actions in acknowledged.items()
    }
    file.write_text(json.dumps({"games": games, "totals": totals}))


def read(file: Path) -> tuple[dict[str, list[Action]], dict[str, int]]:
    facts = json.loads(file.read_text())
    games = {
        game: [Hold(one) if isinstance(one, int) else Score(one) for one in actions]
        for game, actions in facts["games"].items()
    }
    return games, facts["totals"]


def kept(acknowledged: dict[str, list[Action]], totals: dict[str, int]) -> dict[str, Any]:
    stored, wrong = compare(acknowledged, totals)

    from game.models import Decision
    from game.selectors.games import games_that_do_not_replay

    wrong += [f"{game} does not replay" for game in games_that_do_not_replay()]
    silent = Decision.objects.filter(game__finished_at__isnull=False, roll__gt=0, regret=None)
    return {
        "stored": stored,
        "lost": sum(lost(game, actions) for game, actions in acknowledged.items()),
        "unjudged": silent.count(),
        "wrong": wrong,
    }


def lost(game_id: str, acknowledged: Sequence[Action]) -> int:
    from game.models import Game
    from game.selectors.games import game_played

    game = Game.objects.filter(pk=game_id).first()
    found = list(game_played(game).actions) if game else []
    pairs = zip(acknowledged, found, strict=False)
    return len(acknowledged) - len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(kept(*read(Path(sys.argv[1])))))
