"""Names that people type for their own things."""

import unicodedata


def visible(name: str, longest: int) -> str:
    """Return the text without invisible characters, which could change the words around it."""
    seen = "".join(one if one.isprintable() else " " for one in unicodedata.normalize("NFKC", name))
    return " ".join(seen.split())[:longest].strip()
