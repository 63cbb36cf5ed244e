"""Where players' points go: the file that the program brings, and the pages that tell it."""

import re
from html import unescape

import pytest
from django.test import Client

from solver.advice.moments import evaluate
from solver.arena.learners import find_learner_kind, read_stored_losses
from solver.players import PLAYERS
from solver.rules import RULESETS
from tests.game.lab import rows
from tests.known import known

pytestmark = pytest.mark.usefixtures("all_tables")
WHO = [
    (ruleset, player)
    for ruleset, rules in RULESETS.items()
    for player in (read_stored_losses(rules) or {"players": ()})["players"]
]


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    return unescape(answer.text)


@pytest.mark.parametrize(("ruleset", "player"), WHO)
def test_all_that_is_lost_is_what_is_missing_from_the_optimum(ruleset: str, player: str) -> None:
    stored = known(read_stored_losses(RULESETS[ruleset]))
    facts = stored["players"][player]
    by_boxes = facts["regret_by_kind"][-1]
    assert sum(facts["regret_by_kind"]) == pytest.approx(facts["regret"], abs=1e-5)
    assert sum(facts["regret_by_box"].values()) == pytest.approx(by_boxes, abs=1e-5)
    assert sum(facts["regret_by_best_box"].values()) == pytest.approx(by_boxes, abs=1e-5)
    assert stored["optimum"] - facts["mean"] == pytest.approx(facts["regret"], abs=1e-5)


@pytest.mark.sampled("ruleset", "player")
@pytest.mark.parametrize(
    ("ruleset", "player"), [(r, p) for r, p in WHO if not find_learner_kind(p)]
)
def test_the_file_is_about_the_players_there_are(ruleset: str, player: str) -> None:
    rules = RULESETS[ruleset]
    facts = known(read_stored_losses(rules))["players"][player]
    assert PLAYERS[player].plays(rules)
    assert evaluate(PLAYERS[player].open_tabular(rules)).mean == pytest.approx(
        facts["mean"], abs=1e-5
    )


@pytest.mark.django_db
def test_a_player_tells_where_its_points_go() -> None:
    html = page("/lab/players/dice-based/")
    assert "boxes cost 44.8 and holds 23.8" in html
    told = " ".join(re.sub("<.*?>", "", html).split())
    assert "loses the most points by filling Sixes (10.5)" in told
    assert "and by not filling Small straight (17.2)." in told
    for step in ("Perfect play: 248.4", "Roll 1: −13.8", "Roll 2: −9.9", "Box: −44.8"):
        assert f"<title>{step}</title>" in html
    assert "Mean: 179.9</title>" in html
    assert ["Fives", "7.68", "0.01"] in rows(html)
    assert "Where this player loses points" not in page("/lab/players/optimal/")


@pytest.mark.django_db
def test_the_study_says_that_it_is_the_boxes() -> None:
    html = page("/lab/study/")
    assert "71 % (Scorecard-based), 65 % (Dice-based), 53 % (Forced scoring)" in html.replace(
        "\u00a0", " "
    )
    assert [row[-2:] for row in rows(html) if row[0] == "Dice-based" and len(row) == 7] == [
        ["Sixes (10.5)", "Small straight (17.2)"]
    ]
    cells = re.findall(
        r'<td class="number">([\d.]+)</td>', html.split("Points lost per game</th>")[1]
    )
    assert cells[:12] == [
        "49.5",
        "10.6",
        "3.8",
        "35.1",
        "68.6",
        "13.8",
        "9.9",
        "44.8",
        "132.3",
        "37.9",
        "24.1",
        "70.3",
    ]
