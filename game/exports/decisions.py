"""Games replayed into a row a decision, quickly: an export may have millions of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from game.exports.tables import Row
from game.exports.trial_tables import NOTHING
from game.fair.source import dice_of, table_block
from game.judgement.tables import advisor
from game.models import Game, Throw
from game.selectors.export import Made
from solver.advice import Position
from solver.dp.space import TIE
from solver.rules import Block, Hold, Ruleset, State, find_ruleset, played, start, step
from solver.rules.dice import HOLDS, Dice

POSITIONS_REMEMBERED = 1 << 16


class GameDoesNotAgree(Exception):
    """A stored game whose decisions do not add up to its score."""

    def __init__(self, game: str) -> None:
        super().__init__(
            f"game {game} does not end as its decisions do: `manage.py verify_game {game}` says why"
        )


def game_rows(
    game: Game, made: Sequence[Made], throws: Sequence[Throw], *, ended: bool
) -> Iterator[Row]:
    """The decisions of a game, in their order."""
    typed = Counter(throw.seq for throw in throws)
    names = (game.participant.label, game.trial_number, game.pk, game.ruleset, ended)  # type: ignore[union-attr]
    state, actions = start(game.rules), [one.action for one in made]
    card = _card(state)
    states = played(game.rules, _block(game, made, throws), actions)
    for one, (state, _action) in zip(made, states, strict=True):
        if state.dice:
            corrections = typed[one.seq - 1] - 1 if game.real_dice else None
            yield *names, *_decision(one, state, card), corrections
        else:
            card = _card(state)
    end = step(state, actions[-1]) if actions else state
    if ended and (end.total, end.chips) != (game.final_score, game.chips or 0):
        raise GameDoesNotAgree(game.pk)


def _block(game: Game, made: Sequence[Made], throws: Sequence[Throw]) -> Block:
    """Real dice from what was read in bulk."""
    if not game.real_dice:
        return dice_of(game)
    holds = ((one.seq, one.turn, one.roll) for one in made if one.hold is not None)
    return table_block(game.rules, holds, throws)


def _decision(one: Made, state: State, card: Row) -> Row:
    """What was decided, on which card, and what it was worth."""
    choice = one.category if one.hold is None else kept(state.dice, one.hold)
    return (
        one.seq,
        one.turn + 1,
        state.throws_left,
        digits(state.dice),
        *card,
        "score" if one.hold is None else "hold",
        choice,
        _best_choice(one, state, choice),
        one.best,
        one.value,
        one.regret,
        one.luck,
        one.forced,
        one.milliseconds,
        one.client_milliseconds,
        one.created_at,
    )


@lru_cache(maxsize=1 << 13)
def digits(dice: Dice) -> str:
    return "".join(map(str, sorted(dice)))


@lru_cache(maxsize=1 << 15)
def kept(dice: Dice, slots: int) -> str:
    return digits(Hold(slots).kept(dice)) or NOTHING


@lru_cache(maxsize=1 << 15)
def _open(rules: Ruleset, filled: int) -> str:
    return " ".join(rules.categories[number].id for number in rules.open(filled))


def _card(state: State) -> Row:
    """The same for every decision of a turn."""
    boxes = _open(state.rules, state.filled)
    return boxes, state.upper, state.points, state.chips, state.chips_won


def _best_choice(one: Made, state: State, choice: str) -> str | None:
    """The choice itself where it loses nothing: several may be equally good."""
    if one.regret is None or one.regret < TIE:
        return choice if one.regret is not None else None
    card = (state.rules.id, state.filled, state.upper, state.chips_won)
    return best_option(*card, tuple(sorted(state.dice)), state.throws_left)


@lru_cache(maxsize=POSITIONS_REMEMBERED)
def best_option(
    ruleset: str, filled: int, upper: int, chips_won: bool, dice: Dice, left: int
) -> str | None:
    """The first of the options within a tie of the best, in the order in which they are listed."""
    rules = find_ruleset(ruleset)
    coach = advisor(rules)
    if coach is None:
        return None
    holds, of_holds, boxes, of_boxes = coach.arrays(
        Position(coach.rules, filled, upper, dice, left, chips_won)
    )
    values = np.concatenate((of_holds, of_boxes))
    first = int(np.argmax(values > values.max() - TIE))
    if first < len(holds):
        return digits(HOLDS[holds[first]]) or NOTHING
    return rules.categories[int(boxes[first - len(holds)])].id
