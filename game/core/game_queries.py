"""Queries that read games, their decisions and their rankings."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Avg, Count, Max, Q, QuerySet

from game.core.counting import filter_counted, filter_helped, filter_other_dice, is_counted
from game.core.fair import days
from game.core.game_dice import build_table_block, list_shown_dice
from game.core.kind import find_kind, list_modes, load_kinds
from game.core.prepared import Prepared
from game.core.words.speech import LIMITS
from game.models import Decision, Game, Player, Throw
from solver.advice import Entry, Position, find_position
from solver.rules import (
    Action,
    Block,
    Category,
    Hold,
    IllegalAction,
    Ruleset,
    Score,
    State,
    play,
    start_state,
)

FIRST_GAMES = int(LIMITS["first_games"])  # a player is a beginner in this number of first games
OPEN = Q(finished_at__isnull=True, abandoned_at__isnull=True)


@dataclass(frozen=True, slots=True)
class Thrown:
    dice: tuple[int, ...]
    kept: tuple[int, ...]  # slots of the held dice


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the games that count (see ``counting``), and how many other games there are."""

    played: int
    average: float | None
    best: int | None
    with_bonus: int
    helped: int  # games with the coach's help
    helped_average: float | None
    other_dice: int  # games on dice that the server did not roll
    other_dice_average: float | None

    @property
    def bonus_share(self) -> int:
        """The share of games with the bonus, in whole per cent."""
        return round(100 * self.with_bonus / self.played) if self.played else 0


@dataclass(frozen=True, slots=True)
class Rank:
    place: int
    players: int
    worse: int = 0  # the number of players with fewer points
    guests: bool = False  # true if the rank is among guests and new accounts


def list_related() -> list[str]:
    return [
        "player",
        "player__user",
        *(name for kind in load_kinds().values() for name in kind.related),
    ]


def query_games() -> QuerySet[Game]:
    return Game.objects.select_related(*list_related())


GAME = Prepared(lambda pk: Game.objects.filter(pk=pk), values=1, related=list_related)
WATCHED = Prepared(
    lambda token: Game.objects.filter(share_token=token), values=1, related=list_related
)
# The database can use the partial index only if the query excludes the empty ticket.
BEGUN = Prepared(lambda nonce: Game.objects.exclude(nonce="").filter(nonce=nonce), values=1)
LOCKED = Prepared(
    lambda pk: Game.objects.filter(pk=pk).select_for_update(of=("self",)),
    values=1,
    related=list_related,
)


game_find, game_watched = GAME.first, WATCHED.first
game_begun = BEGUN.first  # finds the game that began with this ticket
game_find_locked = LOCKED.first  # locks the game until the end of the transaction


class DecisionRow(NamedTuple):
    """A stored decision. ``regret`` and the values from which it was calculated are None if the
    decision was not judged."""

    game_id: str
    seq: int
    turn: int
    roll: int
    hold: int | None
    category: str
    milliseconds: int
    client_milliseconds: int | None
    created_at: datetime
    best: float | None
    value: float | None
    regret: float | None
    luck: float | None
    forced: bool

    @property
    def action(self) -> Action:
        return Score(self.category) if self.hold is None else Hold(self.hold)

    def entry(self, state: State) -> Entry | None:
        luck, best, value = self.luck, self.best, self.value
        if luck is None or best is None or value is None:
            return None
        position = find_position(state)
        return Entry(state.turn, position, self.action, luck, best, value, self.forced)


# Only the last decision's time is converted, because the conversion is slow.
DECISIONS = Prepared(
    lambda game: (
        Decision.objects.filter(game=game).order_by("seq").values_list(*DecisionRow._fields)
    ),
    values=1,
    of_last=DecisionRow._fields.index("created_at"),
)
LATER = Prepared(
    lambda game, seq: Decision.objects.filter(game=game, seq__gte=seq).values_list("seq"), values=2
)


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A decision and the state before it. ``worth`` is its cost and values; None if not judged."""

    state: State
    action: Action
    worth: DecisionRow | Entry | None

    @property
    def entry(self) -> Entry | None:
        if isinstance(self.worth, DecisionRow):
            return self.worth.entry(self.state)
        return self.worth

    def __eq__(self, other: object) -> bool:
        """Return whether both moves have the same state, action and judgement."""
        if not isinstance(other, Move):
            return NotImplemented
        mine, theirs = (self.state, self.action), (other.state, other.action)
        return mine == theirs and self.entry == other.entry

    def __hash__(self) -> int:
        return hash((self.state, self.action))


@dataclass(frozen=True, slots=True)
class Played:
    """A game in its current state, after its decisions were replayed with its dice.

    ``moves`` are the decisions between several options, without the first rolls of turns, numbered
    as in a review. ``entries`` is the number of rolls of real dice that the player typed, including
    corrections. ``thrown`` has the earlier rolls of the current turn. ``lost`` is the sum of the
    costs of all decisions, or None if a decision was not judged. ``dice`` are the shown dice with
    which the decisions were replayed, as block[turn][roll][slot].
    """

    game: Game
    actions: tuple[Action, ...]
    state: State
    last_at: datetime
    moves: tuple[Move, ...] = ()
    entries: int = 0
    thrown: tuple[Thrown, ...] = ()
    lost: float | None = 0.0
    dice: Block = field(default=(), compare=False, repr=False)

    @property
    def last(self) -> Move | None:
        return self.moves[-1] if self.moves else None


def replay_game(game: Game) -> Played:
    made = [DecisionRow(*row) for row in DECISIONS.rows(game.pk)]
    entered = game.throws.order_by("seq", "number") if game.real_dice else ()
    return _build_played(game, made, list(entered))


def replay_games(
    games: Sequence[Game], dice: Callable[[Game], Block] = list_shown_dice
) -> Iterator[Played]:
    """Replay and yield each game. This takes two queries, plus the queries of ``dice``."""
    made, entered = group_decisions(games), group_throws(games)
    for game in games:
        yield _build_played(game, made[game.pk], entered[game.pk], dice)


def group_decisions(
    games: Sequence[Game], until: datetime | None = None
) -> dict[str, list[DecisionRow]]:
    """Return the decisions of each game in order. Leave out decisions stored after ``until``."""
    decisions = Decision.objects.filter(game__in=[game.pk for game in games])
    if until is not None:
        decisions = decisions.filter(created_at__lte=until)
    rows = defaultdict[str, list[DecisionRow]](list)
    for row in decisions.order_by("game", "seq").values_list(*DecisionRow._fields):
        rows[row[0]].append(DecisionRow(*row))
    return rows


def group_throws(games: Sequence[Game], until: datetime | None = None) -> dict[str, list[Throw]]:
    entered = defaultdict[str, list[Throw]](list)
    if real := [game.pk for game in games if game.real_dice]:
        throws = Throw.objects.filter(game__in=real)
        if until is not None:
            throws = throws.filter(created_at__lte=until)
        for throw in throws.order_by("game", "seq", "number"):
            entered[throw.game_id].append(throw)
    return entered


def find_block(
    game: Game,
    made: Sequence[DecisionRow],
    entered: Sequence[Throw],
    dice: Callable[[Game], Block] = list_shown_dice,
) -> Block:
    """Return the dice of a game. Take real dice from ``entered``, so that they need no query."""
    if not game.real_dice:
        return dice(game)
    held = ((step.seq, step.turn, step.roll) for step in made if step.hold is not None)
    return build_table_block(game.rules, held, entered)


def _build_played(
    game: Game,
    made: Sequence[DecisionRow],
    entered: Sequence[Throw],
    dice: Callable[[Game], Block] = list_shown_dice,
) -> Played:
    """Replay the decisions ``made`` with the dice of the game; ``entered`` are typed rolls."""
    block = find_block(game, made, entered, dice)
    moments = [*(step.created_at for step in made[-1:]), *(throw.created_at for throw in entered)]
    last_at = max(moments, default=game.started_at)
    actions = tuple([step.action for step in made])
    state, moves, thrown = start_state(game.rules), list[Move](), tuple[Thrown, ...]()
    for step, action in zip(made, actions, strict=True):
        thrown = add_throw(thrown, state, action)
        if state.dice:
            moves.append(Move(state, action, step))
        state = play(state, action, block)
    loss = sum_regrets([step.regret for step in made if step.roll])
    return Played(game, actions, state, last_at, tuple(moves), len(entered), thrown, loss, block)


def add_throw(thrown: tuple[Thrown, ...], state: State, action: Action) -> tuple[Thrown, ...]:
    """Return the turn's earlier rolls as they are after this action: ``thrown`` plus the roll of
    ``state``. Return an empty result if the action fills a box, because a new turn begins."""
    if isinstance(action, Score):
        return ()
    return (*thrown, Thrown(state.dice, action.places)) if state.dice else thrown


def sum_regrets(regrets: Iterable[float | None]) -> float | None:
    judged = list(regrets)
    return None if None in judged else sum(filter(None, judged))


def find_open_solo(player: Player | None) -> Game | None:
    if player is None:
        return None
    return (
        query_games()
        .filter(OPEN, player=player, mode=Game.Mode.SOLO)
        .order_by("-started_at")
        .first()
    )


def is_first(game: Game) -> bool:
    return not Game.objects.filter(player=game.player_id).exclude(pk=game.pk).exists()


def count_earlier_games(game: Game) -> int:
    """Count the games that the player had finished when this game began. Stop counting at three."""
    return _count_finished_before(game.pk, game.player_id, game.started_at)


@lru_cache(maxsize=5000)
def _count_finished_before(_game: str, player: int, moment: datetime) -> int:
    earlier = Game.objects.filter(player=player, finished_at__lt=moment)
    return earlier[:FIRST_GAMES].count()


def find_player_daily(player: Player | None, day: date, rules: Ruleset) -> Game | None:
    if player is None:
        return None
    return _find_daily_games(day, rules).filter(player=player).first()


def _find_daily_games(day: date, rules: Ruleset) -> QuerySet[Game]:
    return query_games().filter(mode=Game.Mode.DAILY, day=day, ruleset=rules.id)


def calculate_statistics(player: Player, rules: Ruleset) -> Statistics:
    """Return a player's statistics under these rules; averages are None without games."""
    sums = Game.objects.filter(player=player, ruleset=rules.id).aggregate(
        played=Count("pk", filter=filter_counted()),
        average=Avg("final_score", filter=filter_counted()),
        best=Max("final_score", filter=filter_counted()),
        with_bonus=Count("pk", filter=filter_counted() & Q(bonus__gt=0)),
        helped=Count("pk", filter=filter_helped()),
        helped_average=Avg("final_score", filter=filter_helped()),
        other_dice=Count("pk", filter=filter_other_dice()),
        other_dice_average=Avg("final_score", filter=filter_other_dice()),
    )
    return Statistics(**sums)


def list_scores(player: Player, rules: Ruleset) -> list[int]:
    games = Game.objects.filter(filter_counted(), player=player, ruleset=rules.id).order_by(
        "finished_at"
    )
    return [score for score in games.values_list("final_score", flat=True) if score is not None]


def query_ranked_daily(day: date, rules: Ruleset) -> QuerySet[Game]:
    """Return the day's finished games. Leave out players who may have known the dice."""
    in_time = {"finished_at__lt": days.find_closing_time(day), "unranked": False}
    return _find_daily_games(day, rules).filter(filter_counted(), **in_time)


def has_rank(game: Game) -> bool:
    if not (find_kind(game).ranked and is_counted(game) and game.day and game.finished_at):
        return False
    return not game.unranked and game.finished_at < days.find_closing_time(game.day)


def find_daily_rank(game: Game) -> Rank | None:
    """Return the game's rank among accounts, or among guests; None if the game has no rank."""
    if game.day is None or not has_rank(game):
        return None
    ranked = query_ranked_daily(game.day, game.rules).filter(among_guests=game.among_guests)
    counts = ranked.aggregate(
        players=Count("pk"),
        better=Count("pk", filter=Q(final_score__gt=game.final_score)),
        worse=Count("pk", filter=Q(final_score__lt=game.final_score)),
    )
    return Rank(counts["better"] + 1, counts["players"], counts["worse"], game.among_guests)


AT_ONCE = 100  # games per query


def find_broken_games() -> Iterator[str]:
    """Yield the keys of games whose replay fails, or gives another score than the stored one."""
    keys = list(Game.objects.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(keys), AT_ONCE):
        for game in query_games().filter(pk__in=keys[first : first + AT_ONCE]):
            try:
                (played,) = replay_games([game])
            except (IllegalAction, ValueError, LookupError):
                yield game.pk
                continue
            state = played.state
            ended_as_stored = state.finished and state.total == game.final_score
            if state.finished if game.finished_at is None else not ended_as_stored:
                yield game.pk


def find_game_on_dice(player: Player | None, game: Game) -> Game | None:
    """Return the player's first game with the same dice and ruleset as this game."""
    if player is None:
        return None
    same = Game.objects.filter(player=player, seed=game.seed, ruleset=game.ruleset)
    return same.order_by("started_at").first()


class SamePosition(NamedTuple):
    """A key for positions. Two positions have the same key if the same advice helps in both, even
    if their rulesets differ in bonus, jokers or chips. All totals above the bonus threshold count
    as one."""

    boxes: tuple[Category, ...]
    filled: int
    upper: int
    dice: tuple[int, ...]
    throws_left: int


def normalise_position(position: Position) -> SamePosition:
    rules = position.rules
    upper, dice = min(position.upper, rules.bonus_threshold), tuple(sorted(position.dice))
    return SamePosition(rules.categories, position.filled, upper, dice, position.throws_left)


def query_compared_games() -> QuerySet[Game]:
    """Return running games, also of past days, in which players are ranked on the same dice."""
    compared = list_modes(lambda kind: kind.compared)
    return Game.objects.filter(OPEN, mode__in=compared, unranked=False)


def find_contested_positions(player: Player | None) -> set[SamePosition]:
    if player is None:
        return set()
    compared = query_compared_games().filter(player=player).select_related(*list_related())
    running = [game for game in compared if find_kind(game).dice_withheld]
    states = (played.state for played in replay_games(running))
    return {normalise_position(find_position(state)) for state in states if state.deciding}
