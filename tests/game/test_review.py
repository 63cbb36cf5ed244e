"""The review: a decision, what stands beside it, filters, and the way from one to the next."""

import re
from itertools import product

import pytest
from django.test import Client
from django.urls import reverse

from game.coach import review_charts
from game.coach.review import Filter, Review, Walk, review
from game.core.accounts import player_create
from game.core.game_dice import dice_of
from game.core.game_queries import game_played
from game.core.worth.severity import INACCURACY, SEVERITIES
from game.core.worth.tables import advisor
from game.models import Decision, Game, Player
from game.pages.requests.forms import FilterForm, whole
from solver.rules import RULESETS, YATZY, Hold, Ruleset, Score
from tests.game.rulesets import finished_game, known_game
from tests.known import known
from tests.play import HTMX, Browser, play_through

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


def found_in(game: Game) -> Review:
    coach = known(advisor(game.rules))
    return review(coach, dice_of(game), game_played(game).actions)


@pytest.fixture
def found(player: Player) -> Review:
    return found_in(known_game(player, YATZY))


@pytest.fixture
def game(browser: Browser) -> Game:
    """Of whoever has this browser, who can begin another."""
    begun = browser.start()
    begun.delete()
    return known_game(begun.player, YATZY)


def test_what_is_a_mistake_is_what_the_drill_asks(found: Review) -> None:
    assert [step.number for step in found.mistakes] == [
        n for n, step in enumerate(found.steps, 1) if step.entry.regret >= INACCURACY
    ]
    assert 0 < len(found.mistakes) < len(found.steps)


def test_the_best_is_the_first_option_and_a_played_tie_is_best_itself(found: Review) -> None:
    for step in found.steps:
        assert step.best.regret == pytest.approx(0.0, abs=1e-9)
        if step.entry.regret < 1e-9:
            assert step.best.label == step.label
            if step.holds:
                assert step.best_dice == step.dice
        if not step.best.category:
            held = sorted(die.face for die in step.best_dice if die.kept)
            assert held == list(step.advice.best.dice) or step.chosen.best


def test_a_review_of_a_list_works_out_no_options(found: Review) -> None:
    """They are worked out for the decision that is shown, not for every line."""
    assert all("advice" not in step.__dict__ for step in found.steps)
    assert [step.label for step in found.steps]
    assert all("advice" not in step.__dict__ for step in found.steps)


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
    passing = [step for step in found.steps if asked.passes(step, found.boxes[step.turn])]
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


def test_an_address_keeps_the_filter(found: Review) -> None:
    walk = Walk(found, Filter("box", "chance", 3, "small"), "/here", 2)
    address = walk.address(found.steps[4])
    assert address == "/here?step=5&kind=box&box=chance&turn=3&cost=small"


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
    assert whole(text) == number


# The graph


def test_the_graph_marks_what_lost_points_and_links_to_every_decision(found: Review) -> None:
    walk = Walk(found, Filter(), "/here", 3)
    svg = review_charts.course(walk)
    for one in SEVERITIES:
        count = sum(step.severity.id == one.id for step in found.steps)
        assert svg.count(f'class="chart-mark mark-{one.id}"') == count
    columns = re.findall(r'class="chart-column" href="([^"]+)"', svg)
    assert columns == [f"/here?step={n}" for n in range(1, len(found.steps) + 1)]
    assert 'role="group"' in svg


def test_the_graph_shows_where_one_is(found: Review) -> None:
    for number in (1, 7, len(found.steps)):
        svg = review_charts.course(Walk(found, Filter(), "/here", number))
        here = re.search(
            r'class="chart-here"><line x1="([\d.]+)".*?cx="([\d.]+)" cy="([\d.]+)"', svg
        )
        column = re.search(rf'data-at="{number}" data-x="([\d.]+)" data-y="([\d.]+)"', svg)
        assert known(here).groups()[1:] == known(column).groups()
        assert known(here)[1] == known(column)[1]


def test_what_a_filter_leaves_out_is_faint_in_the_graph(found: Review) -> None:
    svg = review_charts.course(Walk(found, Filter(cost="blunder"), "/here"))
    faint = sum(step.severity.id in {"small", "inaccuracy", "mistake"} for step in found.steps)
    assert faint
    assert svg.count("mark-faint") == faint


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
        assert board.total == step.state.total
        offers = {YATZY.categories[n].id: points for n, points in step.state.offers.items()}
        assert {name: row.offer for name, row in rows.items() if row.offer is not None} == offers
        assert [die.face for die in page.context["step"].dice] == list(step.state.dice)


def test_a_fragment_for_a_step_and_a_page_for_everything_else(browser: Browser, game: Game) -> None:
    here = f"/games/{game.pk}/review?step=3"
    step = browser.get(here, headers={"HX-Request": "true", "HX-Target": "step"}).text
    assert step.lstrip().startswith(("<div", "{#")) or 'id="step"' in step[:400]
    assert "<html" not in step
    assert "chart-line" not in step
    whole_page = browser.get(here, headers={"HX-Request": "true", "HX-Target": "main"})
    assert "<html" in whole_page.text


def test_every_link_of_a_review_leads_somewhere(browser: Browser, game: Game) -> None:
    page = browser.get(f"/games/{game.pk}/review?step=7&kind=box").text
    main = page[page.index('id="main"') :]
    addresses = set(re.findall(r'href="(/[^"#]*)', main))
    assert len(addresses) > 30
    for address in sorted(addresses):
        assert browser.get(address.replace("&amp;", "&")).status_code == 200, address


@pytest.mark.sampled("rules")
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_every_ruleset_is_reviewed_step_by_step(browser: Browser, rules: Ruleset) -> None:
    player = player_create()
    game = finished_game(player, rules)
    Game.objects.filter(pk=game.pk).update(player=browser.start().player)
    for number in (1, 20, len(found_in(game).steps)):
        for kind in ("review", "learn"):
            page = browser.get(f"/games/{game.pk}/{kind}?step={number}")
            assert page.status_code == 200
            assert page.context["step"].number == number


def test_a_finished_daily_game_is_reviewed_by_its_player(browser: Browser) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    page = browser.get(f"/games/{game.pk}/review").text
    assert 'id="step"' in page
    assert f"/review/{game.share_token}/" not in page


def test_a_shared_review_stays_at_its_own_addresses(browser: Browser, game: Game) -> None:
    page = Client().get(f"/review/{game.share_token}/?step=2").text
    assert f"/games/{game.pk}/" not in page
    assert f"/review/{game.share_token}/learn" in page


def test_a_filter_that_leaves_nothing_still_shows_a_decision(browser: Browser, game: Game) -> None:
    Decision.objects.filter(game=game).update(regret=0.0)
    page = browser.get(f"/games/{game.pk}/review?kind=hold&box=yatzy&turn=1")
    assert page.status_code == 200
    assert page.context["walk"].steps == []
    assert "0 of " in page.text


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


def test_the_steps_of_a_filter_walk_through_what_it_leaves(browser: Browser, game: Game) -> None:
    page = browser.get(f"{reverse('review', args=[game.pk])}/", {"kind": "box"}).text
    told = dict(STEPS.findall(page))
    turns = [step for step in found_in(game).steps if not step.holds]
    assert f"step={turns[3].number}&amp;kind=box" in told[str(turns[2].number)]
