"""The lab's results as files."""

import csv
import io
import json

from game.lab.same_value import SameDice
from solver.arena.results import Exact


def distribution_csv(exact: Exact) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["score", "probability"])
    writer.writerows(enumerate(exact.distribution.probabilities.tolist()))
    return text.getvalue()


def distribution_json(exact: Exact) -> str:
    return json.dumps(exact.facts()) + "\n"


def same_value_json(test: SameDice) -> str:
    return json.dumps(test.facts) + "\n"


def same_value_csv(test: SameDice) -> str:
    """A row a decision; dice and holds as digits, a box by its name."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["game", "player", "turn", "throws_left", "dice", "choice", "regret", "best"])
    for number, row in enumerate(test.games, start=1):
        for game in filter(None, row["players"]):  # a person may have left a game out
            for turn, played in enumerate(game["turns"], start=1):
                for taken in played["decisions"]:
                    told = [_plain(taken[key]) for key in ("dice", "choice", "best")]
                    dice, choice, best = told
                    left, regret = taken["throws_left"], taken["regret"]
                    writer.writerow(
                        [number, game["player"], turn, left, dice, choice, regret, best]
                    )
    return text.getvalue()


def _plain(choice: list[int] | str | None) -> str:
    return choice if isinstance(choice, str) else "".join(map(str, choice or ()))
