"""What a trial's tables hold, row by row, as it stood at one moment."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from game.exports.decisions import game_rows
from game.exports.tables import CODEBOOK, ExportTable, Row, codebook
from game.exports.trial_events import EVENTS, event_rows
from game.exports.trial_tables import (
    CONSENTS,
    DECISIONS,
    GAMES,
    NOT_REACHED,
    PARTICIPANTS,
    TABLES,
)
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
        if table in (GAMES, DECISIONS):
            return self._games(progress) if table is GAMES else self._decisions(progress)
        return SMALL[table.name](self.trial, self.at)

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


def _participants(trial: Trial, until: datetime) -> Iterator[Row]:
    return (_participant(trial, one) for one in exported_participants(trial, until))


def _consents(trial: Trial, until: datetime) -> Iterator[Row]:
    return map(_agreement, exported_agreements(trial, until))


def _codebook(_trial: Trial, _until: datetime) -> Iterator[Row]:
    return codebook([one for one in TABLES if one is not CODEBOOK])


def _participant(trial: Trial, one: Participant) -> Row:
    return (
        one.label,
        trial.rehearsal,
        one.consent.version if one.consent else None,
        one.consented_at,
        one.answered_at,
        _answer(trial, one, one.experience),
        _answer(trial, one, one.last_played),
        _answer(trial, one, one.strategy),
        one.finished,  # type: ignore[attr-defined]
        one.unfinished,  # type: ignore[attr-defined]
    )


def _answer(trial: Trial, one: Participant, answer: str) -> str | None:
    """Whoever has not come to the questions has neither skipped nor declined any."""
    if trial.questionnaire and one.answered_at is None:
        return NOT_REACHED
    return answer or None


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
        game.ruleset,
        Trial.Dice.REAL.value if game.real_dice else Trial.Dice.VIRTUAL.value,
        ended,
        game.started_at,
        game.finished_at if ended else None,
        *(end if ended else [None] * len(end)),
        game.commitment or None,
        game.seed or None if trial.state == "closed" else None,
    )


# Tables that are read in one go: the rows of a trial as it stood at a moment.
SMALL: dict[str, Callable[[Trial, datetime], Iterator[Row]]] = {
    PARTICIPANTS.name: _participants,
    CONSENTS.name: _consents,
    EVENTS.name: event_rows,
    CODEBOOK.name: _codebook,
}
