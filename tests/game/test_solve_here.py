"""The page on which the visitor's browser solves the game, and what it may."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.templatetags.static import static
from django.test import Client, RequestFactory

from game.pages.requests.audiences import PAGES, WITHIN, learners
from solver.pocket import collect_facts
from solver.rules import RULESETS, Ruleset
from solver.rules.rulesets import YATZY
from yatzy_site.middleware import add_security_policy

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.lab")]
ROOT = Path(__file__).resolve().parents[2]
EVERY_RULESET = pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))


def folder(rules: Ruleset) -> str:
    return "/lab/" if rules == YATZY else f"/lab/{rules.id}/"


@EVERY_RULESET
def test_the_page_leads_to_the_facts_of_its_rules(client: Client, rules: Ruleset) -> None:
    page = client.get(f"{folder(rules)}solve-here/").text
    (address,) = re.findall(r'data-facts="(.*?)"', page)
    assert client.get(address).json() == collect_facts(rules)
    levels = [int(level) for level in re.findall(r'data-level="(\d+)"', page)]
    assert levels == list(range(len(rules.categories), -1, -1))
    assert f'href="{folder(rules)}solve-here/"' in client.get(folder(rules)).text
    size = (ROOT / "static" / "pocket" / "float64.wasm").stat().st_size
    assert f"A program of {size / 1000:.0f}\u00a0kB" in page
    assert client.get("/lab/chess/solve-here/facts.json").status_code == 404


@pytest.mark.parametrize(
    ("path", "compiles"),
    [
        (static("js/pocket.js"), True),
        (static("js/pocket.0123456789ab.js"), True),
        (static("js/play.js"), False),
        ("/js/pocket.js", False),
        ("/lab/solve-here/", False),
    ],
)
def test_only_the_worker_may_compile(path: str, compiles: bool) -> None:
    answer: Callable[..., HttpResponse] = add_security_policy(lambda _: HttpResponse())
    policy = answer(RequestFactory().get(path))["Content-Security-Policy"]
    assert ("wasm-unsafe-eval" in policy) == compiles
    assert "'unsafe-eval'" not in policy
    assert policy.startswith("default-src 'self'; ")


def test_no_other_page_names_the_program() -> None:
    """Pages that fetch it are closed to participants of trials; a hint's is tested with it."""
    naming = [
        path.name
        for folder in ("templates", "game/*/templates")
        for path in ROOT.glob(f"{folder}/**/*")
        if path.is_file() and re.search(r"pocket|solve_here_facts|js/solve_here", path.read_text())
    ]
    assert sorted(naming) == ["_hint_here.html", "solve_here.html", "table.html"]
    assert PAGES["solve_here"] is PAGES["solve_here_facts"] is learners
    assert not WITHIN & {"solve_here", "solve_here_facts"}
