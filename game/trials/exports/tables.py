"""The tables of a trial, in the order of the codebook.

No name, no account, no address and no code that leads to a participant's pages is in any of them.
"""

from game.exports.tables import CODEBOOK, AnyTable
from game.models import Trial
from game.trials.exports.answers import ANSWERS, wide_table
from game.trials.exports.arms import ARMS
from game.trials.exports.decisions import DECISIONS
from game.trials.exports.events import EVENTS
from game.trials.exports.flow import FLOW
from game.trials.exports.games import GAMES
from game.trials.exports.participants import CONSENTS, PARTICIPANTS
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


def tables_of(trial: Trial) -> tuple[AnyTable, ...]:
    """Those of every trial, and the one whose columns are this trial's questions."""
    asked = questionnaire(trial)
    if asked is None:
        return TABLES
    at = TABLES.index(ANSWERS) + 1
    return (*TABLES[:at], wide_table(asked), *TABLES[at:])
