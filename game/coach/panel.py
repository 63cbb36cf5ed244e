"""The coach beside a running game: what it says after a move, before one, and while dice turn."""

from dataclasses import dataclass

from game.coach.hints import Hint, box_costs, hint, hold_costs
from game.coach.reasons import why_best
from game.coach.review import chosen_option
from game.coach.waiting import Waiting, waiting
from game.judgement.severity import Severity, severity
from game.judgement.tables import asked
from game.models import Game
from game.selectors.games import Move, Played
from game.words import phrases
from solver.advice import Advisor, Entry


@dataclass(frozen=True, slots=True)
class Feedback:
    """About the last decision; ``best`` is empty where nothing better could be done."""

    severity: Severity
    move: str
    cost: str
    best: str
    reason: str  # why that and not what was done
    luck: str


@dataclass(frozen=True, slots=True)
class Panel:
    """``holds`` is what each set of slots costs, as words, by bit mask; ``boxes`` likewise.

    ``waiting`` says how far the tables are, where there are none yet.
    """

    available: bool
    can_hint: bool
    feedback: Feedback | None
    hint: Hint | None
    holds: tuple[str, ...]
    boxes: dict[str, str]
    waiting: Waiting | None = None

    def hold(self, slots: int) -> str:
        return self.holds[slots] if self.holds else ""


def panel(played: Played, *, with_hint: bool) -> Panel:
    """Of a coach whose table turns out to be damaged as of one that has none."""
    found = asked(played.state.rules, lambda coach: _panel(coach, played, with_hint))
    return found or Panel(False, False, None, None, (), {}, waiting(played.state.rules))


def _panel(coach: Advisor, played: Played, with_hint: bool) -> Panel:
    state, game = played.state, played.game
    deciding = bool(state.dice) and not game.over
    live = deciding and game.coach == Game.Coach.LIVE
    return Panel(
        available=True,
        can_hint=deciding,
        feedback=_feedback(coach, played),
        hint=hint(coach, state) if with_hint and deciding else None,
        holds=tuple(phrases.cost(regret) for regret in hold_costs(coach, state)) if live else (),
        boxes={box: phrases.cost(c) for box, c in box_costs(coach, state).items()} if live else {},
    )


def _feedback(coach: Advisor, played: Played) -> Feedback | None:
    last = played.last
    if last is None:
        return None
    entry = last.entry or coach.entry(last.state, last.action)
    found = severity(entry.regret)
    return Feedback(
        severity=found,
        move=phrases.deed(last.state, last.action),
        cost=phrases.cost(entry.regret),
        best="" if found.id == "best" else _best(coach, entry),
        reason="" if found.id == "best" else _reason(coach, last, entry),
        luck=phrases.luck(entry.luck),
    )


def _best(coach: Advisor, entry: Entry) -> str:
    return phrases.option(coach.rules, coach.best(entry.position))


def _reason(coach: Advisor, last: Move, entry: Entry) -> str:
    advice = coach.advise(entry.position, outlook=True)
    chosen = chosen_option(advice, entry.position, last.action, last.state)
    return why_best(coach, entry.position, advice, chosen)
