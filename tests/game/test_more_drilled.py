"""Drill, five a day and lists with six dice and with saved throws."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from game.core.fair import days
from game.core.worth import drilled as drilled_rules
from game.core.worth.drilled import DRILLED
from game.models import DrillCard, FiveAnswer, KeptPosition
from game.practice import drill_pool
from game.practice.drill_pool import Exercise
from game.practice.drill_queries import list_met_keys
from game.practice.five import LEVELS, choose_daily_five
from solver.advice import Advisor, Position, check_position
from solver.rules import PLAYED, RULESETS, Ruleset
from solver.tables import open_table
from solver.tables.parts import make_values
from tests.game.test_rulesets import SAVED, saved
from tests.known import known
from tests.play import Browser

__all__ = ["saved"]  # a fixture of theirs
pytestmark = pytest.mark.django_db
MORE = pytest.mark.parametrize("name", sorted(PLAYED.keys() - RULESETS.keys()))
CARD = SAVED.make_mask(["chance"])
ROWS = [
    Position(SAVED, CARD, 0, dice, left, stock=stock)
    for dice, left, stock in [
        ((1, 2), 2, 2),
        ((1, 2), 2, 0),
        ((2, 3), 0, 1),
        ((5, 6), 0, 0),
        ((6, 6), 1, 2),
    ]
]
KNOWN = [Exercise(position, level, 0.5, 0.5) for position, level in zip(ROWS, LEVELS, strict=True)]


@pytest.fixture
def drilled(saved: Ruleset, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ruleset]:
    monkeypatch.setitem(DRILLED, SAVED.id, SAVED)
    monkeypatch.setattr("game.data.FOLDER", tmp_path)
    monkeypatch.setattr(drill_pool, "FEWEST_OPEN", 1)
    with drilled_rules.make_pool_path(SAVED).open("w") as file:
        drill_pool.write(SAVED, KNOWN, file)
    drill_pool.load_exercises.cache_clear()
    yield SAVED
    drill_pool.load_exercises.cache_clear()


def test_whatever_is_played_is_drilled() -> None:
    assert DRILLED == PLAYED


@MORE
def test_no_position_of_a_pool_is_impossible(name: str) -> None:
    found = drill_pool.load_exercises(PLAYED[name])
    for one in found.values():
        check_position(one.position)
        assert drill_pool.find_exercise(one.key) == one
        assert len(f"pool-{one.key}") <= 60
    stocks = {one.position.stock for one in found.values()}
    assert len(stocks) > 5 if PLAYED[name].stock else stocks == {0}


@pytest.mark.nightly
@MORE
def test_the_pool_is_graded_by_the_table(name: str, tmp_path: Path) -> None:
    rules, path = PLAYED[name], tmp_path / name
    make_values(rules, path)
    coach = Advisor(open_table(rules, path=path), rules)
    for one in drill_pool.load_exercises(rules).values():
        graded = known(drill_pool.grade_position(coach, one.position))
        assert graded.level == one.level
        assert (graded.trap, graded.gap) == pytest.approx((one.trap, one.gap), abs=1e-3)


def test_what_is_natural_goes_on_while_throws_are_saved(drilled: Ruleset) -> None:
    coach = Advisor.open(drilled)
    for stock, action in ((1, "hold"), (0, "score")):
        position = replace(ROWS[2], stock=stock)
        assert (
            drill_pool.find_natural_option(coach.advise(position).options, position).action
            == action
        )


def test_cells_are_filled_by_all_throws_that_are_left(drilled: Ruleset) -> None:
    made = drill_pool.make_pool(Advisor.open(drilled), seed=3, each=1)
    cells = [(one.level, min(one.position.throws_left, 2)) for one in made]
    assert sorted(cells) == [(level, left) for level in drill_pool.LEVELS for left in range(3)]


def test_saved_throws_are_drilled_and_remembered(browser: Browser, drilled: Ruleset) -> None:
    sent = {"of": f"pool-{KNOWN[2].key}", "seq": 0, "slot": [1], "go": 1}
    answer = browser.post("/drill/", sent)
    assert answer.status_code == 302
    card = DrillCard.objects.get()
    assert (card.position, card.stock) == (ROWS[2], 1)
    assert list_met_keys(card.player, drilled) == {KNOWN[2].key}
    told = browser.get(answer.headers["Location"])
    assert told.status_code == 200
    assert "stock=1" in told.text
    assert browser.get(f"/drill/again/?of=drill-{card.attempts.get().pk}").status_code == 200
    page = browser.get(f"/drill/history/?rules={drilled.id}").text
    assert "1 roll left" in page


def test_five_a_day_ask_for_saved_throws(browser: Browser, drilled: Ruleset) -> None:
    address = f"/five/{drilled.id}/"
    asked = choose_daily_five(days.today(), drilled)
    assert len({exercise.position.stock for exercise in asked}) > 1
    for place, exercise in enumerate(asked, start=1):
        page = browser.get(address)
        assert page.context["board"].saved == exercise.position.stock
        data = {"of": page.context["fields"]["of"], "seq": place, "category": "pair"}
        assert browser.post(address, data).status_code == 302
    assert browser.get(address).status_code == 200
    keys = FiveAnswer.objects.order_by("place").values_list("key", flat=True)
    assert sorted(keys) == sorted(one.key for one in KNOWN)


def test_a_position_is_kept_with_its_stock(browser: Browser, drilled: Ruleset) -> None:
    query = f"rules={drilled.id}&filled=chance&upper=0&dice=12&left=1&stock=2"
    explored = browser.get(f"/explore/?{query}")
    assert 'name="position"' in explored.text
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 302
    found = KeptPosition.objects.get()
    assert found.position == Position(drilled, CARD, 0, (1, 2), 1, stock=2)
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 302
    assert KeptPosition.objects.count() == 1
    other = query.replace("stock=2", "stock=0")
    assert browser.post("/drill/lists/keep", {"position": other}).status_code == 302
    assert KeptPosition.objects.count() == 2
    page = browser.get(f"/drill/lists/{found.kept_in.token}/").text
    assert "3 rolls left" in page
    assert browser.get(f"/drill/again/?of=list-{found.kept_in.token}").status_code == 200


def test_what_has_no_positions_is_not_drilled(
    browser: Browser, drilled: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(DRILLED, drilled.id)
    for address in (f"/drill/?rules={drilled.id}", f"/five/{drilled.id}/"):
        assert browser.get(address).status_code == 404
    query = f"rules={drilled.id}&dice=12"
    assert 'name="position"' not in browser.get(f"/explore/?{query}").text
    assert browser.post("/drill/lists/keep", {"position": query}).status_code == 404
    assert "/five/" not in browser.get(f"/daily/{drilled.id}/").text
