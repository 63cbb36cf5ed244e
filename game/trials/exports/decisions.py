"""The table of a trial's decisions, which can have millions of rows, so its replay is fast."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from game.core.game_queries import DecisionRow, find_block
from game.core.worth.tables import load_advisor
from game.models import Game, Throw
from game.trials.files.export_table import ExportTable, declare_table
from game.trials.models import Participant
from solver.advice import Position
from solver.dp.space import TIE
from solver.rules import (
    PLAYED,
    Hold,
    Ruleset,
    State,
    apply_action,
    find_ruleset,
    replay_actions,
    start_state,
)
from solver.rules.dice import Dice

NOTHING = "none"  # the exported name of a hold that holds no dice
_BOXES = (category.id for rules in PLAYED.values() for category in rules.categories)
BOXES = "boxes of the ruleset: " + "; ".join(dict.fromkeys(_BOXES))
_THROWS = "; ".join(map(str, range(max(rules.throws for rules in PLAYED.values()))))
_MOST_LEFT = max(rules.find_most_rolls(len(rules.categories) - 1) for rules in PLAYED.values()) - 1
THROWS_LEFT = f"{_THROWS}; up to {_MOST_LEFT} if the rules save rolls"
POSITIONS_REMEMBERED = 1 << 16


class GameDoesNotAgree(Exception):
    """The error if the decisions of a stored game do not add up to its score."""

    def __init__(self, game: str) -> None:
        super().__init__(
            f"game {game} and its decisions disagree: `./yatzy verify_game {game}` shows where"
        )


@lru_cache(maxsize=1 << 13)
def format_faces(dice: Dice) -> str:
    """Return a text such as ``1 3 3``, which spreadsheets do not read as a number."""
    return " ".join(map(str, sorted(dice)))


@lru_cache(maxsize=1 << 15)
def format_held(dice: Dice, slots: int) -> str:
    return format_faces(Hold(slots).kept(dice)) or NOTHING


@lru_cache(maxsize=1 << 15)
def _format_open_boxes(rules: Ruleset, filled: int) -> str:
    return " ".join(rules.categories[number].id for number in rules.open(filled))


@lru_cache(maxsize=POSITIONS_REMEMBERED)
def find_best_option(
    ruleset: str, filled: int, upper: int, chips_won: bool, dice: Dice, left: int
) -> str | None:
    """Return the first of the best options in the coach's list; None without a value table."""
    rules = find_ruleset(ruleset, PLAYED)
    coach = load_advisor(rules)
    if coach is None:
        return None
    best = coach.best(Position(coach.rules, filled, upper, dice, left, chips_won))
    return best.category or format_faces(best.dice) or NOTHING


class TurnCard(NamedTuple):
    """The scorecard at the start of a turn. It stays the same for all decisions of the turn."""

    open_boxes: str
    upper: int
    points: int
    chips: int
    chips_won: bool


class ExportedDecision(NamedTuple):
    game: Game
    participant: Participant
    ended: bool
    made: DecisionRow
    state: State
    card: TurnCard
    corrections: int | None

    @property
    def choice(self) -> str:
        hold = self.made.hold
        return self.made.category if hold is None else format_held(self.state.dice, hold)

    @property
    def best_choice(self) -> str | None:
        """The best option; None if the cost of the decision is unknown. A move that costs nothing
        is itself the best option, even if another option is equally good."""
        regret, state = self.made.regret, self.state
        if regret is None or regret < TIE:
            return None if regret is None else self.choice
        card = (state.rules.id, state.filled, self.card.upper, self.card.chips_won)
        return find_best_option(*card, tuple(sorted(state.dice)), state.throws_left)


DECISIONS: ExportTable[ExportedDecision] = declare_table(
    "decisions",
    "One row per decision: to hold some dice and reroll the rest, or to fill a box."
    " The first roll of a turn needs no decision and has no row.",
    {
        "participant": lambda row: row.participant.label,
        "game": lambda row: row.game.trial_game.number,
        "game_id": lambda row: row.game.pk,
        "ruleset": lambda row: row.game.ruleset,
        "finished": lambda row: row.ended,
        "seq": lambda row: row.made.seq,
        "turn": lambda row: row.made.turn + 1,
        "throws_left": lambda row: row.state.throws_left,
        "stock": lambda row: row.state.saved_left if row.state.rules.stock else None,
        "dice": lambda row: format_faces(row.state.dice),
        # real dice in their order, with a dot for each held die
        "fallen": lambda row: (
            " ".join(
                "." if row.state.held >> slot & 1 else str(face)
                for slot, face in enumerate(row.state.dice)
            )
            if row.game.real_dice
            else None
        ),
        "open_boxes": lambda row: row.card.open_boxes,
        "upper_total": lambda row: row.card.upper,
        "points": lambda row: row.card.points,
        "chips": lambda row: row.card.chips,
        "chips_won": lambda row: row.card.chips_won,
        "kind": lambda row: "score" if row.made.hold is None else "hold",
        "choice": lambda row: row.choice,
        "best_choice": lambda row: row.best_choice,
        "best_value": lambda row: row.made.best,
        "value": lambda row: row.made.value,
        "regret": lambda row: row.made.regret,
        "luck": lambda row: row.made.luck,
        "forced": lambda row: row.made.forced,
        "milliseconds": lambda row: row.made.milliseconds,
        "client_milliseconds": lambda row: row.made.client_milliseconds,
        "decided_at": lambda row: row.made.created_at,
        "corrections": lambda row: row.corrections,
    },
    rulesets="; ".join(PLAYED),
    throws_left=THROWS_LEFT,
    boxes=BOXES,
)


def replay_decisions(
    game: Game, made: Sequence[DecisionRow], throws: Sequence[Throw], *, ended: bool
) -> Iterator[ExportedDecision]:
    typed = Counter(throw.seq for throw in throws)
    participant, real_dice = game.trial_game.participant, game.real_dice
    state, actions = start_state(game.rules), [decision.action for decision in made]
    card = _make_card(state)
    states = replay_actions(game.rules, find_block(game, made, throws), actions)
    for decision, (state, _action) in zip(made, states, strict=True):
        if state.dice:
            corrections = typed[decision.seq - 1] - 1 if real_dice else None
            yield ExportedDecision(game, participant, ended, decision, state, card, corrections)
        else:
            card = _make_card(state)
    end = apply_action(state, actions[-1]) if actions else state
    if ended and (end.total, end.chips) != (game.final_score, game.chips or 0):
        raise GameDoesNotAgree(game.pk)


def _make_card(state: State) -> TurnCard:
    boxes = _format_open_boxes(state.rules, state.filled)
    return TurnCard(boxes, state.upper, state.points, state.chips, state.chips_won)
