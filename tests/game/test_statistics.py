"""Statistics: one's own boxes and scores beside perfect play's."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.game_queries import replay_game
from game.core.profile_queries import average_box_points, list_latest_scores
from game.core.words.equation import round_to_sum, round_to_tenths
from game.core.worth.tables import load_advisor
from game.models import Player
from game.practice.statistics_board import (
    FEWEST,
    ROLLING,
    list_box_rows,
    make_total_row,
    smooth_scores,
)
from solver.rules import RULESETS, YATZY, Ruleset
from tests.game.rulesets import finished_game
from tests.known import known
from tests.play import Browser, play_through, score_all, start_solo

tables = pytest.mark.usefixtures("yatzy_tables")


def test_boxes_are_averages_over_the_games_that_count(player: Player) -> None:
    ends = [score_all(start_solo(player), player).state for _ in range(3)]
    found = known(average_box_points(player, YATZY))
    for at, category in enumerate(YATZY.categories):
        points = [known(end.boxes[at]).points for end in ends]
        assert found.points[category.id] == pytest.approx(sum(points) / 3)
    total = sum(found.points.values()) + found.bonus
    assert total == pytest.approx(sum(end.total for end in ends) / 3)
    assert list(list_latest_scores(player, YATZY)) == [end.total for end in ends]


def test_a_rematch_counts_in_no_statistics(player: Player, browser: Browser) -> None:
    game = play_through(browser, browser.start())
    again = play_through(browser, browser.start(mode="rematch", of=game.pk))
    assert known(average_box_points(game.player, YATZY)).games == 1
    assert again.final_score is not None
    assert replay_game(again).state.finished


@given(st.lists(st.integers(0, 374), max_size=40))
def test_the_trend_is_the_mean_of_the_latest(scores: list[int]) -> None:
    found = smooth_scores(scores)
    assert len(found) == max(0, len(scores) - FEWEST + 1)
    for at, mean in enumerate(found):
        latest = scores[: at + FEWEST][-ROLLING:]
        assert mean == pytest.approx(sum(latest) / len(latest))


@tables
def test_the_page_shows_both_for_every_box(browser: Browser) -> None:
    assert "rows" not in browser.get("/you/").context
    game = play_through(browser, browser.start())
    page = browser.get("/you/")
    rows = page.context["rows"]
    assert len(rows) == len(YATZY.categories) + 1
    assert sum(row.mine for row in rows) == pytest.approx(game.final_score)
    boxes = known(average_box_points(game.player, YATZY))
    assert rows == list_box_rows(known(load_advisor(YATZY)), boxes)


@given(st.lists(st.floats(0.0, 60.0), min_size=1, max_size=18))
def test_printed_lines_add_up_to_the_printed_total(parts: list[float]) -> None:
    total = sum(parts)
    printed = round_to_sum(parts, total)
    assert sum(printed) == round_to_tenths(total)
    for part, one in zip(parts, printed, strict=True):
        assert abs(one - 10 * part) < 1 + 1e-9


@pytest.mark.parametrize("rules", [YATZY, RULESETS["yahtzee"]], ids=lambda rules: rules.id)
@pytest.mark.usefixtures("yatzy_tables", "yahtzee")
def test_the_lines_of_the_page_add_up_as_printed(rules: Ruleset, player: Player) -> None:
    """Chips are what the boxes leave of perfect play's total."""
    for number in range(3):
        finished_game(player, rules, number)
    theirs = np.linspace(1.04, 20.06, len(rules.categories) + 1)
    chips = 7.77 if rules.joker else 0.0
    coach: Any = SimpleNamespace(
        rules=rules, boxes_start=theirs, value_start=float(theirs.sum()) + chips
    )
    boxes = known(average_box_points(player, rules))
    rows, total = list_box_rows(coach, boxes), make_total_row(coach, boxes)
    assert sum(row.printed_mine for row in rows) == total.printed_mine
    assert sum(known(row.printed_perfect) for row in rows) == total.printed_perfect
    assert sum(row.mine for row in rows) == pytest.approx(total.mine)
    assert sum(known(row.perfect) for row in rows) == pytest.approx(coach.value_start)
    assert rows[-1].name == ("Yahtzee bonus" if rules.joker else "Bonus")
