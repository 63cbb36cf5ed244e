"""Everybody at every socket: who is shown what, and with which code the others are hung up."""

import pytest
from asgiref.sync import async_to_sync

from game.pages.requests.audiences import PAGES
from tests.crawl.addresses import filled_in
from tests.crawl.roles import ROLES, WHO_ASKS, asking
from tests.crawl.seen import SOCKETS, rows
from tests.crawl.world import World
from tests.play import PATIENCE, Viewer
from yatzy_site.urls import websocket_urlpatterns

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs("game.trials")]


def test_every_socket_names_the_page_whose_rule_it_keeps() -> None:
    for one in websocket_urlpatterns[:-1]:
        assert one.callback.consumer_class.page in PAGES, one.pattern


@WHO_ASKS
def test_everybody_hears_what_is_theirs_to_hear(world: World, who: str) -> None:
    wrong = [
        f"{role} at {row.address} {row.things}: {told}, not {row.statuses[role]}"
        for row in rows(SOCKETS)
        for role in asking(who, row.statuses, ROLES)
        for told in [_heard(world, role, filled_in(row.address, world.values(*row.things)))]
        if told != row.statuses[role]
    ]
    assert not wrong, "\n".join(wrong)


@async_to_sync
async def _heard(world: World, role: str, path: str) -> str:
    """200 for a board, or the code with which the server hangs up."""
    viewer = Viewer(path, world.browser(role).cookies)
    assert await viewer.connect()
    output = await viewer.receive_output(PATIENCE)
    await viewer.leave()
    return "200" if output["type"] == "websocket.send" else str(output["code"])
