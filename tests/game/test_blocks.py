"""Dice blocks and fair dice of every day."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import ModuleType
from urllib.parse import parse_qsl

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from game.coach.position_addresses import explore_query
from game.core import accounts
from game.core.access import is_at_position
from game.core.accounts import create_player, mark_day_seen, merge_guest
from game.core.fair import blocks, days, tickets
from game.core.game_queries import (
    find_contested_positions,
    find_daily_rank,
    normalise_position,
    replay_game,
)
from game.core.playing import hold_dice
from game.core.starting import start_game
from game.duels.duel_ends import leave_duel
from game.models import Game, Player
from game.pages.daily.daily_kind import SETTLED
from game.pages.daily.daily_queries import build_day_boards
from game.pages.sockets.common import FORBIDDEN
from solver.advice import find_position
from solver.advice.wire import serialise_position
from solver.rules import PLAYED, RULESETS, YATZY
from tests.known import known
from tests.play import (
    BOXES,
    NOON,
    Answer,
    Browser,
    Clock,
    Viewer,
    card_of,
    new_duel,
    play_through,
    score_all,
    settled,
    text,
)

SEED = bytes(range(32))
seeds = st.binary(min_size=32, max_size=32)


def test_a_block_has_the_dice_of_fifteen_turns_of_three_throws() -> None:
    block = blocks.block(SEED.hex(), YATZY)
    assert len(block) == len(YATZY.categories)
    assert {len(turn) for turn in block} == {YATZY.throws}
    assert {len(throw) for turn in block for throw in turn} == {5}
    assert {face for turn in block for throw in turn for face in throw} == {1, 2, 3, 4, 5, 6}


def test_these_dice_never_change_between_versions() -> None:
    """Computed with openssl dgst -sha256 -mac HMAC as well."""
    assert blocks.block(SEED.hex(), YATZY)[0] == ((5, 3, 6, 3, 6), (6, 2, 2, 6, 1), (5, 1, 4, 3, 4))


@given(seeds)
def test_another_program_finds_the_same_dice(outsider: ModuleType, seed: bytes) -> None:
    block = blocks.block(seed.hex(), YATZY)
    for turn, roll, slot in ((0, 0, 0), (14, 2, 4), (7, 1, 3)):
        assert block[turn][roll][slot] == outsider.die(seed, turn, roll, slot)


@given(seeds, st.integers(0, 14), st.integers(0, 2), st.integers(0, 4))
def test_a_die_is_the_first_byte_below_252(seed: bytes, turn: int, roll: int, slot: int) -> None:
    digest = hmac.new(seed, f"{turn}:{roll}:{slot}".encode(), hashlib.sha256).digest()
    byte = next(byte for byte in digest if byte < 252)
    assert blocks.roll_die(seed, turn, roll, slot) == byte % 6 + 1


def test_bytes_from_252_on_are_passed_over() -> None:
    skipped = 0
    for number in range(2000):
        digest = hmac.digest(number.to_bytes(32), b"0:0:0", "sha256")
        if digest[0] >= 252:
            skipped += 1
            assert blocks.roll_die(number.to_bytes(32), 0, 0, 0) == digest[1] % 6 + 1
    assert skipped


def test_the_outsider_prints_every_die_and_checks_the_seal(
    outsider: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    seal = blocks.hash_seed(SEED.hex())
    assert outsider.main([SEED.hex(), seal]) == 0
    assert "1   5 3 6 3 6   6 2 2 6 1   5 1 4 3 4" in capsys.readouterr().out
    assert outsider.main([SEED.hex(), "00" * 32]) == 1
    assert outsider.main(["not hexadecimal"]) == 2
    assert outsider.main([]) == 2


def test_a_ticket_is_believed_only_with_its_signature() -> None:
    ticket = tickets.issue()
    assert tickets.redeem(ticket.signed) == ticket
    assert tickets.redeem(ticket.signed).commitment == ticket.commitment
    with pytest.raises(tickets.BadTicket):
        tickets.redeem(ticket.signed[:-1] + "?")
    with pytest.raises(tickets.BadTicket):
        tickets.redeem("")


def test_a_ticket_is_good_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    signed, now = tickets.issue().signed, time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_000)
    assert tickets.redeem(signed).signed
    monkeypatch.setattr(time, "time", lambda: now + 86_401)
    with pytest.raises(tickets.BadTicket, match="age"):
        tickets.redeem(signed)


TODAY = NOON.date()
Browsers = Callable[[], Browser]
NO_PLACE = "You can play, but your game will be unranked"
TOLD = "your own game of the day is now unranked"


def watch(browser: Browser, game: Game) -> Answer:
    return browser.get(f"/watch/{game.share_token}/")


def fresh(game: Game) -> Game:
    return Game.objects.select_related("player__user").get(pk=game.pk)


@pytest.fixture
def watched(clock: Clock, new_browser: Browsers, db: None) -> Game:
    """A daily game of player A, under way."""
    return new_browser().start(mode="daily")


# People who watch a running game of the day


@pytest.mark.parametrize("who", ["account", "account elsewhere", "visitor"])
def test_a_watcher_has_no_place(
    watched: Game, browser: Browser, new_browser: Browsers, who: str
) -> None:
    """A visitor is nobody's player yet, hence a cookie, and nothing stored."""
    user = None if who == "visitor" else settled(browser)
    assert NO_PLACE not in text(browser.get("/daily/"))
    before = Player.objects.count()
    assert TOLD in text(watch(browser, watched))
    assert Player.objects.count() == before
    if user and who == "account elsewhere":
        browser = new_browser()
        browser.force_login(user)
    assert NO_PLACE in text(browser.get("/daily/"))
    game = play_through(browser, browser.start(mode="daily"))
    assert game.unranked
    assert find_daily_rank(game) is None


def test_ones_own_game_a_solo_game_and_any_after_the_end_may_be_watched(
    watched: Game, browser: Browser, new_browser: Browsers
) -> None:
    solo = new_browser().start()
    own = browser.start(mode="daily")
    for game in (own, solo):
        assert TOLD not in text(watch(browser, game))
        assert not fresh(own).unranked
    own = play_through(browser, own)
    assert TOLD not in text(watch(browser, watched))
    assert not fresh(own).unranked
    assert fresh(own).player.dice_seen == ""
    assert find_daily_rank(fresh(own)) is not None
    assert find_contested_positions(own.player) == set()


def test_a_rematch_on_the_days_dice_shows_them_as_well(
    watched: Game, browser: Browser, new_browser: Browsers
) -> None:
    play_through(browser, browser.start(mode="daily"))
    first = Game.objects.get(player=known(Player.objects.latest("pk")))
    rematch = browser.start(mode="rematch", of=first.pk)
    browser.act(rematch, "hold", seq=0)
    accomplice = new_browser()
    assert TOLD in text(watch(accomplice, rematch))
    assert accomplice.start(mode="daily").unranked


def test_in_the_hour_of_grace_a_game_of_yesterday_can_still_be_spoilt(
    watched: Game, browser: Browser, new_browser: Browsers, clock: Clock
) -> None:
    own = browser.start(mode="daily")
    clock(days.find_closing_time(TODAY) - timedelta(minutes=1))
    stranger = new_browser()
    assert TOLD not in text(watch(stranger, watched)), "it can be begun no more"
    assert not stranger.start(mode="daily").unranked
    assert TOLD in text(watch(browser, watched))
    assert fresh(own).unranked
    assert not browser.start(mode="daily").unranked, "that of the new day"


def test_what_a_guest_has_seen_the_account_has_seen(watched: Game, browser: Browser) -> None:
    guest = create_player()
    mark_day_seen(player=guest, day=TODAY, ruleset="yatzy")
    user = User.objects.create_user("anna")
    account = player_of_user(user)
    running = start_daily(account)
    merge_guest(guest=guest, user=user)
    assert fresh(running).unranked
    account.refresh_from_db()
    assert account.has_seen(TODAY, "yatzy")


def player_of_user(user: User) -> Player:
    return accounts.get_or_create_player(user=user)


def nonce() -> str:
    return tickets.issue().signed


def start_daily(player: Player) -> Game:
    return start_game(player=player, mode="daily", nonce=nonce()).game


def test_what_is_seen_while_a_game_is_begun_counts(clock: Clock, player: Player) -> None:
    mark_day_seen(player=Player.objects.get(pk=player.pk), day=TODAY, ruleset="yatzy")
    assert player.dice_seen == ""
    assert start_daily(player).unranked


def test_a_day_is_remembered_with_its_rulesets_and_only_the_latest() -> None:
    player = Player()
    player.see(TODAY, "yatzy")
    player.see(TODAY, "yahtzee")
    player.see(TODAY, "yatzy")
    assert player.days_seen == [(TODAY, "yatzy"), (TODAY, "yahtzee")]
    player.see(TODAY - timedelta(days=1), "yahtzee-plain")
    assert not player.has_seen(TODAY - timedelta(days=1), "yahtzee-plain")
    player.see(TODAY + timedelta(days=1), "yatzy")
    assert player.days_seen == [(TODAY + timedelta(days=1), "yatzy")]
    everything = Player()
    for ruleset in RULESETS:
        everything.see(TODAY, ruleset)
    length = known(Player._meta.get_field("dice_seen").max_length)
    assert len(everything.dice_seen) < length


# By the socket alone


def socket(game: Game, browser: Browser) -> str:
    @async_to_sync
    async def asked() -> str:
        viewer = Viewer(f"/ws/watch/{game.share_token}/", browser.cookies)
        assert await viewer.connect()
        output = await viewer.receive_output(5)
        await viewer.leave()
        return str(output.get("text") or output["code"])

    return asked()


@pytest.mark.django_db(transaction=True)
def test_a_socket_shows_no_die_to_a_player_who_could_still_lose_a_place(clock: Clock) -> None:
    owner, viewer, player = Browser(), Browser(), Browser()
    game = owner.start(mode="daily")
    settled(player)
    assert socket(game, viewer) == socket(game, player) == str(FORBIDDEN)
    assert 'data-seq="1"' in socket(game, owner)
    for browser in (viewer, player):
        watch(browser, game)
        assert 'data-seq="1"' in socket(game, browser)


@pytest.mark.django_db(transaction=True)
def test_the_end_of_a_watched_game_shows_its_points_and_no_card(clock: Clock) -> None:
    owner, viewer = Browser(), Browser()
    game = owner.start(mode="daily")
    watch(viewer, game)
    over = play_through(owner, game)
    for browser in (viewer, Browser()):
        shown = socket(over, browser)
        assert f"with {over.final_score} points" in shown
        assert "box--used" not in shown
        assert "#p1" not in shown


# The link of a finished game


def test_nothing_that_others_may_open_shows_a_die_of_a_day_that_runs(
    clock: Clock, browser: Browser, new_browser: Browsers, yatzy_tables: None
) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    shared = browser.get(f"/games/{game.pk}/").context["board"].shared
    token, stranger = game.share_token, new_browser()
    addresses = (
        f"/review/{token}/",
        f"/review/{token}/steps/",
        f"/review/{token}/picture.png",
        f"/review/{token}/learn",
        f"/games/{game.pk}/",
        f"/games/{game.pk}/verify",
        f"/games/{game.pk}/review",
    )
    assert {stranger.get(address).status_code for address in addresses} == {403}
    assert stranger.get(f"/beat/{shared.address.split('/')[3]}/").status_code == 404
    told = text(stranger.get(shared.address)) + text(stranger.get("/history/export"))
    for move in replay_game(game).moves:
        assert ", ".join(map(str, move.state.dice)) not in told
        assert "".join(map(str, move.state.dice)) not in told
    assert game.seed not in told + text(browser.get("/history/export"))


# Two boards


YOUNGER = SETTLED - timedelta(seconds=1)


@pytest.mark.parametrize(("age", "guests"), [(SETTLED, False), (YOUNGER, True)])
def test_an_account_has_its_place_among_players_when_it_is_a_week_old_at_the_end(
    clock: Clock, db: None, age: timedelta, guests: bool
) -> None:
    user = User.objects.create_user("anna", date_joined=NOON - age)
    player = player_of_user(user)
    clock(NOON - timedelta(minutes=5))
    played = start_game(player=player, mode="daily", nonce=nonce())
    clock(NOON)
    game = fresh(score_all(played, player).game)
    assert game.among_guests == guests
    players, others = build_day_boards(TODAY, YATZY, game.player, game)
    assert (players.players, others.players) == ((0, 1) if guests else (1, 0))
    assert (others if guests else players).rank == find_daily_rank(game)


# What is told meanwhile


def asked_of_explore(browser: Browser, game: Game, **more: str) -> str:
    query = dict(parse_qsl(explore_query(find_position(replay_game(game).state))))
    return text(browser.get("/explore/", query | more))


def advised(browser: Browser, *games: Game, path: str = "advise") -> Answer:
    positions = [serialise_position(find_position(replay_game(game).state)) for game in games]
    return sent(browser, path, {"positions": positions})


def sent(browser: Browser, path: str, facts: object) -> Answer:
    return browser.post(f"/api/v1/{path}", json.dumps(facts), content_type="application/json")


OWN = "This position is part of your ranked game"


@pytest.fixture
def running(clock: Clock, browser: Browser, yatzy_tables: None) -> Game:
    """Some turns into the day's game."""
    game = browser.start(mode="daily")
    for number, box in enumerate(BOXES[:3]):
        if number:
            browser.act(game, "hold", seq=2 * number)
        browser.act(game, "score", seq=2 * number + 1, category=box)
    browser.act(game, "hold", seq=6)
    return game


def test_explore_does_not_answer_where_ones_own_game_stands(
    running: Game, browser: Browser, new_browser: Browsers
) -> None:
    assert OWN in asked_of_explore(browser, running)
    assert OWN in asked_of_explore(browser, running, needed="20")
    assert "answer__title" not in asked_of_explore(browser, running)
    assert OWN not in asked_of_explore(new_browser(), running)
    elsewhere = {"filled": "ones.twos.threes.fours", "upper": "9"}
    for more in ({"left": "1"}, {"dice": "66666"}, elsewhere):
        assert OWN not in asked_of_explore(browser, running, **more)
    browser.act(running, "hold", seq=7, slot=[0])
    assert OWN in asked_of_explore(browser, running)


def test_the_api_does_not_answer_where_ones_own_game_stands(
    running: Game, browser: Browser, new_browser: Browsers
) -> None:
    refused = advised(browser, running)
    assert refused.status_code == 403
    assert OWN in json.loads(refused.content)["error"]
    assert advised(new_browser(), running).status_code == 200
    other = new_browser().start()
    assert advised(browser, other).status_code == 200
    assert advised(browser, other, running).status_code == 403


def test_a_ledger_that_ends_where_ones_own_game_stands_is_not_worked_out(
    running: Game, browser: Browser, new_browser: Browsers
) -> None:
    turns = [
        {"throws": [list(move.state.dice)], "category": move.action.category}  # type: ignore[union-attr]
        for move in replay_game(running).moves
    ]
    now = {"throws": [list(replay_game(running).state.dice)], "category": "chance"}
    assert sent(browser, "ledger", {"turns": turns}).status_code == 200
    assert sent(browser, "ledger", {"turns": [*turns, now]}).status_code == 403
    assert sent(new_browser(), "ledger", {"turns": [*turns, now]}).status_code == 200


@pytest.mark.parametrize(
    ("ruleset", "names"),
    [
        ("yahtzee", ["yahtzee-free-joker", "yahtzee-plain"]),
        ("maxi-yatzy", ["maxi-yatzy-50"]),
        ("yatzy", ["yatzy-saved"]),
    ],
)
def test_the_same_boxes_by_another_name_are_the_same_position(
    ruleset: str, names: list[str], player: Player
) -> None:
    """A player of one ruleset asks by the other's name."""
    mine = start_game(player=player, mode="daily", ruleset=ruleset, nonce=tickets.issue().signed)
    position = find_position(mine.state)
    by_others = [replace(position, rules=PLAYED[name]) for name in names]
    others_dice = (1 + position.dice[0] % 6,) * len(position.dice)
    for asked in (position, *by_others):
        assert is_at_position(player, [asked])
        assert not is_at_position(create_player(), [asked])
        assert not is_at_position(player, [replace(asked, dice=others_dice)])
        assert not is_at_position(player, [replace(asked, rolls_left=asked.rolls_left - 1)])
    others = [rules for rules in PLAYED.values() if rules.categories != position.rules.categories]
    assert not is_at_position(player, [replace(position, rules=rules) for rules in others])


def test_the_drill_does_not_judge_where_ones_own_game_stands(
    running: Game, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = browser.get("/drill/").context["question"]
    box = YATZY.ids(YATZY.full & ~question.position.filled)[0]
    answer = {"of": question.key, "seq": 0, "category": box}
    monkeypatch.setattr(
        "game.core.access.find_contested_positions",
        lambda player: {normalise_position(question.position)},
    )
    refused = browser.post("/drill/", answer)
    assert refused.status_code == 409
    assert OWN in text(refused)
    monkeypatch.undo()
    told = browser.post("/drill/", answer, follow=True)
    address = told.redirect_chain[-1][0]
    monkeypatch.setattr(
        "game.core.access.find_contested_positions",
        lambda player: {normalise_position(question.position)},
    )
    assert (browser.get(address).status_code, OWN in text(browser.get(address))) == (403, True)


def test_a_duel_is_kept_quiet_about_until_it_is_over(player: Player) -> None:
    other = create_player()
    duel = new_duel([player, other])
    card = card_of(duel, player)
    hold_dice(game_id=card.pk, player=player, seq=0, slots=0)
    assert find_contested_positions(player) == {
        normalise_position(find_position(replay_game(card).state))
    }
    leave_duel(token=duel.token, player=other)
    assert find_contested_positions(player) == set()
