"""The coach beside a running game: what it says after a move, before one, and while dice turn."""

from dataclasses import dataclass, replace

from game.coach.hints import Hint, Ranked, box_costs, hint, hold_costs, ranked, to_take
from game.coach.reasons import why_it_was
from game.coach.review import chosen_option
from game.coach.standing import GameStanding, standing
from game.coach.waiting import Waiting, waiting
from game.judgement.hardness import hardness
from game.judgement.peers import peers
from game.judgement.severity import BEST, GOOD, Severity, severity
from game.judgement.tables import asked
from game.models import Game
from game.selectors.games import Move, Played
from game.selectors.profile import grade_before
from game.words import phrases
from solver.advice import Advice, Advisor, Entry, Evaluated, position_of
from solver.dp.space import TIE
from solver.rules import State


@dataclass(frozen=True, slots=True)
class Feedback:
    """About the last decision; ``best`` is empty where nothing better could be done.

    ``veiled`` says that what was better is told to whoever taps for it. ``reason`` says in the past
    tense why that was better, or what there was to a good move that was not easy to find; of easy
    ones it is empty. ``praise`` is for what few would have found.
    """

    severity: Severity
    move: str
    cost: str
    luck: str
    veiled: bool
    best: str = ""
    reason: str = ""
    praise: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """``holds`` is what each set of slots costs, as words, by bit mask; ``boxes`` likewise.

    ``waiting`` says how far the tables are, where there are none yet. ``better`` is what the coach
    names when it asks about a costly move; an alert names nothing.
    """

    available: bool
    can_hint: bool
    feedback: Feedback | None
    hint: Hint | None
    holds: tuple[str, ...]
    boxes: dict[str, str]
    waiting: Waiting | None = None
    standing: GameStanding | None = None
    better: Ranked | None = None
    best_boxes: frozenset[str] = frozenset()

    @property
    def best(self) -> Ranked | None:
        """The best option, where it may be seen: after a hint, or beside a question."""
        return to_take(self.hint.options) if self.hint else self.better

    def hold(self, slots: int) -> str:
        return self.holds[slots] if self.holds else ""


def panel(played: Played, *, with_hint: bool = False, asking: bool = False) -> Panel:
    """``asking`` is a coach who asks about a costly move. One whose table is damaged is silent."""
    rules = played.state.rules
    found = asked(rules, lambda coach: _panel(coach, played, with_hint, asking))
    return found or Panel(False, False, None, None, (), {}, waiting(rules))


def _panel(coach: Advisor, played: Played, with_hint: bool, asking: bool) -> Panel:
    state, game = played.state, played.game
    at_hand = coach.evaluate(position_of(state)) if state.dice else None
    open_now = None if game.over else at_hand
    live = open_now if game.coach == Game.Coach.LIVE else None
    boxes = box_costs(live) if live else {}
    alert = game.coach == Game.Coach.ALERT
    told = game.coach != Game.Coach.HINT  # who wants hints alone is told nothing unasked
    return Panel(
        available=True,
        can_hint=open_now is not None and (asking or not alert),
        feedback=_feedback(coach, played) if told else None,
        hint=hint(coach, state, open_now) if with_hint and open_now else None,
        holds=tuple(phrases.cost(regret) for regret in hold_costs(live, state)) if live else (),
        boxes={box: phrases.cost(regret) for box, regret in boxes.items()},
        standing=standing(coach, played, at_hand) if told else None,
        better=_better(coach, state, open_now) if asking and open_now and not alert else None,
        best_boxes=frozenset(box for box, regret in boxes.items() if regret < TIE),
    )


def _feedback(coach: Advisor, played: Played) -> Feedback | None:
    last = played.last
    if last is None:
        return None
    entry = last.entry or coach.entry(last.state, last.action)
    found = severity(entry.regret)
    base = Feedback(
        severity=found,
        move=phrases.deed(last.state, last.action),
        cost=phrases.cost(entry.regret),
        luck=phrases.luck(entry.luck),
        veiled=played.game.coach == Game.Coach.ALERT,
    )
    if found is not BEST:
        return _of_missed(coach, last, entry, base)
    return base if entry.forced else _of_found(coach, played.game, last, entry, base)


def _of_missed(coach: Advisor, last: Move, entry: Entry, base: Feedback) -> Feedback:
    """What costs next to nothing needs no reason."""
    advice = coach.advice(coach.evaluate(entry.position), outlook=True)
    best = phrases.option(coach.rules, advice.best)
    reason = "" if base.severity is GOOD else _reason(coach, last, entry, advice)
    return replace(base, best=best, reason=reason)


def _of_found(coach: Advisor, game: Game, last: Move, entry: Entry, base: Feedback) -> Feedback:
    """Nothing is said of what was easy."""
    at_hand = coach.evaluate(entry.position)
    grade = grade_before(game, coach.value_start)
    difficulty = hardness(at_hand, peers(coach.rules)[grade.id])
    if not difficulty.hard:
        return base
    reason = _reason(coach, last, entry, coach.advice(at_hand))
    own = game.coach != Game.Coach.LIVE and not game.hints  # whoever was shown it found nothing
    praise = phrases.praise(grade.name) if difficulty.rare and own else ""
    return replace(base, reason=reason, praise=praise)


def _better(coach: Advisor, state: State, at_hand: Evaluated) -> Ranked:
    options = coach.advice(at_hand).options
    return to_take([ranked(state, option) for option in options if option.best])


def _reason(coach: Advisor, last: Move, entry: Entry, advice: Advice) -> str:
    chosen = chosen_option(advice, entry.position, last.action, last.state)
    return why_it_was(coach, entry.position, advice, chosen)
