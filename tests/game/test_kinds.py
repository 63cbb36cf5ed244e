"""One contract for every kind of game, and what each of them answers."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.template.loader import get_template

from game.core.accounts import player_create
from game.core.fair import days, tickets
from game.core.game_queries import game_played, games
from game.core.kind import StartedKind, kind_of, kinds, modes
from game.core.playing import decision_record, game_abandon
from game.core.refusals import Refused
from game.core.starting import deal, game_start
from game.core.throwing import throw_enter
from game.duels.parties import TableGuest, party_begin
from game.models import Game, Player
from game.pages.board.showing import board_game
from game.pages.board.verification import verify
from game.pages.presentation import pages_of
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import COOKIE, cookie_of_player
from game.trials.joining.writing import trial_game_start
from solver.rules import YATZY, Hold, Score
from tests.known import known
from tests.play import Browser, card_of, joined, new_duel, new_trial, start_solo

pytestmark = pytest.mark.django_db
MODES = sorted(Game.Mode.values)


def daily(player: Player) -> Game:
    nonce = tickets.issue().signed
    return game_start(player=player, mode="daily", nonce=nonce).game


def rematch(player: Player) -> Game:
    first = start_solo(player).game
    game_abandon(game_id=first.pk, player=player)
    return game_start(player=player, mode="rematch", of=first.pk).game


def lab(player: Player) -> Game:
    return deal(player, Game(mode=Game.Mode.LAB, lab_seed=7, lab_number=1)).game


def duel(player: Player) -> Game:
    return card_of(new_duel([player, player_create()]), player)


def trial(player: Player) -> Game:
    return trial_game_start(participant=joined(new_trial())).game


def party(player: Player) -> Game:
    guests = [TableGuest("Ann"), TableGuest("Bo")]
    begun = party_begin(player=player, rules=YATZY, guests=guests)
    return known(begun.seats.first()).game


def imported(player: Player) -> Game:
    """As it would be before its first throw: none is ever stored so."""
    return deal(player, Game(mode=Game.Mode.IMPORT, real_dice=True)).game


def offline(player: Player) -> Game:
    """The same."""
    return deal(player, Game(mode=Game.Mode.OFFLINE, real_dice=True)).game


BEGIN: Mapping[str, Callable[[Player], Game]] = {
    "solo": lambda player: start_solo(player).game,
    "daily": daily,
    "rematch": rematch,
    "lab": lab,
    "duel": duel,
    "party": party,
    "import": imported,
    "offline": offline,
    "trial": trial,
}


@pytest.fixture
def game(mode: str, player: Player) -> Game:
    begin = BEGIN.get(mode)
    begun = begin(player) if begin else deal(player, Game(mode=mode, seed="ab" * 32)).game
    return games().get(pk=begun.pk)


def test_every_stored_mode_has_its_kind() -> None:
    assert sorted(kinds()) == MODES
    assert all(kind.mode == mode for mode, kind in kinds().items())


FACTS = {
    "counted": "daily duel offline solo",
    "ranked": "daily",
    "compared": "daily duel",
    "personal": "daily duel import lab offline rematch solo trial",
    "watched": "daily lab rematch solo",
    "measured": "trial",
    "wishes_coach": "rematch solo",
    "thrown": "daily solo trial",
}


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_is_true_of_these_of_the_kinds_named_here(fact: str) -> None:
    known_modes = [mode for mode in modes(lambda kind: getattr(kind, fact)) if mode in BEGIN]
    assert sorted(known_modes) == FACTS[fact].split()


@pytest.mark.parametrize("mode", MODES)
class TestEveryKind:
    def test_it_is_begun_thrown_and_decided_by_the_one_service(self, mode: str, game: Game) -> None:
        seq, player = game.decisions.count(), game.player
        assert seq == (1 if kind_of(game).thrown else 0)
        if not seq:
            decision_record(game_id=game.pk, player=player, seq=0, action=Hold(0))
        if game.real_dice:
            throw_enter(game_id=game.pk, player=player, seq=1, entries=0, faces=[1, 2, 3, 4, 5])
        played = decision_record(game_id=game.pk, player=player, seq=1, action=Score("chance"))
        assert played.state.turn == 1

    def test_it_has_a_name_and_a_player(self, mode: str, game: Game) -> None:
        kind = kind_of(game)
        board = board_game(game, viewer=game.player)
        assert (board.kind, board.mode_label, board.player_label) == (
            kind,
            kind.label,
            kind.player_label,
        )
        assert all((kind.label, kind.player_label, kind.title))

    def test_its_templates_are_there(self, mode: str) -> None:
        pages = pages_of(mode)
        for name in filter(None, (pages.over, pages.again, pages.about, pages.proof)):
            get_template(name)

    def test_nobody_sees_seed_or_dice_while_it_is_played(self, mode: str, game: Game) -> None:
        assert kind_of(game).shown_seed == ""
        assert verify(game_played(game)).turns == ()

    def test_who_watches_is_told_why_not(self, mode: str, game: Game, browser: Browser) -> None:
        withheld = kind_of(game).withheld
        assert (withheld is not None) == (mode in {"duel", "trial"})
        response = browser.get(f"/watch/{game.share_token}/")
        assert response.status_code == (200 if withheld is None else 403)
        if withheld is not None:
            assert isinstance(withheld, PermissionDenied)
            assert str(withheld) in response.text
            assert kind_of(game).dice_withheld is not None

    def test_it_is_given_up_unless_it_says_why_not(self, mode: str, game: Game) -> None:
        why = kind_of(game).must_go_on
        assert bool(why) == (mode in {"duel", "trial"})
        if why:
            with pytest.raises(Refused, match=why):
                game_abandon(game_id=game.pk, player=game.player)
        else:
            assert game_abandon(game_id=game.pk, player=game.player).game.over

    def test_a_card_of_a_duel_alone_is_answered_by_another_page(
        self, mode: str, game: Game, browser: Browser
    ) -> None:
        browser.cookies[COOKIE] = cookie_of_player(game.player)
        response = browser.get(f"/games/{game.pk}/?held=0")
        assert response.status_code == (302 if mode == "duel" else 200)
        assert response.headers.get("Location", "?held=0").endswith("?held=0")

    def test_a_trials_game_alone_is_not_shown_around(self, mode: str, game: Game) -> None:
        addresses = {kind_of(game).share_url(owner=owner) for owner in (True, False)}
        assert (addresses == {""}) == (mode == "trial")

    def test_a_trials_game_alone_has_no_coach_but_an_arms(self, mode: str, game: Game) -> None:
        assert kind_of(game).coached is (False if mode == "trial" else None)

    def test_a_form_begins_it_or_it_has_a_page_of_its_own(self, mode: str) -> None:
        form = StartForm({"mode": mode})
        assert (form.kind is not None) == issubclass(kinds()[mode], StartedKind)
        assert ("mode" in form.errors) == (mode in {"duel", "party", "import", "offline", "trial"})
        own = set(form.kind.fields) if form.kind else set()
        assert own.isdisjoint(StartForm.base_fields)


@pytest.mark.parametrize("late", [True, False])
def test_a_days_game_has_no_place_from_the_moment_its_dice_are_told(
    player: Player, late: bool
) -> None:
    game = daily(player)
    closing = days.closes_at(known(game.day))
    kind_of(game).finishing(closing if late else closing - timedelta(seconds=1))
    assert game.unranked is late
