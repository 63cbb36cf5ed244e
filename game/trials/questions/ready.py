"""Files of questions that come with the program, to use as they are or to begin with."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "data" / "questions"


def ready_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}


def ready_text(name: str) -> str:
    """Raises KeyError for a name that none has."""
    return ready_files()[name].read_text(encoding="utf-8")
