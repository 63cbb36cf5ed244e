"""Who may change what: all that the site takes, and for whom something is stored.

What others send changes no row of the database. An address that is not here takes nothing.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from game.core.fair import days, tickets
from game.practice.drill_queries import find_next_question
from game.practice.five import choose_daily_five
from solver.rules import YATZY
from solver.rules.position import Position
from tests.crawl.roles import named
from tests.crawl.world import PASSWORD, World
from tests.known import known

Data = dict[str, Any]
SETTINGS: Data = {
    "language": "sv",
    "theme": "dark",
    "ruleset": "yatzy",
    "coach": "after",
    "coach_threshold": "1",
}
KEPT = {"position": "rules=yatzy&filled=ones&upper=3&dice=11225&left=2"}
WORD = "a word of my own"
NEW = {"password1": WORD, "password2": WORD}
DEVICE = "https://fcm.googleapis.com/fcm/send/a-device"
DELETED = {"confirm": "on", "password": PASSWORD}
CHANGED = {"old_password": PASSWORD, "new_password1": WORD, "new_password2": WORD}
IN_ORDER = [{"thrown": [[1, 2, 3, 4, 6]], "held": [], "box": box.id} for box in YATZY.categories]
HANDED_IN = {
    "name": "00000000-0000-0000-0000-000000000007",
    "rules": "yatzy",
    "turns": json.dumps(IN_ORDER),
    "total": 32,
    "began": 0,
    "ended": 0,
}
QUESTION: Data = {"title": "Another", "slug": "draft", "compare": "nobody", "outcome": "cost"}
QUESTIONS = "before:\n  - questions:\n      - {key: age, kind: number, ask: How old are you?}\n"


class Write(NamedTuple):
    address: str
    things: tuple[str, ...]
    data: Callable[[World], Data]
    by: set[str]


def row(address: str, about: str, data: Data | Callable[[World], Data], by: str) -> Write:
    things = tuple(one.strip() for one in about.split(",") if one.strip())
    return Write(address, things, data if callable(data) else lambda _: data, named(by))


def new_game(_: World) -> Data:
    return {"mode": "solo", "nonce": tickets.issue().signed}


def drilled(_: World) -> Data:
    question = known(find_next_question(None, YATZY, ()))
    return {"of": question.key, "seq": question.number, "category": open_box(question.position)}


def a_kept_one(world: World) -> Data:
    return {"kept": world.things["kept position"]["kept"]}


def five(_: World) -> Data:
    today = days.today()
    first = choose_daily_five(today, YATZY)[0].position
    return {"of": today.isoformat(), "seq": 1, "category": open_box(first)}


def open_box(position: Position) -> str:
    return YATZY.ids(YATZY.full & ~position.filled)[0]


def learned(world: World) -> Data:
    lesson = f"/games/{world.things['finished game']['game_id']}/learn"
    step = world.browser("guest").get(lesson).context["step"]
    page = world.browser("guest").get(lesson, {"step": step.number})
    box = YATZY.categories[min(step.state.offers)].id
    return {"step": step.number, "seq": page.context["fields"]["seq"], "category": box}


def asked_to_beat(world: World) -> Data:
    signed = world.things["challenge of a game"]["signed"]
    return {"mode": "rematch", "beat": signed, "nonce": tickets.issue().signed}


GAMES = [
    row("games/", "", new_game, "everybody -participant -guest"),  # these roles continue their game
    row("games/", "challenge of a game", asked_to_beat, "everybody -participant -guest"),
    row("games/<slug:game_id>/hold", "game", {"seq": 1}, "guest"),
    row("games/<slug:game_id>/hold", "card", {"seq": 0}, "seat"),
    row("games/<slug:game_id>/hold", "trial's game", {"seq": 0}, "participant"),
    row(
        "games/<slug:game_id>/score",
        "game",
        {"seq": 1, "category": "ones", "confirmed": "1"},
        "guest",
    ),
    row("games/<slug:game_id>/score", "finished game", {"seq": 1, "category": "ones"}, "nobody"),
    row(
        "games/<slug:game_id>/throw",
        "trial's game",
        {"seq": 0, "entries": 0, "faces": "12345"},
        "participant",
    ),
    row("games/<slug:game_id>/back", "game", {"seq": 1}, "nobody"),  # no box was filled
    row("games/<slug:game_id>/abandon", "game", {}, "guest"),
    row("games/<slug:game_id>/abandon", "trial's game", {}, "nobody"),
    row("games/<slug:game_id>/hint", "game", {}, "guest"),
    row("games/<slug:game_id>/hint", "trial's game", {}, "nobody"),
    row("games/<slug:game_id>/learn", "finished game", learned, "guest"),
    row("review/<slug:share_token>/learn", "finished game", learned, "guest"),
    row("offline/games", "", HANDED_IN, "everybody -participant"),
    row("table/", "", {"ruleset": "yatzy", "name_0": "Ann"}, "everybody -participant"),
    row("duels/", "", {"ruleset": "yatzy", "people": 2, "minutes": 0}, "everybody -participant"),
    row(
        "duels/reminders/keep", "", {"endpoint": DEVICE}, "everybody -stranger -former -participant"
    ),
    row("duels/reminders/stop", "", {"endpoint": DEVICE}, "nobody"),
    row("duel/<slug:token>/join", "challenge", {}, "everybody -participant -seat"),
    row("duel/<slug:token>/join", "duel", {}, "nobody"),
    row("duel/<slug:token>/leave", "duel", {}, "seat"),
    row("duel/<slug:token>/leave", "challenge", {}, "seat"),
    row("duel/<slug:token>/call-off", "duel", {}, "seat"),
    row("duel/<slug:token>/call-off", "duel that is over", {}, "nobody"),
    row("duel/<slug:token>/claim", "duel nobody else came to", {}, "seat"),
    row("duel/<slug:token>/claim", "duel", {}, "nobody"),
    row("duel/<slug:token>/greet", "duel", {"greeting": "luck"}, "seat"),
    row("duel/<slug:token>/greet", "challenge", {"greeting": "luck"}, "nobody"),
    row("duel/<slug:token>/rematch", "duel that is over", {}, "seat"),
    row("duel/<slug:token>/rematch", "duel", {}, "nobody"),
    row("nickname/", "", {"nickname": "Somebody"}, "everybody -participant"),
    row("drill/", "", drilled, "everybody -in-trial"),
    row("drill/lists/keep", "", KEPT, "everybody -in-trial"),
    row("drill/lists/<slug:list_token>/rename", "list of positions", {"name": "Mine"}, "guest"),
    row("drill/lists/<slug:list_token>/remove", "list of positions", a_kept_one, "guest"),
    row("drill/lists/<slug:list_token>/delete", "list of positions", {}, "guest"),
    row("five/", "", five, "everybody -in-trial"),
    row("five/<slug:ruleset>/", "", five, "everybody -in-trial"),
]

# Forms that get an answer but store nothing.
ANSWERED = [
    row("welcome/", "", {}, "nobody"),
    row("api/v1/advise", "", {}, "nobody"),
    row("api/v1/ledger", "", {}, "nobody"),
    row("dice-test/", "", {"throws": "1 2 3 4 5 6"}, "nobody"),
]

ACCOUNTS = [
    row("settings/", "", SETTINGS, "everybody"),
    row("account/signup/", "", {"username": "new"} | NEW, "everybody -participant"),
    row(
        "account/login/",
        "",
        {"username": "account", "password": PASSWORD},
        "everybody -signed-in -participant",
    ),
    row("account/logout/", "", {}, "nobody"),
    row("account/password/", "", CHANGED, "signed-in"),
    row("account/recovery-code/", "", {"password": PASSWORD}, "signed-in"),
    row("account/recover/", "", {"username": "account", "code": "x"} | NEW, "nobody"),
    row("account/delete/", "", DELETED, "everybody -stranger -participant -former -finished"),
]

TAKING_PART = [
    row("take-part/agree", "", {"version": 1, "agree": "on"}, "participant"),
    row("take-part/answers", "", {"experience": "child"}, "participant"),
    row("take-part/asked", "", {"page": "before-1"}, "participant"),
    row("take-part/game", "", {}, "participant"),
    row("take-part/go-on", "", {}, "participant"),
    row("take-part/pass", "", {}, "participant"),
    row("take-part/leave", "", {}, "participant finished"),
    row("take-part/page", "", {"state": "hidden"}, "participant"),
    row("take-part/withdraw", "", {"confirm": "on"}, "participant finished"),
    row(
        "join/<slug:token>/agree?pid=ben",
        "open link",
        {"version": 1, "agree": "on"},
        "everybody -participant -finished",
    ),
    row("join/<slug:token>/arrived", "open link", {"what": "opened"}, "everybody"),
    row(  # noted in the trial's log
        "join/<slug:token>/code?pid=anna",
        "open link",
        {"code": "AAAA-AAAA"},
        "everybody -participant -finished",
    ),
]

TRIALS = [
    row("trials/new/", "", {"preset": "coach"}, "staff-all"),
    row("trials/<slug:slug>/<slug:step>/", "draft", QUESTION, "owning"),
    row("trials/<slug:slug>/questions/", "draft", {"text": QUESTIONS, "save": ""}, "owning"),
    row("trials/<slug:slug>/lock", "planned", {}, "owning"),
    row("trials/<slug:slug>/labels/delete", "", {"confirm": "on"}, "owning"),
    row("trials/<slug:slug>/delete", "draft", {"slug": "draft"}, "owning"),
    row("trials/<slug:slug>/delete", "", {"slug": "study"}, "nobody"),  # it was opened: it stays
    row("trials/<slug:slug>/turn/<slug:to>", "", {}, "running"),
    row("trials/<slug:slug>/turn/<slug:to>", "draft", {}, "running"),
    row("trials/<slug:slug>/<int:number>/release", "", {}, "running"),
    row("trials/<slug:slug>/<int:number>/link/<slug:to>", "links", {}, "running"),
    row("trials/<slug:slug>/<int:number>/withdraw", "", {"confirm": "on"}, "running"),
    row("trials/<slug:slug>/unmask", "masked", {"reason": "Ill.", "confirm": "on"}, "owning"),
    row("trials/<slug:slug>/roles/", "", {"username": "staff", "role": "view"}, "owning"),
    row("trials/<slug:slug>/roles/<int:user_id>/end", "runner's role", {}, "owning"),
    # The only owner stays; for a superuser without a role, the log records the request.
    row("trials/<slug:slug>/roles/leave", "", {}, "viewer runner superuser"),
]

SURE = {"post": "yes"}
ADMINISTRATION = [
    row("admin/game/player/<path:object_id>/delete/", "a player", SURE, "superuser"),
    row("admin/game/player/<path:object_id>/delete/", "a participant", SURE, "nobody"),
    row("admin/game/game/<path:object_id>/delete/", "a game", SURE, "superuser"),
    row("admin/game/player/<path:object_id>/change/", "a player", {"nickname": "x"}, "nobody"),
    row("admin/auth/group/add/", "", {"name": "new"}, "superuser"),
]

WRITES = GAMES + ANSWERED + ACCOUNTS + TAKING_PART + TRIALS + ADMINISTRATION
