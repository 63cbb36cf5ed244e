"""The turns that the study prints: the cost of each decision, and whether our player repeats it.

The study prints seven turns of its same-value test, with the holds and the box of each program. It
usually names the filled boxes but never their points. We therefore judge a decision for every upper
total that these boxes can have. The cost of the decision is a range, or a single number if the card
is empty. ``REMARKS`` and ``NUMBER_RULES`` were calculated once, and the tests calculate them again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solver.advice import Advisor, Position
from solver.players import find_player
from solver.players.base import gettext_noop
from solver.rules.dice import Dice
from solver.study.published import KEYS, PLAYERS, RULES, list_printed_turns

CardBefore = tuple[int, int]  # the filled boxes as bits, and the upper total
Range = tuple[float, float]
STEPS = (("throw", "keep1", 2), ("throw2", "keep2", 1), ("result", "category", 0))
IDS = {key: player_id for player_id, key in KEYS.items()}

# Our remark on each printed turn, and the cost of the turn in points. Table 4.11 names no filled
# boxes, so its costs are ranges over all cards that the printed turns allow.
REMARKS: Sequence[tuple[str, Mapping[str, Range]]] = (
    (  # table 4.7, round 1
        gettext_noop(
            "Section 5.4.1 rightly puts the five sixes in Yatzy; Yatzy was worth %(yatzy)s "
            "points more than Sixes, not about 50. The dice-based program put a full house in "
            "Sixes, which cost %(sixes)s points. The two other programs held 6 6 instead of 5 "
            "5 6 6, which cost each %(hold)s points."
        ),
        {"yatzy": (9.784, 9.784), "sixes": (8.5687, 8.5687), "hold": (0.8277, 0.8277)},
    ),
    (  # table 4.8, round 4
        gettext_noop(
            "Section 5.4.1 is right about the sixes: 6 6 6 was the optimal program's best "
            "hold, though Sixes was filled. The scorecard-based program held 5 instead of 6 6,"
            " which cost %(five)s points. The dice-based program held 1 2 3 4, which cost "
            "%(straight)s points; section 4.3 explains this hold by the one die that was left "
            "to roll."
        ),
        {"five": (2.11, 2.8678), "straight": (0.4156, 1.7383)},
    ),
    (  # table 4.8, round 6
        gettext_noop(
            "Section 4.3 is right about the two sixes, which were the best hold. It is also "
            "right that holding the 4 with three sixes makes a full house likelier. Yet "
            "holding the 4 cost %(four)s points. The scorecard-based program held 2 instead of"
            " 6 6, which cost %(two)s points."
        ),
        {"four": (0.5952, 0.644), "two": (1.0578, 1.8621)},
    ),
    (  # table 4.9, round 3
        gettext_noop(
            "Section 4.3 calls the single 6 rewarding and the three of a kind not profitable. "
            "The opposite was true: the scorecard-based program lost nothing. Holding the 6 "
            "instead of 4 4 4 cost %(six)s points, and the optimal program's whole turn cost "
            "%(turn)s points."
        ),
        {"six": (1.9991, 2.5403), "turn": (2.0013, 4.8411)},
    ),
    (  # table 4.10, round 1
        gettext_noop(
            "Section 5.4.1 calls the full house almost the best option. The full house was the"
            " best option, and Fours cost %(fours)s points. All three programs should have "
            "held 2 3 4 5 after the second roll: holding 4 4 cost %(hold)s points."
        ),
        {"fours": (5.6756, 5.6756), "hold": (0.3105, 0.3105)},
    ),
    (  # table 4.11, round 6
        gettext_noop(
            "Section 5.4.1 calls it wrong to change from the twos to the 6. Whether the change"
            " was wrong depends on the filled boxes, which the study does not name. On the "
            "cards that the printed turns allow, the change cost %(six)s points."
        ),
        {"six": (0, 2.5368)},
    ),
    (  # table 4.11, round 7
        gettext_noop(
            "Section 5.4.1 explains the lost game by this round, in which the optimal program "
            "got only two sixes. Rolling for sixes was right: on every card that the printed "
            "turns allow, 6 6 was the best first hold. The dice-based program held 2 2 6 6, "
            "which cost %(pairs)s points."
        ),
        {"pairs": (1.4447, 5.387)},
    ),
)
# Rules for which of its three prepared numbers a rolled die shows. Each rule has the indexes of the
# printed turns that it contradicts in every order of the dice.
NUMBER_RULES: Sequence[tuple[str, tuple[int, ...]]] = (
    (gettext_noop("The number of the roll"), (6,)),
    (gettext_noop("The die's next number"), (1,)),
    (
        gettext_noop(
            "The two Java programs use the die's next number; the optimal C++ program uses the "
            "number of the roll"
        ),
        (),
    ),
    (
        gettext_noop(
            "The program uses the number of the roll and of the die's place, and may put the dice "
            "in another order before every roll"
        ),
        (),
    ),
)


@dataclass(frozen=True, slots=True)
class Audited:
    table: str
    game: int
    round: int
    player: str
    dice: tuple[int, ...]
    rolls_left: int
    choice: str
    best: tuple[str, ...]  # the best options; each is best on at least one possible card
    costs: tuple[float, ...]  # points, one entry per possible card

    @property
    def cost(self) -> Range:
        return sum_costs([self])


def sum_costs(decisions: Iterable[Audited]) -> Range:
    """Return the lowest and the highest total cost of a turn, over all cards that are possible."""
    sums = [sum(costs) for costs in zip(*(decision.costs for decision in decisions), strict=True)]
    return min(sums), max(sums)


def audit_study(advisor: Advisor) -> Iterator[Audited]:
    for turn in list_printed_turns():
        for player in PLAYERS:
            boxes = find_filled_boxes(turn, player)
            if boxes is not None:
                filled = RULES.make_mask(boxes)
                totals = sorted(RULES.list_upper_totals(filled))
                yield from audit_turn(advisor, turn, player, [(filled, upper) for upper in totals])


def find_filled_boxes(turn: Any, player: str) -> Sequence[str] | None:
    """Return the boxes filled before a printed turn; None if the study does not name them."""
    filled = turn.get("filled", {})
    boxes: Sequence[str] | None = filled.get("all", filled.get(player))
    return boxes


def list_choices(turn: Any, player: str) -> Iterator[tuple[Dice, int, Any]]:
    """Yield a turn's printed decisions: the dice, the rolls left, and the held dice or box."""
    printed = {"throw": turn["throw"], **turn[player]}
    for thrown, chosen, rolls_left in STEPS:
        choice = tuple(sorted(printed[chosen])) if rolls_left else printed[chosen]
        yield tuple(sorted(printed[thrown])), rolls_left, choice


def select_turn(judged: Iterable[Audited], turn: Any, player: str) -> list[Audited]:
    wanted = turn["table"], turn["round"], player
    return [
        decision
        for decision in judged
        if (decision.table, decision.round, decision.player) == wanted
    ]


def audit_turn(
    advisor: Advisor, turn: Any, player: str, cards: Sequence[CardBefore]
) -> Iterator[Audited]:
    """Calculate the costs of a program's decisions in a printed turn, for each possible card."""
    for dice, rolls_left, choice in list_choices(turn, player):
        best, costs = [], []
        for filled, upper in cards:
            advice = advisor.advise(Position(RULES, filled, upper, dice, rolls_left))
            best.append(format_choice(advice.best.category or advice.best.dice))
            regrets = (o.regret for o in advice.options if (o.category or o.dice) == choice)
            costs.append(next(regrets))
        yield Audited(
            turn["table"],
            turn["game"],
            turn["round"],
            player,
            dice,
            rolls_left,
            format_choice(choice),
            tuple(dict.fromkeys(best)),
            tuple(costs),
        )


def format_choice(choice: Any) -> str:
    return choice if isinstance(choice, str) else " ".join(map(str, choice)) or "nothing"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A printed decision, and the decisions of our player for every possible upper total."""

    printed: Audited
    ours: tuple[str, ...]

    @property
    def same(self) -> bool:
        """True if our player makes the printed decision for every possible upper total."""
        return self.ours == (self.printed.choice,)


def compare_decisions(advisor: Advisor) -> Iterator[Repeated]:
    """Yield each printed decision in a turn whose filled boxes the study names."""
    turns = {(turn["table"], turn["round"]): turn for turn in list_printed_turns()}
    for decision in audit_study(advisor):
        filled = RULES.make_mask(
            find_filled_boxes(turns[decision.table, decision.round], decision.player) or ()
        )
        play = find_player(IDS[decision.player]).open_tabular(RULES)
        most = play.rules.bonus_threshold
        columns = sorted({min(upper, most) for upper in play.rules.list_upper_totals(filled)})
        roll, choices = RULES.cup.roll_index[decision.dice], list[str]()
        for column in columns:
            card = play.card(filled, column)
            if decision.rolls_left:
                hold = int(card.holds[0, decision.rolls_left - 1, roll])
                choices.append(format_choice(tuple(sorted(RULES.cup.holds[hold]))))
            else:
                choices.append(RULES.categories[int(card.boxes[0, roll])].id)
        ours = tuple(dict.fromkeys(choices))
        yield Repeated(decision, ours)
