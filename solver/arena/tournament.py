"""A tournament in which every player plays all games. The highest score of a game earns a point.

Players that share the highest score get a point each. If several players share first place after
the last game, they play a play-off, game by game. A player without the highest score of a game
drops out, until one player is left or ``PLAY_OFF`` games were played. A disqualified player leaves
the whole tournament, and its earlier scores do not count for or against other players.

Games are played in chunks (``arena.chunks``), so the same seed gives the same table on any number
of cores. A checkpoint has a line that identifies the tournament, and a line per chunk or
disqualified player. If a crash cut off the last line, the tournament plays that chunk again.
"""

import json
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from solver import Refusal
from solver.arena.chunks import (
    SIZE,
    AskedTable,
    Chunk,
    PlayedGames,
    Setting,
    find_tabular_agents,
    play_known,
    play_tabular,
)
from solver.arena.contestants import Contestant
from solver.arena.illegal import Disqualified, Where
from solver.arena.turns import Judge
from solver.dp.sweep import Progress, count_cores
from solver.statistics.inference import find_deciding_game
from solver.tables import write_whole

FORMAT = 1
PLAY_OFF_SIZES = (10, 40, 200, 250, 250, 250)
PLAY_OFF = sum(PLAY_OFF_SIZES)  # most games of a play-off; then tied players share first place
FIRST_PLAY_OFF = 1 << 32  # number of a play-off's first chunk, above all regular numbers
RESULTS = ("scores", "luck", "regret", "decisions")  # the stored arrays of ``PlayedGames``


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
            try:
                *whole, _rest = path.read_text(encoding="utf-8").split("\n")
                lines = [json.loads(line) for line in whole]
            except ValueError as error:
                raise OtherTournament(f"{path} holds no tournament") from error
            if not lines or lines[0] != self._header:
                raise OtherTournament(
                    f"{path} holds no tournament of these players, rules, dice and seed"
                )
            self._lines = lines[1:]
        self._chunks = {(ln["chunk"], ln["games"]): ln for ln in self._lines if "chunk" in ln}
        if path:
            texts = [json.dumps(line) for line in (self._header, *self._lines)]
            write_whole(path, "".join(f"{text}\n" for text in texts))

    def find_chunk(
        self, number: int, games: int, seats: Collection[int]
    ) -> dict[int, PlayedGames] | None:
        """Return the games of a stored chunk by seat, or None if the file does not have them."""
        line = self._chunks.get((number, games))
        if line is None or not {str(seat) for seat in seats} <= line["played"].keys():
            return None
        played = {}
        for seat in seats:
            facts = line["played"][str(seat)]
            played[seat] = PlayedGames(
                np.array(facts["scores"], dtype=np.int64),
                np.array(facts["luck"], dtype=np.float64),
                np.array(facts["regret"], dtype=np.float64),
                np.array(facts["decisions"], dtype=np.int64),
            )
        return played

    def list_disqualified(self) -> dict[int, Disqualified]:
        out = {}
        for line in self._lines:
            if "out" in line:
                where = line["where"]
                if where:
                    lists = {name: tuple(where[name]) for name in ("dice", "filled")}
                    where = Where(**{**where, **lists})
                out[line["out"]] = Disqualified(line["reason"], where)
        return out

    def keep_chunk(self, number: int, games: int, played: Mapping[int, PlayedGames]) -> None:
        facts = {
            str(seat): {name: getattr(of_seat, name).tolist() for name in RESULTS}
            for seat, of_seat in played.items()
        }
        self._append({"chunk": number, "games": games, "played": facts})

    def keep_out(self, seat: int, reason: Disqualified) -> None:
        where = asdict(reason.where) if reason.where else None
        self._append({"out": seat, "reason": reason.reason, "where": where})

    def _append(self, line: dict[str, Any]) -> None:
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(line)}\n")


@dataclass(frozen=True)
class PlayOff:
    """A play-off between the seats (players) that share the highest number of points."""

    tied: tuple[int, ...]
    left: tuple[int, ...]  # seats that are still tied at the end of the play-off
    games: int  # number of play-off games that were played


@dataclass
class Tournament:
    setting: Setting
    names: tuple[str, ...]
    value_start: float
    games: int
    played: list[PlayedGames | None]
    out: dict[int, Disqualified] = field(default_factory=dict)
    play_off: PlayOff | None = None
    stopped: bool = False

    @property
    def present(self) -> list[int]:
        return [seat for seat, played in enumerate(self.played) if played is not None]

    def get_games(self, seat: int) -> PlayedGames:
        played = self.played[seat]
        if played is None:
            raise LookupError(f"{self.names[seat]} is out")
        return played

    @property
    def points(self) -> dict[int, int]:
        """The points of each seat; disqualified players are left out."""
        scores = {seat: self.get_games(seat).scores for seat in self.present}
        if not scores:
            return {}
        grid = np.array(list(scores.values()))
        best = (grid == grid.max(axis=0, initial=0)).sum(axis=1)
        return dict(zip(scores, best.tolist(), strict=True))


class TournamentRun:
    """A run of a tournament: the players that remain, and the results so far."""

    def __init__(
        self,
        contestants: Sequence[Contestant],
        setting: Setting,
        *,
        threads: int | None = None,
        pool: Executor | None = None,
        keep: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.contestants, self.setting = contestants, setting
        self.checkpoint = Checkpoint(keep, setting, [each.identity for each in contestants])
        self.threads, self.pool, self.progress = threads or count_cores(), pool, progress
        self.judge = Judge(setting.rules)
        self.out = self.checkpoint.list_disqualified()

    def play(self, games: int, *, stop_early: bool = False) -> Tournament:
        self._begin()
        parts: dict[int, list[PlayedGames]] = {}
        done, stopped = 0, False
        for chunk, played in self._play_chunks(
            split_into_chunks(games), range(len(self.contestants))
        ):
            done += chunk.games
            for seat, played_games in played.items():
                parts.setdefault(seat, []).append(played_games)
            if self.progress:
                self.progress(done, games)
            seats = [seat for seat in parts if seat not in self.out]
            if stop_early and len(seats) == 2:
                first, other = (np.concatenate([p.scores for p in parts[seat]]) for seat in seats)
                if last := find_deciding_game(np.sign(first - other).tolist()):
                    done, stopped = last, True
                    break
        whole: list[PlayedGames | None] = [None] * len(self.contestants)
        for seat in parts.keys() - self.out.keys():
            whole[seat] = PlayedGames(
                *(
                    np.concatenate([getattr(p, name) for p in parts[seat]])[:done]
                    for name in RESULTS
                )
            )
        names = tuple(contestant.name for contestant in self.contestants)
        value = self.judge.value_start
        result = Tournament(self.setting, names, value, done, whole, self.out, stopped=stopped)
        before = -1  # Tied leaders play a play-off. If it disqualifies a player, start it again.
        while before != len(self.out):
            before = len(self.out)
            result.play_off = self._play_off(result)
            result.played = [
                None if n in self.out else games for n, games in enumerate(result.played)
            ]
        return result

    def _begin(self) -> None:
        for seat, contestant in enumerate(self.contestants):
            if seat not in self.out:
                try:
                    contestant.tell("sit_down", self.setting.rules, len(self.contestants))
                except Disqualified as reason:
                    self._disqualify(seat, reason)

    def _disqualify(self, seat: int, reason: Disqualified) -> None:
        self.out[seat] = reason
        self.checkpoint.keep_out(seat, reason)

    def _play_chunks(
        self, chunks: Sequence[Chunk], seats: Sequence[int]
    ) -> Iterator[tuple[Chunk, dict[int, PlayedGames]]]:
        """Play chunks and yield them in order. Players with a table play ahead on all cores."""
        with ThreadPoolExecutor(self.threads) as pool:
            waiting: deque[tuple[Chunk, dict[int, Future[PlayedGames]]]] = deque()
            try:
                for chunk in chunks:
                    futures: dict[int, Future[PlayedGames]] = {}
                    if self._read_chunk(chunk, seats) is None:
                        remaining = self._list_remaining_seats(seats)
                        for seat, agent in find_tabular_agents(self.contestants).items():
                            known = self.contestants[seat].known
                            if seat in remaining and self.pool and known:
                                futures[seat] = self.pool.submit(
                                    play_known, known, seat, chunk, self.setting
                                )
                            elif seat in remaining:
                                futures[seat] = pool.submit(
                                    play_tabular, agent, seat, chunk, self.setting, self.judge
                                )
                    waiting.append((chunk, futures))
                    if len(waiting) > self.threads:
                        yield self._finish_chunk(*waiting.popleft(), seats)
                while waiting:
                    yield self._finish_chunk(*waiting.popleft(), seats)
            finally:
                for _, futures in waiting:
                    for future in futures.values():
                        future.cancel()

    def _list_remaining_seats(self, seats: Sequence[int]) -> list[int]:
        return [seat for seat in seats if seat not in self.out]

    def _read_chunk(self, chunk: Chunk, seats: Sequence[int]) -> dict[int, PlayedGames] | None:
        return self.checkpoint.find_chunk(
            chunk.number, chunk.games, self._list_remaining_seats(seats)
        )

    def _finish_chunk(
        self, chunk: Chunk, futures: dict[int, Future[PlayedGames]], seats: Sequence[int]
    ) -> tuple[Chunk, dict[int, PlayedGames]]:
        """Return a chunk and its results by seat: stored results if there are any, otherwise those
        of ``futures`` (players with a table) and of games in which the arena asks for each move."""
        if not futures and (kept := self._read_chunk(chunk, seats)) is not None:
            return chunk, kept
        played = {seat: future.result() for seat, future in futures.items()}
        waiting = {
            n: self.contestants[n] for n in self._list_remaining_seats(seats) if n not in futures
        }
        if waiting:
            table = AskedTable(chunk, self.setting, waiting, played)
            played |= table.play(self.judge)
            for seat, reason in table.out.items():
                self._disqualify(seat, reason)
        self.checkpoint.keep_chunk(chunk.number, chunk.games, played)
        return chunk, played

    def _play_off(self, result: Tournament) -> PlayOff | None:
        points = result.points
        most = max(points.values(), default=0)
        tied = tuple(seat for seat, number in points.items() if number == most)
        if len(tied) < 2:
            return None
        left, games = tied, 0
        for chunk, played in self._play_chunks(play_off_chunks(result.games), tied):
            for game in range(chunk.games):
                seats = self._list_remaining_seats(left)
                scores = {seat: int(played[seat].scores[game]) for seat in seats}
                best = max(scores.values(), default=0)
                left, games = (
                    tuple(seat for seat, score in scores.items() if score == best),
                    games + 1,
                )
                if len(left) < 2:
                    return PlayOff(tied, left, games)
        return PlayOff(tied, left, games)


def play_off_chunks(games: int) -> list[Chunk]:
    firsts = list(accumulate(PLAY_OFF_SIZES, initial=0))[:-1]
    return [
        Chunk(FIRST_PLAY_OFF + number, games + first, size)
        for number, (first, size) in enumerate(zip(firsts, PLAY_OFF_SIZES, strict=True))
    ]


def split_into_chunks(games: int) -> list[Chunk]:
    return [
        Chunk(number, first, min(SIZE, games - first))
        for number, first in enumerate(range(0, games, SIZE))
    ]


def play(
    contestants: Sequence[Contestant],
    setting: Setting,
    games: int,
    *,
    stop_early: bool = False,
    threads: int | None = None,
    pool: Executor | None = None,
    keep: Path | None = None,
    progress: Progress | None = None,
) -> Tournament:
    """Play the tournament and return it. Close all players, even after an error. ``threads`` chunks
    run at the same time, in the processes of ``pool`` if given."""
    try:
        run = TournamentRun(
            contestants, setting, threads=threads, pool=pool, keep=keep, progress=progress
        )
        return run.play(games, stop_early=stop_early)
    finally:
        for contestant in contestants:
            contestant.close()
