"""Advice on reaching a score: chances of the options, in numbers and words."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.core.words import phrases
from game.core.words.speech import say
from game.core.worth.severity import Severity, find_severity
from game.core.worth.winning import convert_to_points
from solver.advice import Advisor, Position
from solver.advice.winning import (
    MOST_OPEN,
    Chances,
    TooEarly,
    WinOption,
    find_chances,
    make_target_payoff,
)
from solver.dp.space import TIE
from solver.rules import Ruleset

LEAST = 0.0005  # the smallest share that one decimal of a percentage can show


def format_chance(share: float) -> str:
    """Format a chance such as 7.4 %. 0 % always means impossible, and 100 % certain."""
    if TIE < share < LEAST:
        return phrases.keep_on_one_line(
            _("under %(percent)s %%") % {"percent": phrases.format_points(0.1)}
        )
    if 1 - LEAST < share < 1 - TIE:
        return phrases.keep_on_one_line(
            _("over %(percent)s %%") % {"percent": phrases.format_points(99.9)}
        )
    return phrases.add_percent_sign(phrases.format_points(100 * share))


def format_chance_cost(regret: float) -> str:
    if regret < TIE:
        return say("best")
    return _("costs a win in %(chance)s of all games") % {"chance": format_chance(regret)}


def compare_with_points(rules: Ruleset, judged: Chances) -> str:
    facts = {
        "best": phrases.describe_option(rules, judged.best.option),
        "chance": format_chance(judged.chance),
        "points": phrases.describe_option(rules, judged.by_points.option),
        "less": format_chance(judged.by_points.chance),
    }
    if judged.chance < TIE:
        return _("You can no longer reach the score you need: play for points.")
    if judged.differs:
        return (
            _("The best move for points is “%(points)s”, which succeeds in %(less)s of all games.")
            % facts
        )
    if judged.for_points < judged.chance - TIE:
        return _(
            "This move is also the best for points now; playing for points differs only later."
        )
    return _("This move is also the best for points.")


def format_points_chance(judged: Chances) -> str:
    return _("If you play for points to the end, you succeed in %(chance)s of all games.") % {
        "chance": format_chance(judged.for_points)
    }


def format_too_early(open_boxes: int, most: int) -> str:
    return _(
        "We calculate winning chances for up to %(most)s open boxes; this position has %(open)s."
    ) % {
        "most": most,
        "open": open_boxes,
    }


@dataclass(frozen=True, slots=True)
class WinRow:
    """A row of the table of options: ``cost`` is a lost chance, ``regret`` a cost in points."""

    label: str
    dice: tuple[int, ...]
    chance: str
    cost: str
    best: bool
    severity: Severity
    expected: float
    regret: float
    best_in_points: bool


@dataclass(frozen=True, slots=True)
class ToWin:
    """The advice for reaching a score. ``early`` is the reason if it is too early, or ""."""

    needed: int
    early: str = ""
    best: str = ""
    chance: str = ""
    instead: str = ""
    for_points: str = ""
    rows: tuple[WinRow, ...] = ()


def advise_to_win(coach: Advisor, position: Position, needed: int) -> ToWin:
    """Return the advice for a player who needs ``needed`` points more than the card's total. This
    total includes a secured bonus."""
    try:
        # The solver adds a secured bonus only at the end of the game.
        points = needed + position.rules.bonus(position.upper)
        judged = find_chances(coach, position, make_target_payoff(points))
    except TooEarly as refusal:
        return ToWin(needed, early=format_too_early(refusal.open_boxes, MOST_OPEN))
    return ToWin(
        needed=needed,
        best=phrases.describe_option(coach.rules, judged.best.option),
        chance=format_chance(judged.chance),
        instead=compare_with_points(coach.rules, judged),
        for_points=format_points_chance(judged),
        rows=list_rows(coach, judged),
    )


def list_rows(coach: Advisor, judged: Chances) -> tuple[WinRow, ...]:
    return tuple(_build_row(coach, choice) for choice in judged.choices)


def _build_row(coach: Advisor, choice: WinOption) -> WinRow:
    option = choice.option
    return WinRow(
        label=phrases.describe_option(coach.rules, option),
        dice=option.dice if option.action == "hold" else (),
        chance=format_chance(choice.chance),
        cost="" if choice.best else format_chance(choice.regret),
        best=choice.best,
        severity=find_severity(convert_to_points(choice.regret)),
        expected=option.value,
        regret=option.regret,
        best_in_points=option.best,
    )
