"""The usual text to agree to says what a person has to know."""

from typing import Any

import pytest
from django.conf import settings
from django.utils import translation

from game.trials.design.consent import LEFT_OPEN, PARTS, format_standard_consent
from solver.rules import YATZY

LANGUAGES = [code for code, _name in settings.LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_usual_text_lacks_what_only_the_researcher_knows(language: str) -> None:
    with translation.override(language):
        text = format_standard_consent(YATZY)
        facts: dict[str, Any] = dict.fromkeys(LEFT_OPEN, "forty")
        known = format_standard_consent(YATZY, **facts)
    assert [word for word in LEFT_OPEN.values() if word not in text] == []
    assert "[" not in known


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_headings_are_translated(language: str) -> None:
    with translation.override("en"):
        english = [str(heading) for heading, _text in PARTS]
    with translation.override(language):
        found = [str(heading) for heading, _text in PARTS]
    assert not set(found) & set(english)


def test_it_says_what_the_site_stores() -> None:
    text = format_standard_consent(YATZY)
    assert "hours" not in text
    assert "away for 24 hours" in format_standard_consent(YATZY, hours=24)
    for fact in ("every move", "random code for your browser", "hide", "the ID", "withdraw"):
        assert fact in text
