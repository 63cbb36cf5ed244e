"""The page of parts has every part in every state, for whoever works on the look alone."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.template.loader import render_to_string
from django.test import Client

from game.board.ending import Account
from game.coach.panel import GameStanding
from game.judgement.severity import BEST, GOOD, SEVERITIES
from game.views.parts import TOKENS, apart
from game.words.opponents import CHARACTERS
from solver.rules import YATZY

CSS = Path(__file__).parents[2] / "static" / "css"
DICE = """
    aria-pressed="true" aria-pressed="false" data-fresh data-marked data-dropped data-blank
    data-past data-kept data-counts="yes" data-counts="no"
"""
BOXES = "box--used box--open data-best data-nothing data-lost data-fresh data-won data-offered"
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return {}


@pytest.fixture
def page(client: Client, settings: Any, drawn: dict[str, str]) -> str:
    """The same for everybody who looks, so it is drawn once."""
    settings.DEBUG = True
    if not drawn:
        drawn["page"] = client.get("/parts/").content.decode()
    return drawn["page"]


def test_it_is_there_only_where_the_site_is_worked_on(client: Client) -> None:
    assert client.get("/parts/").status_code == 404


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", [code for code, _name in project.LANGUAGES])
def test_it_is_drawn_in_every_language(client: Client, settings: Any, language: str) -> None:
    settings.DEBUG = True
    answer = client.get("/parts/", headers={"accept-language": language})
    assert answer.status_code == 200
    assert f'<html lang="{language}"' in answer.content.decode()


def test_every_severity_is_said(page: str) -> None:
    every = {one.id for one in (BEST, GOOD, *SEVERITIES)}
    assert set(re.findall(r'data-verdict="(\w+)"', page)) == every
    assert every <= set(re.findall(r'data-square="(\w+)"', page))
    assert set(re.findall(r'data-severity="(\w+)"', page)) == every


@pytest.mark.parametrize("state", DICE.split())
def test_dice_are_in_every_state(page: str, state: str) -> None:
    dice = re.findall(r'class="(?:die|laid__die)"[^>]*>', page)
    assert any(state in die for die in dice)


@pytest.mark.parametrize("state", BOXES.split())
def test_boxes_are_in_every_state(page: str, state: str) -> None:
    assert re.search(rf"(?s)<(?:div|button|b)[^>]*\b{state}\b", page)


def test_opponents_have_faces(page: str) -> None:
    faces = set(re.findall(r'href="#face-(\w+)"/></svg>', page))
    assert faces >= {one.face for one in CHARACTERS.values()} | {"person", "people"}


def test_everything_stands_in_both_themes(page: str) -> None:
    themes = re.split(r'data-theme="(light|dark)"', page)
    names = {"light": set[str](), "dark": set[str]()}
    for theme, part in zip(themes[1::2], themes[2::2], strict=True):
        names[theme] |= set(re.findall(r'parts__name">([^<]+)<', part))
    assert names["light"] == names["dark"]
    assert len(names["light"]) > 40


def test_every_colour_has_a_meaning(page: str) -> None:
    drawn = set(re.findall(r'data-token="([\w-]+)"', (CSS / "parts.css").read_text()))
    named = re.compile(r"(?m)^  --([\w-]+): (?:light-dark|rgb|var\(--(?:ink|played)\))")
    assert set(named.findall((CSS / "tokens.css").read_text())) == drawn == set(TOKENS)
    assert all(f'data-token="{name}"' in page for name in TOKENS)


def test_what_is_named_by_an_id_has_one_of_its_own(page: str) -> None:
    named = re.findall(r' (?:for|aria-labelledby)="([\w-]+)"', page)
    assert all(page.count(f' id="{name}"') == 1 for name in set(named))


def test_a_part_is_set_apart_with_what_refers_to_it() -> None:
    drawn = '<h2 id="a">A</h2><section aria-labelledby="a"><i id="roll"></i></section>'
    told = '<h2 id="a-2">A</h2><section aria-labelledby="a-2"><i id="roll"></i></section>'
    assert apart(drawn, "2") == told


@pytest.mark.parametrize("lost", [0.0, 0.04, 12.0])
def test_what_was_given_away_is_red_and_nothing_else(lost: float) -> None:
    drawn = render_to_string("game/_account.html", {"account": Account(YATZY, 225, -20.0, lost)})
    drawn += render_to_string(
        "coach/_standing.html", {"standing": GameStanding(248.4, 231.0 - lost, lost)}
    )
    assert drawn.count("data-lost") == (2 if lost else 0)
