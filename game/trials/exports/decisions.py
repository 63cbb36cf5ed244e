"""The decisions of a trial as a table, replayed quickly: an export may have millions of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from game.core.game_queries import DecisionRow, block_of
from game.core.worth.tables import advisor
from game.models import Game, Participant, Throw
from game.trials.exports.columns import FINISHED, GAME, GAME_ID, NO_TABLE, PARTICIPANT, RULES
from game.trials.files.export_table import Column, ExportTable
from solver.advice import Position
from solver.dp.space import TIE
from solver.rules import PLAYED, Hold, Ruleset, State, find_ruleset, played, start, step
from solver.rules.dice import Dice

NOTHING = "none"  # what a hold that keeps no die is called
_BOXES = (category.id for rules in PLAYED.values() for category in rules.categories)
BOXES = "of the ruleset: " + "; ".join(dict.fromkeys(_BOXES))
_THROWS = "; ".join(map(str, range(max(rules.throws for rules in PLAYED.values()))))
_MOST_LEFT = max(rules.most_throws(len(rules.categories) - 1) for rules in PLAYED.values()) - 1
THROWS_LEFT = f"{_THROWS}; where throws are saved, up to {_MOST_LEFT}"
POSITIONS_REMEMBERED = 1 << 16


class GameDoesNotAgree(Exception):
    """A stored game whose decisions do not add up to its score."""

    def __init__(self, game: str) -> None:
        super().__init__(
            f"game {game} does not end as its decisions do: `./yatzy verify_game {game}` says why"
        )


@lru_cache(maxsize=1 << 13)
def digits(dice: Dice) -> str:
    return "".join(map(str, sorted(dice)))


def fallen(state: State) -> str:
    """By place, of real dice that may each have one."""
    return "".join("." if state.held >> n & 1 else str(die) for n, die in enumerate(state.dice))


@lru_cache(maxsize=1 << 15)
def kept(dice: Dice, slots: int) -> str:
    return digits(Hold(slots).kept(dice)) or NOTHING


@lru_cache(maxsize=1 << 15)
def _open(rules: Ruleset, filled: int) -> str:
    return " ".join(rules.categories[number].id for number in rules.open(filled))


@lru_cache(maxsize=POSITIONS_REMEMBERED)
def best_option(
    ruleset: str, filled: int, upper: int, chips_won: bool, dice: Dice, left: int
) -> str | None:
    """The first of the options within a tie of the best, in the order in which they are listed."""
    rules = find_ruleset(ruleset, PLAYED)
    coach = advisor(rules)
    if coach is None:
        return None
    best = coach.best(Position(coach.rules, filled, upper, dice, left, chips_won))
    return best.category or digits(best.dice) or NOTHING


class TurnCard(NamedTuple):
    """What is the same for every decision of a turn, so that it is worked out once."""

    open_boxes: str
    upper: int
    points: int
    chips: int
    chips_won: bool


class ExportedDecision(NamedTuple):
    """What was decided and what it was worth, in which game, on which dice and card."""

    game: Game
    participant: Participant | None
    ended: bool
    made: DecisionRow
    state: State
    card: TurnCard
    corrections: int | None

    @property
    def choice(self) -> str:
        hold = self.made.hold
        return self.made.category if hold is None else kept(self.state.dice, hold)

    @property
    def best_choice(self) -> str | None:
        """The choice itself where it loses nothing: several may be equally good."""
        regret, state = self.made.regret, self.state
        if regret is None or regret < TIE:
            return None if regret is None else self.choice
        card = (state.rules.id, state.filled, self.card.upper, self.card.chips_won)
        return best_option(*card, tuple(sorted(state.dice)), state.throws_left)


DECISIONS: ExportTable[ExportedDecision] = ExportTable(
    "decisions",
    "A row a decision: to hold some dice and throw the others, or to fill a box."
    " The first throw of a turn decides nothing and has no row.",
    (
        PARTICIPANT,
        GAME,
        GAME_ID,
        RULES,
        FINISHED,
        Column(
            "seq",
            "whole",
            "Number of the step within the game; the first throws count too.",
            lambda row: row.made.seq,
        ),
        Column("turn", "whole", "Turn of the game, from 1.", lambda row: row.made.turn + 1),
        Column(
            "throws_left",
            "whole",
            "Throws still to be had in this turn.",
            lambda row: row.state.throws_left,
            values=THROWS_LEFT,
        ),
        Column(
            "stock",
            "whole",
            "How many of these throws earlier turns saved: the turn's own are used first.",
            lambda row: row.state.saved_left if row.state.rules.stock else None,
            empty="the rules save no throws",
        ),
        Column(
            "dice",
            "text",
            "The faces on the table, sorted, as digits: 11345.",
            lambda row: digits(row.state.dice),
        ),
        Column(
            "fallen",
            "text",
            "What fell in the throw before it, by place; a point is a die that was held: 4..25.",
            lambda row: fallen(row.state) if row.game.real_dice else None,
            empty="the dice were virtual",
        ),
        Column(
            "open_boxes",
            "text",
            "Boxes not filled yet, separated by blanks.",
            lambda row: row.card.open_boxes,
            values=BOXES,
        ),
        Column(
            "upper_total",
            "whole",
            "Points in the upper boxes so far.",
            lambda row: row.card.upper,
            unit="points",
        ),
        Column(
            "points",
            "whole",
            "Points in all boxes and bonus chips so far, without the upper bonus.",
            lambda row: row.card.points,
            unit="points",
        ),
        Column(
            "chips",
            "whole",
            "The bonus chips among these points.",
            lambda row: row.card.chips,
            unit="points",
        ),
        Column(
            "chips_won",
            "truth",
            "Whether a joker would win a bonus chip: its own box was filled with points.",
            lambda row: row.card.chips_won,
        ),
        Column(
            "kind",
            "text",
            "What was decided.",
            lambda row: "score" if row.made.hold is None else "hold",
            values="hold; score",
        ),
        Column(
            "choice",
            "text",
            "The faces that were kept, sorted, as digits, or the box that was filled.",
            lambda row: row.choice,
            values=f"digits; {NOTHING}, where all were thrown; {BOXES}",
        ),
        Column(
            "best_choice",
            "text",
            "What loses nothing: the choice itself if it does, else the best hold or box.",
            lambda row: row.best_choice,
            values="as in choice",
            empty=NO_TABLE + ", or has none now",
        ),
        Column(
            "best_value",
            "number",
            "Points still to be expected, the bonus included, after the best choice and perfect"
            " play from then on.",
            lambda row: row.made.best,
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "value",
            "number",
            "The same after the choice that was made.",
            lambda row: row.made.value,
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "regret",
            "number",
            "What the choice cost: best_value - value, never below 0.",
            lambda row: row.made.regret,
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "luck",
            "number",
            "What the throw before it brought: best_value less what was expected before the throw.",
            lambda row: row.made.luck,
            unit="points",
            empty=NO_TABLE,
        ),
        Column(
            "forced",
            "truth",
            "There was nothing to choose: one box open, no throw left.",
            lambda row: row.made.forced,
        ),
        Column(
            "milliseconds",
            "whole",
            "Time it took since the step before (with real dice: since the throw was typed in), by"
            " the server's clock.",
            lambda row: row.made.milliseconds,
            unit="ms",
        ),
        Column(
            "client_milliseconds",
            "whole",
            "Time from when the page offered the decision to when it was sent, by the browser's"
            " own clock: without the way to the server and back, which the server's time has in it."
            " Nothing else uses it, for a browser may say what it likes.",
            lambda row: row.made.client_milliseconds,
            unit="ms",
            empty="the browser ran no script, or the page was loaded by an earlier version",
        ),
        Column("decided_at", "time", "When it was decided.", lambda row: row.made.created_at),
        Column(
            "corrections",
            "whole",
            "How often the throw before it was typed in anew.",
            lambda row: row.corrections,
            unit="corrections",
            empty="the dice were virtual",
        ),
    ),
)


def decisions_in(
    game: Game, made: Sequence[DecisionRow], throws: Sequence[Throw], *, ended: bool
) -> Iterator[ExportedDecision]:
    """Those of a game, in their order."""
    typed = Counter(throw.seq for throw in throws)
    participant, real_dice = game.participant, game.real_dice
    state, actions = start(game.rules), [one.action for one in made]
    card = _card(state)
    states = played(game.rules, block_of(game, made, throws), actions)
    for one, (state, _action) in zip(made, states, strict=True):
        if state.dice:
            corrections = typed[one.seq - 1] - 1 if real_dice else None
            yield ExportedDecision(game, participant, ended, one, state, card, corrections)
        else:
            card = _card(state)
    end = step(state, actions[-1]) if actions else state
    if ended and (end.total, end.chips) != (game.final_score, game.chips or 0):
        raise GameDoesNotAgree(game.pk)


def _card(state: State) -> TurnCard:
    boxes = _open(state.rules, state.filled)
    return TurnCard(boxes, state.upper, state.points, state.chips, state.chips_won)
