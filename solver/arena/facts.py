"""Conversion of results to plain data for JSON, and of this data back to games."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from solver.advice import Advisor
from solver.arena.match import make_random_blocks
from solver.arena.performance import Performance
from solver.arena.same_value import (
    JudgedDecision,
    JudgedGame,
    JudgedTurn,
    SameValue,
    find_first_difference,
    play_all_blocks,
)
from solver.dp.sweep import Progress
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset
from solver.statistics.fairness import DiceTest

GAMES, SEED = 5, 1  # number and seed of the stored games that are part of the program
STUDIED = ("dice-based", "scorecard-based", "optimal")  # the study's programs; perfect play is last
TOP = Path(__file__).resolve().parents[2]


def make_performance_facts(result: Performance) -> dict[str, Any]:
    return {
        "player": result.player,
        "games": result.games,
        "seed": result.seed,
        "mean": result.mean,
        "sd": result.deviation,
        "median": result.median,
        "max": result.most,
        "min": result.least,
        "range": result.most - result.least,
        "bonus_share": result.bonus_share,
        "tens": [
            {"from": ten.low, "to": ten.low + 9, "count": ten.count}
            | {"share": ten.share, "cumulative": ten.up_to_here}
            for ten in result.tens()
        ],
        "seconds": result.seconds,
    }


def make_dice_facts(test: DiceTest) -> dict[str, Any]:
    of_one_die = {"dice", "counts", "mean", "chi_squared", "p", "p_is_exact"}
    return {
        "title": test.title,
        "dice": test.dice,
        "counts": {str(face): count for face, count in enumerate(test.counts, start=1)},
        "expected": test.expected,
        "mean": test.mean,
        "mean_standard_error": test.mean_error,
        "chi_squared": test.fit.statistic,
        "degrees": test.fit.degrees,
        "p": test.fit.p,
        "p_is_exact": test.exact,
        "noticeable_share": test.noticeable,
        "apart": [
            {"die": die.number or None, "p_of_several": die.p}
            | {key: fact for key, fact in make_dice_facts(die.test).items() if key in of_one_die}
            for die in test.apart
        ],
    }


def make_same_value_facts(test: SameValue) -> dict[str, Any]:
    return {
        "players": list(test.players),
        "games": [
            {
                "dice": block,
                "players": [make_game_facts(game) for game in games],
                "first_differences": [
                    make_difference_facts(game, games[-1]) for game in games[:-1]
                ],
            }
            for block, games in zip(test.blocks, test.games, strict=True)
        ],
    }


def make_game_facts(game: JudgedGame) -> dict[str, Any]:
    return {
        "player": game.player,
        "score": game.score,
        "bonus": game.bonus,
        "regret": game.regret,
        "luck": game.luck,
        "turns": [
            {
                "decisions": [asdict(decision) for decision in turn.decisions],
                "category": turn.category,
                "points": turn.points,
                "regret": turn.regret,
            }
            for turn in game.turns
        ],
    }


def rebuild_game(facts: Mapping[str, Any]) -> JudgedGame:
    """Rebuild a game from the result of ``make_game_facts``, even if it was stored as JSON."""
    turns: list[JudgedTurn] = []
    total = 0
    for turn in facts["turns"]:
        total += turn["points"]
        decisions = []
        for decision in turn["decisions"]:
            dice, choice, best = (
                tuple(value) if isinstance(value, list) else value
                for value in (decision["dice"], decision["choice"], decision["best"])
            )
            decisions.append(
                JudgedDecision(dice, decision["throws_left"], choice, decision["regret"], best)
            )
        turns.append(JudgedTurn(tuple(decisions), turn["category"], turn["points"], total))
    return JudgedGame(facts["player"], tuple(turns), facts["score"], facts["bonus"], facts["luck"])


def make_difference_facts(game: JudgedGame, other: JudgedGame) -> dict[str, Any] | None:
    difference = find_first_difference(game, other)
    if difference is None:
        return None
    return {
        "players": [game.player, other.player],
        "turn": difference.turn + 1,
        "decisions": [asdict(difference.first), asdict(difference.second)],
    }


def choose_players(rules: Ruleset) -> list[PlayerEntry]:
    """Return the players of the study or, if the rules differ, three others that can play by them.
    The last player always plays perfectly."""
    studied = [PLAYERS[name] for name in STUDIED]
    if all(player.plays(rules) for player in studied):
        return studied
    return [player for player in PLAYERS.values() if player.plays(rules)][: len(STUDIED)][::-1]


def find_test_path(seed: int, rules: Ruleset) -> Path:
    folder = Path(os.environ.get("YATZY_VAR") or TOP / "var") / "lab"
    return folder / f"same-value-{seed}-{rules.id}-{rules.hash[:12]}.json"


def play_same_dice_test(
    rules: Ruleset, games: int = GAMES, seed: int = SEED, *, progress: Progress | None = None
) -> dict[str, Any]:
    blocks = make_random_blocks(games, seed, rules)
    played = play_all_blocks(
        choose_players(rules), blocks, Advisor.open(rules), seed=seed, progress=progress
    )
    return {"seed": seed, "ruleset": rules.id, **make_same_value_facts(played)}
