"""The tables of a trial, in the order of the codebook.

No table contains a name, an account, an address or a code that opens a participant's pages.
"""

from dataclasses import replace

from game.trials.exports.answers import ANSWERS, make_wide_table
from game.trials.exports.arms import ARMS, EVENTS, FLOW
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.games import GAMES
from game.trials.exports.participants import CONSENTS, PARTICIPANTS
from game.trials.files.export_table import CODEBOOK, AnyTable
from game.trials.models import Trial
from game.trials.questions.reading import load_questionnaire

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


def list_tables(trial: Trial) -> tuple[AnyTable, ...]:
    """Return the tables that every export has, and the table with a column per question. For a
    blinded trial, keep only the columns marked ``masked``, and omit tables without such columns."""
    asked_questions, at = load_questionnaire(trial), TABLES.index(ANSWERS) + 1
    tables = (
        (*TABLES[:at], make_wide_table(asked_questions), *TABLES[at:])
        if asked_questions
        else TABLES
    )
    if not trial.masked:
        return tables
    masked = (replace(t, columns=tuple(c for c in t.columns if c.masked)) for t in tables)
    return tuple(table for table in masked if table.columns)
