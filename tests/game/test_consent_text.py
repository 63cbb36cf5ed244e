"""The usual text to agree to says what a person has to know, and what it lacks is told."""

import io
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import translation

from game.trials.design.consent import PARTS, parts_missing, standard_consent
from solver.rules import YATZY

LANGUAGES = [code for code, _name in settings.LANGUAGES]
WORDS = sorted({word for part in PARTS for word in part.left_open})


def filled_in(language: str = "en") -> str:
    with translation.override(language):
        text = standard_consent(YATZY)
    for word in WORDS:
        text = text.replace(word, "forty")
    return text


def lacking(text: str) -> list[str]:
    with translation.override("en"):
        return [str(part.heading) for part in parts_missing(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_usual_text_lacks_what_only_the_researcher_knows(language: str) -> None:
    with translation.override(language):
        text = standard_consent(YATZY)
    assert [word for word in WORDS if word not in text] == []
    assert lacking(text) == [
        "How long it takes",
        "Who may take part",
        "What you get for it",
        "Who publishes what",
        "How long it is kept",
        "Legal basis and your rights",
        "Who asks you",
    ]
    assert lacking(filled_in(language)) == []


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_headings_are_translated(language: str) -> None:
    with translation.override("en"):
        english = [str(part.heading) for part in PARTS]
    with translation.override(language):
        told = [str(part.heading) for part in PARTS]
    assert not set(told) & set(english)


def test_a_part_without_its_heading_is_missing_and_one_with_signs_around_it_is_not() -> None:
    text = filled_in()
    assert lacking(text.replace("What is stored\n", "")) == ["What is stored"]
    assert lacking(text.replace("What is stored\n", "## What is STORED:\n")) == []
    assert lacking(text.replace("What is stored\n", "What is stored or not\n")) == [
        "What is stored"
    ]


def test_it_says_what_the_site_stores() -> None:
    text = filled_in()
    for told in ("every move", "random code for your browser", "hide", "the ID", "withdraw"):
        assert told in text


@pytest.mark.django_db
def test_the_command_tells_too(tmp_path: Path) -> None:
    err, file = io.StringIO(), tmp_path / "consent.txt"
    file.write_text(filled_in().replace("Who may take part", "Who"))
    call_command("trial_create", "people", stdout=io.StringIO(), stderr=err, consent=file)
    assert "lacks: Who may take part\n" in err.getvalue()
    err.truncate(0)
    facts = {"researcher": "Ada", "contact": "ada@x.example", "ethics": "7"}
    call_command("trial_create", "others", stdout=io.StringIO(), stderr=err, **facts)
    assert "lacks" not in err.getvalue()
