"""The golden transcript is what the coach says today, in Python and in node."""

from pathlib import Path
from typing import Any

from django.utils import translation

from game.coach.reasons import Facts
from game.core.words import phrases
from solver.advice import CHIPS, Advisor
from solver.advice.wire import serialise_position
from tests.game.test_offline_coach import NODE, named, run, speaker
from tests.game.transcript import LANGUAGES, TEXT, asked_of, said_of, same

MADE_FROM = {"advisor", "position", "advice"}
COMPARED = ("saved", "aim", "secures", "falls", "largest")


def golden(name: str) -> list[str]:
    parts = TEXT.read_text(encoding="utf-8").split("\n\n")
    return [line for part in parts if part.split()[0] == name for line in part.splitlines()]


def test_the_coach_says_what_the_golden_transcript_says(whole: Advisor) -> None:
    said = "\n".join(said_of(whole)).split("\n")
    assert [line for line in said if line] == golden(whole.rules.id)


def plain(facts: Facts) -> dict[str, Any]:
    """Return the facts as JSON; without a cost to explain there is no comparison."""
    compared = facts.options > 1 and facts.rival.regret > 0
    named = {name: fact for name, fact in vars(facts).items() if name not in MADE_FROM}
    named |= {name: getattr(facts, name) for name in COMPARED[: 5 if compared else 3]}
    return {name: as_json(fact) for name, fact in named.items()}


def as_json(fact: Any) -> Any:
    if hasattr(fact, "_asdict"):
        return fact._asdict()
    return {name: as_json(getattr(fact, name)) for name in getattr(fact, "__slots__", ())} or fact


@NODE
def test_a_browser_says_what_the_golden_transcript_says(whole: Advisor, tmp_path: Path) -> None:
    asked = []
    for position, played in asked_of(whole):
        advice = whole.advise(position, outlook=True)
        done = same(advice.options, played)
        asked.append(
            {
                "position": serialise_position(position),
                "played": named(played),
                "hint": plain(Facts(whole, position, advice)),
                "review": plain(Facts(whole, position, advice, done)),
            }
        )
    languages = {}
    for code in LANGUAGES:
        with translation.override(code):
            chips = phrases.name_box(whole.rules, CHIPS) if whole.rules.joker else ""
            languages[code] = {**speaker(whole.rules), "chips": chips}
    harness = Path(__file__).with_name("coach_transcript.mjs")
    lines = run(harness, tmp_path, whole.rules, {"asked": asked, "languages": languages})
    unbroken = [line for line in golden(whole.rules.id) if line[:3].strip() in LANGUAGES]
    assert lines == unbroken


def test_the_transcript_has_300_positions_in_five_languages() -> None:
    parts = TEXT.read_text(encoding="utf-8").strip().split("\n\n")
    assert len(parts) == 300
    codes = [code for code in LANGUAGES for _ in ("hint", "verdict", "review")]
    assert all([line.split()[0] for line in part.splitlines()[2:]] == codes for part in parts)
