"""Who may look at what. Every address of the site is here; a new one fails until it is decided.

    address | things that it is about | status and for whom | ... | status for everybody else

Opening an address stores nothing, whoever does it. 405 is an address that is only sent to; what is
sent there is in `written.py`. Roles and groups are those of `roles.py`.
"""

from typing import NamedTuple

from tests.crawl.roles import ROLES, named

# A game, a card of a duel and a game of a trial are their player's alone; who has the link of a
# game may watch it, unless the dice are others' too. What a coach says opens when a game is over,
# and stays shut to whoever has come to a trial that is open.
GAMES = """
                                     |                     | 302 participant | 200
welcome/                             |                     | 405
games/                               |                     | 405
games/<slug:game_id>/                | game                | 200 guest | 403
games/<slug:game_id>/                | finished game       | 200 guest | 403
games/<slug:game_id>/                | member's game       | 200 member | 403
games/<slug:game_id>/                | card                | 302 seat | 403
games/<slug:game_id>/                | trial's game        | 200 participant | 403
games/<slug:game_id>/                | closed trial's game | 200 finished | 403
games/<slug:game_id>/hold            | game                | 405
games/<slug:game_id>/throw           | game                | 405
games/<slug:game_id>/score           | game                | 405
games/<slug:game_id>/abandon         | game                | 405
games/<slug:game_id>/hint            | game                | 405
games/<slug:game_id>/verify          | game                | 200 guest | 403
games/<slug:game_id>/verify          | card                | 200 seat | 403
games/<slug:game_id>/verify          | trial's game        | 200 participant | 403
games/<slug:game_id>/coach           | game                | 200 guest | 403
games/<slug:game_id>/coach           | card                | 200 seat | 403
games/<slug:game_id>/coach           | trial's game        | 200 participant | 403
games/<slug:game_id>/review          | game                | 403
games/<slug:game_id>/review          | finished game       | 200 guest | 403
games/<slug:game_id>/review          | member's game       | 200 member | 403
games/<slug:game_id>/review          | card                | 403
games/<slug:game_id>/review          | trial's game        | 403
games/<slug:game_id>/review          | closed trial's game | 200 finished | 403
games/<slug:game_id>/learn           | game                | 403
games/<slug:game_id>/learn           | finished game       | 200 guest | 403
games/<slug:game_id>/learn           | card                | 403
games/<slug:game_id>/learn           | trial's game        | 403
games/<slug:game_id>/learn           | closed trial's game | 200 finished | 403
review/<slug:share_token>/           | game                | 403
review/<slug:share_token>/           | finished game       | 403 in-trial | 200
review/<slug:share_token>/           | card                | 403
review/<slug:share_token>/           | trial's game        | 403
review/<slug:share_token>/picture.png | game               | 403
review/<slug:share_token>/picture.png | finished game      | 403 in-trial | 200
review/<slug:share_token>/picture.png | card               | 403
review/<slug:share_token>/picture.png | trial's game       | 403
review/<slug:share_token>/learn      | game                | 403
review/<slug:share_token>/learn      | finished game       | 403 in-trial | 200
review/<slug:share_token>/learn      | card                | 403
review/<slug:share_token>/learn      | trial's game        | 403
watch/<slug:share_token>/            | game                | 200
watch/<slug:share_token>/            | finished game       | 200
watch/<slug:share_token>/            | card                | 403
watch/<slug:share_token>/            | trial's game        | 403
daily/                               |                     | 200
daily/<slug:ruleset>/                |                     | 200
daily/result/<str:signed>/           | day                 | 200
daily/result/<str:signed>/picture.png | day                | 403 participant | 200
duels/                               |                     | 403 participant | 200
duel/<slug:token>/                   | duel                | 403 participant | 200
duel/<slug:token>/                   | challenge           | 403 participant | 200
duel/<slug:token>/join               | challenge           | 405
duel/<slug:token>/leave              | duel                | 405
duel/<slug:token>/rematch            | duel that is over   | 405
leaders/                             |                     | 403 participant | 200
leaders/<slug:ruleset>/              |                     | 403 participant | 200
nickname/                            |                     | 403 participant | 200
history/                             |                     | 200
history/export                       |                     | 200
"""

# What the coach knows: for all but those who may not learn from it until their trial is over.
COACH = """
explore/                             |                     | 403 in-trial | 200
api/                                 |                     | 403 in-trial | 200
api/v1/advise                        |                     | 405
api/v1/ledger                        |                     | 405
api/v1/rulesets                      |                     | 200
api/v1/openapi.json                  |                     | 200
api/<path:rest>                      |                     | 404
drill/                               |                     | 403 in-trial | 200
drill/<int:attempt_id>/              | attempt             | 200 guest | 403 in-trial | 404
five/                                |                     | 403 in-trial | 200
five/<slug:ruleset>/                 |                     | 403 in-trial | 200
statistics/                          |                     | 403 in-trial | 200
profile/                             |                     | 403 in-trial | 200
profile/leaks/                       |                     | 403 in-trial | 200
lab/                                 |                     | 403 in-trial | 200
lab/players.svg                      |                     | 403 in-trial | 404
lab/tournament/                      |                     | 403 in-trial | 200
lab/learners/                        |                     | 403 in-trial | 200
lab/study/                           |                     | 403 in-trial | 200
lab/study/<str:name>                 |                     | 403 in-trial | 404
lab/same-value/                      |                     | 403 in-trial | 200
lab/same-value/<int:seed>/<str:name> |                     | 403 in-trial | 404
lab/players/<slug:player_id>/        |                     | 403 in-trial | 200
lab/players/<slug:player_id>/<str:name> |                  | 403 in-trial | 404
lab/<slug:ruleset>/                  |                     | 403 in-trial | 200
lab/<slug:ruleset>/players.svg       |                     | 403 in-trial | 404
lab/<slug:ruleset>/tournament/       |                     | 403 in-trial | 200
lab/<slug:ruleset>/learners/         |                     | 403 in-trial | 200
lab/<slug:ruleset>/same-value/       |                     | 403 in-trial | 200
lab/<slug:ruleset>/same-value/<int:seed>/<str:name> |      | 403 in-trial | 404
lab/<slug:ruleset>/players/<slug:player_id>/ |             | 403 in-trial | 200
lab/<slug:ruleset>/players/<slug:player_id>/<str:name> |   | 403 in-trial | 404
"""

EVERYBODYS = """
tables/<slug:ruleset>/<slug:part>/   |                     | 200
manifest.webmanifest                 |                     | 200
service-worker.js                    |                     | 200
offline/                             |                     | 200
healthz                              |                     | 200
readyz                               |                     | 200
settings/                            |                     | 200
rules/                               |                     | 200
rules/<slug:ruleset>/                |                     | 200
fair/                                |                     | 200
dice-test/                           |                     | 200
account/signup/                      |                     | 200
account/login/                       |                     | 302 signed-in | 200
account/logout/                      |                     | 405
account/                             |                     | 200 signed-in | 302
account/password/                    |                     | 200 signed-in | 302
account/recovery-code/               |                     | 200 signed-in | 302
account/recover/                     |                     | 200
account/delete/                      |                     | 302 participant finished | 200
"""

# Trials are run by the staff of the site, all of them by all of it.
TRIALS = """
take-part/                           |                     | 200 participant finished | 403
take-part/agree                      |                     | 405
take-part/answers                    |                     | 405
take-part/asked                      |                     | 405
take-part/game                       |                     | 405
take-part/leave                      |                     | 405
take-part/page                       |                     | 405
take-part/withdraw                   |                     | 200 participant finished | 403
take-part/<str:signed>/              | place               | 403 participant finished | 302
join/<slug:token>/                   | open link           | 403
join/<slug:token>/?pid=ben           | open link           | 403 participant finished | 200
join/<slug:token>/agree              | open link           | 405
join/<slug:token>/no?pid=ben         | open link           | 200
trials/                              |                     | 200 staff-all | 403 players | 302
trials/new/                          |                     | 200 staff-all | 403 players | 302
trials/new/plan/                     |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/                  |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/settings/         |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/questions/        |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/preregistration/  |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/preregistration/lock |                  | 405
trials/<slug:slug>/links/            |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/links.csv         |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/open-link/        |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/labels.csv        |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/labels/delete     |                     | 405
trials/<slug:slug>/results/          |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/export.zip        |                     | 200 staff-all | 403 players | 302
trials/<slug:slug>/export/<path:name> |                    | 200 staff-all | 403 players | 302
trials/<slug:slug>/delete            |                     | 405
trials/<slug:slug>/turn/<slug:to>    |                     | 405
trials/<slug:slug>/<int:number>/release |                  | 405
trials/<slug:slug>/<int:number>/link/<slug:to> |           | 405
trials/<slug:slug>/<int:number>/withdraw |                 | 405
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

# A socket shows what its page does. 200 is a board, or a table, that is pushed.
SOCKETS = """
ws/games/<slug:game_id>/             | game                | 200 guest | 4403
ws/games/<slug:game_id>/             | member's game       | 200 member | 4403
ws/games/<slug:game_id>/             | card                | 200 seat | 4403
ws/games/<slug:game_id>/             | trial's game        | 200 participant | 4403
ws/watch/<slug:share_token>/         | game                | 200
ws/watch/<slug:share_token>/         | card                | 4403
ws/watch/<slug:share_token>/         | trial's game        | 4403
ws/duels/<slug:token>/               | duel                | 4403 participant | 200
ws/trials/<slug:slug>/               |                     | 200 staff-all | 4403
ws/nothing/                          |                     | 4404
"""

PAGES = GAMES + COACH + EVERYBODYS + TRIALS + ADMINISTRATION


class Row(NamedTuple):
    address: str
    things: tuple[str, ...]
    statuses: dict[str, str]  # of each role

    @property
    def route(self) -> str:
        return self.address.partition("?")[0]


def rows(text: str) -> list[Row]:
    return [_row(line) for line in text.splitlines() if line.strip()]


def _row(line: str) -> Row:
    address, about, *rules = (part.strip() for part in line.split("|"))
    *some, rest = (rule.partition(" ") for rule in rules)
    statuses = dict.fromkeys(ROLES, rest[0])
    for status, _, who in reversed(some):  # the first that fits is meant
        statuses |= dict.fromkeys(named(who), status)
    things = tuple(one.strip() for one in about.split(",") if one.strip())
    return Row(address, things, {role: statuses[role] for role in ROLES})


def routes_of(decided: list[Row], routes: list[str]) -> dict[str, list[Row]]:
    """Which rows decide on each address: those that name it, else those with a star."""
    found = {route: [row for row in decided if row.route == route] for route in routes}
    stars = [row for row in decided if row.route.endswith("*")]
    return {
        route: rows or [row for row in stars if route.startswith(row.route[:-1])]
        for route, rows in found.items()
    }
