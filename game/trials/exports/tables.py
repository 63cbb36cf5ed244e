"""The tables of a trial, in the order of the codebook.

No name, no account, no address and no code that leads to a participant's pages is in any of them.
"""

from dataclasses import replace

from game.models import Trial
from game.trials.exports.answers import ANSWERS, wide_table
from game.trials.exports.arms import ARMS, EVENTS, FLOW
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.games import GAMES
from game.trials.exports.participants import CONSENTS, PARTICIPANTS
from game.trials.files.export_table import CODEBOOK, AnyTable
from game.trials.questions.reading import questionnaire

TABLES: tuple[AnyTable, ...] = (
    PARTICIPANTS,
    CONSENTS,
    ARMS,
    FLOW,
    ANSWERS,
    EVENTS,
    GAMES,
    DECISIONS,
    CODEBOOK,
)


def _without(table: AnyTable, *names: str) -> AnyTable:
    return replace(table, columns=tuple(one for one in table.columns if one.name not in names))


def _only(table: AnyTable, *names: str) -> AnyTable:
    return replace(table, columns=tuple(one for one in table.columns if one.name in names))


# While a trial is masked arms are letters, nothing else that differs from arm to arm is told, and
# of what was played only that it was, and when.
MASKED_TABLES: tuple[AnyTable, ...] = (
    _without(PARTICIPANTS, "games_planned", "drill_attempts", "expert_chance"),
    CONSENTS,
    FLOW,
    ANSWERS,
    EVENTS,
    _only(
        GAMES, "participant", "game", "game_id", "phase", "finished", "started_at", "finished_at"
    ),
    CODEBOOK,
)


def tables_of(trial: Trial) -> tuple[AnyTable, ...]:
    """Those of every trial, and the one whose columns are this trial's questions."""
    tables, asked = MASKED_TABLES if trial.masked else TABLES, questionnaire(trial)
    if asked is None:
        return tables
    at = tables.index(ANSWERS) + 1
    return (*tables[:at], wide_table(asked), *tables[at:])
