"""What a page shows of records: a line for each of those played with, and where the games are."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from game.selectors.duels.records import DuelRecord
from game.words import duels as words
from game.words import labels
from game.words import opponents as characters


@dataclass(frozen=True, slots=True)
class RecordLine:
    name: str
    face: str
    text: str
    url: str


def record_lines(records: Sequence[DuelRecord]) -> list[RecordLine]:
    return [
        RecordLine(
            name=labels.player(one.rival),
            face=characters.face_of_player(one.rival),
            text=words.record(labels.player(one.rival), one.won, one.lost, one.drawn),
            url=games_url(one.rival.code),
        )
        for one in records
    ]


def games_url(rival: str) -> str:
    """Of the games that were played with somebody, by whatever rules."""
    return f"{reverse('history')}?{urlencode({'rules': 'all', 'opponent': rival})}"
