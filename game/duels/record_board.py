"""The page of a player's results against others: a line for each, and the games."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from game.core.duel_record_queries import DuelRecord, differences, lost_by_players, records
from game.core.words import labels
from game.core.words import opponent_words as characters
from game.core.words import record_words as words
from game.core.worth.level import LossLevel, better_by, level
from game.core.worth.tables import value_start
from game.models import Player
from solver.rules import Ruleset
from solver.statistics.inference import Interval

FEWEST = 5  # games before an interval is shown


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A line for an opponent. ``level`` and ``better`` are "" if no game supports them."""

    name: str
    face: str
    text: str
    url: str
    level: str = ""
    better: str = ""


@dataclass(frozen=True, slots=True)
class AmongOthers:
    """A player's record against each of the others, by ruleset."""

    level: LossLevel | None
    lines: Collection[RecordLine]

    @property
    def words(self) -> str:
        return _level(self.level)


def player_standing(
    player: Player, rules: Ruleset, rivals: Collection[Player] = (), *, judged: bool = True
) -> AmongOthers:
    """Return the record under any rules. ``judged`` decides whether skill is shown."""
    results = records(player, rivals)
    start = value_start(rules) if judged else None
    if start is None:
        return AmongOthers(None, [_line(record, None, None) for record in results])
    players = [player, *(record.rival for record in results)]
    levels = {
        key: level(losses, rules) for key, losses in lost_by_players(players, rules, start).items()
    }
    mine = levels.get(player.pk)
    better = _better(player, rules, start, levels) if results else {}
    lines = [
        _line(record, levels.get(record.rival.pk), better.get(record.rival.pk))
        for record in results
    ]
    return AmongOthers(mine, lines)


def _better(
    player: Player, rules: Ruleset, start: float, levels: Mapping[int, LossLevel | None]
) -> dict[int, Interval | None]:
    """Return how much better each known opponent is, if both have enough games."""
    mine, better = levels.get(player.pk), dict[int, Interval | None]()
    for key, more in differences(player, rules, start).items():
        theirs = levels.get(key)
        if mine and theirs and min(mine.games, theirs.games) >= FEWEST:
            better[key] = better_by(more, (mine, theirs), rules)
    return better


def _line(record: DuelRecord, theirs: LossLevel | None, better: Interval | None) -> RecordLine:
    name = labels.player(record.rival)
    return RecordLine(
        name=name,
        face=characters.face_of_player(record.rival),
        text=words.record(name, record.won, record.lost, record.drawn),
        url=games_url(record.rival.code),
        level=_level(theirs),
        better=words.better(name, better),
    )


def _level(known: LossLevel | None) -> str:
    if known is None or known.games < FEWEST:
        return ""
    return words.level(known.lost, known.half, known.games)


def games_url(rival: str) -> str:
    return f"{reverse('you')}?{urlencode({'rules': 'all', 'opponent': rival})}"
