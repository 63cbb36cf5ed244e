"""A duel read from the database: its players, their replayed games, and the state of the duel."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet, Sum
from django.utils.functional import cached_property

from game.core.game_dice import find_known_dice, hide_future_throws
from game.core.game_queries import Played, replay_games
from game.duels.duel_rounds import Course, DuelOutcome, DuelRounds, rank_seats
from game.models import Decision, Duel, DuelSeat, Game, Player
from solver.rules import Block, State, replay, replay_actions


def find_duel(token: str) -> Duel | None:
    return Duel.objects.select_related("rematch").filter(token=token).first()


def list_seats(duel: Duel) -> list[DuelSeat]:
    seats = DuelSeat.objects.filter(duel=duel).order_by("number")
    return list(seats.select_related("player__user", "game__player__user"))


@dataclass(frozen=True, slots=True)
class SeatLedger:
    """A player's luck and cost of mistakes so far in the duel; None if no decision was judged."""

    luck: float | None = None
    regret: float | None = None


@dataclass(frozen=True)
class Sitting:
    seat: DuelSeat
    played: Played | None  # None if the game was deleted
    course: Course

    @property
    def bot(self) -> str:
        return self.seat.player.bot if self.seat.player else ""

    def find_state_after(self, turns: int) -> State | None:
        """Return the state of the player's game after this number of turns, or the current state if
        it has fewer. Return None if the game was deleted."""
        if self.played is None:
            return None
        now, actions = self.played.state, self.played.actions
        if now.turn < turns or (now.turn == turns and not now.dice):
            return now
        rules, dice = self.played.game.rules, find_known_dice(self.played.game)
        count = sum(state.turn < turns for state, _action in replay_actions(rules, dice, actions))
        return replay(rules, dice, actions[:count])


@dataclass(frozen=True)
class DuelStanding:
    duel: Duel
    sittings: Sequence[Sitting]

    @cached_property
    def rounds(self) -> DuelRounds:
        return _build_rounds(self.duel, [sitting.course for sitting in self.sittings])

    @property
    def finished(self) -> bool:
        return self.duel.finished_at is not None

    @property
    def called_off(self) -> bool:
        return self.duel.withdrawn_at is not None

    @property
    def closed(self) -> bool:
        return self.finished or self.called_off

    def has_moves_left(self, place: int) -> bool:
        return not self.closed and not self.sittings[place].seat.exit

    def may_play(self, place: int) -> bool:
        return not self.closed and self.rounds.may_play(place)

    def find_place(self, player: Player | None) -> int | None:
        """Return the index of the player's seat, counted from 0, or None without a seat."""
        if player is None:
            return None
        for place, sitting in enumerate(self.sittings):
            if sitting.seat.player_id == player.pk:
                return place
        return None

    @property
    def forgotten(self) -> bool:
        """True if a player's card was deleted although the player did not leave the duel."""
        return any(sitting.played is None and not sitting.seat.exit for sitting in self.sittings)

    @cached_property
    def places(self) -> list[int | None]:
        """The final rank of each player; None before the end, and if a card is missing."""
        if not self.finished or self.forgotten:
            return [None] * len(self.sittings)
        totals = [sitting.played.state.total if sitting.played else 0 for sitting in self.sittings]
        return rank_seats(totals, [bool(sitting.seat.exit) for sitting in self.sittings])

    def find_outcome(self, place: int) -> DuelOutcome | None:
        """Return how the duel ended for a player; None while it runs, or if it was called off. A
        player who left has a result before the duel ends."""
        if self.called_off:
            return None
        gone, rank = self.sittings[place].seat.exit, self.places[place]
        if gone:
            return DuelOutcome.GIVEN_UP if gone == DuelSeat.Exit.GAVE_UP else DuelOutcome.LOST
        if rank != 1:
            return DuelOutcome.LOST if rank else None
        return DuelOutcome.TIED if self.places.count(1) > 1 else DuelOutcome.WON

    def count_visible_turns(self, viewer: int | None) -> int:
        return self.rounds.turns if self.finished else self.rounds.count_visible_turns(viewer)


def load_standing(duel: Duel) -> DuelStanding:
    """Read the state of the duel, in four queries for any number of players."""
    seats = list_seats(duel)
    courses = _list_courses(seats)
    rounds = _build_rounds(duel, courses)
    fallen = {seat.game_id: rounds.find_roll_limit(place) for place, seat in enumerate(seats)}

    def find_visible_dice(game: Game) -> Block:
        return hide_future_throws(
            fallen[game.pk] if duel.state == "running" else None, find_known_dice(game)
        )

    games = [seat.game for seat in seats if seat.game is not None]
    replayed = {played.game.pk: played for played in replay_games(games, find_visible_dice)}
    sittings = [
        Sitting(seat, replayed.get(seat.game_id or ""), course)
        for seat, course in zip(seats, courses, strict=True)
    ]
    return DuelStanding(duel, sittings)


def find_place_in_rounds(game: Game) -> tuple[DuelRounds, int] | None:
    """Return the rounds of the game's duel, and the index of the game's player; None if the duel is
    not running. Replay no game."""
    rows = DuelSeat.objects.filter(duel__seats__game=game).order_by("number")
    seats = list(rows.select_related("duel", "player"))
    if not seats or seats[0].duel.state != "running":
        return None
    place = next(place for place, seat in enumerate(seats) if seat.game_id == game.pk)
    return _build_rounds(seats[0].duel, _list_courses(seats)), place


def _build_rounds(duel: Duel, courses: Sequence[Course]) -> DuelRounds:
    assert duel.started_at is not None  # noqa: S101
    return DuelRounds(
        courses,
        duel.started_at,
        len(duel.rules.categories),
        bank=timedelta(minutes=duel.minutes) if duel.minutes else None,
        lockstep=duel.lockstep,
        patience=timedelta(days=duel.days),
    )


def _list_courses(seats: Sequence[DuelSeat]) -> list[Course]:
    """Return each seat's progress: the times of its boxes and holds."""
    keys = [seat.game_id for seat in seats if seat.game_id]
    rows = Decision.objects.filter(game__in=keys).order_by("game", "seq")
    filled: dict[str, list[datetime]] = {key: [] for key in keys}
    held: dict[str, list[list[datetime]]] = {key: [] for key in keys}
    for key, turn, category, moment in rows.values_list("game", "turn", "category", "created_at"):
        if category:
            filled[key].append(moment)
        elif turn < len(held[key]):
            held[key][turn].append(moment)
        else:
            held[key].append([moment])
    return [
        Course(
            tuple(filled.get(seat.game_id or "", ())),
            seat.duel.started_at
            if seat.left_at is None and seat.player_id is None
            else seat.left_at,
            seat.player is not None and seat.player.bot != "",
            tuple(map(tuple, held.get(seat.game_id or "", ()))),
        )
        for seat in seats
    ]


def list_ledgers(shown: DuelStanding) -> list[SeatLedger]:
    keys = [sitting.seat.game_id for sitting in shown.sittings]
    rows = Decision.objects.filter(game__in=[key for key in keys if key]).order_by()
    sums = {
        row["game"]: SeatLedger(row["luck_sum"], row["regret_sum"])
        for row in rows.values("game").annotate(luck_sum=Sum("luck"), regret_sum=Sum("regret"))
    }
    return [sums.get(key or "", SeatLedger()) for key in keys]


def list_turn_regrets(shown: DuelStanding) -> list[dict[int, float]]:
    """Return, for each player, the cost of the judged mistakes in each turn."""
    keys = [sitting.seat.game_id for sitting in shown.sittings]
    regrets: dict[str, dict[int, float]] = {}
    rows = Decision.objects.filter(game__in=[key for key in keys if key], regret__isnull=False)
    for row in rows.order_by().values("game", "turn").annotate(cost=Sum("regret")):
        regrets.setdefault(row["game"], {})[row["turn"]] = row["cost"]
    return [regrets.get(key or "", {}) for key in keys]


SHOWN = 20
FRESH = timedelta(days=1)  # the owner of an older challenge has probably left the site


@dataclass(frozen=True, slots=True)
class Challenge:
    """A duel in a list, with the players who have a seat and the number of free seats."""

    duel: Duel
    players: Sequence[Player]
    free: int

    @property
    def people(self) -> int:
        """The number of people in the duel, including those who have not joined yet."""
        return self.free + sum(not player.bot for player in self.players)


def open_challenges(player: Player | None, now: datetime) -> list[Challenge]:
    duels = Duel.objects.filter(
        listed=True, started_at=None, withdrawn_at=None, created_at__gt=now - FRESH
    )
    if player is not None:
        duels = duels.exclude(seats__player=player)
    return _list_with_seats(duels)


def list_own_duels(player: Player | None) -> list[Challenge]:
    """Return the player's duels: waiting and running ones before the latest finished ones."""
    if player is None:
        return []
    mine = Duel.objects.filter(seats__player=player, withdrawn_at=None)
    return [
        *_list_with_seats(mine.filter(finished_at=None)),
        *_list_with_seats(mine.exclude(finished_at=None)),
    ]


def _list_with_seats(listed: QuerySet[Duel]) -> list[Challenge]:
    """Return up to ``SHOWN`` duels, the newest first, with their players."""
    duels = list(listed.order_by("-created_at")[:SHOWN])
    seats: dict[int, list[DuelSeat]] = {duel.pk: [] for duel in duels}
    rows = DuelSeat.objects.filter(duel__in=duels).order_by("number").select_related("player__user")
    for seat in rows:
        seats[seat.duel_id].append(seat)
    return [
        Challenge(
            duel,
            [seat.player for seat in seats[duel.pk] if seat.player],
            sum(seat.player is None for seat in seats[duel.pk]),
        )
        for duel in duels
    ]
