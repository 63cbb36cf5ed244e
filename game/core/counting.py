"""The rule that decides which games count for averages, records, rankings and skill estimates.

A finished game counts if its kind counts, the server rolled its dice, and the coach revealed
nothing before a move. If dice were typed in, or rolled by a device, the player could have chosen
them. A move after a hint is the coach's move and not the player's. The same is true if the coach
shows in advance what moves cost.
"""

from django.db.models import F, Q

from game.core.kind import find_kind, list_modes
from game.core.words.speech import say
from game.models import Coach, Game

SILENT = (Coach.OFF, Coach.AFTER)  # coach levels at which the coach reveals nothing before a move
UNAIDED = Q(coach__in=SILENT, hints=0)
# Games for the skill estimate. Moves after a hint do not count. Older games with hints are left
# out, because the database does not know which of their moves followed a hint.
OWN = Q(coach__in=(*SILENT, Coach.HINT)) & (
    Q(hints=0) | Q(hinted__gt=0, hinted__lt=F("free_decisions"))
)


def is_unaided(game: Game) -> bool:
    """Return whether the player had no help from the coach; in queries, use ``UNAIDED``."""
    return game.coach in SILENT and not game.hints


def format_help_note(game: Game) -> str:
    """Return the note that a game with help shows instead of praise, grade and squares; else ""."""
    if is_unaided(game):
        return ""
    moves = game.free_decisions or 0
    if not game.hints or not moves:
        return say("helped")
    return say("hinted", hints=min(game.hints, moves), moves=moves)


def is_counted(game: Game) -> bool:
    over = game.finished_at is not None and find_kind(game).counted
    return over and not game.real_dice and is_unaided(game)


def filter_counted() -> Q:
    return filter_server_dice() & UNAIDED


def filter_helped() -> Q:
    return filter_server_dice() & ~UNAIDED


def filter_server_dice() -> Q:
    return _filter_finished() & Q(real_dice=False)


def filter_other_dice() -> Q:
    return _filter_finished() & Q(real_dice=True)


def _filter_finished() -> Q:
    return Q(finished_at__isnull=False, mode__in=list_modes(lambda kind: kind.counted))
