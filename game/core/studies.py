"""The interface to studies of how people play: which players take part, and what this changes.

All packages use this interface. An app that runs studies registers its functions at the start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from django.db.models import QuerySet

from game.models import Player


class RunningStudy(Protocol):
    pk: Any
    title: Any
    coach_closed: Any

    @property
    def expected_end(self) -> date | None: ...


@dataclass
class Studies:
    """The functions of the studies; the defaults are those of a site without studies."""

    list_running: Callable[[], Sequence[RunningStudy]] = tuple
    # Whether a study includes this player, who must not be coached during it.
    include: Callable[[Player], bool] = lambda player: False
    # Everyone who takes or took part in a study, whose data must have no gaps.
    query_players: Callable[[], QuerySet[Player]] = Player.objects.none
    # The participant of a browser's cookie, and how they joined: `link`, `code` or `signed`.
    find_participant: Callable[[str], Any] = lambda cookie: None
    find_way: Callable[[str], str] = lambda cookie: ""
    make_cookie: Callable[[Any, str], str] = lambda participant, way: ""
    # The study to whose pages this participant's browser is restricted, or None.
    find_frame: Callable[[Any], RunningStudy | None] = lambda participant: None
    # The participant's player; None until the participant continues in a browser.
    find_player: Callable[[Any], Player | None] = lambda participant: None
    find_ruleset_of: Callable[[Any], str] = lambda participant: ""
    open_drill: Callable[[Player], bool] = lambda player: False
    # Rows that may be deleted this number of days after a study was closed, by heading.
    query_deletable: Callable[[int], dict[str, QuerySet[Any]]] = lambda days: {}
    delete_expired: Callable[[], object] = lambda: None


_run = Studies()


def get_studies() -> Studies:
    return _run


def run_studies(running: Studies) -> None:
    global _run
    _run = running
