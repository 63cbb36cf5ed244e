"""The decisions that the study printed, and which of them our players repeat."""

from collections.abc import Iterator
from dataclasses import dataclass

from solver.advice import Advisor
from solver.players import Tabular, find_player
from solver.rules import YATZY
from solver.study.histograms import KEYS
from solver.study.published import Audited, audit, filled_before, printed_turns

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
    for decision in audit(advisor):
        boxes = filled_before(turns[decision.table, decision.round], decision.player)
        yield Repeated(decision, our_choices(decision, YATZY.mask(boxes or ())))


def our_choices(decision: Audited, filled: int) -> tuple[str, ...]:
    play = find_player(IDS[decision.player]).tabular(YATZY)
    columns = {min(u, YATZY.bonus_threshold) for u in YATZY.upper_totals(filled)}
    found = [_choice(play, decision, filled, column) for column in sorted(columns)]
    return tuple(dict.fromkeys(found))


def _choice(play: Tabular, decision: Audited, filled: int, column: int) -> str:
    card = play.card(filled, column)
    roll = YATZY.cup.roll_index[decision.dice]
    if not decision.rolls_left:
        return YATZY.categories[int(card.boxes[0, roll])].id
    hold = int(card.holds[0, decision.rolls_left - 1, roll])
    dice = decision.dice if hold >= YATZY.cup.first_roll else YATZY.cup.holds[hold]
    return " ".join(map(str, dice)) or "nothing"
