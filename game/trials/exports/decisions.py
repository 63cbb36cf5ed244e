"""The rows of a trial's decisions, which can be millions, so their replay is fast."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from game.core.game_queries import DecisionRow, find_block
from game.core.worth.tables import load_advisor
from game.models import Game, Throw
from game.trials.files.export_table import ExportFailed
from solver.advice import Position
from solver.dp.space import TIE
from solver.rules import (
    PLAYED,
    Hold,
    State,
    apply_action,
    find_ruleset,
    replay_actions,
    start_state,
)
from solver.rules.dice import Dice

NOTHING = "none"  # the exported name of a hold that holds no dice
POSITIONS_REMEMBERED = 1 << 16


class GameDoesNotAgree(ExportFailed):
    """The error if the decisions of a stored game do not add up to its score."""


@lru_cache(maxsize=1 << 13)
def format_faces(dice: Dice) -> str:
    """Return a text such as ``1 3 3``, which spreadsheets do not read as a number."""
    return " ".join(map(str, sorted(dice)))


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


def replay_decisions(
    game: Game, made: Sequence[DecisionRow], throws: Sequence[Throw], at: datetime
) -> Iterator[dict[str, Any]]:
    """Yield the row of each decision; the first roll of a turn needs none. Raise GameDoesNotAgree
    if a game ended by ``at``, and its decisions do not give its score."""
    typed, rules, real = Counter(throw.seq for throw in throws), game.rules, game.real_dice
    state, actions = start_state(rules), [decision.action for decision in made]
    ended = game.finished_at is not None and game.finished_at <= at
    row = {
        "participant": game.trial_game.participant.label,
        "game": game.trial_game.number,
        "game_id": game.pk,
        "ruleset": game.ruleset,
        "finished": ended,
    }
    row |= _describe_card(state)
    states = replay_actions(rules, find_block(game, made, throws), actions)
    for decision, (state, _action) in zip(made, states, strict=True):
        if not state.dice:
            row |= _describe_card(state)
            continue
        dice, held, regret = state.dice, decision.hold, decision.regret
        choice = decision.category
        if held is not None:
            choice = format_faces(Hold(held).kept(dice)) or NOTHING
        # a move that costs nothing is itself the best option, even if another is equally good
        best = None if regret is None else choice
        if regret is not None and regret >= TIE:
            card = (rules.id, state.filled, row["upper_total"], row["chips_won"])
            best = find_best_option(*card, tuple(sorted(dice)), state.throws_left)
        fallen = None
        if real:  # in the order of the dice, with a dot for each held die
            slots = enumerate(dice)
            fallen = " ".join("." if state.held >> n & 1 else str(face) for n, face in slots)
        yield row | {
            "seq": decision.seq,
            "turn": decision.turn + 1,
            "throws_left": state.throws_left,
            "stock": state.saved_left if rules.stock else None,
            "dice": format_faces(dice),
            "fallen": fallen,
            "kind": "score" if held is None else "hold",
            "choice": choice,
            "best_choice": best,
            "best_value": decision.best,
            "value": decision.value,
            "regret": regret,
            "luck": decision.luck,
            "forced": decision.forced,
            "milliseconds": decision.milliseconds,
            "client_milliseconds": decision.client_milliseconds,
            "decided_at": decision.created_at,
            "corrections": typed[decision.seq - 1] - 1 if real else None,
        }
    end = apply_action(state, actions[-1]) if actions else state
    if ended and (end.total, end.chips) != (game.final_score, game.chips or 0):
        shows = f"`./yatzy verify_game {game.pk}` shows where"
        raise GameDoesNotAgree(f"game {game.pk} and its decisions disagree: {shows}")


def _describe_card(state: State) -> dict[str, Any]:
    """Return the cells of the scorecard, which stay the same for all decisions of a turn."""
    rules = state.rules
    return {
        "open_boxes": " ".join(rules.categories[number].id for number in rules.open(state.filled)),
        "upper_total": state.upper,
        "points": state.points,
        "chips": state.chips,
        "chips_won": state.chips_won,
    }
