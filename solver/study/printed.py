"""The decisions that the study printed, and which of them our players repeat."""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.advice import Advisor
from solver.players import Tabular, find_player
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
        yield Repeated(one, _our_choices(play, filled, one.rolls_left, one.dice))


def _our_choices(play: Tabular, filled: int, rolls_left: int, dice: Dice) -> tuple[str, ...]:
    """Return the choices on every card with these boxes, each once."""
    most = play.rules.bonus_threshold
    columns = sorted({min(upper, most) for upper in play.rules.upper_totals(filled)})
    roll, found = YATZY.cup.roll_index[dice], list[str]()
    for column in columns:
        card = play.card(filled, column)
        if rolls_left:
            hold = int(card.holds[0, rolls_left - 1, roll])
            found.append(named(tuple(sorted(YATZY.cup.holds[hold]))))
        else:
            found.append(YATZY.categories[int(card.boxes[0, roll])].id)
    return tuple(dict.fromkeys(found))
