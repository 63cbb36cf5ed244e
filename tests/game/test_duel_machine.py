"""A duel by its services, whatever is done in whatever order, beside a plain retelling of it."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
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
from game.core.duel_awaited_queries import list_awaiting_duels
from game.core.fair import blocks
from game.core.game_queries import replay_game
from game.core.kind import find_kind
from game.core.playing import abandon_game, record_decision
from game.core.refusals import NotYours, Refused
from game.core.starting import start_game
from game.duels.duel_ends import (
    NotAtTheTable,
    call_off_duel,
    leave_duel,
    remove_late_players,
    settle_duel,
)
from game.duels.duel_look import view_duel
from game.duels.duels import enter_duel, find_or_create_rematch
from game.models import Decision, DuelSeat, Player
from game.pages.requests.visitors import COOKIE, make_player_cookie
from solver.rules import Action, Hold, Score, State, replay
from tests.known import known
from tests.play import HTMX, RANDOM, Browser, fresh, new_duel, other_dice, play_bots, stands
from tests.selection import examples

TURNS, THROWS = 15, 3
PACES: dict[str, dict[str, Any]] = {"days": {}, "own": {"lockstep": False}, "clock": {"minutes": 3}}
OUTCOMES = {"won": "You won", "tied": "A draw", "given-up": "You gave up"}
deal = blocks.block
a_seat = st.integers(0, 3)


@dataclass
class Place:
    player: Player
    bot: bool = False
    actions: list[Action] = field(default_factory=list)
    left: str = ""

    @property
    def turns(self) -> int:
        return sum(isinstance(action, Score) for action in self.actions)

    @property
    def holds(self) -> int:
        done = [isinstance(action, Score) for action in reversed(self.actions)]
        return done.index(True) if True in done else len(done)

    @property
    def browser(self) -> Browser:
        found = Browser()
        found.cookies[COOKIE] = make_player_cookie(self.player)
        return found


class AnyDuel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        cache.clear()
        self.steps = 0

    @initialize(people=st.integers(1, 3), bot=st.booleans(), pace=st.sampled_from([*PACES]))
    def sit_down(self, people: int, bot: bool, pace: str) -> None:
        self.pace = PACES[pace]
        bots = ["random"] if bot or people == 1 else []
        self.stranger = Place(create_player())
        self.seats = [Place(create_player()) for _ in range(people)]
        self.duel = new_duel([one.player for one in self.seats], bots, **self.pace)
        self.seats += [Place(Player.objects.get(bot=bot), True) for bot in bots]
        self.state = "running"
        self.games = [known(seat.game) for seat in self.duel.seats.order_by("number")]
        assert {(game.seed, game.commitment) for game in self.games} == {
            (self.duel.seed, self.duel.commitment)
        }
        for one in self.people:  # now all people have joined
            one.browser.get(f"/duel/{self.duel.token}/")

    # The retelling

    @property
    def people(self) -> list[Place]:
        return [one for one in self.seats if not one.bot]

    @property
    def staying(self) -> list[Place]:
        return [one for one in self.seats if not one.left]

    @property
    def lockstep(self) -> bool:
        return bool(self.pace.get("lockstep", True))

    @property
    def round(self) -> int:
        return min((one.turns for one in self.staying), default=TURNS)

    def others(self, one: Place) -> list[Place]:
        return [other for other in self.people if not other.left and other is not one]

    def waiting(self, one: Place) -> bool:
        behind = [
            other
            for other in self.others(one)
            if (other.turns, other.holds) < (one.turns, one.holds)
        ]
        asked = self.state == "running" and self.lockstep and one.holds > 1 and not one.bot
        return asked and behind != []

    def may_play(self, one: Place) -> bool:
        if self.state != "running" or one.left or one.turns != self.round or one.turns == TURNS:
            return False
        if one.bot:
            return all(person.turns > one.turns for person in self.people if not person.left)
        return not self.waiting(one)

    def outcome(self, one: Place) -> str:
        if self.state == "withdrawn":
            return ""
        if one.left:
            return "given-up" if one.left == DuelSeat.Exit.GAVE_UP else "lost"
        if self.state == "running":
            return ""
        totals = [self.alone(other).total for other in self.staying]
        mine = self.alone(one).total
        if mine < max(totals):
            return "lost"
        return "tied" if totals.count(mine) > 1 else "won"

    def alone(self, one: Place) -> State:
        """Return the result of the same decisions on the same dice with nobody else in the duel."""
        return replay(self.duel.rules, deal(self.duel.seed, self.duel.rules), one.actions)

    def settled(self) -> None:
        people = [one for one in self.staying if not one.bot]
        full = all(one.turns == TURNS for one in self.staying)
        if self.state == "running" and (len(self.staying) < 2 or not people or full):
            self.state = "finished"

    # What is done

    def person(self, seat: int) -> Place:
        return self.people[seat % len(self.people)]

    def decide(self, one: Place, action: Action, by: Place | None = None, seq: int = -1) -> None:
        game, player = self.games[self.seats.index(one)], (by or one).player
        seq = len(one.actions) if seq < 0 else seq
        record_decision(game_id=game.pk, player=player, seq=seq, action=action)

    def played(self, one: Place, action: Action, *, allowed: bool) -> None:
        if allowed:
            self.decide(one, action)
            one.actions.append(action)
            self.settled()
        else:
            with pytest.raises(Refused):
                self.decide(one, action)

    @rule(seat=a_seat, slots=st.integers(0, 31), times=st.integers(1, 3))
    def hold(self, seat: int, slots: int, times: int) -> None:
        one = self.person(seat)
        for _ in range(times):
            action = Hold(slots if one.holds else 0)
            self.played(one, action, allowed=self.may_play(one) and one.holds < THROWS)

    @rule(seat=a_seat, number=st.integers(0, 14))
    def score(self, seat: int, number: int) -> None:
        one = self.person(seat)
        offers = sorted(self.alone(one).offers) or [number]
        box = self.duel.rules.categories[offers[number % len(offers)]].id
        self.played(one, Score(box), allowed=self.may_play(one) and one.holds > 0)

    @rule(rounds=st.sampled_from([1, 1, 1, 1, TURNS - 1]))
    def rounds_go_by(self, rounds: int) -> None:
        """Everybody who stays fills boxes, the first that offer themselves."""
        for _ in range(rounds):
            turn = self.round
            for one in self.people:
                while self.state == "running" and not one.left and one.turns <= turn < TURNS - 1:
                    if not one.holds:
                        self.played(one, Hold(0), allowed=True)
                    box = self.duel.rules.categories[min(self.alone(one).offers)].id
                    if self.waiting(one):
                        break
                    self.played(one, Score(box), allowed=True)
            self.programs_go_on()

    @rule()
    def programs_go_on(self) -> None:
        due = [one for one in self.seats if one.bot and self.may_play(one)]
        moves = play_bots(self.duel)
        assert (moves > 0) == bool(due)
        for one in due:
            rows = Decision.objects.filter(game=self.games[self.seats.index(one)])
            one.actions = [row.action for row in rows.order_by("seq")]
            assert one.holds == 0
        self.settled()

    @rule(seat=a_seat, back=st.integers(1, 3))
    def send_again(self, seat: int, back: int) -> None:
        one = self.person(seat)
        if len(one.actions) >= back:
            seq = len(one.actions) - back
            self.decide(one, one.actions[seq], seq=seq)
            with pytest.raises(Refused):  # what was decided cannot be changed
                self.decide(one, Hold(17 if one.actions[seq] == Hold(5) else 5), seq=seq)

    @rule(seat=a_seat, whose=a_seat)
    def meddle(self, seat: int, whose: int) -> None:
        one, other = self.person(seat), self.person(whose)
        for stranger in [self.stranger] + [one] * (one is not other):
            with pytest.raises(NotYours):
                self.decide(other, Hold(0), by=stranger)
        token, card = self.duel.token, self.games[self.seats.index(one)]
        for what in (leave_duel, remove_late_players, call_off_duel):
            with pytest.raises(NotAtTheTable):
                what(token=token, player=self.stranger.player)
        with pytest.raises(NotAtTheTable):
            find_or_create_rematch(token=token, player=self.stranger.player)
        with pytest.raises((Refused, NotAtTheTable)):  # a rematch is for those who played before
            enter_duel(token=token, player=self.stranger.player)
        enter_duel(token=token, player=one.player)  # sits there already
        if self.state == "running":
            with pytest.raises(Refused):
                start_game(player=one.player, mode="rematch", of=card.pk)
        if self.state == "running" and not one.left:
            with pytest.raises(Refused):
                abandon_game(game_id=card.pk, player=one.player)

    @rule(seat=a_seat)
    def leave(self, seat: int) -> None:
        one = self.person(seat)
        stays = self.state == "running" and not one.left
        if stays and one.turns == TURNS:
            with pytest.raises(Refused):
                leave_duel(token=self.duel.token, player=one.player)
            return
        leave_duel(token=self.duel.token, player=one.player)
        one.left = DuelSeat.Exit.GAVE_UP if stays else one.left
        self.settled()

    @rule(seat=a_seat)
    def call_off(self, seat: int) -> None:
        one = self.person(seat)
        stays = self.state == "running" and not one.left
        if stays and one.turns:
            with pytest.raises(Refused):
                call_off_duel(token=self.duel.token, player=one.player)
            return
        call_off_duel(token=self.duel.token, player=one.player)
        if stays:
            one.left, self.state = DuelSeat.Exit.OFF, "withdrawn"

    @precondition(lambda self: "minutes" not in self.pace)
    @rule(seat=a_seat, days=st.sampled_from([0, 2.9, 3.1]))
    def claim(self, seat: int, days: float) -> None:
        one = self.person(seat)
        late = [other for other in self.seats if self.may_play(other)] if days > 3 else []
        stays = self.state == "running" and not one.left
        now = timezone.now() + timedelta(days=days)
        assert not settle_duel(token=self.duel.token, now=now)  # not by itself
        if stays and (one in late or not late):
            with pytest.raises(Refused):
                remove_late_players(token=self.duel.token, player=one.player, now=now)
            return
        remove_late_players(token=self.duel.token, player=one.player, now=now)
        for other in late if stays else []:
            other.left = DuelSeat.Exit.TIME
        self.settled()

    @precondition(lambda self: "minutes" in self.pace)
    @rule()
    def an_hour_goes_by(self) -> None:
        """Clocks run out one after the other: where nobody waits for the one, the next one's."""
        due = [one for one in self.people if self.may_play(one)]
        now = timezone.now() + timedelta(hours=1)
        assert settle_duel(token=self.duel.token, now=now) == bool(due)
        seats = self.duel.seats.order_by("number")
        for one, seat in zip(self.seats, seats, strict=True):
            if seat.exit == DuelSeat.Exit.TIME and not one.left:
                assert not one.bot
                one.left = DuelSeat.Exit.TIME
        assert not due or any(one.left for one in due)
        self.settled()
        assert not any(self.may_play(one) for one in self.people)

    @rule()
    def play_again(self) -> None:
        people, duel = self.people, self.duel
        first, *others = [one.player for one in people]
        if self.state != "finished":
            with pytest.raises(Refused):
                find_or_create_rematch(token=duel.token, player=first)
            return
        again = find_or_create_rematch(token=duel.token, player=first)
        assert again.state == ("open" if others else "running")
        if others:
            with pytest.raises(NotAtTheTable):
                enter_duel(token=again.token, player=self.stranger.player)
        for player in others:
            assert find_or_create_rematch(token=duel.token, player=player).pk == again.pk
        again = fresh(again)
        assert again.seed != duel.seed
        assert (again.minutes, again.days, again.lockstep) == (
            duel.minutes,
            duel.days,
            duel.lockstep,
        )
        self.duel, self.state = again, "running"
        self.games = [known(seat.game) for seat in again.seats.order_by("number")]
        self.seats = [Place(one.player, one.bot) for one in self.seats]
        for one in self.people:
            one.browser.get(f"/duel/{again.token}/")

    # What holds whatever was done

    @invariant()
    def it_is_as_it_is_retold(self) -> None:
        duel = fresh(self.duel)
        assert duel.state == self.state
        assert (duel.finished_at is not None) == (self.state == "finished")
        shown = stands(duel)
        seats = self.duel.seats.select_related("game", "player").order_by("number")
        for place, (one, seat) in enumerate(zip(self.seats, seats, strict=True)):
            game, state = known(seat.game), replay_game(known(seat.game)).state
            assert (seat.exit, seat.player) == (one.left, one.player)
            rows = game.decisions.order_by("seq")
            assert [row.action for row in rows] == one.actions
            alone = self.alone(one)
            assert (state.boxes, state.total) == (alone.boxes, alone.total)
            assert state.waiting == self.waiting(one)
            if not state.waiting:
                assert state == alone
            assert game.over == bool(one.left or self.state != "running" or one.turns == TURNS)
            assert game.final_score == (alone.total if one.turns == TURNS else None)
            assert shown.may_play(place) == self.may_play(one)
            assert find_kind(game).shown_seed == ("" if self.state == "running" else duel.seed)
            assert not game.throws.exists()  # players type no dice here
            if one.turns == TURNS:
                assert not rows.filter(roll__gt=0, regret=None).exists()
            if not one.bot:
                company = not one.left and self.others(one) != []
                player = Player.objects.get(pk=one.player.pk)
                wanted = [duel.token] if company and self.may_play(one) else []
                assert list_awaiting_duels(player) == wanted
                if self.state != "running":
                    assert not player.in_duels
        if self.state == "running":
            assert any(map(self.may_play, self.seats))

    @invariant()
    def each_reads_what_it_came_to(self) -> None:
        one = self.people[self.steps % len(self.people)]
        view, outcome = view_duel(self.duel.token, one.player), self.outcome(one)
        assert known(view.board).outcome == known(view.mine).outcome == outcome
        assert known(view.board).status == view.verdict or not outcome
        assert bool(view.verdict) == bool(outcome or self.state == "withdrawn")
        if outcome and outcome != "lost":
            assert view.verdict.startswith(OUTCOMES[outcome])
        elif outcome:
            assert not view.verdict.startswith(tuple(OUTCOMES.values()))

    @invariant()
    def nobody_sees_a_die_too_early(self) -> None:
        """Each page is the same to a byte with other dice in every throw that must not be known.

        Each step checks one viewer and one of their pages.
        """
        self.steps += 1
        if self.state == "running":
            viewers = [*self.people, self.stranger]
            self.look(viewers[self.steps % len(viewers)])

    def look(self, viewer: Place, *, everywhere: bool = False) -> None:
        turn, throw = self.unseen(viewer)
        nobody_here = patch(
            "game.duels.duel_look.find_present_seats", return_value=set()
        )  # it asks a clock
        with patch.object(timezone, "now", return_value=timezone.now()), nobody_here:
            real = self.shown(viewer, everywhere=everywhere)
            with other_dice(turn, throw):
                assert self.shown(viewer, everywhere=everywhere) == real
            seen = viewer.holds and not viewer.left and not self.waiting(viewer)
            if seen and self.steps % 2:
                with other_dice(viewer.turns, 0):
                    assert self.shown(viewer) != real  # this viewer may see the duel

    def unseen(self, viewer: Place) -> tuple[int, int]:
        people = [one for one in self.people if not one.left]
        own = (viewer.turns, viewer.holds)
        if viewer.left or viewer is self.stranger:
            own = max(own, (min(one.turns for one in people), 0))
        company = len(people) > 1 or viewer not in people
        if not self.lockstep or not company:
            return own
        return min([own, *((one.turns, max(1, one.holds)) for one in people)])

    def shown(self, viewer: Place, *, everywhere: bool = False) -> list[str]:
        token, browser = self.duel.token, viewer.browser
        addresses = [f"/duels/{token}/", "/duels/", "/history"]
        addresses += [f"/history/export?format={kind}" for kind in ("csv", "json")]
        for game in self.games:
            addresses += [f"/watch/{game.share_token}/", f"/review/{game.share_token}/"]
            own = ("", "verify", "coach", "review", "learn")
            addresses += [f"/games/{game.pk}/{what}" for what in own]
        found = []
        if not everywhere:
            addresses = [addresses[self.steps // 2 % len(addresses)]]
        for address in (f"/duel/{token}/", *addresses):
            answer = browser.get(address, follow=True)
            body = b"".join(answer) if answer.streaming else answer.content
            found.append(f"{answer.status_code} {RANDOM.sub('', body.decode())}")
        if viewer.actions and (
            everywhere or self.steps % 3 == 0
        ):  # a hold that is repeated, or comes out of turn
            game = self.games[self.seats.index(viewer)]
            last = {"seq": len(viewer.actions) - 1, "slot": []}
            refused = browser.post(f"/games/{game.pk}/hold", last, headers=HTMX)
            found.append(RANDOM.sub("", refused.text))
        return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_whatever_is_done_it_stays_a_duel_that_shows_nobody_a_die_too_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Results that other tests have the lab calculate change the list of duels, too."""
    monkeypatch.setattr("game.duels.opponents.read_result", lambda *_: None)
    profile = settings.get_profile("requests")
    bounds = settings(profile, max_examples=examples(20), stateful_step_count=15)
    run_state_machine_as_test(AnyDuel, settings=bounds)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_two_seats_of_one_person_show_nothing_that_the_third_can_still_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A player with two seats throws first on one, to know what the other gets; that does not
    help, nor does scoring or leaving."""
    monkeypatch.setattr("game.duels.opponents.read_result", lambda *_: None)
    table = AnyDuel()
    table.sit_down(people=3, bot=False, pace="days")
    first, second, third = table.people
    for seat in range(3):
        table.hold(seat=seat, slots=0, times=1)
    for seat in (0, 1):
        table.hold(seat=seat, slots=1, times=2)  # the second time is refused
    table.it_is_as_it_is_retold()
    for viewer in (first, third):
        table.look(viewer, everywhere=True)
    table.hold(seat=2, slots=2, times=1)  # now it falls
    table.score(seat=1, number=0)
    table.it_is_as_it_is_retold()
    for viewer in (second, table.stranger):
        table.look(viewer, everywhere=True)
    table.hold(seat=0, slots=1, times=1)
    table.leave(seat=1)
    table.it_is_as_it_is_retold()
    table.look(third, everywhere=True)
