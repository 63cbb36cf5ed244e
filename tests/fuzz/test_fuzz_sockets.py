"""Nothing that is said in a socket, or stands in its address and headers, makes it fail."""

from typing import Any
from urllib.parse import unquote

import pytest
from asgiref.sync import async_to_sync
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.addresses import filled_in, sockets
from tests.crawl.world import World
from tests.fuzz.hostile import garbage, hostile, sent_the_same
from tests.play import PATIENCE, Viewer

pytestmark = pytest.mark.django_db(transaction=True)
COOKIES = (b"", b"player=\xff\xfe; sessionid=\x00", b"participant=a.b.c:d; browser=:::", b"=;;=")
said: st.SearchStrategy[dict[str, Any]] = st.one_of(
    hostile.map(lambda text: {"text": text}),
    garbage.map(lambda body: {"bytes": body}),
    st.just({"text": None, "bytes": None}),
)


@given(st.data())
@sent_the_same(4)
def test_no_socket_fails_whatever_is_said_in_it(world: World, data: st.DataObject) -> None:
    for address in sockets():
        values = {
            name: data.draw(st.just(value) | hostile)
            for name, value in world.values("game", "duel").items()
        }
        role = data.draw(st.sampled_from(("stranger", "guest", "superuser")))
        viewer = Viewer(unquote(filled_in(address.route, values)), world.browser(role).cookies)
        viewer.scope["query_string"] = data.draw(garbage)
        if role == "stranger":
            viewer.scope["headers"] += [(b"cookie", data.draw(st.sampled_from(COOKIES)))]
        _talk(viewer, data.draw(st.lists(said, max_size=4)))


@async_to_sync
async def _talk(viewer: Viewer, words: list[dict[str, Any]]) -> None:
    assert await viewer.connect()
    output = await viewer.receive_output(PATIENCE)
    assert output["type"] in {"websocket.send", "websocket.close"}
    for word in words:
        await viewer.send_input({"type": "websocket.receive", **word})
    await viewer.leave()
