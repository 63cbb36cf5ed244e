"""The golden transcript is what the coach says today."""

from itertools import groupby

from solver.advice import Advisor
from tests.game.transcript import TEXT, said_of


def golden(name: str) -> list[str]:
    """Return the lines about one ruleset."""
    parts = TEXT.read_text(encoding="utf-8").split("\n\n")
    return [line for part in parts if part.split()[0] == name for line in part.splitlines()]


def test_the_coach_says_what_the_golden_transcript_says(whole: Advisor) -> None:
    said = "\n".join(said_of(whole)).split("\n")
    assert [line for line in said if line] == golden(whole.rules.id)


def test_the_transcript_has_300_positions_in_five_languages() -> None:
    parts = TEXT.read_text(encoding="utf-8").strip().split("\n\n")
    assert len(parts) == 300
    for part in parts:
        languages = [line.split()[0] for line in part.splitlines()[2:]]
        assert [(name, len(list(lines))) for name, lines in groupby(languages)] == [
            (name, 3) for name in ("en", "sv", "nb", "da", "fi")
        ]
