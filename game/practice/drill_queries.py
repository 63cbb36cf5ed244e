"""Queries of the drill: positions to repeat, answers, sessions, and saved lists."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median
from typing import NamedTuple

from django.db.models import Avg, Count, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest, TruncDate
from django.db.models.lookups import IsNull
from django.utils import timezone

from game.core.accounts import find_player_key
from game.core.game_dice import list_shown_dice
from game.core.game_queries import query_compared_games
from game.core.kind import list_modes
from game.core.worth.repetition import LEARNT, NO_CREDIT
from game.core.worth.severity import INACCURACY
from game.models import Decision, DrillAttempt, DrillCard, Game, Player, PositionList
from game.models.drill import POSITION, make_position_fields
from game.practice import drill_pool, drill_winning_pool
from game.practice.drill_pool import Exercise
from solver.advice import Position, find_position
from solver.dp.space import TIE
from solver.rules import Ruleset, State, replay

PAUSE = timedelta(minutes=30)  # a longer pause between two answers ends the session
# A right answer is slow if it took SLOW times the median time, and at least AT_LEAST ms.
SLOW, AT_LEAST = 2, 10_000  # milliseconds
TIMED = 5  # least number of timed answers for a median


class SessionAnswer(NamedTuple):
    """An answer in a drill session. ``key`` and ``card`` are primary keys."""

    key: int
    card: int
    regret: float
    at: datetime
    took: int | None = None  # milliseconds, measured by the browser


def list_session_answers(
    answers: Sequence[SessionAnswer], now: datetime
) -> Sequence[SessionAnswer]:
    """Return the answers after the last long pause. ``answers`` begins with the latest answer."""
    later = [now, *(answer.at for answer in answers)]
    pairs = enumerate(zip(later, answers, strict=False))
    return answers[
        : next((n for n, (after, earlier) in pairs if after - earlier.at >= PAUSE), len(answers))
    ]


def list_to_repeat(answers: Sequence[SessionAnswer]) -> list[int]:
    """Return the keys of the answers to repeat: wrong answers, the costliest first, then slow
    answers, the slowest first. Each position occurs once."""
    wrong = [mistake for mistake in answers if mistake.regret > TIE]
    wrong.sort(key=lambda mistake: (-mistake.regret, mistake.key))
    timed = sorted(
        (answer.took, answer.key, answer) for answer in answers if answer.took is not None
    )
    slow = []
    if len(timed) >= TIMED:
        limit = max(AT_LEAST, SLOW * median(took for took, _key, _answer in timed))
        slow = [a for took, _key, a in reversed(timed) if took >= limit and a.regret <= TIE]
    first: dict[int, int] = {}
    for answer in wrong + slow:
        first.setdefault(answer.card, answer.key)
    return list(first.values())


# Positions of the same turn and roll are equal if the values of their best options agree to SAME
SAME = 6
RECENT = 300  # attempts in the chart
DAYS = 14  # days in the table
FIRST_ATTEMPTS = 40  # answers that decide the level


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the drill. ``card`` is None until the first attempt makes a card."""

    position: Position
    card: DrillCard | None = None
    decision: Decision | None = None
    exercise: Exercise | None = None
    number: int = 0  # number of earlier attempts at this position
    ahead: bool = False  # true if the drill repeats the position early, because none is due
    needed: int = 0  # points needed to win; 0 in other positions

    @property
    def rules(self) -> Ruleset:
        return self.position.rules

    @property
    def key(self) -> str:
        """The question's key, which the page sends back together with the answer."""
        if self.card:
            return f"card-{self.card.pk}"
        return (
            f"decision-{self.decision.pk}"
            if self.decision
            else f"pool-{drill_pool.make_key(self.position, self.needed)}"
        )


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    positions: int
    right: int
    lost: float  # points lost per position
    credit: float  # the mean credit, between 0 and 1


@dataclass(frozen=True, slots=True)
class Progress:
    due: int
    mistakes: int  # number of mistakes in the player's own games that the drill has not shown yet
    cards: int
    learnt: int
    regrets: Sequence[float]  # costs of the latest attempts, the oldest first
    days: Sequence[Day]  # days with attempts, the latest first
    missed: int  # number of positions in this session that the drill can repeat


def find_next_question(
    player: Player | None, rules: Ruleset, mistakes: Sequence[int], *, to_win: bool = False
) -> Question:
    """Return the next question: a due card, else a new mistake, else a position of the pool, else
    the card that is due next. The theme "to win" has no mistakes: solo games have no target."""
    now = timezone.now()
    cards = _query_cards(player).filter(_make_theme_filter(to_win), ruleset=rules.id)
    due = cards.filter(due__lte=now).order_by(IsNull(F("decision"), True), "due", "pk").first()
    if due:
        return _make_card_question(due, now)
    if mistakes and not to_win:
        return _make_question(_query_mistakes(player).get(pk=mistakes[0]))
    met = list_met_keys(player, rules)
    tries = _query_attempts(player, rules, to_win=to_win).filter(card__decision=None, number=0)
    regrets = tries.order_by("-created_at", "-pk").values_list("regret", flat=True)
    level = drill_pool.find_player_level(list(regrets[:FIRST_ATTEMPTS])[::-1])
    load = drill_winning_pool.load_exercises if to_win else drill_pool.load_exercises
    new = [exercise for name, exercise in load(rules).items() if name not in met]
    exercise = min(new, key=lambda exercise: abs(exercise.level - level), default=None)
    if exercise:
        return Question(exercise.position, exercise=exercise, needed=exercise.needed)
    return _make_card_question(cards.order_by("due", "pk")[0], now)


def find_next_among(
    player: Player | None, rules: Ruleset, mistakes: Sequence[int], among: Collection[int]
) -> Question | None:
    """Return the next question about one of these decisions, or None if there is none."""
    now = timezone.now()
    cards = _query_cards(player).filter(
        _make_theme_filter(False), ruleset=rules.id, decision__in=among
    )
    soonest = cards.order_by("due", "pk").first()
    if soonest and soonest.due <= now:
        return _make_card_question(soonest, now)
    new = next((pk for pk in mistakes if pk in among), None)
    if new is not None:
        return _make_question(_query_mistakes(player).get(pk=new))
    return _make_card_question(soonest, now) if soonest else None


def find_question(player: Player | None, key: str) -> Question | None:
    """Return the question with this key, or None if no page can have shown it to this player."""
    kind, _, name = key.partition("-")
    if kind == "pool":
        exercise = drill_pool.find_exercise(name) or drill_winning_pool.find_exercise(name)
        if exercise is None:
            return None
        return Question(exercise.position, exercise=exercise, needed=exercise.needed)
    if not name.isdecimal() or len(name) > 15:
        return None
    if kind == "card":
        card = _query_cards(player).filter(pk=name).first()
        return _make_card_question(card, timezone.now()) if card else None
    if kind != "decision":
        return None
    mistake = _query_mistakes(player).filter(pk=name).first()
    return _make_question(mistake) if mistake else None


def find_attempt(player: Player | None, attempt_id: int) -> tuple[DrillAttempt, bool] | None:
    """Return the player's attempt, and whether the player has a ranked game in progress. Return
    None if the attempt belongs to another player."""
    if player is None:
        return None
    attempts = DrillAttempt.objects.filter(pk=attempt_id, card__player=player)
    compared = Exists(query_compared_games().filter(player=OuterRef("card__player")))
    attempt = attempts.select_related("card__decision__game").annotate(compared=compared).first()
    return (attempt, attempt.compared) if attempt else None


def list_mistake_keys(player: Player | None, rules: Ruleset) -> list[int]:
    """Return the keys of the player's mistakes without a drill card, the costliest first. A card of
    the same position in another game, such as a rematch, also counts. Two positions are the same if
    turn, roll and the value of the best option are equal."""
    cards = DrillCard.objects.filter(
        player=find_player_key(player), ruleset=rules.id, decision__isnull=False
    )
    place = ("decision__turn", "decision__roll", "decision__best")
    drilled = {_make_place(*values) for values in cards.values_list(*place)}
    mistakes = _query_mistakes(player).filter(game__ruleset=rules.id).order_by("-regret", "pk")
    rows = mistakes.values_list("pk", "turn", "roll", "best")
    return [pk for pk, turn, roll, best in rows if _make_place(turn, roll, best) not in drilled]


def _make_place(turn: int, roll: int, best: float | None) -> tuple[int, int, float]:
    return turn, roll, round(best or 0.0, SAME)


def rebuild_state(decision: Decision) -> State:
    """Return the state before this decision, by replaying its game."""
    game = decision.game
    before = game.decisions.filter(seq__lt=decision.seq).order_by("seq")
    return replay(game.rules, list_shown_dice(game), (step.action for step in before))


def find_mistake_question(player: Player, game: Game, number: int) -> Question | None:
    """Return the question about the decision with this number in the review; None if it is no
    mistake."""
    made = game.decisions.filter(roll__gt=0).order_by("seq").values_list("pk", flat=True)
    mistakes = _query_mistakes(player).filter(pk__in=made[number - 1 : number])
    mistake = mistakes.first()
    if mistake is None:
        return None
    question = _make_question(mistake)
    card = _query_cards(player).filter(**make_position_fields(question.position)).first()
    return _make_card_question(card, timezone.now()) if card else question


def map_first_tries(player: Player | None, game: Game) -> dict[tuple[int, int], float]:
    """Map the (turn, roll) of each drilled mistake to the points that the first attempt lost."""
    if player is None:
        return {}
    tries = DrillAttempt.objects.filter(
        card__player=player, card__decision__game=game, created_at__gte=game.finished_at
    )
    rows = tries.order_by("-number").values_list(
        "card__decision__turn", "card__decision__roll", "regret"
    )
    return {(turn + 1, roll): regret for turn, roll, regret in rows}


def list_met_keys(player: Player | None, rules: Ruleset) -> set[str]:
    """Return the keys of the pool's positions that the drill has shown this player."""
    known = DrillCard.objects.filter(player=find_player_key(player), ruleset=rules.id)
    return {drill_pool.format_key(*values) for values in known.values_list(*POSITION)}


def measure_progress(
    player: Player | None, rules: Ruleset, mistakes: Sequence[int], *, to_win: bool = False
) -> Progress:
    """Return the player's progress in the drill, or in the theme "to win"."""
    theme = _make_theme_filter(to_win)
    cards = DrillCard.objects.filter(
        theme, player=find_player_key(player), ruleset=rules.id
    ).aggregate(
        cards=Count("pk"),
        due=Count("pk", filter=Q(due__lte=timezone.now())),
        learnt=Count("pk", filter=Q(interval__gte=LEARNT)),
    )
    attempts = _query_attempts(player, rules, to_win=to_win)
    latest = list_latest_answers(player, rules, to_win=to_win)
    credit = Greatest(Value(0.0), Value(1.0) - F("regret") / Value(NO_CREDIT))
    sums = (
        attempts.annotate(day=TruncDate("created_at"))
        .values("day")
        .annotate(
            positions=Count("pk"),
            right=Count("pk", filter=Q(regret__lte=TIE)),
            lost=Avg("regret"),
            credit=Avg(credit),
        )
        .order_by("-day")[:DAYS]
    )
    return Progress(
        **cards,
        mistakes=0 if to_win else len(mistakes),
        regrets=[answer.regret for answer in latest[::-1]],
        days=[Day(**facts) for facts in sums],
        missed=len(list_to_repeat(list_session_answers(latest, timezone.now()))),
    )


def list_latest_answers(
    player: Player | None, rules: Ruleset, *, to_win: bool
) -> list[SessionAnswer]:
    """Return up to RECENT answers, the latest first."""
    made = _query_attempts(player, rules, to_win=to_win).order_by("-created_at", "-pk")
    return [
        SessionAnswer(*row)
        for row in made.values_list("pk", "card", "regret", "created_at", "took")[:RECENT]
    ]


def _query_attempts(
    player: Player | None, rules: Ruleset, *, to_win: bool
) -> QuerySet[DrillAttempt]:
    theme = _make_theme_filter(to_win, "card__")
    return DrillAttempt.objects.filter(
        theme, card__player=find_player_key(player), card__ruleset=rules.id
    )


def _make_theme_filter(to_win: bool, path: str = "") -> Q:
    """Return a query filter for cards of the theme "to win", or for all other cards."""
    return Q(**{f"{path}needed__gt": 0}) if to_win else Q(**{f"{path}needed": 0})


def _query_cards(player: Player | None) -> QuerySet[DrillCard]:
    """Return the player's cards, each with its number of attempts (``tried``)."""
    cards = DrillCard.objects.filter(player=find_player_key(player)).select_related(
        "decision__game"
    )
    return cards.annotate(tried=Count("attempts"))


def _make_card_question(card: DrillCard, now: datetime) -> Question:
    return Question(
        card.position,
        card=card,
        decision=card.decision,
        exercise=drill_pool.find_exercise(drill_pool.make_key(card.position)),
        needed=card.needed,
        number=card.tried,  # type: ignore[attr-defined]
        ahead=card.due > now,
    )


def _query_mistakes(player: Player | None) -> QuerySet[Decision]:
    """Return the player's mistakes in finished games, except trials and shared-device games."""
    decisions = Decision.objects.select_related("game").filter(
        game__player=find_player_key(player),
        game__finished_at__isnull=False,
        regret__gte=INACCURACY,
    )
    return decisions.filter(
        game__mode__in=list_modes(lambda kind: kind.personal and not kind.measured)
    )


def _make_question(decision: Decision) -> Question:
    position = find_position(rebuild_state(decision))
    return Question(position, decision=decision)


def find_list(token: str) -> PositionList | None:
    return PositionList.objects.filter(token=token).select_related("player").first()
