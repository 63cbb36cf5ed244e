"""The end of a game: the parts of the score, rare moments, and the costliest decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from operator import itemgetter

from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.coach.hints import ShownDie, find_best_move, mark_held_dice, measure_hardness
from game.coach.panel import Bar
from game.coach.score_charts import read_perfect_scores
from game.coach.waiting import Waiting
from game.core.counting import format_help_note
from game.core.game_queries import FIRST_GAMES, Move
from game.core.profile_queries import MIDDLE, find_player_skill
from game.core.words import labels, phrases
from game.core.words.equation import Equation
from game.core.words.sentences import Event
from game.core.words.speech import LIMITS, say
from game.core.worth.peers import find_compared_grade, read_peers
from game.core.worth.severity import (
    FLAWLESS,
    INACCURACY,
    Grade,
    Severity,
    find_grade,
    find_severity,
    sum_mistakes,
)
from game.core.worth.skill import calculate_accuracy
from game.core.worth.tables import ask_advisor, find_value_start
from game.models import Game
from game.pages.board import story
from game.pages.board.story import OwnGames
from game.pages.board.target import describe_target
from solver.advice import Advisor, is_mistake
from solver.rules import Ruleset, State

WIDEST, AIR = 1000, 0.06  # width of the drawing in units; margins as a share of this width


@dataclass(frozen=True, slots=True)
class Result:
    total: int
    bonus: int
    is_best: bool
    best: int | None
    average: float | None
    games: int
    rank: int | None = None
    players: int | None = None


@dataclass(frozen=True, slots=True)
class Costly:
    place: int
    number: int
    turn: int
    throw: int
    dice: tuple[ShownDie, ...]
    label: str
    points: str
    severity: Severity
    again: str
    review: str
    better: str = ""  # the best move, in words
    better_dice: tuple[ShownDie, ...] = ()


@dataclass(frozen=True)
class Account:
    rules: Ruleset
    score: int
    luck: float
    regret: float
    help_note: str = ""  # note on the coach's help, which replaces the grade

    @property
    def start(self) -> float:
        return self.score - self.luck + self.regret

    @property
    def grade(self) -> Grade:
        return find_grade(self.regret, self.rules)

    @property
    def accuracy(self) -> str:
        return phrases.format_accuracy(calculate_accuracy(self.regret, self.rules))

    @cached_property
    def equation(self) -> Equation:
        return Equation.from_game(self.score, self.luck, self.regret)

    @property
    def parts(self) -> tuple[tuple[str, str, str], ...]:
        """The terms of the equation in order, as (kind, name, number)."""
        printed = self.equation
        return (
            ("score", _("Score"), printed.total_words),
            ("start", _("Perfect play"), printed.start_words),
            ("luck", _("Luck"), printed.luck_words),
            ("mistakes", _("Mistakes"), printed.lost_words),
        )

    @cached_property
    def _ends(self) -> tuple[float, float]:
        places = (self.start, self.start + self.luck, float(self.score))
        half = max(max(places) - min(places), LIMITS["narrowest"]) * (0.5 + AIR)
        middle = (min(places) + max(places)) / 2
        return middle - half, middle + half

    def _scale_x(self, points: float) -> int:
        low, high = self._ends
        return round(WIDEST * (points - low) / (high - low))

    def _make_bar(self, start: float, other: float) -> Bar:
        left, right = sorted((self._scale_x(start), self._scale_x(other)))
        return Bar(left, right - left)

    @property
    def start_at(self) -> int:
        return self._scale_x(self.start)

    @property
    def score_at(self) -> int:
        return self._scale_x(self.score)

    @property
    def luck_bar(self) -> Bar:
        return self._make_bar(self.start, self.start + self.luck)

    @property
    def mistakes_bar(self) -> Bar:
        return self._make_bar(self.start + self.luck, self.score)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game. ``account`` has the parts of the score; it is None if a decision was not
    judged, or if costs are hidden. ``waiting`` is set if it needs missing tables."""

    moments: tuple[Event, ...]  # the rare events of the game
    account: Account | None
    worst: tuple[Costly, ...]
    headline: str = ""
    sentences: tuple[Event, ...] = ()
    turns: tuple[str, ...] = ()  # the severity of the worst decision of each turn
    way: str = "again"  # the next step that the page proposes
    own_games: OwnGames | None = None
    waiting: Waiting | None = None
    points_lost: str = ""
    player_grade: Grade = MIDDLE  # the player's grade before this game
    find: Costly | None = None  # a best move of the player that was hard to find
    skill: tuple[str, str] | None = None  # the skill estimate with this game, and without it
    games: int = FIRST_GAMES + 1  # the player's games with these rules, including this game

    @property
    def rest(self) -> tuple[Event, ...]:
        """The sentences to print. If the page draws the costliest turn, leave out its sentence."""
        return self.sentences[bool(self.worst) :]

    @property
    def is_first(self) -> bool:
        return self.games == 1

    @property
    def is_early(self) -> bool:
        """True in a beginner's first games, which end without a grade and squares."""
        return self.games <= FIRST_GAMES


def build_ending(
    game: Game,
    state: State,
    moves: Sequence[Move],
    *,
    best_of: int | None,
    grade: Grade,
    scores: Sequence[int] = (),
) -> Ending:
    """Return the end of a game. ``moves`` is empty if costs are hidden. If this game is the best
    one, ``best_of`` is the player's number of games. ``scores`` begins with the oldest. ``grade``
    is the player's grade before this game."""
    judged = [(move, move.entry) for move in moves if move.entry is not None]
    account = None
    if judged and len(judged) == len(moves):
        luck = sum(entry.luck for _move, entry in judged)
        points_lost = sum_mistakes(entry.regret for _move, entry in judged)
        account = Account(state.rules, state.total, luck, points_lost, format_help_note(game))
    costs = [
        (entry.regret, number, move)
        for number, (move, entry) in enumerate(judged if account else (), start=1)
        if entry.regret >= INACCURACY
    ]
    costs.sort(key=lambda row: (-row[0], row[1]))
    shown = costs[: int(LIMITS["costliest_shown"])]
    moments = []  # the rarest first
    if account is not None and account.grade == FLAWLESS and not account.help_note:
        moments.append(Event("flawless", _("Flawless: every move was the best move")))
    if best_of is not None:
        moments.append(Event("best", _("Best of your %(games)s games") % {"games": best_of}))
    for category, box in zip(state.rules.categories, state.boxes, strict=True):
        all_alike = category.pattern == "of_a_kind" and category.size == state.rules.dice
        if all_alike and box is not None and box.points:
            name = labels.find_category_name(category)
            more = state.chips // state.rules.joker.chip if state.rules.joker else 0
            says = say("and_more" if more else "all_alike", more, name=name, more=more)
            moments.append(Event("five", says, facts={"dice": box.dice}))
    if state.bonus:
        moments.append(Event("bonus", say("bonus", points=state.bonus)))
    end = Ending(
        moments=tuple(moments),
        account=account,
        worst=tuple(
            _describe_costly(game, place, number, move, regret)
            for place, (regret, number, move) in enumerate(shown, start=1)
        ),
        headline=" ".join(filter(None, (describe_target(game), format_help_note(game)))),
        own_games=story.make_games_chart(scores, state.total),
    )
    if account is None:
        return end
    equation, known = account.equation, read_perfect_scores(state.rules)
    is_flawless = any(moment.event == "flawless" for moment in end.moments)
    return replace(
        end,
        headline=end.headline
        or ("" if is_flawless else story.describe_score("headline", equation)),
        sentences=tuple(story.list_sentences(judged, equation, known, grade)),
        turns=tuple(story.list_turn_severities(judged, state.rules)),
        way=story.choose_way(judged, equation),
        points_lost=story.describe_score("points_lost", equation),
        player_grade=grade,
    )


def add_better_moves(end: Ending, game: Game, moves: Sequence[Move]) -> Ending:
    """Add the better moves to the costliest decision and to the sentences, and add a best move that
    was hard to find. Without tables, return ``end`` unchanged."""
    spoken = partial(_find_better_moves, end=end, game=game, moves=moves)
    return ask_advisor(game.rules, spoken) or end


def _find_better_moves(coach: Advisor, *, end: Ending, game: Game, moves: Sequence[Move]) -> Ending:
    """Return ``end`` with better moves, and with the hardest best move that the player made."""
    if end.worst:
        first, *others = end.worst
        state = moves[first.number - 1].state
        best = find_best_move(coach, state)
        slots = best.slots if not best.scores else range(len(state.dice))
        dice = tuple(ShownDie(face, slot in slots) for slot, face in enumerate(state.dice))
        end = replace(end, worst=(replace(first, better=best.label, better_dice=dice), *others))
    end = replace(
        end, sentences=tuple(_add_better_move(coach, each, moves) for each in end.sentences)
    )
    others_of_grade = read_peers(coach.rules).get(find_compared_grade(end.player_grade).id)
    if others_of_grade is None or format_help_note(game):
        return end
    costs = [
        (measure_hardness(coach.evaluate(entry.position), others_of_grade).lost, number, move)
        for number, move in enumerate(moves, start=1)
        if (entry := move.entry) and not entry.forced and not is_mistake(entry.regret)
    ]
    points_lost, number, move = max(costs, default=(0.0, 0, None), key=itemgetter(0))
    if not (move and points_lost):
        return end
    return replace(end, find=_describe_costly(game, 0, number, move, 0.0))


def _add_better_move(coach: Advisor, sentence: Event, moves: Sequence[Move]) -> Event:
    """Return the sentence; if it names a move as an example, add the move that was better."""
    if "example" not in sentence.facts:
        return sentence
    best = find_best_move(coach, moves[sentence.facts["example"] - 1].state)
    return sentence._replace(says=f"{sentence.says} {say('better', best=best.label)}")


def find_skill_change(game: Game) -> tuple[str, str] | None:
    """Return the skill estimates without and with this game. Return None if the game is the
    player's first, or does not count."""
    start = find_value_start(game.rules)
    if start is None or game.finished_at is None:
        return None
    now, before = (
        find_player_skill(game.player, game.rules, start, until=game.finished_at - earlier)
        for earlier in (timedelta(), timedelta.resolution)
    )
    if now is None or before is None or now.games == before.games:
        return None
    return phrases.format_skill(*now.numbers), phrases.format_skill(*before.numbers)


def _describe_costly(game: Game, place: int, number: int, move: Move, regret: float) -> Costly:
    state, action = move.state, move.action
    return Costly(
        place=place,
        number=number,
        turn=state.turn + 1,
        throw=state.throws_made,
        dice=tuple(mark_held_dice(state, action)),
        label=phrases.describe_move(state, action),
        points=phrases.format_deduction(regret),
        severity=find_severity(regret),
        again=f"{reverse('learn', args=[game.pk])}?step={number}",
        review=f"{reverse('review', args=[game.pk])}?step={number}",
    )
