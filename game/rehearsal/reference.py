"""The rows that an export should have, replayed by the rules decision by decision.

Slow, and written without the export's own code, which is checked against it.
"""

import json
from collections.abc import Callable, Iterator
from datetime import datetime

from game.exports.tables import CODEBOOK, ExportTable, Row, codebook
from game.exports.trial_events import EVENTS
from game.exports.trial_tables import CONSENTS, DECISIONS, GAMES, NOTHING, PARTICIPANTS, TABLES
from game.exports.writers import to_the_millisecond
from game.fair.source import dice_of
from game.judgement.tables import advisor
from game.models import Decision, Game, Participant, Trial
from solver.advice import Advisor, position_of
from solver.dp.space import TIE
from solver.rules import Hold, State, played, replay


def expected_rows(trial: Trial, table: ExportTable) -> Iterator[Row]:
    """Times are to the millisecond, as in the files."""
    for row in ROWS[table.name](trial):
        yield tuple(to_the_millisecond(one) if isinstance(one, datetime) else one for one in row)


def people(trial: Trial) -> list[Participant]:
    everybody = trial.participants.order_by("number")
    return [one for one in everybody if one.consent_id and not one.withdrawn_at]


def games_of(trial: Trial) -> Iterator[Game]:
    for one in people(trial):
        yield from one.games.order_by("trial_number")


def finished_games(trial: Trial) -> Iterator[Game]:
    return (game for game in games_of(trial) if game.finished_at is not None)


def _participants(trial: Trial) -> Iterator[Row]:
    for one in people(trial):
        games = list(one.games.all())
        finished = sum(game.finished_at is not None for game in games)
        yield (
            one.label,
            trial.rehearsal,
            one.consent.version if one.consent else None,
            one.consented_at,
            one.answered_at,
            *_answers(trial, one),
            finished,
            len(games) - finished,
        )


def _answers(trial: Trial, one: Participant) -> list[str | None]:
    answers = [one.experience, one.last_played, one.strategy]
    unreached = trial.questionnaire and not one.answered_at
    return ["not_reached" if unreached else answer or None for answer in answers]


def _consents(trial: Trial) -> Iterator[Row]:
    for one in people(trial):
        for agreement in one.agreements.order_by("at"):
            yield one.label, agreement.consent.version, agreement.at


def _events(trial: Trial) -> Iterator[Row]:
    stayed = {one.pk: one.label for one in people(trial)}
    for one in sorted(trial.events.all(), key=lambda event: (event.at, event.pk)):
        if one.participant_id is None or one.participant_id in stayed:
            detail = json.dumps(one.detail, ensure_ascii=False, sort_keys=True)
            label = stayed.get(one.participant_id or 0)
            yield label, one.kind, one.at, detail if one.detail else None


def _games(trial: Trial) -> Iterator[Row]:
    for game in games_of(trial):
        made = game.decisions.order_by("seq")
        end = replay(game.rules, dice_of(game), [one.action for one in made])
        sums = (end.total, end.bonus, end.chips, game.regret, game.luck, game.free_decisions)
        yield (
            _label(game),
            game.trial_number,
            game.pk,
            game.ruleset,
            "real" if game.real_dice else "virtual",
            end.finished,
            game.started_at,
            game.finished_at,
            *(sums if end.finished else (None,) * len(sums)),
            game.commitment or None,
            (game.seed or None) if trial.closed_at else None,
        )


def _decisions(trial: Trial) -> Iterator[Row]:
    for game in games_of(trial):
        coach = advisor(game.rules)
        made = list(game.decisions.order_by("seq"))
        states = played(game.rules, dice_of(game), [one.action for one in made])
        for one, (state, _action) in zip(made, states, strict=True):
            if state.dice:
                yield _decision(game, one, state, coach)


def _decision(game: Game, one: Decision, state: State, coach: Advisor | None) -> Row:
    boxes = zip(state.rules.categories, state.boxes, strict=True)
    choice = _choice(one, state)
    return (
        _label(game),
        game.trial_number,
        game.pk,
        game.ruleset,
        game.finished_at is not None,
        one.seq,
        state.turn + 1,
        state.throws_left,
        "".join(str(die) for die in sorted(state.dice)),
        " ".join(category.id for category, box in boxes if box is None),
        state.upper,
        state.points,
        state.chips,
        state.chips_won,
        "score" if one.category else "hold",
        choice,
        _best(one, state, choice, coach),
        one.best,
        one.value,
        one.regret,
        one.luck,
        one.forced,
        one.milliseconds,
        one.created_at,
        game.throws.filter(seq=one.seq - 1).count() - 1 if game.real_dice else None,
    )


def _choice(one: Decision, state: State) -> str:
    if not isinstance(one.action, Hold):
        return one.category
    return "".join(str(die) for die in one.action.kept(state.dice)) or NOTHING


def _best(one: Decision, state: State, choice: str, coach: Advisor | None) -> str | None:
    if one.regret is None or one.regret < TIE:
        return None if one.regret is None else choice
    if coach is None:
        return None
    best = coach.advise(position_of(state)).best
    return best.category or "".join(str(die) for die in best.dice) or NOTHING


def _label(game: Game) -> str:
    return game.participant.label if game.participant else ""


ROWS: dict[str, Callable[[Trial], Iterator[Row]]] = {
    PARTICIPANTS.name: _participants,
    CONSENTS.name: _consents,
    EVENTS.name: _events,
    GAMES.name: _games,
    DECISIONS.name: _decisions,
    CODEBOOK.name: lambda trial: codebook([one for one in TABLES if one is not CODEBOOK]),
}
