"""The rows of a trial's tables at one moment."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import cached_property

from game.core.game_queries import decisions_of, throws_of
from game.models import Game, Trial
from game.trials.exports.answers import ANSWERS, WIDE, answers, answers_at_once
from game.trials.exports.arms import ARMS, EVENTS, FLOW, arms, steps_counted
from game.trials.exports.decisions import DECISIONS, ExportedDecision, replay_decisions
from game.trials.exports.games import GAMES, ExportedGame
from game.trials.exports.participants import CONSENTS, PARTICIPANTS, participants
from game.trials.exports.tables import tables_of
from game.trials.files.export_queries import (
    exported_agreements,
    exported_events,
    exported_games,
    games_of,
)
from game.trials.files.export_table import CODEBOOK, AnyTable, Row, codebook
from game.trials.results.results import AnalysedData, analysed_data
from solver.dp.sweep import Progress


@dataclass(frozen=True)
class Standing:
    """The tables of a trial as they were at one moment; they leave out everything that happened
    later."""

    trial: Trial
    at: datetime

    @cached_property
    def analysed(self) -> AnalysedData:
        return analysed_data(self.trial, self.at)

    @property
    def tables(self) -> tuple[AnyTable, ...]:
        return tables_of(self.trial)

    def rows(self, table: AnyTable, progress: Progress | None = None) -> Iterator[Row]:
        if table.name == CODEBOOK.name:
            return codebook([other for other in self.tables if other.name != CODEBOOK.name])
        return table.rows(self.items(table.name, progress))

    def items(self, name: str, progress: Progress | None = None) -> Iterable[Any]:
        if name == GAMES.name:
            return self._games(progress)
        if name == DECISIONS.name:
            return self._decisions(progress)
        if name == PARTICIPANTS.name:
            return participants(self.trial, self.at, self.analysed)
        return SMALL[name](self.trial, self.at)

    def games(self) -> list[str]:
        """Return the keys of the games, in the order of the tables."""
        return exported_games(self.trial, self.at)

    def ended(self, game: Game) -> bool:
        return game.finished_at is not None and game.finished_at <= self.at

    def _games(self, progress: Progress | None) -> Iterator[ExportedGame]:
        closed = self.trial.state == "closed"
        rows = self.analysed.rows
        sittings = {(row.key, row.game.number): row.game.sitting for row in rows}
        for games in self._yield_chunks(progress):
            for game in games:
                sitting = sittings.get((game.participant_id or 0, game.trial_number or 0))
                yield ExportedGame(game, self.ended(game), closed, sitting)

    def _decisions(self, progress: Progress | None) -> Iterator[ExportedDecision]:
        for games in self._yield_chunks(progress):
            made, throws = decisions_of(games, self.at), throws_of(games, self.at)
            for game in games:
                yield from replay_decisions(
                    game, made[game.pk], throws[game.pk], ended=self.ended(game)
                )

    def _yield_chunks(self, progress: Progress | None) -> Iterator[list[Game]]:
        keys, done = self.games(), 0
        for games in games_of(keys):
            yield games
            done += len(games)
            if progress:
                progress(done, len(keys))


# Functions that return the objects behind the rows of a small table, by table name.
SMALL: dict[str, Callable[[Trial, datetime], Iterable[Any]]] = {
    CONSENTS.name: exported_agreements,
    ARMS.name: arms,
    FLOW.name: steps_counted,
    EVENTS.name: exported_events,
    ANSWERS.name: answers,
    WIDE: answers_at_once,
}
