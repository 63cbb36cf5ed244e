"""The coach of a running game: its verdict after a move, its hint before a move, and the expected
score now, compared with perfect play: start + luck - mistakes = expected score."""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.coach.hints import (
    Hint,
    Ranked,
    build_hint,
    calculate_box_costs,
    choose_best_move,
    find_best_move,
    find_chosen_option,
    hold_costs,
    measure_hardness,
    pick_move,
)
from game.coach.reasons import explain_best, make_verdict
from game.coach.waiting import Waiting, request_one_table
from game.core.counting import is_unaided
from game.core.game_queries import FIRST_GAMES, Move, Played, count_earlier_games
from game.core.kind import find_kind
from game.core.profile_queries import grade_before
from game.core.words import phrases
from game.core.words.equation import Equation
from game.core.words.sentences import Event
from game.core.words.speech import LIMITS, TABLE, Speaker, say
from game.core.worth.peers import find_compared_grade, read_peers
from game.core.worth.severity import BEST, GOOD, GRADES, Grade, Severity, find_severity
from game.core.worth.tables import ask_advisor
from game.models import Game
from solver.advice import Advice, Advisor, Entry, Evaluated, find_position, is_mistake
from solver.rules import Hold
from solver.rules.dice import Dice

# The most drawing units per point; the middle of the drawing is the value of perfect play.
SCALE = 2.0
HALF = 100.0  # drawing units; half of the drawing's width


@dataclass(frozen=True, slots=True)
class Bar:
    start: float
    width: float


@dataclass(frozen=True)
class GameStanding:
    start: float
    expected: float
    lost: float

    @property
    def luck(self) -> float:
        return self.expected - self.start + self.lost

    @cached_property
    def equation(self) -> Equation:
        return Equation(self.start, self.expected, self.lost)

    @cached_property
    def _scale(self) -> float:
        """Drawing units per point for both bars. A game changes them only if a bar does not fit."""
        furthest = max(abs(self.luck), abs(self.expected - self.start))
        return min(SCALE, HALF / furthest) if furthest else SCALE

    @property
    def luck_bar(self) -> Bar:
        return self._scale_bar(0.0, self.luck)

    @property
    def lost_bar(self) -> Bar:
        return self._scale_bar(self.luck, self.expected - self.start)

    def _scale_bar(self, first: float, last: float) -> Bar:
        low, high = (round(self._scale * end, 1) for end in sorted((first, last)))
        return Bar(low, round(high - low, 1))


def measure_standing(
    advisor: Advisor, played: Played, at_hand: Evaluated | None
) -> GameStanding | None:
    """Return the game's expected score and its parts; None if a decision was not judged or if real
    dice have to be typed first. ``at_hand`` is the position to decide, if there is one."""
    state = played.state
    if played.lost is None or state.waiting:
        return None
    if state.finished:
        expected = float(state.total)
    elif at_hand is not None:
        expected = state.points + at_hand.value
    else:
        card = state.filled, state.upper
        expected = state.points + advisor.value(*card, chips_won=state.chips_won, stock=state.stock)
    return GameStanding(advisor.value_start, expected, played.lost)


class Price(NamedTuple):
    figure: str
    words: str
    best: bool


def format_prices(costs: dict[str, float]) -> dict[str, Price]:
    return {
        option: Price(
            phrases.format_short_cost(cost), phrases.format_cost(cost), not is_mistake(cost)
        )
        for option, cost in costs.items()
    }


@dataclass(frozen=True)
class Feedback:
    """The verdict on the last decision; ``best`` is the better move, empty if there was none.

    A ``veiled`` verdict shows the better move only on request. ``reason`` explains the better move,
    or a best move that was hard to find. ``praise`` is for a move that few peers find. ``sees`` is
    the smallest cost that the coach mentions to this player. ``games`` is the number of games that
    a beginner has finished, None for other players. One game explains only holds or only boxes to a
    beginner; ``idea`` is True if it explains this move.
    """

    severity: Severity
    regret: float
    move: str
    cost: str
    luck: str
    veiled: bool
    forced: bool = False
    sees: float = LIMITS["noticeable"]
    games: int | None = None
    idea: bool = True
    again: bool = False  # true if an earlier move of this turn cost almost no points
    repeated: bool = False  # true if the coach said the same words earlier in this turn
    best: str = ""
    best_dice: Dice = ()  # dice that the best move holds, if the tray draws them
    reason: str = ""
    praise: str = ""

    @cached_property
    def shown(self) -> bool:
        """True if the page shows a verdict, or explains another good move of this turn."""
        return bool(self.aloud or (self.again and self.reason and not self.costs))

    @property
    def price(self) -> str:
        return phrases.format_short_cost(self.regret) if self.games is None else self.cost

    @property
    def costs(self) -> bool:
        return self.regret >= LIMITS["noticeable"]

    @property
    def option(self) -> str:
        return _("Hold") if self.best_dice else self.best

    @cached_property
    def tray(self) -> dict[str, str]:
        """The texts in the tray: the cost as a figure, a title, and the better move."""
        return {name: Speaker(self).said(name) for name in ("figure", "title", "advice")}

    @cached_property
    def aloud(self) -> str:
        """The verdict as a sentence to read aloud; empty if the player had no choice."""
        return Speaker(self).said("verdict")

    @cached_property
    def event(self) -> Event:
        return make_verdict(self.regret, self.aloud, Speaker(self).said("act"))


@dataclass(frozen=True, slots=True)
class Panel:
    """The coach's panel. ``holds`` has the costs of holds by bit mask of the held slots, ``boxes``
    the costs of boxes. ``waiting`` is the progress of missing tables. ``better`` is the better move
    that the coach names when it asks about a costly move; an alert names none."""

    available: bool
    can_hint: bool
    feedback: Feedback | None
    hint: Hint | None
    holds: tuple[str, ...]
    boxes: dict[str, Price]
    waiting: Waiting | None = None
    standing: GameStanding | None = None
    better: Ranked | None = None
    asks: bool = False  # true if the cost of a move caused the question
    is_first: bool = False  # true in a player's first game, whose tray names no points lost

    @property
    def best(self) -> Ranked | None:
        """The best option, if a hint or a question of the coach may show it; else None."""
        return pick_move(self.hint.options) if self.hint else self.better

    @property
    def excuse(self) -> str:
        """The reason why the coach shows nothing; empty if it shows something."""
        return say("coach_later" if self.waiting.expected else "no_coach") if self.waiting else ""


def make_panel(played: Played, *, with_hint: bool = False, asking: bool = False) -> Panel:
    """Return the coach's panel, empty without a value table. ``asking``: add the better move."""
    rules = played.state.rules
    spoken = partial(_fill_panel, played=played, with_hint=with_hint, asking=asking)
    answer = ask_advisor(rules, spoken)
    return answer or Panel(False, False, None, None, (), {}, request_one_table(rules))


def _fill_panel(coach: Advisor, *, played: Played, with_hint: bool, asking: bool) -> Panel:
    state, game = played.state, played.game
    at_hand = coach.evaluate(find_position(state)) if state.dice else None
    open_now = None if game.over else at_hand
    live = open_now if game.coach == Game.Coach.LIVE else None
    names = game.coach != Game.Coach.ALERT  # at level ALERT the coach names no better move
    speaks = game.coach != Game.Coach.HINT  # at level HINT the coach only gives hints
    return Panel(
        available=True,
        can_hint=open_now is not None and (asking or names),
        feedback=_find_feedback(coach, played) if speaks and played.last else None,
        hint=build_hint(coach, state, open_now) if with_hint and open_now else None,
        holds=tuple(map(phrases.format_short_cost, hold_costs(live, state))) if live else (),
        boxes=format_prices(calculate_box_costs(live)) if live else {},
        standing=measure_standing(coach, played, at_hand) if speaks else None,
        better=find_best_move(coach, state) if asking and names and open_now else None,
        asks=asking,
        is_first=bool(played.lost) and _count_first_games(game) == 0,
    )


def _count_first_games(game: Game) -> int | None:
    """Return how many games the player had finished before this one, if it is one of the player's
    first games and the coach shows no costs before moves; else None."""
    kind = find_kind(game)
    if not kind.personal or kind.measured or game.coach == Game.Coach.LIVE:
        return None
    finished = count_earlier_games(game)
    return finished if finished < FIRST_GAMES else None


def _find_feedback(coach: Advisor, played: Played) -> Feedback | None:
    *earlier, last = played.moves
    game, turn = played.game, last.state.turn
    in_turn = [move for move in earlier[-coach.rules.throws :] if move.state.turn == turn]
    again = any(_read_cost(move) < LIMITS["noticeable"] for move in in_turn)
    feedback = replace(give_feedback(coach, game, last), again=again)
    if not (feedback.praise or feedback.costs):
        return feedback
    sees = TABLE["sees"][find_player_grade(game, coach.value_start).id]
    costly = (move for move in earlier if _read_cost(move) >= sees)
    idea = isinstance(next(costly, last).action, Hold) == isinstance(last.action, Hold)
    games = _count_first_games(game) if feedback.costs else None
    hears = partial(replace, games=games, idea=idea, sees=sees)
    feedback = hears(feedback)
    before = (hears(give_feedback(coach, game, move)).aloud for move in in_turn)
    return replace(feedback, repeated=True, praise="") if feedback.aloud in before else feedback


def find_player_grade(game: Game, value_start: float) -> Grade:
    """Return the grade for which the coach chooses its words; in the first games the lowest."""
    return grade_before(game, value_start) if _count_first_games(game) is None else GRADES[-1]


def _read_cost(move: Move) -> float:
    return (move.worth.regret if move.worth else None) or 0.0


def give_feedback(coach: Advisor, game: Game, last: Move) -> Feedback:
    entry = last.entry or coach.entry(last.state, last.action)
    grade = find_severity(entry.regret)
    base = Feedback(
        severity=grade,
        regret=entry.regret,
        move=phrases.describe_move(last.state, last.action),
        cost=phrases.format_cost(entry.regret),
        luck=Speaker(entry, {"luck": phrases.describe_luck}).said("roll"),
        forced=entry.forced,
        veiled=game.coach == Game.Coach.ALERT,
    )
    if grade is not BEST:
        return _explain_missed(coach, last, entry, base)
    return base if entry.forced else _explain_found(coach, game, last, entry, base)


def _explain_missed(coach: Advisor, last: Move, entry: Entry, base: Feedback) -> Feedback:
    """Return the feedback on a move that was not best. If the cost is tiny, give no reason."""
    advice = coach.make_advice(coach.evaluate(entry.position), outlook=True)
    move = choose_best_move(advice, coach.rules)
    drawn = base.costs and not base.veiled and len(move.dice) < coach.rules.dice
    return replace(
        base,
        best=phrases.describe_option(coach.rules, move),
        best_dice=move.dice if drawn else (),
        reason="" if base.severity is GOOD else _explain_move(coach, last, entry, advice),
    )


def _explain_found(
    coach: Advisor, game: Game, last: Move, entry: Entry, base: Feedback
) -> Feedback:
    """Return the feedback on a best move. If it was easy, give no reason and no praise."""
    at_hand = coach.evaluate(entry.position)
    grade = find_compared_grade(grade_before(game, coach.value_start))
    others = read_peers(coach.rules).get(grade.id)
    difficulty = measure_hardness(at_hand, others) if others else None
    if not (difficulty and difficulty.hard):
        return base
    reason = _explain_move(coach, last, entry, coach.make_advice(at_hand))
    unaided = is_unaided(game)  # true if the coach showed no move before the decision
    praise = say("praise") if difficulty.rare and unaided else ""
    return replace(base, reason=reason, praise=praise)


def _explain_move(coach: Advisor, last: Move, entry: Entry, advice: Advice) -> str:
    chosen = find_chosen_option(advice, last.action, last.state)
    return explain_best(coach, entry.position, advice, chosen)
