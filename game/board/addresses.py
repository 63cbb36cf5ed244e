"""Where the moves of a game are sent to: asked several times by every board."""

from functools import lru_cache

from django.urls import get_script_prefix, reverse


def game_address(name: str, game_id: str) -> str:
    return _address(name, game_id, get_script_prefix())


@lru_cache(maxsize=4096)
def _address(name: str, game_id: str, prefix: str) -> str:
    """``prefix`` is what the site lies under, and part of what ``reverse`` answers."""
    return reverse(name, args=[game_id])
