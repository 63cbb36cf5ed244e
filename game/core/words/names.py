"""Names that people type for their own things."""

import unicodedata


def remove_invisible(name: str, longest: int) -> str:
    """Return the text without invisible characters, which could change the words around it."""
    seen = "".join(
        character if character.isprintable() else " "
        for character in unicodedata.normalize("NFKC", name)
    )
    return " ".join(seen.split())[:longest].strip()
