"""Removes invisible characters from names that people type, such as names of lists."""

import unicodedata


def remove_invisible(name: str, longest: int) -> str:
    """Return the text without invisible characters, which could rearrange the visible ones."""
    seen = "".join(
        character if character.isprintable() else " "
        for character in unicodedata.normalize("NFKC", name)
    )
    return " ".join(seen.split())[:longest].strip()
