"""The rows of a trial's tables, as they were at one moment."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import cached_property

from game.core.game_queries import group_decisions, group_throws
from game.models import Game
from game.trials.exports.answers import ANSWERS, WIDE, yield_answers, yield_game_answers
from game.trials.exports.arms import ARMS, EVENTS, FLOW, yield_arms, yield_flow_steps
from game.trials.exports.decisions import DECISIONS, ExportedDecision, replay_decisions
from game.trials.exports.games import GAMES, ExportedGame
from game.trials.exports.participants import CONSENTS, PARTICIPANTS, yield_participants
from game.trials.exports.tables import list_tables
from game.trials.files.export_queries import (
    list_game_keys,
    query_agreements,
    query_events,
    yield_game_batches,
)
from game.trials.files.export_table import CODEBOOK, AnyTable, Row, make_codebook
from game.trials.models import Trial
from game.trials.results.results import AnalysedData, collect_data
from solver.dp.sweep import Progress


@dataclass(frozen=True)
class Standing:
    """The tables of a trial as they were at one moment; they contain no later events."""

    trial: Trial
    at: datetime

    @cached_property
    def analysed(self) -> AnalysedData:
        return collect_data(self.trial, self.at)

    @property
    def tables(self) -> tuple[AnyTable, ...]:
        return list_tables(self.trial)

    def rows(self, table: AnyTable, progress: Progress | None = None) -> Iterator[Row]:
        if table.name == CODEBOOK.name:
            return make_codebook([other for other in self.tables if other.name != CODEBOOK.name])
        return table.rows(self.items(table.name, progress))

    def items(self, name: str, progress: Progress | None = None) -> Iterable[Any]:
        if name == GAMES.name:
            return self._yield_games(progress)
        if name == DECISIONS.name:
            return self._yield_decisions(progress)
        if name == PARTICIPANTS.name:
            return yield_participants(self.trial, self.at, self.analysed)
        return SMALL[name](self.trial, self.at)

    def games(self) -> list[str]:
        """Return the keys of the games, in the order of the tables."""
        return list_game_keys(self.trial, self.at)

    def ended(self, game: Game) -> bool:
        return game.finished_at is not None and game.finished_at <= self.at

    def _yield_games(self, progress: Progress | None) -> Iterator[ExportedGame]:
        closed = self.trial.state == "closed"
        rows = self.analysed.rows
        sittings = {(row.key, row.game.number): row.game.sitting for row in rows}
        for games in self._yield_chunks(progress):
            for game in games:
                sitting = sittings.get((game.trial_game.participant_id, game.trial_game.number))
                yield ExportedGame(game, self.ended(game), closed, sitting)

    def _yield_decisions(self, progress: Progress | None) -> Iterator[ExportedDecision]:
        for games in self._yield_chunks(progress):
            made, throws = group_decisions(games, self.at), group_throws(games, self.at)
            for game in games:
                yield from replay_decisions(
                    game, made[game.pk], throws[game.pk], ended=self.ended(game)
                )

    def _yield_chunks(self, progress: Progress | None) -> Iterator[list[Game]]:
        keys, done = self.games(), 0
        for games in yield_game_batches(keys):
            yield games
            done += len(games)
            if progress:
                progress(done, len(keys))


# Functions, by the name of a small table, that return an object for every row.
SMALL: dict[str, Callable[[Trial, datetime], Iterable[Any]]] = {
    CONSENTS.name: query_agreements,
    ARMS.name: yield_arms,
    FLOW.name: yield_flow_steps,
    EVENTS.name: query_events,
    ANSWERS.name: yield_answers,
    WIDE: yield_game_answers,
}
