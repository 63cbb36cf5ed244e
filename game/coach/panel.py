"""The coach beside a running game: what it says after a move, before one, and while dice turn."""

from dataclasses import dataclass

from game.coach.hints import Hint, Ranked, box_costs, hint, hold_costs, ranked
from game.coach.review import Step, step_of
from game.fair.source import dice_of
from game.judgement.tables import advisor
from game.models import Game
from game.selectors.games import Played
from game.words import phrases
from solver.advice import Advisor
from solver.rules import Action, State, play, start


@dataclass(frozen=True, slots=True)
class Feedback:
    """About the last decision."""

    step: Step
    best: Ranked

    @property
    def was_best(self) -> bool:
        return self.best.regret == self.step.entry.regret or self.step.severity.id == "best"


@dataclass(frozen=True, slots=True)
class Panel:
    """``holds`` is what each set of slots costs, as words, by bit mask; ``boxes`` likewise."""

    available: bool
    can_hint: bool
    feedback: Feedback | None
    hint: Hint | None
    holds: tuple[str, ...]
    boxes: dict[str, str]

    def hold(self, slots: int) -> str:
        return self.holds[slots] if self.holds else ""


def panel(played: Played, *, with_hint: bool) -> Panel:
    state, game = played.state, played.game
    coach = advisor(state.rules)
    if coach is None:
        return Panel(False, False, None, None, (), {})
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
    last = _last_decision(played)
    if last is None:
        return None
    state, action = last
    step = step_of(coach, 0, state, action)
    return Feedback(step, ranked(state, step.advice.best))


def _last_decision(played: Played) -> tuple[State, Action] | None:
    """The latest action that decided something, and the state that it was taken in."""
    block = dice_of(played.game)
    state, found = start(played.state.rules), None
    for action in played.actions:
        if state.dice:
            found = (state, action)
        state = play(state, action, block)
    return found
