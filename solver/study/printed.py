"""The decisions that the study printed, and which of them our players repeat."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from solver.advice import Advisor
from solver.players import Card, Tabular, find_player
from solver.rules import YATZY
from solver.rules.dice import Dice
from solver.study.histograms import KEYS
from solver.study.published import Audited, audit, filled_before, named, printed_turns

IDS = {key: player_id for player_id, key in KEYS.items()}


@dataclass(frozen=True, slots=True)
class Repeated:
    """``ours`` are our player's choices over the upper totals that the boxes can hold."""

    printed: Audited
    ours: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether our player does the same, whatever the upper total was."""
        return self.ours == (self.printed.choice,)


def repeated(advisor: Advisor) -> Iterator[Repeated]:
    """Every printed decision whose filled boxes are known."""
    turns = {(turn["table"], turn["round"]): turn for turn in printed_turns()}
    for one in audit(advisor):
        filled = YATZY.mask(filled_before(turns[one.table, one.round], one.player) or ())
        play = find_player(IDS[one.player]).tabular(YATZY)
        yield Repeated(one, our_choices(play, filled, one.rolls_left, one.dice))


def our_choices(
    play: Tabular, filled: int, rolls_left: int, dice: Dice, held: Dice = ()
) -> tuple[str, ...]:
    """On every card with these boxes. What was ``held`` before stays, if anything does."""
    most = play.rules.bonus_threshold
    columns = sorted({min(upper, most) for upper in play.rules.upper_totals(filled)})
    found = [_choice(play.card(filled, column), rolls_left, dice, held) for column in columns]
    return tuple(dict.fromkeys(found))


def _choice(card: Card, rolls_left: int, dice: Dice, held: Dice) -> str:
    roll = YATZY.cup.roll_index[dice]
    if not rolls_left:
        return YATZY.categories[int(card.boxes[0, roll])].id
    now = YATZY.cup.holds[int(card.holds[0, rolls_left - 1, roll])]
    return named(tuple(sorted((Counter(now) | Counter(held)).elements())))
