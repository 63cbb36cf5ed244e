"""The players: a file for each player, and a line for each player in the registry below.

A player's file defines ``PLAYER``, one entry or a tuple of entries (``players.base``). Each entry
makes an agent (``players.agent``). A player that decides by values is a ``ValuePlay``. A player
that decides by rules is a ``RulePlay``. Any other player with a table of its decisions is a
``CardPlay``. A player without such a table defines ``choose``.
"""

from dataclasses import replace
from importlib import import_module

from solver.players.agent import Agent, Batch, Card, Facing, Lockstep, Seated, Tabular
from solver.players.base import PLAYERS, CannotPlay, PlayerEntry, UnknownPlayer

FILES = (
    "optimal",
    "scorecard_based",
    "dice_based",
    "upper_first",
    "forced_scoring",
    "greedy",
    "random",
    "aces_and_eights",
    "dummy",
    "self_taught_values",
    "self_taught",
    "to_win",
    "playbook",
)
for _file in FILES:
    _made: PlayerEntry | tuple[PlayerEntry, ...] = import_module(f"solver.players.{_file}").PLAYER
    PLAYERS |= {entry.id: entry for entry in (_made if isinstance(_made, tuple) else (_made,))}


def find_player(name: str) -> PlayerEntry:
    """Return the player of this name, such as ``dice-based`` or ``dice-based:READING``."""
    player_id, _, reading = name.partition(":")
    player = PLAYERS.get(player_id)
    if player is None:
        raise UnknownPlayer(f"unknown player {player_id!r}; known: {', '.join(PLAYERS)}")
    if not reading:
        return player
    every = player.choices.readings if player.choices else player.readings
    if reading not in every:
        known = ", ".join(player.readings) or "none"
        raise UnknownPlayer(f"{player_id} has no reading {reading!r}; readings: {known}")
    return replace(player, reading=reading)


__all__ = [
    "PLAYERS",
    "Agent",
    "Batch",
    "CannotPlay",
    "Card",
    "Facing",
    "Lockstep",
    "PlayerEntry",
    "Seated",
    "Tabular",
    "UnknownPlayer",
    "find_player",
]
