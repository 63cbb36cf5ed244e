"""Games alone by their services, whatever is done in whatever order, next to a plain retelling."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

import pytest
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from game.core.accounts import create_player
from game.core.fair import blocks, tickets
from game.core.game_queries import FIRST_GAMES, Played, find_open_solo, replay_game
from game.core.kind import find_kind
from game.core.playing import MEANT, Manner, abandon_game, count_hint, record_decision
from game.core.refusals import (
    AskFirst,
    GameIsOver,
    IllegalMove,
    NoSuchGame,
    NotUnderstood,
    Refused,
    StaleAction,
)
from game.core.starting import start_game
from game.models import Coach, Decision, Game, Player
from game.pages.daily.daily_queries import derive_day_seed
from game.pages.requests.visitors import COOKIE, make_player_cookie
from solver.rules import (
    PLAYED,
    RULESETS,
    Action,
    Hold,
    IllegalAction,
    Score,
    State,
    list_legal_actions,
    play,
    replay,
)
from tests.known import known
from tests.play import NOON, RANDOM, Browser, other_dice, start_solo
from tests.selection import examples

RULES = ("yatzy", "yahtzee", "yatzy-saved")
anything = st.one_of(
    st.integers(-3, 70).map(Hold),
    st.sampled_from(["ones", "chance", "yatzy", "yahtzee", "", "nonsense"]).map(Score),
)
which = st.integers(0, 5)


@dataclass
class Retold:
    game: Game
    signed: str = ""
    actions: list[Action] = field(default_factory=list)
    given_up: bool = False
    hints: int = 0

    @property
    def state(self) -> State:
        dice = blocks.block(self.game.seed, self.game.rules)
        return replay(self.game.rules, dice, self.actions)

    @property
    def over(self) -> bool:
        return self.given_up or self.state.finished

    def allows(self, action: Action) -> bool:
        try:
            play(self.state, action, blocks.block(self.game.seed, self.game.rules))
        except IllegalAction:
            return False
        return True


class AnyGames(RuleBasedStateMachine):
    clock = NOON

    @initialize(ruleset=st.sampled_from(RULES), asks=st.booleans())
    def come(self, ruleset: str, asks: bool) -> None:
        cache.clear()
        type(self).clock = NOON
        self.steps = 0
        self.player, self.stranger = (
            create_player(ruleset=ruleset, coach=Coach.AFTER if asks else ""),
            create_player(),
        )
        self.asks, self.games = asks, list[Retold]()
        Player.objects.filter(pk=self.player.pk).update(confirm_costly=asks)
        self.begin("solo")

    def start(self, mode: str, signed: str = "", **more: object) -> Played:
        player = Player.objects.get(pk=self.player.pk)
        return start_game(player=player, mode=mode, nonce=signed, **more)  # type: ignore[arg-type]

    def begin(self, mode: str, **more: object) -> Retold:
        ticket = tickets.issue()
        played = self.start(mode, ticket.signed, **more)
        found = Retold(played.game, ticket.signed, list(played.actions))
        assert found.actions == ([] if mode == "rematch" else [Hold(0)])
        assert played.game.commitment == blocks.hash_seed(played.game.key or played.game.seed)
        if mode == "solo":
            assert played.game.commitment == ticket.commitment
        self.games.append(found)
        return found

    def one(self, number: int) -> Retold:
        return self.games[-1 - number % len(self.games)]

    def open(self, mode: str) -> Retold | None:
        return next((one for one in self.games if one.game.mode == mode and not one.over), None)

    # Beginning

    @rule(ruleset=st.sampled_from(RULES))
    def begin_solo(self, ruleset: str) -> None:
        if self.open("solo"):
            with pytest.raises(Refused):  # one at a time
                self.start("solo", tickets.issue().signed)
            return
        self.begin("solo", ruleset=ruleset)

    @rule(ruleset=st.sampled_from(RULES))
    def begin_the_day(self, ruleset: str) -> None:
        day = self.clock.date()
        before = [
            one
            for one in self.games
            if (one.game.mode, one.game.day, one.game.ruleset) == ("daily", day, ruleset)
        ]
        if before:  # one a day by each ruleset, finished or not
            again = self.start("daily", tickets.issue().signed, ruleset=ruleset)
            assert again.game.pk == before[0].game.pk
            return
        game = self.begin("daily", ruleset=ruleset).game
        assert (game.day, game.seed) == (day, derive_day_seed(day, ruleset))

    @rule(number=which)
    def begin_a_rematch(self, number: int) -> None:
        first = self.one(number)
        with pytest.raises(PermissionDenied):
            start_game(player=self.stranger, mode="rematch", of=first.game.pk)
        if not first.over:
            with pytest.raises(Refused):
                self.start("rematch", of=first.game.pk)
            return
        dice = {one.game.pk: one for one in self.games if one.game.mode == "rematch"}
        played = self.start("rematch", of=first.game.pk)
        assert (played.game.seed, played.game.ruleset) == (first.game.seed, first.game.ruleset)
        if played.game.pk in dice:  # one at a time of the same dice
            assert not dice[played.game.pk].over
            return
        assert played.actions == ()  # opened, not thrown
        self.games.append(Retold(played.game))

    @rule(number=which)
    def send_a_ticket_again(self, number: int) -> None:
        one = self.one(number)
        if not one.signed:
            return
        again = self.start(one.game.mode, one.signed, ruleset=one.game.ruleset)
        assert again.game.pk == one.game.pk
        for nonce, player in (
            (one.signed, self.stranger),
            *((bad, self.player) for bad in ("", "x", tickets.issue().signed + "x")),
        ):
            with pytest.raises(Refused):
                start_game(player=player, mode="solo", nonce=nonce)

    @rule()
    def ask_for_what_there_is_not(self) -> None:
        with pytest.raises(NotUnderstood):
            self.start("poker")
        with pytest.raises(NoSuchGame):
            self.start("rematch", of="nowhere")

    # Playing

    def record(self, one: Retold, seq: int, action: Action, player: Player | None) -> Played:
        return record_decision(
            game_id=one.game.pk, player=player, seq=seq, action=action, manner=MEANT
        )

    @rule(number=which, choices=st.lists(st.integers(0, 10_000), min_size=1, max_size=6))
    def decide(self, number: int, choices: list[int]) -> None:
        one = self.one(number)
        for choice in choices:
            if one.over:
                break
            options = list_legal_actions(one.state)
            self.try_action(one, options[choice % len(options)])

    @rule(number=which, action=anything)
    def try_anything(self, number: int, action: Action) -> None:
        self.try_action(self.one(number), action)

    def try_action(self, one: Retold, action: Action) -> None:
        seq = len(one.actions)
        if one.over or not one.allows(action):
            with pytest.raises(GameIsOver if one.over else IllegalMove):
                self.record(one, seq, action, self.player)
            return
        state = one.state
        offered = {one.game.rules.categories[box].id: n for box, n in state.offers.items()}
        nothing = isinstance(action, Score) and not offered[action.category]
        finished = Game.objects.filter(player=self.player, finished_at__isnull=False).count()
        early = isinstance(action, Score) and state.throws_left and finished < FIRST_GAMES
        if self.asks and ((nothing and any(offered.values())) or early):
            fill = partial(record_decision, game_id=one.game.pk, player=self.player, seq=seq)
            with pytest.raises(AskFirst) as asked:  # nothing happens before the player confirms
                fill(action=action, manner=Manner(by_hand=True))
            assert asked.value.action == action
        played = self.record(one, seq, action, self.player)
        one.actions.append(action)
        assert (played.state, list(played.actions)) == (one.state, one.actions)

    @rule(number=which)
    def play_to_the_end(self, number: int) -> None:
        one = self.one(number)
        while not one.over:
            state = one.state
            box = min(state.offers, default=0)
            action = Score(one.game.rules.categories[box].id) if state.dice else Hold(0)
            self.record(one, len(one.actions), action, self.player)
            one.actions.append(action)

    @rule(number=which, seq=st.integers(-3, 60), action=anything)
    def send_out_of_order(self, number: int, seq: int, action: Action) -> None:
        one = self.one(number)
        if 0 <= seq < len(one.actions):
            self.record(one, seq, one.actions[seq], self.player)  # the same again changes nothing
            if action == one.actions[seq]:
                return
        if seq != len(one.actions):
            with pytest.raises(StaleAction):
                self.record(one, seq, action, self.player)

    @rule(number=which, action=anything)
    def steal(self, number: int, action: Action) -> None:
        one = self.one(number)
        for stranger in (None, self.stranger):
            with pytest.raises(PermissionDenied):
                self.record(one, len(one.actions), action, stranger)
            with pytest.raises(PermissionDenied):
                abandon_game(game_id=one.game.pk, player=stranger)

    @rule(number=which)
    def ask_for_a_hint(self, number: int) -> None:
        one = self.one(number)
        quiet = one.over or not one.state.dice
        closed = find_kind(one.game).coached is False or one.game.coach == Coach.OFF
        if quiet or closed:
            with pytest.raises((Refused, PermissionDenied)):
                count_hint(game_id=one.game.pk, player=self.player)
            return
        count_hint(game_id=one.game.pk, player=self.player)
        one.hints += 1

    @rule(number=which)
    def give_up(self, number: int) -> None:
        one = self.one(number)
        if one.state.finished:
            with pytest.raises(GameIsOver):
                abandon_game(game_id=one.game.pk, player=self.player)
            return
        if not one.given_up:
            with pytest.raises(StaleAction):
                abandon_game(game_id=one.game.pk, player=self.player, seq=99)
        for _ in range(2):
            abandon_game(game_id=one.game.pk, player=self.player, seq=len(one.actions))
        one.given_up = True

    @precondition(lambda self: self.steps % 3 == 0)
    @rule(hours=st.sampled_from([1, 13, 24]))
    def time_goes_by(self, hours: int) -> None:
        type(self).clock += timedelta(hours=hours)

    # What holds whatever was done

    @invariant()
    def it_is_as_it_is_retold(self) -> None:
        self.steps += 1
        for one in self.games[-3:]:
            rows = list(Decision.objects.filter(game=one.game).order_by("seq"))
            assert [row.seq for row in rows] == list(range(len(one.actions)))
            assert [row.action for row in rows] == one.actions
            played = replay_game(Game.objects.get(pk=one.game.pk))
            state, game = played.state, played.game
            assert state == one.state
            assert (game.seed, game.hints) == (one.game.seed, one.hints)
            boxes = [box.points for box in state.boxes if box]
            assert state.total == sum(boxes) + state.bonus + state.chips
            assert (game.over, game.abandoned_at is not None) == (one.over, one.given_up)
            assert (game.finished_at is not None) == state.finished
            assert game.final_score == (state.total if state.finished else None)
            if state.finished and not one.given_up and state.rules.id in RULESETS:  # has a table
                assert not [row for row in rows if row.roll and row.regret is None]
        opened = find_open_solo(self.player)
        solo = self.open("solo")
        assert (opened.pk if opened else None) == (solo.game.pk if solo else None)

    @invariant()
    def nobody_sees_a_die_too_early(self) -> None:
        """Each page is the same to a byte with other dice in every throw to come."""
        one = self.games[-1 - self.steps % len(self.games)]
        if one.over:
            return
        browser = Browser()
        browser.cookies[COOKIE] = make_player_cookie(self.player)
        pages = ("", "verify", "coach", "review")
        address = f"/games/{one.game.pk}/{pages[self.steps % len(pages)]}"
        real = self.shown(browser, address)
        state = one.state
        thrown = state.throws_made if state.dice else 0
        with other_dice(state.turn, thrown):
            assert self.shown(browser, address) == real
        if thrown and address.endswith("/"):
            with other_dice(state.turn, 0):
                assert self.shown(browser, address) != real  # this browser may see the game

    def shown(self, browser: Browser, address: str) -> str:
        answer = browser.get(address, follow=True)
        return f"{answer.status_code} {RANDOM.sub('', answer.text)}"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("all_tables")
def test_whatever_is_done_a_game_is_its_dice_and_its_decisions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(RULES) <= set(PLAYED)
    monkeypatch.setattr("django.utils.timezone.now", lambda: AnyGames.clock)
    profile = settings.get_profile("requests")
    bounds = settings(profile, max_examples=examples(30), stateful_step_count=20)
    run_state_machine_as_test(AnyGames, settings=bounds)


# Beginning without a player, and the clock


@pytest.mark.django_db
def test_a_double_click_of_a_new_visitor_makes_one_player_and_one_game() -> None:
    signed = tickets.issue().signed
    first, again = (start_game(player=None, mode="solo", nonce=signed) for _ in range(2))
    assert again.game.player_id == first.game.player_id
    assert (Player.objects.count(), Game.objects.count()) == (1, 1)
    game = first.game
    record_decision(game_id=game.pk, player=game.player, seq=1, action=Hold(0))
    for player in (None, create_player()):
        with pytest.raises(Refused):
            start_game(player=player, mode="solo", nonce=signed)


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "least", "most"), [(90, 90_000, 100_000), (-3600, 0, 0)])
def test_a_decision_takes_as_long_as_the_clock_here_says(
    player: Player, seconds: int, least: int, most: int
) -> None:
    """A clock that was set back measures nothing."""
    game = start_solo(player).game
    before = timezone.now() - timedelta(seconds=seconds)
    Decision.objects.filter(game=game).update(created_at=before)
    record_decision(game_id=game.pk, player=player, seq=1, action=Score("chance"))
    made = Decision.objects.get(game=game, seq=1)
    assert (made.turn, made.roll, made.category) == (0, 1, "chance")
    assert least <= known(made.milliseconds) <= most
