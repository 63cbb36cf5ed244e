"""What a trial's tables hold, row by row, as it stood at one moment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from game.exports.decisions import game_rows
from game.exports.tables import CODEBOOK, ExportTable, Row, codebook
from game.exports.trial_arms import ARMS, arm_names, arm_rows, assigned
from game.exports.trial_tables import CONSENTS, GAMES, PARTICIPANTS, TABLES
from game.models import Agreement, Game, Participant, Trial
from game.selectors.export import (
    decisions_of,
    exported_agreements,
    exported_games,
    exported_participants,
    games_of,
    throws_of,
)
from solver.dp.sweep import Progress


@dataclass(frozen=True, slots=True)
class Standing:
    """A trial at one moment: what was done later is in no table of it."""

    trial: Trial
    at: datetime

    def rows(self, table: ExportTable, progress: Progress | None = None) -> Iterator[Row]:
        if table is CODEBOOK:
            return codebook([one for one in TABLES if one is not CODEBOOK])
        if table is PARTICIPANTS:
            found = exported_participants(self.trial, self.at)
            names = arm_names(self.trial)
            return (_participant(self.trial, one, names, self.at) for one in found)
        if table is ARMS:
            return arm_rows(self.trial, self.at)
        if table is CONSENTS:
            return map(_agreement, exported_agreements(self.trial, self.at))
        return self._games(progress) if table is GAMES else self._decisions(progress)

    def ended(self, game: Game) -> bool:
        return game.finished_at is not None and game.finished_at <= self.at

    def _games(self, progress: Progress | None) -> Iterator[Row]:
        for games in self._in_chunks(progress):
            for game in games:
                yield _game(self.trial, game, ended=self.ended(game))

    def _decisions(self, progress: Progress | None) -> Iterator[Row]:
        for games in self._in_chunks(progress):
            made, throws = decisions_of(games, self.at), throws_of(games)
            for game in games:
                ended = self.ended(game)
                yield from game_rows(game, made[game.pk], throws[game.pk], ended=ended)

    def _in_chunks(self, progress: Progress | None) -> Iterator[list[Game]]:
        keys, done = exported_games(self.trial, self.at), 0
        for games in games_of(keys):
            yield games
            done += len(games)
            if progress:
                progress(done, len(keys))


def _participant(trial: Trial, one: Participant, names: Sequence[str], at: datetime) -> Row:
    return (
        one.label,
        trial.rehearsal,
        one.consent.version if one.consent else None,
        one.consented_at,
        one.answered_at,
        one.experience or None,
        one.last_played or None,
        one.strategy or None,
        *assigned(one, names, at),
        one.drilled,  # type: ignore[attr-defined]
        one.finished,  # type: ignore[attr-defined]
        one.unfinished,  # type: ignore[attr-defined]
    )


def _agreement(one: Agreement) -> Row:
    return one.participant.label, one.consent.version, one.at


def _game(trial: Trial, game: Game, *, ended: bool) -> Row:
    """What a game came to is told of those alone that came to an end."""
    end = (
        game.final_score,
        game.bonus,
        game.chips or 0,
        game.regret,
        game.luck,
        game.free_decisions,
    )
    return (
        game.participant.label if game.participant else None,
        game.trial_number,
        game.pk,
        game.arm.name if game.arm else None,
        game.phase or None,
        game.ruleset,
        Trial.Dice.REAL.value if game.real_dice else Trial.Dice.VIRTUAL.value,
        ended,
        game.started_at,
        game.finished_at if ended else None,
        *(end if ended else [None] * len(end)),
        game.hints,
        game.commitment or None,
        game.seed or None if trial.state == "closed" else None,
    )
