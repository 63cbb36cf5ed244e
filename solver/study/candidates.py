"""Which program did the study run? All readings of its words, ranked by its own histogram.

A reading is an option, or none, of every choice that the words leave: those of the strategy, what
the bonus is paid for (Table 2.1 wants more than 63 points, the text below it 63), and whether dice
that are held stay held for the turn. Whether a throw takes the numbers that were prepared for it,
or each die its own next one, is no choice here: no number is used twice, so no score moves.

    python -m solver study readings --write

works all of them out exactly, and keeps them in a file that comes with the program.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path
from typing import NamedTuple

from solver.dp.sweep import Progress, solve
from solver.exact.distribution import distribution
from solver.players import PLAYERS, Tabular, find_player
from solver.players.base import gettext_noop
from solver.players.choices import Choices, TextChoice, TextOption
from solver.players.rules import RulePlay
from solver.players.staying import StayingDice
from solver.players.values import ValuePlay
from solver.rules import Ruleset
from solver.rules.dice import Dice
from solver.statistics.chi_squared import chi_squared
from solver.study.histograms import KEYS, distance, in_shares, published_of
from solver.study.printed import our_choices
from solver.study.published import RULES, choices_in, filled_before, named, printed_turns

FILE = Path(__file__).resolve().parent / "data" / "readings.csv"
HOLD_BY_RULE = ("dice-based", "forced-scoring")
PERFECT = Choices(
    TextOption(0, "perfect", gettext_noop("perfect play")),
    (
        TextChoice(
            gettext_noop("the bonus is played for"),
            (TextOption(1, "no-bonus", gettext_noop("play that never sees the bonus")),),
        ),
    ),
)
RULES_OF = {rules.bonus_threshold: rules for rules in (RULES, replace(RULES, bonus_threshold=64))}
BONUS = TextChoice(
    gettext_noop("the bonus from 63 points on"),
    (TextOption(64, "above-63", gettext_noop("the bonus only above 63 points")),),
)
DICE = TextChoice(
    gettext_noop("a die that was held may be thrown again"),
    (TextOption(1, "stay", gettext_noop("a die that was held stays")),),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """``holds`` and ``boxes`` are how many of the strategy's printed ones it repeats."""

    player: str
    reading: str
    bonus_from: int
    dice_stay: bool
    mean: float
    median: int
    distance: float
    chi_squared: float
    holds: int
    boxes: int

    @property
    def options(self) -> tuple[TextOption, ...]:
        """What was taken, in words for readers of any language."""
        taken = choices_of(self.player).readings[self.reading]
        bonus = BONUS.options if self.bonus_from != RULES.bonus_threshold else ()
        return (*taken, *bonus, *(DICE.options if self.dice_stay else ()))


class PrintedChoice(NamedTuple):
    """The boxes filled, the dice that were held or the box, and what was held before."""

    filled: int
    left: int
    dice: Dice
    choice: Dice | str
    held: Dice


def choices_of(player_id: str) -> Choices:
    return PLAYERS[player_id].choices or PERFECT


def combinations(player_id: str) -> Iterator[tuple[str, int, bool]]:
    """Dice can stay where a rule holds them: whoever weighs every throw would weigh that too."""
    stay = (False, True) if player_id in HOLD_BY_RULE else (False,)
    yield from product(choices_of(player_id).readings, RULES_OF, stay)


def play_of(player_id: str, reading: str, rules: Ruleset) -> Tabular:
    if player_id != "optimal":
        return find_player(f"{player_id}:{reading}").tabular(rules)
    if reading == PERFECT.plain.name:
        return ValuePlay(solve(rules), rules)
    return ValuePlay(solve(replace(rules, bonus_points=0, bonus_threshold=1))[:, 0].copy(), rules)


def candidate(player_id: str, reading: str, bonus_from: int, dice_stay: bool) -> Candidate:
    """Worked out now."""
    play, theirs = play_of(player_id, reading, RULES_OF[bonus_from]), published_of(player_id)
    of = distribution(StayingDice(play) if dice_stay and isinstance(play, RulePlay) else play)
    tens = in_shares(of.in_tens())
    return Candidate(
        player_id,
        reading,
        bonus_from,
        dice_stay,
        round(of.mean, 6),
        of.median,
        round(distance(tens, theirs.shares), 6),
        round(chi_squared(theirs.counts.astype(float), tens * theirs.games).statistic, 1),
        *repeated_by(play, player_id, dice_stay=dice_stay),
    )


def all_candidates(progress: Progress | None = None) -> list[Candidate]:
    """Takes minutes."""
    asked = [(player, *one) for player in KEYS for one in combinations(player)]
    found = []
    for number, one in enumerate(asked, start=1):
        found.append(candidate(*one))
        if progress:
            progress(number, len(asked))
    order = list(KEYS)
    return sorted(found, key=lambda one: (order.index(one.player), one.distance))


def repeated_by(play: Tabular, player_id: str, *, dice_stay: bool) -> tuple[int, int]:
    """Printed holds and boxes that it repeats, whatever the upper total was."""
    same = Counter[bool]()
    for filled, left, dice, choice, held in printed(player_id):
        ours = our_choices(play, filled, left, dice, held if dice_stay else ())
        same[left > 0] += ours == (named(choice),)
    return same[True], same[False]


def printed(player_id: str) -> Iterator[PrintedChoice]:
    """What is printed of a strategy, where the boxes filled before are known."""
    key = KEYS[player_id]
    for turn in printed_turns():
        names = filled_before(turn, key)
        if names is None or key not in turn:
            continue
        held: Dice = ()
        for dice, left, choice in choices_in(turn, key):
            yield PrintedChoice(RULES.mask(names), left, dice, choice, held)
            held = choice


@cache
def candidates() -> tuple[Candidate, ...]:
    """As they come with the program: of each strategy the closest first."""
    with FILE.open(newline="") as file:
        return tuple(_read(row) for row in csv.DictReader(file))


def _read(row: dict[str, str]) -> Candidate:
    return Candidate(
        row["player"],
        row["reading"],
        int(row["bonus_from"]),
        row["dice_stay"] == "True",
        float(row["mean"]),
        int(row["median"]),
        float(row["distance"]),
        float(row["chi_squared"]),
        int(row["holds"]),
        int(row["boxes"]),
    )


def as_csv(found: Iterable[Candidate]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Candidate)])
    writer.writerows(astuple(one) for one in found)
    return text.getvalue()
