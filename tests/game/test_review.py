"""The review: a decision, what stands beside it, filters, and the way from one to the next."""

import re
from itertools import product

import pytest
from django.urls import reverse

from game.coach import review_charts
from game.coach.review import Filter, Review, Walk, review_game
from game.core.accounts import create_player
from game.core.game_dice import list_shown_dice
from game.core.game_queries import replay_game
from game.core.worth.severity import SEVERITIES
from game.core.worth.tables import load_advisor
from game.models import Game, Player
from game.pages.requests.forms import FilterForm, parse_number
from solver.rules import RULESETS, YATZY, Hold, Ruleset, Score
from tests.game.rulesets import finished_game, known_game
from tests.known import known
from tests.play import HTMX, Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def found_in(game: Game) -> Review:
    coach = known(load_advisor(game.rules))
    return review_game(coach, list_shown_dice(game), replay_game(game).actions)


@pytest.fixture
def found(player: Player) -> Review:
    return found_in(known_game(player, YATZY))


@pytest.fixture
def game(browser: Browser) -> Game:
    begun = browser.start()
    begun.delete()
    return known_game(begun.player, YATZY)


# Filters and neighbours, against the slowest way


FILTERS = [
    Filter(kind, box, turn, cost)
    for kind, box, turn, cost in product(
        ("", "hold", "box"), ("", "chance"), (None, 1, 9), ("", "small", "mistake")
    )
]


def test_a_filter_leaves_what_it_names(found: Review) -> None:
    for asked in FILTERS:
        leaves_what_it_names(found, asked)


def leaves_what_it_names(found: Review, asked: Filter) -> None:
    ended = {
        step.turn: step.entry.action.category
        for step in found.steps
        if isinstance(step.entry.action, Score)
    }
    least = {one.id: one.at_least for one in SEVERITIES} | {"": 0.0}
    slow = []
    for step in found.steps:
        if asked.kind == "hold" and not isinstance(step.entry.action, Hold):
            continue
        if asked.kind == "box" and isinstance(step.entry.action, Hold):
            continue
        if asked.box and ended[step.turn] != asked.box:
            continue
        if asked.turn and step.turn != asked.turn:
            continue
        if step.entry.regret >= least[asked.cost]:
            slow.append(step.number)
    walk = Walk(found, asked, "/here")
    assert [step.number for step in walk.steps] == slow, asked
    assert walk.at in found.steps
    if slow:
        assert walk.at.number in slow
        assert walk.at.entry.regret == max(found.steps[n - 1].entry.regret for n in slow)


@pytest.mark.parametrize(
    "asked", [Filter(), Filter(kind="box"), Filter(cost="inaccuracy")], ids=str
)
def test_the_ways_lead_to_the_nearest_that_pass(found: Review, asked: Filter) -> None:
    passing = [step for step in found.steps if asked.matches(step, found.boxes[step.turn])]
    for number in range(1, len(found.steps) + 1):
        walk = Walk(found, asked, "/here", number)
        assert walk.at.number == number
        for way, before, wanted in (
            (walk.previous, True, passing),
            (walk.next, False, passing),
            (walk.previous_mistake, True, [s for s in passing if s.mistaken]),
            (walk.next_mistake, False, [s for s in passing if s.mistaken]),
        ):
            there = [
                s.number for s in wanted if (s.number < number if before else s.number > number)
            ]
            slow = (max(there) if before else min(there)) if there else None
            named = re.search(r"step=(\d+)", way)
            assert (int(named[1]) if named else None) == slow


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_the_form_offers_what_the_rules_have_and_nothing_else_filters(rules: Ruleset) -> None:
    boxes = [category.id for category in rules.categories]
    for box in boxes:
        assert FilterForm(rules, {"box": box}).filter == Filter(box=box)
    last = len(boxes)
    assert FilterForm(rules, {"turn": str(last)}).filter == Filter(turn=last)
    nonsense = {"kind": "x", "box": "nothing", "turn": str(last + 1), "cost": "-1"}
    assert FilterForm(rules, nonsense).filter == Filter()
    assert FilterForm(rules, nonsense | {"cost": "blunder"}).filter == Filter(cost="blunder")


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("", None), (None, None), ("-1", None), ("x", None), ("²", None), ("9" * 9, None)],
)
def test_a_number_in_an_address(text: str | None, number: int | None) -> None:
    assert parse_number(text) == number


# The graph


def test_the_graph_marks_what_lost_points_and_links_to_every_decision(found: Review) -> None:
    walk = Walk(found, Filter(), "/here", 3)
    svg = review_charts.draw_course(walk)
    for one in SEVERITIES:
        count = sum(step.severity.id == one.id for step in found.mistakes)
        assert svg.count(f'class="chart-mark mark-{one.id}"') == count
    columns = re.findall(r'class="chart-column" href="([^"]+)"', svg)
    assert columns == [f"/here?step={n}" for n in range(1, len(found.steps) + 1)]
    assert 'role="group"' in svg


# The pages


def test_the_card_is_as_it_was_at_that_moment(browser: Browser, game: Game) -> None:
    for number, step in enumerate(found_in(game).steps, 1):
        if number % 6:
            continue
        page = browser.get(f"/games/{game.pk}/review?step={number}")
        board = page.context["board"]
        rows = {row.id: row for row in board.upper + board.lower}
        for category, box in zip(YATZY.categories, step.state.boxes, strict=True):
            assert rows[category.id].points == (box.points if box else None)
        offers = {YATZY.categories[n].id: points for n, points in step.state.offers.items()}
        assert {name: row.offer for name, row in rows.items() if row.offer is not None} == offers
        assert [die.face for die in page.context["step"].dice] == list(step.state.dice)


def test_only_the_player_s_own_review_leads_to_what_costs_them_most(
    browser: Browser, game: Game
) -> None:
    address = f"/review/{game.share_token}/"
    assert browser.get(address).context["leaks"] == f"/learn/?rules={game.ruleset}"
    Game.objects.filter(pk=game.pk).update(player=create_player())
    assert browser.get(address).context["leaks"] == ""


def test_a_fragment_for_a_step_and_a_page_for_everything_else(browser: Browser, game: Game) -> None:
    here = f"/games/{game.pk}/review?step=3"
    step = browser.get(here, headers={"HX-Request": "true", "HX-Target": "step"}).text
    assert step.lstrip().startswith(("<div", "{#")) or 'id="step"' in step[:400]
    assert "<html" not in step
    assert "chart-line" not in step
    whole_page = browser.get(here, headers={"HX-Request": "true", "HX-Target": "main"})
    assert "<html" in whole_page.text


@pytest.mark.sampled("rules")
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_every_ruleset_is_reviewed_step_by_step(browser: Browser, rules: Ruleset) -> None:
    player = create_player()
    game = finished_game(player, rules)
    Game.objects.filter(pk=game.pk).update(player=browser.start().player)
    for number in (1, 20, len(found_in(game).steps)):
        for kind in ("review", "learn"):
            page = browser.get(f"/games/{game.pk}/{kind}?step={number}")
            assert page.status_code == 200
            assert page.context["step"].number == number


STEPS = re.compile(r'<template data-step="(\d+)">(.*?)</template>', re.S)


def test_every_decision_comes_in_one_reply_as_the_page_shows_it(
    browser: Browser, game: Game
) -> None:
    here = reverse("review", args=[game.pk])
    told = dict(STEPS.findall(browser.get(f"{here}/").text))
    assert [int(number) for number in told] == [step.number for step in found_in(game).steps]
    for number in ("1", "17", max(told, key=int)):
        alone = browser.get(here, {"step": number}, headers=HTMX).text
        assert told[number].split() == alone.split()
