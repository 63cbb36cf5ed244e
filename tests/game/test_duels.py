"""Duels by services: seats, rounds, clocks and outcomes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from html import unescape
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player, delete_player, get_or_create_player, merge_guest
from game.core.game_queries import replay_game
from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels
from game.duels.duel_bots import make_bot_move
from game.duels.duel_ends import call_off_duel, leave_duel, remove_late_players, settle_duel
from game.duels.duel_look import view_duel
from game.duels.duel_rounds import Course, DuelRounds, rank_seats
from game.duels.duels import create_duel, enter_duel, find_or_create_rematch
from game.models import Decision, Duel, DuelSeat, Game, Player
from solver.rules import PLAYED, Score, State
from tests.game.test_concurrency import at_once
from tests.known import known
from tests.play import (
    Browser,
    card_of,
    challenge,
    decide,
    fresh,
    join_duel,
    later,
    look_at,
    new_duel,
    page,
    play_bots,
    play_on_from,
    play_to_the_end,
    play_turn,
    said,
    seat_of,
    stands,
    throw,
    totals,
    turn,
    until,
    who,
)
from tests.solver.made_up import FIVE_DICE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]


def last_move(duel: Duel) -> datetime:
    return Decision.objects.filter(game__seat__duel=duel).latest("created_at").created_at


def claim(duel: Duel, player: Player, now: datetime) -> Duel:
    return remove_late_players(token=duel.token, player=player, now=now)


@pytest.fixture
def duel(anna: Player, bert: Player) -> Duel:
    return new_duel([anna, bert])


def test_a_challenge_begins_when_its_last_seat_is_taken(anna: Player, bert: Player) -> None:
    """A player who joins twice has one seat, and may leave it; a visitor becomes a player.
    No dice fall before everybody who will play has sat down."""
    duel, owner = create_duel(player=anna, ruleset="yatzy", people=3)
    assert (duel.state, owner) == ("open", anna)
    for player in (bert, bert, anna):
        enter_duel(token=duel.token, player=player)
    assert duel.seats.filter(player=None).count() == 1
    leave_duel(token=duel.token, player=bert)
    assert (fresh(duel).state, duel.seats.filter(player=None).count()) == ("open", 2)
    assert not Game.objects.exists()
    _, guest = enter_duel(token=duel.token, player=None)
    assert seat_of(duel, guest).number == 2
    enter_duel(token=duel.token, player=bert)
    assert fresh(duel).state == "running"
    assert {game.player for game in Game.objects.all()} == {anna, guest, bert}


def test_a_challenge_that_was_withdrawn_takes_nobody(anna: Player, bert: Player) -> None:
    duel, _ = create_duel(player=anna, ruleset="yatzy", people=2)
    leave_duel(token=duel.token, player=anna)
    assert fresh(duel).state == "withdrawn"
    with pytest.raises(Refused):
        enter_duel(token=duel.token, player=bert)


def test_of_many_who_join_at_once_one_sits_down(anna: Player) -> None:
    duel, _ = create_duel(player=anna, ruleset="yatzy", people=2)
    guests = [create_player() for _ in range(5)]
    found = at_once(lambda n: enter_duel(token=duel.token, player=guests[n]), times=5)
    assert sum(isinstance(one, Refused) for one in found) == 4
    assert (fresh(duel).state, Game.objects.count()) == ("running", 2)


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (NotUnderstood, {"people": 0, "bots": ["optimal", "greedy"]}),
        (NotUnderstood, {"people": 1, "bots": ["greedy", "greedy"]}),
        (NotUnderstood, {"people": 1, "bots": ["DummyPlayer"]}),
        (NotUnderstood, {"people": 2, "minutes": 7}),
        (Refused, {"people": 7}),
    ],
)
def test_what_makes_no_sense_is_refused(
    anna: Player, error: type[Refused], setting: dict[str, object]
) -> None:
    with pytest.raises(error):
        create_duel(player=anna, ruleset="yatzy", **setting)  # type: ignore[arg-type]


def test_only_so_many_challenges_wait_at_a_time(anna: Player) -> None:
    for _ in range(5):
        create_duel(player=anna, ruleset="yatzy", people=2)
    with pytest.raises(Refused, match=r"^5 "):
        create_duel(player=anna, ruleset="yatzy", people=2)


def test_a_programs_moves_come_one_at_a_time_with_a_pause_before_each(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"])
    play_turn(duel, anna)
    played_at = known(card_of(duel, anna).decisions.order_by("-seq").first()).created_at
    pace = timedelta(seconds=2)
    wait = make_bot_move(token=duel.token, pace=pace, now=played_at + timedelta(seconds=0.5))
    assert wait == timedelta(seconds=1.5)
    bot = Player.objects.get(bot="optimal")
    assert not card_of(duel, bot).decisions.exists()
    assert make_bot_move(token=duel.token, pace=pace, now=played_at + pace) == timedelta()
    assert card_of(duel, bot).decisions.count() == 1
    again = make_bot_move(token=duel.token, pace=pace, now=played_at + pace)
    assert again is not None
    assert again > timedelta()


def test_asked_from_many_sides_at_once_a_program_makes_each_move_once(anna: Player) -> None:
    duel = new_duel([anna], ["random"])
    play_turn(duel, anna)
    at_once(lambda _: play_bots(duel), times=4)
    rows = Decision.objects.filter(game=card_of(duel, Player.objects.get(bot="random")))
    moves = list(rows.order_by("seq").values_list("seq", "hold", "category"))
    assert [seq for seq, _, _ in moves] == list(range(len(moves)))
    assert moves[-1][2] != ""
    assert stands(duel).rounds.round == 1


def test_who_plays_to_win_is_asked_with_the_cards_and_anybody_else_with_totals(
    anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noted(self: Any, state: State, rng: Any, others: Any) -> Score:
        asked.append(others)
        return Score(state.rules.categories[min(state.offers)].id)

    monkeypatch.setattr("solver.players.to_win.WinningPlay.choose_facing", noted)
    monkeypatch.setattr("solver.players.plain.PlainValues.choose", noted)
    for bot in ("to-win", "optimal"):
        duel = new_duel([anna], [bot])
        for _ in range(2):
            play_turn(duel, anna)
            play_bots(duel)
    assert [card.turn for card in asked[1]] == [1]
    assert asked[2] == [0]
    assert isinstance(asked[3][0], int)


@pytest.mark.nightly  # with a change the best one plays to the end by the pages, one at random here
@pytest.mark.parametrize(
    "bot", ["greedy", "random", "scorecard-based", "dice-based", "optimal", "to-win"]
)
def test_programs_play_to_the_end(anna: Player, bot: str) -> None:
    duel = new_duel([anna], [bot])
    play_to_the_end(duel, anna)
    assert [seat.left_at for seat in duel.seats.all()] == [None, None]
    assert fresh(duel).state == "finished"


# Clocks


def test_a_move_after_the_time_is_refused_though_nobody_had_looked(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert], minutes=3)
    Duel.objects.update(started_at=known(duel.started_at) - timedelta(minutes=4))
    with pytest.raises(Refused, match="ran out"):
        throw(duel, bert)


def test_a_clock_that_is_put_forwards_takes_the_time_of_one_and_not_of_both(
    anna: Player, bert: Player
) -> None:
    """Both are to play. It stays so when the clock is put right again."""
    duel = new_duel([anna, bert], minutes=3)
    assert settle_duel(token=duel.token, now=later(duel, hours=26))
    for _ in range(2):
        assert [seat.exit for seat in duel.seats.order_by("number")] == [DuelSeat.Exit.TIME, ""]
        assert fresh(duel).state == "finished"
        assert not settle_duel(token=duel.token)


def test_both_who_ask_at_once_get_one_rematch(duel: Duel, anna: Player, bert: Player) -> None:
    leave_duel(token=duel.token, player=anna)
    both = (anna, bert)
    found = at_once(lambda n: find_or_create_rematch(token=duel.token, player=both[n]).pk, times=2)
    assert len(set(found)) == 1
    assert Duel.objects.get(rematch_of=duel).state == "running"


def test_a_player_who_is_deleted_is_not_waited_for(duel: Duel, anna: Player, bert: Player) -> None:
    throw(duel, anna)
    delete_player(player=anna)
    assert fresh(duel).state == "finished"
    assert card_of(duel, bert).over
    assert [seat.player for seat in duel.seats.order_by("number")] == [None, bert]


def test_an_account_takes_over_the_guests_seat(duel: Duel, anna: Player) -> None:
    user = User.objects.create_user("anna")
    account = get_or_create_player(user=user)
    merge_guest(guest=anna, user=user)
    assert seat_of(duel, account).game is not None
    throw(duel, account)


def test_who_played_against_themselves_gives_one_seat_up(anna: Player) -> None:
    user = User.objects.create_user("anna")
    account = get_or_create_player(user=user)
    duel = new_duel([anna, account])
    merge_guest(guest=anna, user=user)
    assert fresh(duel).state == "finished"
    assert [seat.player for seat in duel.seats.order_by("number")] == [None, account]
    assert account.games.count() == 2


Act = Callable[[], object]


def test_a_move_and_the_end_of_the_time_at_once_leave_one_truth(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], minutes=3)
    throw(duel, anna)
    box = min(replay_game(card_of(duel, anna)).state.offers)
    name = duel.rules.categories[box].id
    after = known(stands(duel).rounds.find_deadline(0)) + timedelta(seconds=1)
    acts: list[Act] = [
        lambda: decide(duel, anna, Score(name)),
        lambda: settle_duel(token=duel.token, now=after),
    ]
    at_once(lambda n: acts[n](), times=2)
    game = card_of(duel, anna)
    assert fresh(duel).state == "finished"
    assert game.abandoned_at is not None
    assert game.decisions.count() == len(replay_game(game).actions)


# In lockstep


def test_two_who_fix_at_the_same_moment_are_both_shown_the_throw(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert])
    for player in (anna, bert):
        throw(duel, player)
    at_once(lambda one: throw(duel, (anna, bert)[one], one + 1), times=2)
    states = [replay_game(card_of(duel, player)).state for player in (anna, bert)]
    assert [(state.throws_left, state.waiting) for state in states] == [(1, False)] * 2
    assert states[0].held == 1


# Who stays away, and who ends it


@pytest.mark.parametrize("days", [1, 3, 7])
def test_the_days_of_a_move_run_from_when_it_could_be_made(
    anna: Player, bert: Player, days: int
) -> None:
    """They run from the beginning, then from the player's last move, or from the last throw."""
    duel, patience = new_duel([anna, bert], days=days), timedelta(days=days)
    tick = timedelta(microseconds=1)
    play_turn(duel, anna)
    began = known(duel.started_at)
    with pytest.raises(Refused, match="No one"):
        claim(duel, anna, began + patience - tick)
    throw(duel, bert)
    moved = last_move(duel)
    with pytest.raises(Refused):
        claim(duel, anna, moved + patience - tick)
    play_on_from(duel, bert)
    for player in (anna, anna, bert, bert):
        throw(duel, player)
    fell = last_move(duel)
    throw(duel, bert)
    with pytest.raises(Refused):
        claim(duel, bert, fell + patience - tick)
    for _ in range(2):  # sent twice
        claim(duel, bert, fell + patience)
        assert [stands(duel).find_outcome(place) for place in (0, 1)] == ["lost", "won"]


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


def test_calling_off_and_the_first_box_at_once_leave_one_truth(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    at_once(
        lambda n: (
            call_off_duel(token=duel.token, player=anna)
            if n
            else decide(duel, anna, Score("chance"))
        ),
        times=2,
    )
    filled = card_of(duel, anna).decisions.filter(category="chance").exists()
    assert fresh(duel).state == ("running" if filled else "withdrawn")


WORDS = {"won": "You won", "lost": "You lost", "tied": "A draw", "given-up": "You gave up"}


def expected(duel: Duel, player: Player) -> str:
    seats = DuelSeat.objects.filter(duel=duel)
    mine = seats.get(player=player)
    if mine.exit:
        return "given-up" if mine.exit == DuelSeat.Exit.GAVE_UP else "lost"
    if fresh(duel).state != "finished":
        return ""
    points = {seat: replay_game(known(seat.game)).state.total for seat in seats.filter(exit="")}
    best = max(points.values())
    if points[mine] < best:
        return "lost"
    return "won" if list(points.values()).count(best) == 1 else "tied"


def outcome_in(html: str) -> str:
    found = re.findall(r'data-outcome="([\w-]+)"', html)
    assert len(found) <= 1
    return found[0] if found else ""


def part(html: str, pattern: str) -> str:
    return unescape(known(re.search(pattern, html, re.S))[1].strip())


def title(html: str) -> str:
    return part(html, "<title>(.*?)</title>")


def verdict(html: str) -> str:
    return part(html, 'class="seats__verdict">([^<]*)<')


def table(host: Browser, guest: Browser, **more: object) -> Duel:
    return join_duel(challenge(host, **more), guest)


def given_up(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest)
    turn(host, duel)
    guest.post(f"/duel/{duel.token}/leave")
    return duel


def out_of_time(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest, minutes=3)
    turn(host, duel)
    settle_duel(token=duel.token, now=later(duel, hours=1))
    return duel


@pytest.fixture(autouse=True)
def short_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players choose rules with three boxes, for duels that a test plays to the end."""
    monkeypatch.setitem(PLAYED, FIVE_DICE.id, FIVE_DICE)


def tied(host: Browser, guest: Browser, ruleset: str = "yatzy") -> Duel:
    duel = table(host, guest, ruleset=ruleset)
    play_to_the_end(duel, who(host), who(guest))
    return duel


def worse(host: Browser, guest: Browser, ruleset: str = "yatzy") -> Duel:
    duel = table(host, guest, ruleset=ruleset)
    while fresh(duel).state == "running":
        play_turn(duel, who(host))
        state = throw(duel, who(guest)).state
        decide(duel, who(guest), Score(state.rules.categories[max(state.offers)].id))
    assert len(set(totals(duel))) == 2
    return duel


@pytest.mark.parametrize(
    "way",
    [
        given_up,
        out_of_time,
        partial(tied, ruleset=FIVE_DICE.id),
        partial(worse, ruleset=FIVE_DICE.id),
    ],
    ids=["given up", "out of time", "tied", "worse"],
)
def test_everybody_reads_and_hears_how_it_ended_for_them(
    way: Callable[[Browser, Browser], Duel],
) -> None:
    host, guest = Browser(), Browser()
    duel = way(host, guest)
    name = "Yatzy" if duel.ruleset == "yatzy" else FIVE_DICE.title
    for browser in (host, guest):
        html, outcome = page(browser, duel), expected(duel, who(browser))
        assert outcome_in(html) == outcome != ""
        assert title(html) == f"{WORDS[outcome]} · Duel: {name}"
        assert said(html) == [verdict(html)]
        sentence = verdict(html)
        lost = not sentence.startswith(("You won", "A draw", "You gave up"))
        assert lost if outcome == "lost" else sentence.startswith(WORDS[outcome])
        assert browser.get(f"/duels/{duel.token}/").text.count("data-outcome") == 1
    watched = page(Browser(), duel)
    assert outcome_in(watched) == ""
    assert title(watched) == f"Duel: {name}"
    assert "You" not in verdict(watched)


def test_the_winner_is_told_at_once_when_the_other_leaves() -> None:
    host, guest = Browser(), Browser()
    duel = table(host, guest)

    async def test() -> None:
        mine, stranger = await look_at(duel, host), await look_at(duel)
        await until(mine, 'id="board"')
        await sync_to_async(guest.post)(f"/duel/{duel.token}/leave")
        board = await until(mine, 'data-outcome="won"')
        assert said(board)[0].startswith("You won")
        watched = await until(stranger, "seats__verdict")
        assert outcome_in(watched) == ""
        for viewer in (mine, stranger):
            await viewer.leave()

    async_to_sync(test)()


def test_a_player_who_leaves_a_duel_of_three_reads_so_at_once() -> None:
    anna, bert, carl = (create_player() for _ in range(3))
    duel = new_duel([anna, bert, carl], minutes=3)
    leave_duel(token=duel.token, player=anna)
    view = view_duel(duel.token, anna)
    assert (known(view.board).outcome, view.verdict) == (
        "given-up",
        "You gave up: the other players go on.",
    )
    assert view_duel(duel.token, bert).verdict == ""
    play_turn(duel, bert)
    settle_duel(token=duel.token, now=later(duel, minutes=3))
    told = view_duel(duel.token, bert).verdict
    assert told.startswith("You won: ")
    assert told.endswith(" gave up or ran out of time.")
    assert known(view_duel(duel.token, carl).board).outcome == "lost"


def test_nobody_waits_for_a_player_who_has_left() -> None:
    anna, bert, carl = (create_player() for _ in range(3))
    duel = new_duel([anna, bert, carl])
    leave_duel(token=duel.token, player=anna)
    play_turn(duel, bert)
    told = f"You have played this turn. Waiting for {labels.format_player(carl)}."
    assert known(view_duel(duel.token, bert).board).status == told


def test_a_card_that_was_deleted_afterwards_makes_nobody_the_winner() -> None:
    host, guest = Browser(), Browser()
    duel = worse(host, guest, FIVE_DICE.id)
    delete_player(player=who(guest))
    html = page(host, duel)
    assert outcome_in(html) == ""
    assert "the winner is unknown" in verdict(html)


def test_who_is_deleted_with_a_full_card_has_given_up_and_is_not_waited_for() -> None:
    anna, bert = create_player(), create_player()
    duel = new_duel([anna, bert], ruleset=FIVE_DICE.id)
    for _ in range(len(duel.rules.categories) - 1):
        play_turn(duel, anna)
        play_turn(duel, bert)
    play_turn(duel, anna)
    delete_player(player=anna)
    view = view_duel(duel.token, bert)
    assert fresh(duel).state == "finished"
    assert known(view.board).outcome == "won"
    assert view.verdict.endswith("gave up.")


BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TURNS = 4
SECOND = timedelta(seconds=1)

tables = st.lists(st.booleans(), min_size=1, max_size=5).map(lambda more: [False, *more])
deeds = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["hold"] * 5 + ["play"] * 5 + ["leave"])),
    max_size=80,
)


@dataclass
class Retold:
    bots: list[bool]
    lockstep: bool = False
    courses: list[Course] = field(default_factory=list)
    now: datetime = BEGAN
    waited: list[timedelta] = field(default_factory=list)  # how long each was to play, by seconds

    def __post_init__(self) -> None:
        self.courses = [Course(bot=bot) for bot in self.bots]
        self.waited = [timedelta() for _ in self.bots]

    @property
    def rounds(self) -> DuelRounds:
        return DuelRounds(self.courses, BEGAN, TURNS, timedelta(minutes=5), self.lockstep)

    def do(self, seat: int, deed: str) -> None:
        for place in range(len(self.bots)):
            if self.rounds.may_play(place):
                self.waited[place] += SECOND
        self.now += SECOND
        course = self.courses[seat]
        if deed == "leave" and not self.rounds.over and course.left_at is None:
            self.courses[seat] = replace(course, left_at=self.now)
        elif deed == "play" and self.rounds.may_play(seat):
            held = (*course.held, ())[: course.turns + 1]
            self.courses[seat] = replace(course, finished=(*course.finished, self.now), held=held)
        elif deed == "hold" and self.rounds.may_play(seat) and len(course.holds(course.turns)) < 3:
            now = (*course.holds(course.turns), self.now)
            self.courses[seat] = replace(course, held=(*course.held[: course.turns], now))


def retold(bots: list[bool], done: list[tuple[int, str]], lockstep: bool) -> Retold:
    table = Retold(bots, lockstep)
    for seat, deed in done:
        if not (deed == "leave" and bots[seat % len(bots)]):
            table.do(seat % len(bots), deed)
    return table


at_own_pace = st.builds(retold, tables, deeds, st.just(False))
in_lockstep = st.builds(retold, tables, deeds, st.just(True))
any_duel = at_own_pace | in_lockstep


@given(at_own_pace)
def test_nobody_sees_a_turn_that_anybody_who_could_look_on_has_still_to_play(table: Retold) -> None:
    """A person sees as far as they have played, a watcher no further than any person has."""
    rounds = table.rounds
    if rounds.over:
        assert rounds.count_visible_turns(None) == TURNS
        return
    slowest = min(person.turns for person in rounds.people)
    assert rounds.count_visible_turns(None) == slowest
    for seat, course in enumerate(rounds.courses):
        assert rounds.count_visible_turns(seat) == (
            course.turns if course.left_at is None else slowest
        )


@given(any_duel)
def test_a_clock_runs_while_its_person_can_decide_and_until_nothing_remains(table: Retold) -> None:
    rounds = table.rounds
    for seat, bot in enumerate(table.bots):
        remaining, deadline = rounds.find_time_left(seat, table.now), rounds.find_deadline(seat)
        assert (remaining is None) == bot
        assert (deadline is not None) == (rounds.may_play(seat) and not bot)
        if not bot and rounds.courses[seat].left_at is None and not rounds.over:
            assert remaining == timedelta(minutes=5) - table.waited[seat]
        if deadline is not None:
            assert rounds.find_time_left(seat, deadline) == timedelta()
    found = [d for d in map(rounds.find_deadline, range(len(table.bots))) if d]
    due = rounds.find_next_deadline()
    assert (due[0] if due else None) == min(found, default=None)


def test_a_throw_falls_when_the_last_fixes_and_the_clocks_run_from_then() -> None:
    at = [BEGAN + n * SECOND for n in range(100)]
    first = Course(held=((at[1], at[10]),))
    bank = timedelta(minutes=5)
    rounds = DuelRounds([first, Course(held=((at[2],),))], BEGAN, TURNS, bank, lockstep=True)
    assert (rounds.may_play(0), rounds.list_awaited_seats(0), rounds.find_roll_limit(0)) == (
        False,
        [1],
        (0, 1),
    )
    assert rounds.find_time_left(0, at[50]) == bank - 10 * SECOND
    assert rounds.find_time_left(1, at[50]) == bank - 50 * SECOND
    assert rounds.find_next_deadline() == (BEGAN + bank, 1)
    both = DuelRounds([first, Course(held=((at[2], at[60]),))], BEGAN, TURNS, bank, lockstep=True)
    assert (both.may_play(0), both.find_roll_limit(0)) == (True, (0, 2))
    assert both.find_time_left(0, at[70]) == bank - 20 * SECOND
    assert both.find_time_left(1, at[70]) == bank - 70 * SECOND
    gone = DuelRounds(
        [first, Course(held=((at[2],),), left_at=at[40]), Course(held=((at[3], at[5]),))],
        BEGAN,
        TURNS,
        bank,
        lockstep=True,
    )
    assert gone.find_time_left(0, at[70]) == bank - 40 * SECOND


def test_a_clock_that_is_put_back_gives_nobody_more_than_there_was() -> None:
    early = BEGAN - timedelta(hours=26)
    bank = timedelta(minutes=5)
    assert DuelRounds([Course(), Course()], BEGAN, TURNS, bank).find_time_left(0, early) == bank
    played = [Course((early,)), Course((BEGAN + SECOND,))]
    rounds = DuelRounds(played, BEGAN, TURNS, bank)
    assert rounds.sum_used_time(0) == timedelta()
    assert rounds.find_time_left(0, early) == bank
    assert rounds.find_time_left(1, early) == bank - SECOND


def without_the_late(table: Retold) -> None:
    while (due := table.rounds.find_next_deadline()) and due[0] <= table.now:
        moment, seat = due
        table.courses[seat] = replace(table.courses[seat], left_at=moment)


@given(tables, st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 0, -26, 26]))))
def test_wherever_the_clock_is_put_somebody_stays_and_no_clock_shows_more_or_less_than_there_is(
    bots: list[bool], done: list[tuple[int, int]]
) -> None:
    bank, table = timedelta(minutes=5), Retold(bots)
    for seat, hours in done[:60]:
        table.now += timedelta(hours=hours)
        without_the_late(table)
        assert table.rounds.staying
        for place in (place for place, bot in enumerate(bots) if not bot):
            remaining = table.rounds.find_time_left(place, table.now)
            assert remaining is not None
            assert timedelta() <= remaining <= bank
            assert remaining or not table.rounds.may_play(place)
        table.do(seat % len(bots), "play")


@pytest.mark.parametrize(
    ("scores", "left", "expected"),
    [
        ([200, 210], [False, False], [2, 1]),
        ([200, 200, 190], [False] * 3, [1, 1, 3]),
        ([300, 100, 90], [True, False, False], [None, 1, 2]),
    ],
)
def test_places(scores: list[int], left: list[bool], expected: list[int | None]) -> None:
    assert rank_seats(scores, left) == expected
