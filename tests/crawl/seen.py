"""Who may look at what. A page answers as its row in `game/pages/requests/audiences.py` promises;
here are the pages whose answer depends on the owner of what they show, and other exceptions.

    address | things that it is about | status and for whom | ... | status for everybody else

Opening an address stores nothing, for any role. What is no page is only sent to: 405 for
everybody who opens it, and `written.py` has what is sent. Roles and groups are those of `roles.py`.
"""

from collections.abc import Iterable
from typing import NamedTuple

from game.pages.requests.audiences import (
    PAGES,
    RUNNING,
    WITHIN,
    Audience,
    drillers,
    everybody,
    learners,
    members,
    outsiders,
    settings_users,
    staff,
)
from game.trials.audiences import owners, runners, viewers
from tests.crawl.addresses import Address
from tests.crawl.roles import ROLES, named

PROMISED: dict[Audience | None, str] = {
    everybody: "200",
    outsiders: "403 participant | 200",
    learners: "403 in-trial | 200",
    drillers: "403 in-trial | 200",  # the trial of the crawl has no drill
    settings_users: "200",
    members: "200 signed-in | 302",
    staff: "200 staff-all | 403 players | 302",
    viewers: "200 viewing | 403 staff players | 302",
    runners: "200 running | 403 staff-all players | 302",
    owners: "200 owning | 403 staff-all players | 302",
    None: "405",
}


def promised(name: str) -> str:
    """A browser in which somebody takes part has the pages of the trial, and no others."""
    audience = PAGES.get(name)
    theirs = audience is None or audience in RUNNING or name in WITHIN
    return PROMISED[audience] if theirs else f"403 participant | {PROMISED[audience]}"


# Only its player sees a game, a card of a duel or a game of a trial; anyone with a game's link may
# watch it, unless other players have the same dice. Coach pages open when a game is over, and stay
# closed to participants of an open trial.
GAMES = """
                                     |                     | 302 participant | 200
{history,profile,profile/leaks,statistics,week}/ |                     | 403 participant | 302
games/<slug:game_id>/                | game                | 200 guest | 403
games/<slug:game_id>/                | finished game       | 200 guest | 403
games/<slug:game_id>/                | member's game       | 200 member | 403
games/<slug:game_id>/                | card                | 302 seat | 403
games/<slug:game_id>/                | trial's game        | 200 participant | 403
games/<slug:game_id>/                | closed trial's game | 200 finished | 403
games/<slug:game_id>/{verify,coach,chance} | game          | 200 guest | 403
games/<slug:game_id>/{verify,coach,chance} | card          | 200 seat | 403
games/<slug:game_id>/{verify,coach,chance} | trial's game  | 200 participant | 403
games/<slug:game_id>/{review,review/,learn} | game         | 403
games/<slug:game_id>/{review,review/,learn} | finished game | 200 guest | 403
games/<slug:game_id>/{review,review/} | member's game      | 200 member | 403
games/<slug:game_id>/{review,review/,learn} | card         | 403
games/<slug:game_id>/{review,review/,learn} | trial's game | 403
games/<slug:game_id>/{review,review/,learn} | closed trial's game | 200 finished | 403
review/<slug:share_token>/{,steps/,picture.png,learn} | game | 403
review/<slug:share_token>/{,steps/,picture.png,learn} | finished game | 403 in-trial | 200
review/<slug:share_token>/{,steps/,picture.png,learn} | card | 403
review/<slug:share_token>/{,steps/,picture.png,learn} | trial's game | 403
watch/<slug:share_token>/            | game                | 403 participant | 200
watch/<slug:share_token>/            | finished game       | 403 participant | 200
watch/<slug:share_token>/            | day's running game  | 403 participant | 200
watch/<slug:share_token>/            | day                 | 403 participant | 302
watch/<slug:share_token>/            | card                | 403
watch/<slug:share_token>/            | trial's game        | 403
beat/<str:signed>/{,picture.png}     | challenge of a game | 403 participant | 200
beat/<str:signed>/{,picture.png}     | day                 | 403 participant | 404
daily/result/<str:signed>/{,picture.png} | day             | 403 participant | 200
table/<slug:party_id>/               | shared-device game  | 200 guest | 403
duels/                               |                     | 403 participant | 200
duel/<slug:token>/                   | duel                | 403 participant | 200
duel/<slug:token>/                   | challenge           | 403 participant | 200
duels/reminders/                     |                     | 403 participant | 200
duels/<slug:token>/                  | duel that is over   | 403 participant | 200
"""

# Status 404 is only for roles that could have seen the page.
OTHERS = """
api/<path:rest>                      |                     | 404
drill/again/                         |                     | 403 in-trial | 404
drill/again/?of=session-yatzy        | attempt             | 200 guest | 403 in-trial | 302
drill/again/?of=lesson-yatzy-10-1    |                     | 403 in-trial | 200
drill/lists/<slug:list_token>/       |                     | 403 in-trial | 404
drill/lists/<slug:list_token>/       | list of positions   | 403 in-trial | 200
drill/<int:attempt_id>/              | attempt             | 200 guest | 403 in-trial | 404
lab/study/<str:name>                 |                     | 403 in-trial | 404
lab/same-value/<int:seed>/<str:name> |                     | 403 in-trial | 404
lab/players/<slug:player_id>/<str:name> |                  | 403 in-trial | 404
lab/<slug:ruleset>/same-value/<int:seed>/<str:name> |      | 403 in-trial | 404
lab/<slug:ruleset>/players/<slug:player_id>/<str:name> |   | 403 in-trial | 404
account/login/                       |                     | 302 signed-in | 403 participant | 200
account/delete/                      |                     | 302 participant finished | 200
"""

# Participants of a trial, and invited people.
TRIALS = """
take-part/                           |                     | 200 participant finished | 403
take-part/withdraw                   |                     | 200 participant finished | 403
take-part/<str:signed>/              | place given up      | 403
take-part/<str:signed>/              | place               | 403 participant finished | 302
join/<slug:token>/                   | open link           | 403
join/<slug:token>/?pid=ben           | open link           | 403 participant finished | 200
join/<slug:token>/?pid=anna          | open link           | 403 participant finished | 200
join/<slug:token>/no?pid=ben         | open link           | 200
trials/new/                          |                     | 403 players | 302
trials/<slug:slug>/public.zip |              | 302 owning | 403 staff-all players | 302
trials/<slug:slug>/public.zip | closed trial | 200 owning | 403 staff-all players | 302
"""

# Guests are led to the sign-in. A star stands for every address that begins so and is not named.
ADMINISTRATION = """
admin/                               |                     | 200 staff-all | 302
admin/login/                         |                     | 302 staff-all | 403 players | 302
admin/logout/                        |                     | 405 staff-all | 302
admin/password_change/               |                     | 200 staff-all | 302
admin/password_change/done/          |                     | 200 staff-all | 302
admin/autocomplete/                  |                     | 403 staff-all | 302
admin/jsi18n/                        |                     | 200 staff-all | 302
admin/r/<path:content_type_id>/<path:object_id>/ |         | 404 staff-all | 302
admin/auth/group/<path:object_id>/   | a group             | 302
admin/auth/group/*                   | a group             | 200 superuser | 403 staff-all | 302
admin/auth/user/<path:object_id>/    | a user              | 302
admin/auth/user/*                    | a user              | 200 superuser | 403 staff-all | 302
admin/game/game/add/                 |                     | 403 staff-all | 302
admin/game/game/<path:object_id>/    | a game              | 302
admin/game/game/*                    | a game              | 200 superuser | 403 staff-all | 302
admin/game/player/add/               |                     | 403 staff-all | 302
admin/game/player/<path:object_id>/  | a player            | 302
admin/game/player/<path:object_id>/delete/ | a participant | 403 staff-all | 302
admin/game/player/*                  | a player            | 200 superuser | 403 staff-all | 302
admin/<app_label>/                   |                     | 200 superuser | 404 staff-all | 302
admin/<url>                          |                     | 404 staff-all | 302
"""

# A socket shows the same as its page. 200: it pushes a board or a table.
SOCKETS = """
ws/games/<slug:game_id>/             | game                | 200 guest | 4403
ws/games/<slug:game_id>/             | member's game       | 200 member | 4403
ws/games/<slug:game_id>/             | card                | 200 seat | 4403
ws/games/<slug:game_id>/             | trial's game        | 200 participant | 4403
ws/watch/<slug:share_token>/         | game                | 4403 participant | 200
ws/watch/<slug:share_token>/         | day's running game  | 200 guest other | 4403
ws/watch/<slug:share_token>/         | day                 | 4403 participant | 200
ws/watch/<slug:share_token>/         | card                | 4403
ws/watch/<slug:share_token>/         | trial's game        | 4403
ws/duels/<slug:token>/               | duel                | 4403 participant | 200
ws/nothing/                          |                     | 4404
"""

SEEN = GAMES + OTHERS + TRIALS + ADMINISTRATION


class Row(NamedTuple):
    address: str
    things: tuple[str, ...]
    statuses: dict[str, str]  # the status of each role

    @property
    def route(self) -> str:
        return self.address.partition("?")[0]


def rows(text: str) -> list[Row]:
    """``{a,b}`` in an address stands for two addresses."""
    return [_row(one) for line in text.splitlines() if line.strip() for one in _each(line)]


def _each(line: str) -> list[str]:
    before, brace, after = line.partition("{")
    if not brace:
        return [line]
    ends, _, rest = after.partition("}")
    return [before + end + rest for end in ends.split(",")]


def _row(line: str) -> Row:
    address, about, *rules = (part.strip() for part in line.split("|"))
    *some, rest = (rule.partition(" ") for rule in rules)
    statuses = dict.fromkeys(ROLES, rest[0])
    for status, _, who in reversed(some):  # the first matching row counts
        statuses |= dict.fromkeys(named(who), status)
    things = tuple(one.strip() for one in about.split(",") if one.strip())
    return Row(address, things, {role: statuses[role] for role in ROLES})


def decided(addresses: Iterable[Address]) -> dict[str, list[Row]]:
    """Return the rows that name each address, else those with a star, else what is promised."""
    said = rows(SEEN)
    stars = [row for row in said if row.route.endswith("*")]
    return {
        one.route: [row for row in said if row.route == one.route]
        or [row for row in stars if one.route.startswith(row.route[:-1])]
        or [_row(f"{one.route} | | {promised(one.name)}")]
        for one in addresses
    }
