"""The tables of a trial: their columns, once, for every format and for the codebook.

No name, no account, no address and no code that leads to a participant's pages is in any of them.
"""

from game.exports.tables import CODEBOOK, Column, ExportTable
from game.exports.trial_columns import FINISHED, GAME, GAME_ID, PARTICIPANT, RULES, UNFINISHED
from game.exports.trial_events import EVENTS
from game.models import NoAnswer, Participant
from solver.rules import RULESETS

NOTHING = "none"  # what a hold that keeps no die is called
_BOXES = (category.id for rules in RULESETS.values() for category in rules.categories)
BOXES = "of the ruleset: " + "; ".join(dict.fromkeys(_BOXES))
THROWS_LEFT = "; ".join(map(str, range(max(rules.throws for rules in RULESETS.values()))))
NO_TABLE = "the server had no table of values when it was played"


def _choices(
    of: type[Participant.Experience | Participant.LastPlayed | Participant.Strategy],
) -> str:
    return "; ".join([*of.values, *NoAnswer.values, NOT_REACHED])


UNASKED = "the questions were not reached"
NOT_REACHED = "not_reached"  # a third way of having no answer, beside declined and skipped
NOT_TOLD = (
    "the trial asked no questions, or they were left out on a server that did not tell declined"
    " from skipped yet"
)

PARTICIPANTS = ExportTable(
    "participants",
    "A row a participant: everybody who agreed to take part and has not withdrawn.",
    (
        PARTICIPANT,
        Column("bot", "truth", "A program played, in a rehearsal of the study; never a person."),
        Column("consent_version", "whole", "Version of the text that was agreed to last, from 1."),
        Column("consented_at", "time", "When it was agreed to."),
        Column("answered_at", "time", "When the questions were answered.", empty=UNASKED),
        Column(
            "experience",
            "text",
            "How well the game was known: never played; a few games; regularly as a child; now.",
            values=_choices(Participant.Experience),
            empty=NOT_TOLD,
        ),
        Column(
            "last_played",
            "text",
            "When it was last played: within the last month; the last year; earlier; never.",
            values=_choices(Participant.LastPlayed),
            empty=NOT_TOLD,
        ),
        Column(
            "strategy",
            "text",
            "Whether playing well was studied: no; read about it; practised with a program.",
            values=_choices(Participant.Strategy),
            empty=NOT_TOLD,
        ),
        Column("games_finished", "whole", "Games that were played to their end.", unit="games"),
        Column(
            "games_unfinished",
            "whole",
            "Games that were begun and not finished: in the tables too, and marked there.",
            unit="games",
        ),
    ),
)

CONSENTS = ExportTable(
    "consents",
    "A row a consent: every version that a participant agreed to, in the order of time.",
    (
        PARTICIPANT,
        Column("version", "whole", "Version of the text, from 1; the files consent-N.txt."),
        Column("agreed_at", "time", "When it was agreed to."),
    ),
)

GAMES = ExportTable(
    "games",
    "A row a game. One that was not finished has no score, and none of the results counts it.",
    (
        PARTICIPANT,
        GAME,
        GAME_ID,
        RULES,
        Column(
            "dice",
            "text",
            "Virtual dice of the server, or real dice that were typed in after each throw.",
            values="virtual; real",
        ),
        FINISHED,
        Column("started_at", "time", "When the card was laid out."),
        Column("finished_at", "time", "When the last box was filled.", empty=UNFINISHED),
        Column(
            "score",
            "whole",
            "Final score, the upper bonus and bonus chips included.",
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "bonus",
            "whole",
            "The upper bonus that is part of the score.",
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "chips",
            "whole",
            "The bonus chips that are part of the score; 0 where the rules have none.",
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "regret",
            "number",
            "What the decisions cost, compared with perfect play: the sum over the game. Always"
            " score = value_start + luck - regret, value_start being in the description.",
            unit="points",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "luck",
            "number",
            "What the throws brought beyond their expectation: the sum over the game.",
            unit="points",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "free_decisions",
            "whole",
            "Judged decisions in which there was something to choose.",
            unit="decisions",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "commitment",
            "text",
            "SHA-256 of the seed, in hexadecimal digits, shown before the first throw.",
            empty="the dice were real",
        ),
        Column(
            "seed",
            "text",
            "Seed of the dice, in hexadecimal digits; games with the same seed had the same dice.",
            empty="the trial is not closed yet, or the dice were real",
        ),
    ),
)

DECISIONS = ExportTable(
    "decisions",
    "A row a decision: to hold some dice and throw the others, or to fill a box."
    " The first throw of a turn decides nothing and has no row.",
    (
        PARTICIPANT,
        GAME,
        GAME_ID,
        RULES,
        FINISHED,
        Column("seq", "whole", "Number of the step within the game; the first throws count too."),
        Column("turn", "whole", "Turn of the game, from 1."),
        Column("throws_left", "whole", "Throws still to be had in this turn.", values=THROWS_LEFT),
        Column("dice", "text", "The five faces on the table, sorted, as digits: 11345."),
        Column("open_boxes", "text", "Boxes not filled yet, separated by blanks.", values=BOXES),
        Column("upper_total", "whole", "Points in the upper boxes so far.", unit="points"),
        Column(
            "points",
            "whole",
            "Points in all boxes and bonus chips so far, without the upper bonus.",
            unit="points",
        ),
        Column("chips", "whole", "The bonus chips among these points.", unit="points"),
        Column(
            "chips_won",
            "truth",
            "Whether a joker would win a bonus chip: its own box was filled with points.",
        ),
        Column("kind", "text", "What was decided.", values="hold; score"),
        Column(
            "choice",
            "text",
            "The faces that were kept, sorted, as digits, or the box that was filled.",
            values=f"one to five digits; {NOTHING}, where all five were thrown; {BOXES}",
        ),
        Column(
            "best_choice",
            "text",
            "What loses nothing: the choice itself if it does, else the best hold or box.",
            values="as in choice",
            empty=NO_TABLE + ", or has none now",
        ),
        Column(
            "best_value",
            "number",
            "Points still to be expected, the bonus included, after the best choice and perfect"
            " play from then on.",
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "value", "number", "The same after the choice that was made.", "points", empty=NO_TABLE
        ),
        Column(
            "regret",
            "number",
            "What the choice cost: best_value - value, never below 0.",
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "luck",
            "number",
            "What the throw before it brought: best_value less what was expected before the throw.",
            unit="points",
            empty=NO_TABLE,
        ),
        Column("forced", "truth", "There was nothing to choose: one box open, no throw left."),
        Column(
            "milliseconds",
            "whole",
            "Time it took since the step before (with real dice: since the throw was typed in), by"
            " the server's clock.",
            unit="ms",
        ),
        Column("decided_at", "time", "When it was decided."),
        Column(
            "corrections",
            "whole",
            "How often the throw before it was typed in anew.",
            unit="corrections",
            empty="the dice were virtual",
        ),
    ),
)

TABLES = (PARTICIPANTS, CONSENTS, EVENTS, GAMES, DECISIONS, CODEBOOK)
