"""Who may see a game or a trial is asked in one place, and its page and its socket answer alike."""

from pathlib import Path

import pytest
from django.conf import settings

from game.core.access import check_own, find_own_game, find_watched_game
from game.core.accounts import create_player
from game.core.refusals import NoSuchGame, NotYours
from game.models import Player
from game.pages.sockets.common import FORBIDDEN, UNKNOWN, turn_into_code
from game.pages.sockets.common import NotShown as HungUp
from tests.play import start_solo

DOORS = {
    "game_find": "find_own_game",
    "game_watched": "find_watched_game",
    "TrialStaff.objects.filter(trial__slug": "check_trial",
}
# The first two and the last are that place. A challenge is signed by who may show the game.
ASKING = (
    "game/core/access.py",
    "game/core/game_queries.py",
    "game/pages/board/challenge.py",
    "game/trials/audiences.py",
)


def test_no_page_and_no_socket_decides_by_itself() -> None:
    root = Path(settings.BASE_DIR)
    found = [
        f"{path.relative_to(root)}: ask game.core.access.{instead}"
        for path in sorted((root / "game").rglob("*.py"))
        if str(path.relative_to(root)) not in ASKING
        for name, instead in DOORS.items()
        if name in path.read_text(encoding="utf-8").replace("game_find_locked", "")
    ]
    assert found == []


@pytest.mark.django_db
def test_a_game_is_its_players_and_a_link_s(player: Player) -> None:
    game = start_solo(player).game
    assert find_own_game(game.pk, player) == find_watched_game(game.share_token) == game
    for somebody in (None, create_player()):
        with pytest.raises(NotYours):
            find_own_game(game.pk, somebody)
    with pytest.raises(NoSuchGame):
        check_own(None, player)
    with pytest.raises(NoSuchGame):
        find_own_game("none", player)
    with pytest.raises(NoSuchGame):
        find_watched_game(game.pk)


@pytest.mark.parametrize(("refusal", "code"), [(NoSuchGame, UNKNOWN), (NotYours, FORBIDDEN)])
def test_a_socket_is_hung_up_with_what_its_page_is_refused_with(
    refusal: type[Exception], code: int
) -> None:
    with pytest.raises(HungUp) as hung_up, turn_into_code():
        raise refusal
    assert hung_up.value.code == code
