"""A page that asks for signs of life is given them, after what it was shown."""

from time import monotonic

import pytest

from game.pages.sockets import common
from tests.loops import in_a_loop
from tests.play import Browser, Viewer

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_comes_after_the_board_and_then_one_each_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = Browser()
    game = owner.start()
    assert (
        common.SIGN <= 1.8 / 1.5
    )  # what static/js/connection.js waits for, with room for one late
    monkeypatch.setattr(common, "SIGN", 0.1)

    async def listened() -> tuple[list[str], float]:
        viewer = Viewer(f"/ws/games/{game.pk}/?signs=1", owner.cookies)
        await viewer.connect()
        shown = [await viewer.board() for _ in range(2)]
        since = monotonic()
        shown += [await viewer.board() for _ in range(2)]
        took = monotonic() - since
        await viewer.leave()
        return shown, took

    shown, took = in_a_loop(listened())
    assert 'data-seq="1"' in shown[0]
    assert shown[1:] == ["", "", ""]
    assert took >= 0.2


def test_who_asks_for_none_is_given_none() -> None:
    owner = Browser()
    game = owner.start()

    async def nothing() -> bool:
        viewer = Viewer(f"/ws/games/{game.pk}/", owner.cookies)
        await viewer.connect()
        await viewer.board()
        silent = await viewer.receive_nothing(1.2)
        await viewer.leave()
        return silent

    assert in_a_loop(nothing())


def test_what_is_not_shown_gives_no_sign() -> None:
    async def code() -> int:
        viewer = Viewer("/ws/games/nowhere/?signs=1", Browser().cookies)
        await viewer.connect()
        return await viewer.code()

    assert in_a_loop(code()) == common.UNKNOWN
