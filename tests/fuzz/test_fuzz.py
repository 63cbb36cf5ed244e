"""Nothing that is sent to an address or a form makes the server fail."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.addresses import PARAMETER, addresses, filled_in
from tests.crawl.asking import send
from tests.crawl.world import World
from tests.fuzz.harvest import Form, forms
from tests.fuzz.hostile import FORM, KINDS, encoded, garbage, hostile, mutated, sent_the_same

pytestmark = pytest.mark.django_db
ROLES = ("stranger", "guest", "participant", "superuser")
METHODS = ("GET", "GET", "POST", "HEAD", "PUT", "OPTIONS")
# A request without a script, or by htmx, which gets a part of the page.
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"hx-request": "true"},
    {"accept-language": "\xff, *;q=x", "x-tab": "\0" * 99, "cookie": "player=\xff; =;"},
)


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def offered(world: World) -> list[Form]:
    return forms(world)


@pytest.mark.nightly
@given(st.data())
@sent_the_same(3)
def test_no_address_fails_whatever_stands_in_it(world: World, data: st.DataObject) -> None:
    wrong: list[str] = []
    for address in addresses():
        role, method = data.draw(st.sampled_from(ROLES)), data.draw(st.sampled_from(METHODS))
        values = world.values("game", "duel")
        drawn = {
            name: data.draw(st.just(values[name]) | hostile)
            for name in PARAMETER.findall(address.route)
        }
        path = filled_in(address.route, drawn)
        query = encoded(data.draw(st.lists(st.tuples(hostile, hostile), max_size=2)))
        kind, headers = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(HEADERS))
        sent = (method, f"{path}?{query}", data.draw(garbage))
        wrong += faults(world, role, *sent, content_type=kind, headers=headers)
    assert not wrong, "\n".join(wrong)


@pytest.mark.nightly
@given(st.data())
@sent_the_same(4)
def test_no_form_fails_whatever_is_filled_in(
    world: World, offered: list[Form], data: st.DataObject
) -> None:
    wrong: list[str] = []
    for form in offered:
        text = encoded(mutated(data.draw, form.fields))
        path = f"{form.path}?{text}" if form.method == "GET" else form.path
        headers = data.draw(st.sampled_from(HEADERS[:2]))
        sent = (form.method, path, text.encode())
        wrong += faults(world, form.role, *sent, content_type=FORM, headers=headers)
    assert not wrong, "\n".join(wrong)


def faults(
    world: World, role: str, method: str, path: str, body: bytes, **more: Any
) -> Iterator[str]:
    what = f"{role}: {method} {path[:200]!r} {body[:200]!r} {more}"
    try:
        answer = send(world, role, method, path, body, **more)
    except Exception as error:
        yield f"{what}: {error!r:.300}"
        return
    # A coach that waits for its table answers 503 to every client.
    if answer.status_code >= 500 and not answer.headers.get("Retry-After"):
        yield f"{what}: {answer.status_code}"
    if path.startswith("/api/v") and answer.headers["Content-Type"] != "application/json":
        yield f"{what}: {answer.status_code}, {answer.content[:100]!r}"


@pytest.mark.nightly
def test_every_form_that_writes_is_found(offered: list[Form]) -> None:
    """Otherwise the tests above would test nothing."""
    posted = {form.path for form in offered if form.method == "POST"}
    assert {"/games/", "/settings/", "/drill/", "/trials/new/", "/take-part/withdraw"} <= posted
    assert len(offered) > 100
