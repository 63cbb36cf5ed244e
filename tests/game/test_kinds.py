"""One contract for every kind of game, and what each of them answers."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.template.loader import get_template

from game.core.accounts import create_player
from game.core.fair import days, tickets
from game.core.game_queries import query_games, replay_game
from game.core.kind import StartedKind, find_kind, list_modes, load_kinds
from game.core.playing import abandon_game, record_decision
from game.core.refusals import Refused
from game.core.starting import save_and_roll, start_game
from game.core.throwing import enter_roll
from game.duels.parties import TableGuest, start_party
from game.models import Game, Player
from game.pages.board.showing import make_game_board
from game.pages.board.verification import verify
from game.pages.presentation import load_pages
from game.pages.requests.forms import StartForm
from game.pages.requests.visitors import COOKIE, make_player_cookie
from game.trials.joining.writing import start_trial_game
from solver.rules import YATZY, Hold, Score
from tests.known import known
from tests.play import Browser, card_of, new_duel, start_solo
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db
NEEDS = {"lab": ["game.lab"], "trial": ["game.trials"]}
MODES = [
    pytest.param(mode, marks=pytest.mark.needs(*NEEDS.get(mode, [])))
    for mode in sorted(Game.Mode.values)
]


def daily(player: Player) -> Game:
    nonce = tickets.issue().signed
    return start_game(player=player, mode="daily", nonce=nonce).game


def rematch(player: Player) -> Game:
    first = start_solo(player).game
    abandon_game(game_id=first.pk, player=player)
    return start_game(player=player, mode="rematch", of=first.pk).game


def lab(player: Player) -> Game:
    return save_and_roll(player, Game(mode=Game.Mode.LAB, lab_seed=7, lab_number=1)).game


def duel(player: Player) -> Game:
    return card_of(new_duel([player, create_player()]), player)


def trial(player: Player) -> Game:
    return start_trial_game(participant=joined(new_trial())).game


def party(player: Player) -> Game:
    guests = [TableGuest("Ann"), TableGuest("Bo")]
    begun = start_party(player=player, rules=YATZY, guests=guests)
    return known(begun.seats.first()).game


def imported(player: Player) -> Game:
    """Return a game before its first throw: none is ever stored so."""
    return save_and_roll(player, Game(mode=Game.Mode.IMPORT, real_dice=True)).game


def offline(player: Player) -> Game:
    return save_and_roll(player, Game(mode=Game.Mode.OFFLINE, real_dice=True)).game


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
    begun = begin(player) if begin else save_and_roll(player, Game(mode=mode, seed="ab" * 32)).game
    return query_games().get(pk=begun.pk)


@pytest.mark.needs("game.lab", "game.trials")
def test_every_stored_mode_has_its_kind() -> None:
    assert sorted(load_kinds()) == sorted(Game.Mode.values)
    assert all(kind.mode == mode for mode, kind in load_kinds().items())


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
    known_modes = [mode for mode in list_modes(lambda kind: getattr(kind, fact)) if mode in BEGIN]
    assert sorted(known_modes) == [mode for mode in FACTS[fact].split() if mode in load_kinds()]


def test_only_games_alone_and_on_paper_take_a_box_back() -> None:
    taking = list_modes(lambda kind: "can_take_back" in vars(kind))
    assert BEGIN.keys() & taking == {"party", "solo"}


@pytest.mark.parametrize("mode", MODES)
def test_every_kind_shows_its_game_while_it_is_played_and_no_dice_of_it(
    mode: str, game: Game, browser: Browser
) -> None:
    """Only a trial's game is not shared and has no coach but its arm's. A watcher sees neither it
    nor a duel's card, which its player finds on the duel's page."""
    kind, pages = find_kind(game), load_pages(mode)
    board = make_game_board(game, viewer=game.player)
    shown = board.kind, board.mode_label, board.player_label
    assert shown == (kind, kind.label, kind.player_label)
    assert all((kind.label, kind.player_label, kind.title))
    for name in filter(None, (pages.over, pages.again, pages.about, pages.proof)):
        get_template(name)
    assert (kind.shown_seed, verify(replay_game(game)).turns) == ("", ())
    assert kind.coached is (False if mode == "trial" else None)
    addresses = {kind.make_share_url(owner=owner) for owner in (True, False)}
    assert (addresses == {""}) == (mode == "trial")
    withheld = kind.withheld
    assert (withheld is not None) == (mode in {"duel", "trial"})
    watched = browser.get(f"/watch/{game.share_token}/")
    assert watched.status_code == (200 if withheld is None else 403)
    if withheld is not None:
        assert isinstance(withheld, PermissionDenied)
        assert str(withheld) in watched.text
        assert kind.dice_withheld is not None
    browser.cookies[COOKIE] = make_player_cookie(game.player)
    response = browser.get(f"/games/{game.pk}/?held=0")
    assert response.status_code == (302 if mode == "duel" else 200)
    assert response.headers.get("Location", "?held=0").endswith("?held=0")


@pytest.mark.parametrize("mode", MODES)
def test_every_kind_is_played_by_the_one_service_and_given_up_unless_it_says_why_not(
    mode: str, game: Game
) -> None:
    seq, player = game.decisions.count(), game.player
    assert seq == (1 if find_kind(game).thrown else 0)
    if not seq:
        record_decision(game_id=game.pk, player=player, seq=0, action=Hold(0))
    if game.real_dice:
        enter_roll(game_id=game.pk, player=player, seq=1, entries=0, faces=[1, 2, 3, 4, 5])
    played = record_decision(game_id=game.pk, player=player, seq=1, action=Score("chance"))
    assert played.state.turn == 1
    why = find_kind(game).must_go_on
    assert bool(why) == (mode in {"duel", "trial"})
    if why:
        with pytest.raises(Refused, match=why):
            abandon_game(game_id=game.pk, player=player)
    else:
        assert abandon_game(game_id=game.pk, player=player).game.over


@pytest.mark.parametrize("mode", MODES)
def test_a_form_begins_a_game_or_it_has_a_page_of_its_own(mode: str) -> None:
    form = StartForm({"mode": mode})
    assert (form.kind is not None) == issubclass(load_kinds()[mode], StartedKind)
    assert ("mode" in form.errors) == (mode in {"duel", "party", "import", "offline", "trial"})
    own = set(form.kind.fields) if form.kind else set()
    assert own.isdisjoint(StartForm.base_fields)


@pytest.mark.parametrize("late", [True, False])
def test_a_days_game_has_no_place_from_the_moment_its_dice_are_told(
    player: Player, late: bool
) -> None:
    game = daily(player)
    closing = days.find_closing_time(known(game.day))
    find_kind(game).react_to_finish(closing if late else closing - timedelta(seconds=1))
    assert game.unranked is late
