"""Everybody at every address: who sees what, and that nobody else changes anything."""

import logging
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from game.core.worth import tables
from game.pages.requests.audiences import PAGES
from tests.crawl.addresses import addresses, filled_in, sockets
from tests.crawl.asking import changed, get, post
from tests.crawl.plans import gone_through
from tests.crawl.queries import QUERIES, USUAL_QUERIES
from tests.crawl.roles import ROLES, WHO_ASKS, asking
from tests.crawl.seen import SEEN, SOCKETS, Row, decided, rows
from tests.crawl.world import World
from tests.crawl.written import WRITES, Data, Write

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
# Only these roles request public pages, which hide nothing from any role.
SOME = ("stranger", "account", "participant")
# The trial's log records that a participant saw the value of a game.
NOTED = {"game_trialevent"}
# The site stores that a player saw the dice of a day: the player's own game is unranked.
NOTED_AT = {("watch/<slug:share_token>/", "day's running game"): {"game_player"}}


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """A thousand refusals are no news."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_at_the_edges_both_sides_of_every_line_are_asked() -> None:
    answers = {"weak": 403, "runner": 403, "owner": 200, "superuser": 200, "former": 302}
    answers |= {"between": 200}
    roles = ["former", "weak", "runner", "owner", "between", "superuser"]
    assert [*asking("edges", answers, roles)] == ["former", "weak", "runner", "owner", "superuser"]
    assert asking("everybody", answers, roles) == roles


def test_every_address_has_been_decided_on() -> None:
    """An address that is nowhere is only sent to: opened, it would not be 405."""
    routes = {one.route for one in addresses()}
    used = {row.address for found in decided(addresses()).values() for row in found}
    assert {row.address for row in rows(SEEN)} <= used
    assert set(PAGES) <= {one.name for one in addresses()}
    heard = {row.address for row in rows(SOCKETS)}
    assert {one.route for one in sockets()} <= heard
    assert {one.address.partition("?")[0] for one in WRITES} <= routes


FORM, JSON = "application/x-www-form-urlencoded", "application/json"


@pytest.mark.parametrize(
    ("query", "data", "kind"),
    [
        ("?a=b%00c", None, None),
        ("?%00", None, None),
        ("", "a=b%00c", FORM),
        ("", b"a=b\0c", FORM),
        ("", {"a": "b\0c"}, None),
        ("", {"a\0": "b"}, None),
        ("", '{"a": "b\\u0000c"}', JSON),
        ("", b'{"a": "b\0c"}', JSON),
    ],
)
def test_a_nul_is_refused_at_every_address(
    world: World, query: str, data: Any, kind: str | None
) -> None:
    """PostgreSQL stores none: a view that looks for one would end in an error of the server."""
    browser = world.browser("account")
    more: dict[str, Any] = {"content_type": kind} if kind else {}
    for one in addresses():
        path = filled_in(one.route, defaultdict(lambda: "a")) + query
        answer = browser.get(path) if data is None else browser.post(path, data, **more)
        if data and path.startswith(
            "/api/"
        ):  # this stores nothing, and explains the fault in more detail
            assert 400 <= answer.status_code < 500, path
        else:
            assert answer.status_code == 400, path


def test_a_trial_refuses_the_api_in_json(world: World) -> None:
    answer = world.browser("participant").get("/api/v1/rulesets")
    assert answer.json()["status"] == answer.status_code == 403


def test_a_nul_in_a_path_and_in_a_file(world: World) -> None:
    browser = world.browser("account")
    assert browser.get("/games/a%00b/").status_code == 400
    file = SimpleUploadedFile("throws.csv", b"1,2\0,3")
    assert browser.post("/dice-test/", {"file": file}).status_code != 400
    assert browser.get("/rules/?a=%2500").status_code == 200


ANONYMOUS = ("stranger", "guest", "other", "seat", "participant", "former", "finished")


def refuse_processes(
    patch: pytest.MonkeyPatch, settings: Any, is_refused: Callable[[], bool]
) -> None:
    """Fail the test if a request starts a process: pages show stored results, which commands and
    background tasks calculate."""
    start = subprocess.Popen.__init__

    def refuse(self: Any, command: Any, *more: Any, **options: Any) -> None:
        if is_refused():
            pytest.fail(f"a look started {command}")
        start(self, command, *more, **options)

    settings.MAKE_TABLES = True
    patch.setattr(subprocess.Popen, "__init__", refuse)


@WHO_ASKS
def test_everybody_sees_what_is_theirs_and_no_page_stores_or_goes_through_what_all_have_played(
    world: World, who: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The administration may go through it. A refusal asks for less than the page that it keeps.
    No look of a visitor without an account starts a process."""
    wrong, role, route = list[str](), "", ""
    refuse_processes(monkeypatch, settings, lambda: role in ANONYMOUS)
    with gone_through(lambda: role in SOME and not route.startswith("admin/")) as whole:
        for route, found in decided(addresses()).items():
            for row in found:
                asked = asking(
                    who, row.statuses, ROLES if len(set(row.statuses.values())) > 1 else SOME
                )
                shown = [role for role in SOME if row.statuses[role] == "200"]
                for role in dict.fromkeys([*asked, *shown]):
                    fault = _seen(world, role, row, route)
                    wrong.append(fault if role in asked else "")
    assert not any(wrong), "\n".join(filter(None, wrong))
    assert not whole, "\n".join(whole)


def _seen(world: World, role: str, row: Row, route: str) -> str:
    address = row.address if row.route == route else route
    answer, stored, queries = get(world, role, address, world.values(*row.things))
    stored -= NOTED.union(*(NOTED_AT.get((route, thing), ()) for thing in row.things))
    if queries > QUERIES.get(route, USUAL_QUERIES):
        return f"{role} at {address} {row.things}: {queries} queries of the database"
    wanted = row.statuses[role]
    if str(answer.status_code) == wanted and not stored:
        return ""
    where = f"{role} at {address} {row.things}"
    if wanted == "405":
        where = f"no row of game/pages/requests/audiences.py says who may see it: {where}"
    return f"{where}: {answer.status_code}, not {wanted}; stored {stored}"


@WHO_ASKS
def test_forms_need_permission_and_read_no_whole_table(world: World, who: str) -> None:
    wrong, role = list[str](), ""
    with gone_through(lambda: role in SOME) as whole:
        for one in WRITES:
            data, may = one.data(world), {role: role in one.by for role in ROLES}
            for role in dict.fromkeys([*asking(who, may, ROLES), *SOME]):
                wrong.append(_written(world, role, one, data))
    assert not any(wrong), "\n".join(filter(None, wrong))
    assert not whole, "\n".join(whole)


def _written(world: World, role: str, one: Write, data: Data) -> str:
    asked = (world, role, one.address, world.values(*one.things), data)
    answer, stored, _ = post(*asked)
    may = role in one.by
    if stored and not may:
        stored = changed(*asked, stored)
    if may == bool(stored):
        return ""
    where = f"{role} {'may' if may else 'may not'}: {one.address} {one.things}"
    return f"{where}: {answer.status_code}, stored {stored}"


def test_what_is_only_looked_at_takes_nothing(world: World) -> None:
    taking = {one.address.partition("?")[0] for one in WRITES}
    others = [one.route for one in addresses() if one.route not in taking]
    wrong = [
        f"{role} {route}: {answer.status_code}, stored {stored}"
        for route in others
        for role in (*SOME, "superuser")
        for answer, stored, _ in [post(world, role, route, world.values())]
        if stored or (answer.status_code == 200 and not route.startswith("admin/"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})


@WHO_ASKS
def test_no_address_starts_one_for_a_visitor_without_an_account(
    world: World, no_tables: None, who: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages without tables say that they wait for them; none of them breaks.

    ``readyz`` says that nobody should be sent here yet.
    """
    refuse_processes(monkeypatch, settings, lambda: True)
    asked = {
        (role, address, row.things): get(world, role, address, world.values(*row.things)).answer
        for route, found in decided(addresses()).items()
        for row in found
        for role in asking(who, row.statuses, ANONYMOUS)
        for address in [row.address if row.route == route else route]
    }
    seed = "lab/same-value/?seed=8"  # a test that nobody has prepared
    asked["stranger", seed, ()] = get(world, "stranger", seed, {}).answer
    broken = {address for (_, address, _), one in asked.items() if one.status_code >= 500}
    assert broken == {"readyz"}
    assert 202 in {one.status_code for one in asked.values()}
