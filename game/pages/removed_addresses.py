"""Addresses of earlier releases: each answers 410, or redirects to what replaced it.

``game.pages.error_views.not_found`` looks here, so a row never hides an address that still works.
"""

import re
from typing import NamedTuple


class Removed(NamedTuple):
    """``address`` is a regular expression that the path begins with, after its first slash."""

    address: str
    instead: str = ""  # the name of the page that replaces it; an empty one means 410


REMOVED = (
    Removed(r"parts/"),
    Removed(r"import/"),
    Removed(r"games/[\w-]+/text$"),
    Removed(r"trials/[\w-]+/looks?/?$"),
    Removed(r"lab/own/"),
    Removed(r"(api/v1/)?ladder/"),
    Removed(r"lab/glossary/", "lab_sources"),
)


def find_removed(path: str) -> Removed | None:
    """Return the row of this path, or None if no release had the path."""
    return next((row for row in REMOVED if re.match(f"/{row.address}", path)), None)
