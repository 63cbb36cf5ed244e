"""A tournament's progress in a file of JSON lines, so that an interrupted tournament can continue.

The first line identifies the tournament; each further line records a chunk of games or a
disqualified player. If a crash cut off the last line, the tournament plays that chunk again.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from solver import Refusal
from solver.arena.chunks import PlayedGames, Setting
from solver.arena.illegal import Disqualified, Where
from solver.tables import write_whole

FORMAT = 1


class OtherTournament(Refusal, ValueError):
    """The error for a file that belongs to another tournament or is no checkpoint."""


class Checkpoint:
    """The checkpoint file of a tournament. With ``path=None`` nothing is stored."""

    def __init__(self, path: Path | None, setting: Setting, names: list[str]) -> None:
        self._path = path
        self._header = {"tournament": FORMAT, "players": names, "seed": setting.seed}
        self._header |= {"rules": setting.rules.hash, "same_dice": setting.same_dice}
        self._lines: list[dict[str, Any]] = []
        if path and path.exists():
            self._lines = self._read(path)
        self._chunks = {(ln["chunk"], ln["games"]): ln for ln in self._lines if "chunk" in ln}
        if path:
            texts = [json.dumps(line) for line in (self._header, *self._lines)]
            write_whole(path, "".join(f"{text}\n" for text in texts))

    def _read(self, path: Path) -> list[dict[str, Any]]:
        """Return the lines after the header, without a last line that a crash cut off."""
        try:
            *whole, _rest = path.read_text(encoding="utf-8").split("\n")
            lines = [json.loads(line) for line in whole]
        except ValueError as error:
            raise OtherTournament(f"{path} holds no tournament") from error
        if not lines or lines[0] != self._header:
            raise OtherTournament(
                f"{path} holds no tournament of these players, rules, dice and seed"
            )
        return lines[1:]

    def find_chunk(
        self, number: int, games: int, seats: Collection[int]
    ) -> dict[int, PlayedGames] | None:
        """Return a chunk's games by seat, None if not stored with these games and seats."""
        line = self._chunks.get((number, games))
        if line is None or not {str(seat) for seat in seats} <= line["played"].keys():
            return None
        return {seat: _read_played_games(line["played"][str(seat)]) for seat in seats}

    def list_disqualified(self) -> dict[int, Disqualified]:
        return {
            line["out"]: Disqualified(line["reason"], line["where"] and _read_where(line["where"]))
            for line in self._lines
            if "out" in line
        }

    def keep_chunk(self, number: int, games: int, played: Mapping[int, PlayedGames]) -> None:
        facts = {str(seat): _make_facts(games_of_seat) for seat, games_of_seat in played.items()}
        self._append({"chunk": number, "games": games, "played": facts})

    def keep_out(self, seat: int, reason: Disqualified) -> None:
        where = asdict(reason.where) if reason.where else None
        self._append({"out": seat, "reason": reason.reason, "where": where})

    def _append(self, line: dict[str, Any]) -> None:
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(line)}\n")


def _make_facts(played: PlayedGames) -> dict[str, list[Any]]:
    names = ("scores", "luck", "regret", "decisions")
    return {name: getattr(played, name).tolist() for name in names}


def _read_played_games(facts: Mapping[str, Any]) -> PlayedGames:
    scores, decisions = (np.array(facts[name], dtype=np.int64) for name in ("scores", "decisions"))
    luck, regret = (np.array(facts[name], dtype=np.float64) for name in ("luck", "regret"))
    return PlayedGames(scores, luck, regret, decisions)


def _read_where(facts: Mapping[str, Any]) -> Where:
    lists = {name: tuple(facts[name]) for name in ("dice", "filled")}
    return Where(**{**facts, **lists})
