"""Names that people type for what is theirs."""

import unicodedata


def visible(name: str, longest: int) -> str:
    """Without what cannot be seen, which might turn the words around it."""
    seen = "".join(one if one.isprintable() else " " for one in unicodedata.normalize("NFKC", name))
    return " ".join(seen.split())[:longest].strip()
