"""Somebody of every kind, each with a browser and with things of their own."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from django.contrib.auth.models import Group, User
from django.db.models import F
from django.test import Client

from game.core.accounts import create_player, get_or_create_player
from game.core.fair import days, tickets
from game.core.playing import hold_dice
from game.core.starting import start_game
from game.duels.duel_ends import leave_duel
from game.duels.duels import create_duel
from game.duels.parties import TableGuest, start_party
from game.models import Duel, Game, Player
from game.pages.board.sharing import make_challenge_url, make_result_url
from game.pages.requests.visitors import COOKIE, make_player_cookie
from game.practice.drill_queries import find_next_question, list_mistake_keys
from game.practice.drilling import store_attempt
from game.practice.lists import save_position
from game.trials.design.writing import close_trial
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import recruit_agree, store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Trial, TrialStaff
from game.trials.results.preregistration import save_preregistration
from solver.rules import YATZY, Score
from tests.crawl.roles import ROLES
from tests.known import known
from tests.play import card_of, new_duel, play_turn, score_all, start_solo
from tests.trials import joined, new_trial

PASSWORD = "five sixes at once"
# Default values of the parameters of addresses.
USUAL = {
    "app_label": "game",
    "attempt_id": "1",
    "content_type_id": "1",
    "name": "games.csv",
    "number": "1",
    "object_id": "1",
    "id": "1",
    "part": "values",
    "list_token": "nothing",
    "party_id": "nothing",
    "player_id": "optimal",
    "rest": "nothing",
    "ruleset": "yatzy",
    "seed": "1",
    "game_id": "nothing",
    "share_token": "nothing",
    "signed": "nothing",
    "token": "nothing",
    "slug": "study",
    "step": "question",
    "to": "close",
    "url": "nothing",
    "user_id": "0",
}


@dataclass
class World:
    browsers: dict[str, Client] = field(default_factory=dict)
    things: dict[str, dict[str, str]] = field(default_factory=dict)

    def browser(self, role: str) -> Client:
        """Return a fresh client with the same cookies: its requests change nothing for the next."""
        client = Client()
        for name, morsel in self.browsers[role].cookies.items():
            client.cookies[name] = morsel.value
        return client

    def values(self, *things: str) -> dict[str, str]:
        values = dict(USUAL)
        for thing in things:
            values |= self.things[thing]
        return values


def new_world() -> World:
    world = World({role: Client() for role in ROLES})
    _players(world)
    _duels(world)
    _trials(world)
    _staff(world)
    return world


def _guest(world: World, role: str) -> Player:
    player = create_player()
    world.browsers[role].cookies[COOKIE] = make_player_cookie(player)
    return player


def _account(world: World, role: str, **rights: Any) -> User:
    user = User.objects.create_user(role, password=PASSWORD, **rights)
    world.browsers[role].force_login(user)
    get_or_create_player(user=user)
    return user


def _know(world: World, name: str, game: Game) -> None:
    world.things[name] = {"game_id": game.pk, "share_token": game.share_token}


def _finished(player: Player) -> Game:
    return score_all(start_solo(player), player).game


def _players(world: World) -> None:
    guest = _guest(world, "guest")
    finished = _finished(guest)
    _know(world, "finished game", finished)
    world.things["challenge of a game"] = {
        "signed": unquote(make_challenge_url(finished).split("/")[2])
    }
    _know(world, "game", _begun(guest))
    _attempt(world, guest)
    _day(world, guest)
    _list(world, guest)
    _table(world, guest)
    other = _guest(world, "other")
    _finished(other)
    _running_day(world, other)
    world.things |= {"a player": {"object_id": str(guest.pk)}}
    world.things |= {"a game": {"object_id": world.things["game"]["game_id"]}}
    for role in ("account", "member"):
        member = get_or_create_player(user=_account(world, role))
        game = _finished(member)
    _know(world, "member's game", game)


def _begun(player: Player) -> Game:
    played = start_game(player=player, mode="solo", nonce=tickets.issue().signed, coach="after")
    hold_dice(game_id=played.game.pk, player=player, seq=0, slots=0)
    return played.game


def _attempt(world: World, player: Player) -> None:
    question = known(find_next_question(player, YATZY, list_mistake_keys(player, YATZY)))
    box = YATZY.ids(YATZY.full & ~question.position.filled)[0]
    made = store_attempt(player=player, key=question.key, number=question.number, action=Score(box))
    world.things["attempt"] = {"attempt_id": str(made.pk)}


def _list(world: World, player: Player) -> None:
    position = known(find_next_question(player, YATZY, ())).position
    kept = save_position(player=player, position=position)
    world.things["list of positions"] = {"list_token": kept.kept_in.token}
    world.things["kept position"] = {"kept": str(kept.pk)}


def _day(world: World, player: Player) -> None:
    played = start_game(player=player, mode="daily", nonce=tickets.issue().signed, day=days.today())
    game = score_all(played, player).game
    _know(world, "day", game)
    world.things["day"] |= {"signed": unquote(make_result_url(game).split("/")[3])}


def _running_day(world: World, player: Player) -> None:
    played = start_game(player=player, mode="daily", nonce=tickets.issue().signed, day=days.today())
    _know(world, "day's running game", played.game)


def _table(world: World, host: Player) -> None:
    guests = [TableGuest("Ann"), TableGuest("Bo")]
    found = start_party(player=host, rules=YATZY, guests=guests)
    world.things["shared-device game"] = {"party_id": found.pk}


def _duels(world: World) -> None:
    seat, rival = _guest(world, "seat"), create_player()
    over = new_duel([seat, rival])
    leave_duel(token=over.token, player=rival)
    duel = new_duel([seat, rival])
    waiting, _ = create_duel(player=seat, ruleset="yatzy", people=2, bots=[], minutes=0)
    _know(world, "card", card_of(duel, seat))
    alone = new_duel([seat, rival])
    play_turn(alone, seat)
    Duel.objects.filter(pk=alone.pk).update(started_at=F("started_at") - timedelta(days=4))
    found: dict[str, Duel] = {"duel": duel, "duel that is over": over, "challenge": waiting}
    found["duel nobody else came to"] = alone
    world.things |= {name: {"token": one.token} for name, one in found.items()}


def _trials(world: World) -> None:
    trial = new_trial(slug="study", dice="real")
    participant = joined(trial, 1)
    game = start_trial_game(participant=participant).game
    world.browsers["participant"].get(make_link_path(participant))
    _know(world, "trial's game", game)
    gone = joined(trial, 2)
    world.browsers["former"].get(make_link_path(gone))
    withdraw_participant(participant=gone)
    world.things["place given up"] = {"signed": _signed(trial, 2)}
    world.things["place"] = {"signed": _signed(trial, 3)}
    _open_link(world, trial)
    _closed(world)
    new_trial(slug="draft", opened=False)
    world.things["draft"] = {"slug": "draft", "to": "open"}
    new_trial(slug="masked", masked=True)
    world.things["masked"] = {"slug": "masked"}
    world.things["a participant"] = {"object_id": str(participant.player_id)}
    _planned(world)


def _planned(world: World) -> None:
    trial = new_trial(slug="planned")
    save_preregistration(
        trial=trial, hypotheses="They learn.", outcome="cost", exclusions={}, stopping="everybody"
    )
    world.things["planned"] = {"slug": "planned"}


def _signed(trial: Trial, number: int) -> str:
    return unquote(make_link_path(trial.participants.get(number=number)).split("/")[2])


def _open_link(world: World, trial: Trial) -> None:
    found = store_recruitment(trial=trial, open=True, quota=2, labels="pid")
    recruit_agree(recruitment=found, version=1, parameters={"pid": "anna"})
    world.things["open link"] = {"token": found.token}
    world.things["links"] = {"to": "issue"}


def _closed(world: World) -> None:
    trial = new_trial(slug="closed", games_each=1)
    participant = joined(trial, 1)
    played = start_trial_game(participant=participant)
    world.browsers["finished"].get(make_link_path(participant))
    score_all(played, known(participant.player))
    close_trial(trial=trial)
    world.things["closed trial"] = {"slug": "closed"}
    _know(world, "closed trial's game", played.game)


def _staff(world: World) -> None:
    _account(world, "staff", is_staff=True)
    for name, role in (("viewer", "view"), ("runner", "run"), ("researcher", "own")):
        user = _account(world, name, is_staff=True)
        for trial in Trial.objects.all():
            TrialStaff.objects.create(trial=trial, user=user, role=role)
    world.things["runner's role"] = {"user_id": str(User.objects.get(username="runner").pk)}
    superuser = _account(world, "superuser", is_staff=True, is_superuser=True)
    world.things["a user"] = {"object_id": str(superuser.pk), "id": str(superuser.pk)}
    world.things["a group"] = {"object_id": str(Group.objects.create(name="group").pk)}
