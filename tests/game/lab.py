"""The lab for tests: what its pages say, and a same-value test of three who need no compiler."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.advice import Advisor
from solver.arena.facts import find_test_path, make_same_value_facts
from solver.arena.match import make_block_roller, make_random_blocks, play_out
from solver.arena.results import Exact
from solver.arena.same_value import SameValue, judge_game
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.players.plain import Advised
from solver.rules import YATZY, Action, Block, Hold, Ruleset, Score
from solver.tables import write_whole
from tests.play import BOXES

SEED = 7
MISSING = "Some results are not calculated yet."
NAMES = ("dice-based", "scorecard-based", "optimal")


def rows(html: str) -> list[list[str]]:
    found = re.findall(r"<tr.*?>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in found]
    return [[re.sub(r"<.*?>", "", cell).strip() for cell in row] for row in cells]


def same_dice(advisor: Advisor, games: int = 2) -> SameValue:
    blocks = make_random_blocks(games, SEED, YATZY)
    games_judged = []
    for block in blocks:
        actions = (first_throws(BOXES), first_throws(BOXES[::-1]), perfect(advisor, block))
        pairs = zip(NAMES, actions, strict=True)
        games_judged.append(
            tuple(judge_game(name, block, theirs, advisor) for name, theirs in pairs)
        )
    return SameValue(NAMES, blocks, tuple(games_judged))


def keep(test: SameValue, folder: Path | None = None) -> None:
    facts = {"seed": SEED, **make_same_value_facts(test)}
    path = find_test_path(SEED, YATZY)
    write_whole(folder / "lab" / path.name if folder else path, json.dumps(facts))


def first_throws(boxes: Sequence[str]) -> list[Action]:
    return [action for box in boxes for action in (Hold(0), Score(box))]


def perfect(advisor: Advisor, block: Block) -> list[Action]:
    return play_out(Advised(advisor), YATZY, make_block_roller(block)).actions


def bring_only(
    monkeypatch: pytest.MonkeyPatch, results: Mapping[str, Mapping[str, Distribution]]
) -> None:
    """Let these distributions, by ruleset and player, be all that come with the program."""
    for player in [one for one in PLAYERS.values() if one.worked_out]:
        monkeypatch.setitem(PLAYERS, player.id, replace(player, worked_out=None))

    def facts(rules: Ruleset) -> dict[str, Any]:
        players = results.get(rules.id, {})
        return {"players": {name: Exact(name, "", of, 0.1).facts() for name, of in players.items()}}

    monkeypatch.setattr("solver.arena.results.read_stored_facts", facts)
