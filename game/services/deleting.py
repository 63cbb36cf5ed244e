"""Deleting many games: with their decisions and throws, and nothing left behind."""

from django.db.models import QuerySet

from game.models import Game

AT_ONCE = 50  # games; a database takes only so many values in one statement


def games_delete(*, games: QuerySet[Game]) -> None:
    """In portions, so that whoever has played for years can be forgotten too.

    A move that is being stored is waited for: its row would forbid the deletion of its game.
    """
    keys = list(games.select_for_update(of=("self",)).values_list("pk", flat=True))
    for at in range(0, len(keys), AT_ONCE):
        Game.objects.filter(pk__in=keys[at : at + AT_ONCE]).delete()
