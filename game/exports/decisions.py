"""Games replayed into a row a decision, quickly: an export may have millions of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from game.exports.tables import Row
from game.exports.trial_tables import NOTHING
from game.fair.source import dice_of
from game.judgement.tables import advisor
from game.models import Game
from game.selectors.export import Entered, Made
from solver.advice import Position
from solver.dp.space import TIE
from solver.rules import Hold, Ruleset, Score, State, find_ruleset, landed, start, step
from solver.rules.dice import HOLDS, Dice

Throws = Mapping[tuple[str, int], Entered]
Thrown = Callable[[Made], tuple[Sequence[int], int | None]]  # faces, and how often corrected
POSITIONS_REMEMBERED = 1 << 16


def game_rows(game: Game, made: Sequence[Made], throws: Throws) -> Iterator[Row]:
    """The decisions of a finished game, in their order."""
    thrown = _thrown(game, throws)
    state = start(game.rules)
    card = _card(state)
    names = (game.participant.label, game.trial_number, game.pk)  # type: ignore[union-attr]
    dice: Dice = ()
    held = 0
    for one in made:
        faces, corrections = thrown(one)
        dice = landed(dice, held if one.roll > 1 else 0, faces)
        left = state.rules.throws - one.roll
        choice = one.category if one.hold is None else kept(dice, one.hold)
        yield (
            *names,
            one.seq,
            one.turn + 1,
            left,
            digits(dice),
            *card,
            "score" if one.hold is None else "hold",
            choice,
            _best_choice(state, dice, left, one.regret, choice),
            one.best,
            one.value,
            one.regret,
            one.luck,
            one.forced,
            one.milliseconds,
            one.created_at,
            corrections,
        )
        held = one.hold or 0
        if one.hold is None:
            state = step(replace(state, dice=tuple(sorted(dice))), Score(one.category))
            card = _card(state)
    if state.total != game.final_score:
        raise GameDoesNotAgree(game.pk)


class GameDoesNotAgree(Exception):
    """A stored game whose decisions do not add up to its score."""

    def __init__(self, game: str) -> None:
        super().__init__(
            f"game {game} does not end as its decisions do: `manage.py verify_game {game}` says why"
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


def _card(state: State) -> tuple[str, int, int]:
    return _open(state.rules, state.filled), state.upper, state.points


def _thrown(game: Game, throws: Throws) -> Thrown:
    if game.real_dice:
        return lambda one: throws[game.pk, one.seq - 1]
    block = dice_of(game)
    return lambda one: (block[one.turn][one.roll - 1], None)


def _best_choice(
    state: State, dice: Dice, left: int, regret: float | None, choice: str
) -> str | None:
    """The choice itself where it loses nothing: several may be equally good."""
    if regret is None or regret < TIE:
        return choice if regret is not None else None
    card = (state.rules.id, state.filled, state.upper, state.chips_won)
    return best_option(*card, tuple(sorted(dice)), left)


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
