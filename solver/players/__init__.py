"""Strategies under one contract: a file each, and a line in the registry below."""

from dataclasses import replace

from solver.players import dice_based, forced_scoring, greedy, optimal, scorecard_based
from solver.players.base import Card, Play, Player, UnknownPlayer, choose
from solver.players.rules import DICE_BASED, FORCED_SCORING, RANDOM, RulePlay

_OPTIMAL = Player(
    "optimal",
    "Perfect play",
    "Does what brings most points on average, the rest of the game included.",
    "solver.players.optimal",
    optimal.make,
)
_SCORECARD_BASED = Player(
    "scorecard-based",
    "Scorecard-based",
    "Plays each turn for the row that it can bring most in, the upper bonus in view.",
    "solver.players.scorecard_based",
    scorecard_based.make,
    scorecard_based.READINGS,
)
_DICE_BASED = Player(
    "dice-based",
    "Dice-based",
    "Keeps what the dice show most of, and only then looks for a box.",
    "solver.players.dice_based",
    lambda reading: RulePlay(DICE_BASED, dice_based.FLAGS[reading]),
    dice_based.READINGS,
)
_FORCED_SCORING = Player(
    "forced-scoring",
    "Forced scoring",
    "Fills the card from top to bottom, each turn for the next box alone.",
    "solver.players.forced_scoring",
    lambda reading: RulePlay(FORCED_SCORING, forced_scoring.FLAGS[reading]),
    forced_scoring.READINGS,
)
_GREEDY = Player(
    "greedy",
    "Greedy",
    "As many points as possible in this turn, as if no other followed.",
    "solver.players.greedy",
    greedy.make,
)
_RANDOM = Player(
    "random",
    "Random",
    "Keeps each die by the toss of a coin, and scores in any open box.",
    "solver.players.random",
    lambda reading: RulePlay(RANDOM),
)

PLAYERS: dict[str, Player] = {
    player.id: player
    for player in (_OPTIMAL, _SCORECARD_BASED, _DICE_BASED, _FORCED_SCORING, _GREEDY, _RANDOM)
}


def find_player(name: str) -> Player:
    """``dice-based``, or with one of its readings ``dice-based:pseudo-code``."""
    player_id, _, reading = name.partition(":")
    player = PLAYERS.get(player_id)
    if player is None:
        raise UnknownPlayer(f"unknown player {player_id!r}; known: {', '.join(PLAYERS)}")
    if not reading:
        return player
    if reading not in player.readings:
        known = ", ".join(player.readings) or "none"
        raise UnknownPlayer(f"{player_id} has no reading {reading!r}; readings: {known}")
    return replace(player, reading=reading)


__all__ = [
    "PLAYERS",
    "Card",
    "Play",
    "Player",
    "UnknownPlayer",
    "choose",
    "find_player",
]
