"""The roles of visitors."""

from collections.abc import Iterable, Mapping

import pytest

# In the order of the table's columns; accounts with more rights come later.
ROLES = {
    "stranger": "nobody yet: a browser without a cookie",
    "guest": "a player without an account, with games, an attempt in the drill and a daily game",
    "other": "another guest, who watches games and duels of others",
    "account": "somebody who is signed in",
    "member": "somebody else who is signed in",
    "seat": "a guest at the table of a duel",
    "participant": "takes part in a trial that is open, with a game under way",
    "former": "has withdrawn from that trial, and kept the cookies",
    "finished": "has played all games of a trial that is closed since",
    "staff": "may make trials, and has a role in none",
    "viewer": "staff who sees the pages of the trials",
    "runner": "staff who runs the trials",
    "researcher": "staff who made the trials, and owns them",
    "superuser": "may do everything in the administration",
}
GROUPS = {
    "everybody": set(ROLES),
    "nobody": set(),
    "signed-in": {"account", "member", "staff", "viewer", "runner", "researcher", "superuser"},
    "players": {"account", "member"},  # with an account, and nothing more
    "staff-all": {"staff", "viewer", "runner", "researcher", "superuser"},
    "viewing": {"viewer", "runner", "researcher", "superuser"},
    "running": {"runner", "researcher", "superuser"},
    "owning": {"researcher", "superuser"},
    "in-trial": {"participant", "former"},  # a browser that has come to a trial that is open
}
# Per change, only roles with different rights; nightly, all roles.
WHO_ASKS = pytest.mark.parametrize(
    "who", ["edges", pytest.param("everybody", marks=pytest.mark.nightly)]
)


def asking(who: str, answers: Mapping[str, object], all_of_them: Iterable[str]) -> Iterable[str]:
    """All of them, or at the ``edges`` the first and the last of those who are answered alike."""
    if who == "everybody":
        return all_of_them
    alike: dict[object, list[str]] = {}
    for role in all_of_them:
        alike.setdefault(answers[role], []).append(role)
    return dict.fromkeys(role for roles in alike.values() for role in (roles[0], roles[-1]))


def named(words: str) -> set[str]:
    found: set[str] = set()
    for word in words.split():
        name = word.removeprefix("-")
        some = GROUPS.get(name, {name})
        assert some <= set(ROLES), f"nobody is called {name}"
        found = found - some if word.startswith("-") else found | some
    return found
