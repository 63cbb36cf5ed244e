"""Who stays away can be gone on without, a duel hardly begun can be called off, and all end."""

from contextlib import suppress
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game import services
from game.fair.blocks import block
from game.kind import kind_of
from game.models import Decision, Duel, DuelSeat, Game, Player
from game.selectors.games import game_played
from game.services import NotAtTheTable, Refused
from solver.rules import Hold, Score, legal_actions, replay
from tests.game.duels import (
    card_of,
    decide,
    fresh,
    new_duel,
    play_bots,
    play_turn,
    seat_of,
    stands,
    throw,
)
from tests.game.test_concurrency import at_once
from tests.known import known
from tests.selection import examples

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]
SECOND = timedelta(seconds=1)


@pytest.fixture
def anna() -> Player:
    return services.player_create()


@pytest.fixture
def bert() -> Player:
    return services.player_create()


@pytest.fixture
def carl() -> Player:
    return services.player_create()


def last_move(duel: Duel) -> datetime:
    row = Decision.objects.filter(game__seat__duel=duel).latest("created_at")
    return row.created_at


def claim(duel: Duel, player: Player, now: datetime) -> Duel:
    return services.duel_claim(token=duel.token, player=player, now=now)


def call_off(duel: Duel, player: Player) -> Duel:
    return services.duel_call_off(token=duel.token, player=player)


@pytest.mark.parametrize("days", [1, 3, 7])
def test_who_waited_for_days_claims_the_win(anna: Player, bert: Player, days: int) -> None:
    duel = new_duel([anna, bert], days=days)
    play_turn(duel, anna)
    due = known(duel.started_at) + timedelta(days=days)
    with pytest.raises(Refused, match="Nobody"):
        claim(duel, anna, due - SECOND)
    assert not services.duel_settle(token=duel.token, now=due + timedelta(days=99))  # not by itself
    claim(duel, anna, due)
    assert fresh(duel).state == "finished"
    assert seat_of(duel, bert).exit == DuelSeat.Exit.TIME
    assert [stands(duel).outcome(place) for place in (0, 1)] == ["won", "lost"]
    claim(duel, anna, due)  # sent twice


def test_every_move_has_its_own_days(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    play_turn(duel, anna)
    throw(duel, bert)
    moved = last_move(duel)
    with pytest.raises(Refused):
        claim(duel, anna, known(duel.started_at) + timedelta(days=3))
    claim(duel, anna, moved + timedelta(days=3))
    assert fresh(duel).state == "finished"


def test_the_days_of_a_throw_run_from_when_it_fell(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    throw(duel, anna)
    throw(duel, bert)
    throw(duel, bert)
    moved = last_move(duel)
    throw(duel, bert)
    with pytest.raises(Refused):
        claim(duel, bert, moved + timedelta(days=3) - SECOND / 1000)
    claim(duel, bert, moved + timedelta(days=3))


def test_who_is_waited_for_as_well_must_move_first(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    late = known(duel.started_at) + timedelta(days=4)
    with pytest.raises(Refused, match="your own move"):
        claim(duel, anna, late)
    play_turn(duel, anna)
    with pytest.raises(Refused, match="your own move"):
        claim(duel, bert, late)
    claim(duel, anna, late)
    assert stands(duel).outcome(0) == "won"


def test_one_who_stays_away_is_out_and_the_others_go_on(
    anna: Player, bert: Player, carl: Player
) -> None:
    duel = new_duel([anna, bert, carl])
    for player in (anna, bert):
        throw(duel, player)
        throw(duel, player, 1)
    late = known(duel.started_at) + timedelta(days=3)
    claim(duel, bert, late)
    assert fresh(duel).state == "running"
    assert seat_of(duel, carl).exit == DuelSeat.Exit.TIME
    assert not game_played(card_of(duel, anna)).state.waiting
    with pytest.raises(Refused):
        throw(duel, carl)
    claim(duel, carl, late)
    assert DuelSeat.objects.filter(duel=duel, exit="").count() == 2
    throw(duel, anna, 1)


def test_a_program_that_has_stopped_holds_nobody_up_for_ever(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"], minutes=3)
    play_turn(duel, anna)
    with pytest.raises(Refused):
        claim(duel, anna, last_move(duel) + timedelta(days=2))
    claim(duel, anna, last_move(duel) + timedelta(days=3))
    assert stands(duel).outcome(0) == "won"


def test_with_a_clock_nothing_is_claimed_from_people(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], minutes=20)
    play_turn(duel, anna)
    now = timezone.now() + timedelta(minutes=19)
    with pytest.raises(Refused, match="Nobody"):
        claim(duel, anna, now)
    claim(duel, anna, now + timedelta(minutes=2))  # his clock has run out: it is over
    assert stands(duel).outcome(0) == "won"


def test_of_all_who_claim_at_once_one_does(anna: Player, bert: Player, carl: Player) -> None:
    duel = new_duel([anna, bert, carl])
    play_turn(duel, anna)
    play_turn(duel, bert)
    late = known(duel.started_at) + timedelta(days=3)
    found = at_once(lambda n: claim(duel, (anna, bert)[n], late), times=2)
    assert sum(isinstance(one, Refused) for one in found) == 1
    assert (fresh(duel).state, seat_of(duel, carl).exit) == ("running", "time")


def test_a_claim_and_the_move_that_is_waited_for_leave_one_truth(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert])
    play_turn(duel, anna)
    late = known(duel.started_at) + timedelta(days=3)
    at_once(lambda n: claim(duel, anna, late) if n else throw(duel, bert), times=2)
    moved = card_of(duel, bert).decisions.exists()
    assert fresh(duel).state == ("running" if moved else "finished")
    assert bool(seat_of(duel, bert).exit) != moved


@pytest.mark.parametrize("what", [services.duel_claim, services.duel_call_off])
def test_only_who_plays_ends_a_duel(anna: Player, bert: Player, what: object) -> None:
    duel = new_duel([anna, bert])
    waiting, _ = services.duel_create(player=anna, ruleset="yatzy", people=2)
    for token, player in ((duel.token, None), (duel.token, services.player_create())):
        with pytest.raises(NotAtTheTable):
            what(token=token, player=player)  # type: ignore[operator]
    with pytest.raises(NotAtTheTable):
        what(token=waiting.token, player=anna)  # type: ignore[operator]
    services.duel_leave(token=duel.token, player=bert)
    for player in (anna, bert):
        what(token=duel.token, player=player)  # type: ignore[operator]
    assert fresh(duel).state == "finished"


def test_a_duel_hardly_begun_is_called_off_and_nobody_loses(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    play_turn(duel, anna)
    throw(duel, bert)
    with pytest.raises(Refused, match="filled a box"):
        call_off(duel, anna)
    call_off(duel, bert)
    duel = fresh(duel)
    assert (duel.state, duel.finished_at) == ("withdrawn", None)
    assert [stands(duel).outcome(place) for place in (0, 1)] == [None, None]
    games = Game.objects.filter(seat__duel=duel)
    assert all(game.abandoned_at and not game.finished_at for game in games)
    assert seat_of(duel, bert).exit == DuelSeat.Exit.OFF
    assert kind_of(card_of(duel, anna)).shown_seed == duel.seed
    assert services.duel_settle(token=duel.token) is False
    for player in (anna, bert):
        with pytest.raises(Refused):
            throw(duel, player)
    with pytest.raises(Refused):
        services.duel_rematch(token=duel.token, player=anna)


def test_of_three_any_calls_it_off_for_all(anna: Player, bert: Player, carl: Player) -> None:
    duel = new_duel([anna, bert, carl])
    call_off(duel, carl)
    assert not any(stands(duel).may_play(place) for place in range(3))
    assert play_bots(duel) == 0
    call_off(duel, anna)
    assert DuelSeat.objects.filter(duel=duel, exit="").count() == 2


def test_calling_off_and_the_first_box_at_once_leave_one_truth(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    at_once(lambda n: call_off(duel, anna) if n else decide(duel, anna, Score("chance")), times=2)
    filled = card_of(duel, anna).decisions.filter(category="chance").exists()
    assert fresh(duel).state == ("running" if filled else "withdrawn")


def test_of_six_four_leave_and_two_go_on() -> None:
    six = [services.player_create() for _ in range(6)]
    duel = new_duel(six)
    for player in six:
        throw(duel, player)
    for player in six[2:5]:
        throw(duel, player, 1)
    for player in six[2:]:
        services.duel_leave(token=duel.token, player=player)
    throw(duel, six[0])
    assert game_played(card_of(duel, six[0])).state.waiting
    throw(duel, six[1])
    assert not game_played(card_of(duel, six[0])).state.waiting
    services.duel_leave(token=duel.token, player=six[0])
    assert stands(duel).outcome(1) == "won"


def test_who_is_deleted_in_the_middle_of_a_throw_is_not_waited_for(
    anna: Player, bert: Player, carl: Player
) -> None:
    duel = new_duel([anna, bert, carl])
    for player in (anna, bert):
        throw(duel, player)
        throw(duel, player, 1)
    services.player_delete(player=carl)
    assert not game_played(card_of(duel, anna)).state.waiting
    throw(duel, anna, 1)


deeds = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from(["throw", "throw", "score", "score", "any", "any", "bots"])
        | st.sampled_from(["leave", "claim", "call off", "time"]),
        st.integers(0, 10_000),
    ),
    max_size=25,
)


class Table:
    """A duel that anything is done to, beside a plain account of who was shown which throw."""

    def __init__(self, people: int, bots: list[str]) -> None:
        self.people = [services.player_create() for _ in range(people)]
        self.duel = new_duel(self.people, bots)
        self.days = 0

    @property
    def now(self) -> datetime:
        return timezone.now() + timedelta(days=self.days)

    def tried(self, seat: int, deed: str, number: int) -> None:
        with suppress(Refused):
            self.do(self.people[seat % len(self.people)], deed, number)

    def do(self, player: Player, deed: str, number: int) -> None:
        token = self.duel.token
        if deed == "bots":
            services.bot_move(token=token, pace=timedelta())
        elif deed == "leave":
            services.duel_leave(token=token, player=player)
        elif deed == "claim":
            services.duel_claim(token=token, player=player, now=self.now)
        elif deed == "call off":
            services.duel_call_off(token=token, player=player)
        elif deed == "time":
            self.days += number % 3
        else:
            self.move(player, deed, number)

    def move(self, player: Player, deed: str, number: int) -> None:
        allowed = legal_actions(game_played(card_of(self.duel, player)).state) or (Hold(0),)
        kinds = {"throw": Hold, "score": Score}
        wanted = [one for one in allowed if isinstance(one, kinds.get(deed, object))] or allowed
        decide(self.duel, player, wanted[number % len(wanted)])

    def check(self) -> None:
        for seat in self.duel.seats.select_related("game", "player"):
            game = known(seat.game)
            actions = [one.action for one in game.decisions.order_by("seq")]
            dice, state = block(self.duel.seed, self.duel.rules), game_played(game).state
            alone = replay(self.duel.rules, dice, actions)
            assert (state.total, state.boxes) == (alone.total, alone.boxes)
            if state.waiting:
                assert not self.fallen(game)
            else:
                assert state == alone
                assert game.finished_at or not alone.dice or self.fallen(game)

    def fallen(self, mine: Game) -> bool:
        """Whether everybody who stays has fixed as many holds as led to the throw on this card."""
        if fresh(self.duel).state != "running":
            return True
        last = known(mine.decisions.order_by("seq").last())
        if last.roll == 0:
            return True
        others = self.duel.seats.exclude(game=mine).filter(exit="", player__bot="")
        return all(
            Decision.objects.filter(game=seat.game, turn=last.turn, category__gt="").exists()
            or Decision.objects.filter(game=seat.game, turn=last.turn).count() > last.roll
            for seat in others
        )

    def come_back(self) -> None:
        """The first who stays comes back alone, a week after they had to wait for somebody, and is
        held up by nobody for longer: who has left opens the next round when that is told."""
        for _ in range(200):
            if fresh(self.duel).state != "running":
                return
            shown = stands(self.duel)
            place = next(n for n, seat in enumerate(shown.sittings) if not seat.seat.exit)
            if shown.may_play(place):
                self.move(self.people[place], "score", 0)
            elif play_bots(self.duel) == 0:
                self.days += 8
                services.duel_claim(token=self.duel.token, player=self.people[place], now=self.now)
        raise AssertionError("it did not end")


@pytest.mark.usefixtures("yatzy_tables")
class AnySchedule(TestCase):
    @settings(max_examples=examples(5), suppress_health_check=list(HealthCheck))
    @given(st.sampled_from([2, 3, 6]), st.booleans(), deeds)
    def test_no_throw_comes_early_no_score_is_another_and_it_ends(
        self, people: int, bot: bool, done: list[tuple[int, str, int]]
    ) -> None:
        table = Table(people, ["random"] if bot and people < 6 else [])
        for seat, deed, number in done:
            table.tried(seat, deed, number)
            table.check()
        table.come_back()
        table.check()
        assert fresh(table.duel).state in {"finished", "withdrawn"}
