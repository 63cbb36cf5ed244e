"""Playing to win a game: what the last boxes are worth in chances, against a target or somebody."""

from collections import Counter

import pytest

from game.coach import winning_advice as words
from game.models import DrillAttempt, Player
from game.practice import drill_pool, drill_winning_pool
from game.practice.drill_queries import find_next_question
from solver.advice import Advisor
from solver.rules import RULESETS, YATZY, Hold, Ruleset
from tests.game.test_drill import attempt, best_of, next_for
from tests.known import known
from tests.play import Browser

pytestmark = pytest.mark.usefixtures("yatzy_tables")


# Explore

LATE = "/explore/?rules=yatzy&filled=" + ".".join(
    YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance", "yatzy"]))
)
AT = LATE + "&upper=60&dice=11556&left=2"


def test_explore_shows_chances_beside_points_for_whoever_needs_some(browser: Browser) -> None:
    response = browser.get(f"{AT}&needed=31")
    text = response.text
    assert response.status_code == 200
    win = response.context["found"].win
    assert (win.best, win.chance) == ("Hold 5 5", "7.4\u00a0%")
    assert [row.best for row in win.rows][:3] == [True, True, False]
    assert sum(row.best_in_points for row in win.rows) == 1
    assert "The best move for points is “Hold 5 5 6”, which succeeds in 6.1 % of all games." in text
    assert "If you play for points to the end, you succeed in 4.6 % of all games." in text
    assert 'name="needed" value="31"' in text
    assert "needed=31" in response.context["setup"].query
    assert "Chance of success, option by option" not in browser.get(AT).text


def test_what_is_needed_leaves_out_a_bonus_that_is_yours(browser: Browser) -> None:
    with_bonus, without = AT.replace("upper=60", "upper=63"), AT
    chances = [browser.get(f"{at}&needed=31").context["found"].win for at in (with_bonus, without)]
    assert chances[0].for_points == chances[1].for_points
    assert [row.chance for row in chances[0].rows] == [row.chance for row in chances[1].rows]


def test_what_cannot_be_needed_is_told(browser: Browser) -> None:
    for given in ("0", "-3", "x", "1000", "99999999999"):
        response = browser.get(f"{AT}&needed={given}")
        assert response.status_code == 422
        assert "You can need 1 to" in response.text
    assert browser.get(f"{AT}&needed=").context["found"].win is None


def test_out_of_reach_and_sure_are_said_so(browser: Browser) -> None:
    assert "You can no longer reach the score you need" in browser.get(f"{AT}&needed=300").text
    sure = browser.get(f"{AT}&needed=5").context["found"].win
    assert (sure.chance, sure.instead) == (
        "100.0\u00a0%",
        ("This move is also the best for points."),
    )


# The drill's theme

EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))


@EVERY
def test_the_pool_to_win_has_every_number_of_boxes_and_throws(rules: Ruleset) -> None:
    found = Counter(
        (one.level, one.position.rolls_left)
        for one in drill_winning_pool.load_exercises(rules).values()
    )
    cells = {(level, left) for level in drill_winning_pool.OPEN for left in range(3)} - {(1, 0)}
    assert set(found) == cells
    assert set(found.values()) == {drill_winning_pool.EACH}


@pytest.mark.sampled("any_advisor")
def test_every_position_of_the_pool_misleads_whoever_plays_for_points(any_advisor: Advisor) -> None:
    for one in drill_winning_pool.load_exercises(any_advisor.rules).values():
        graded = drill_winning_pool.grade_position(any_advisor, one.position, one.needed)
        assert graded is not None
        assert graded.level == one.level
        assert (graded.trap, graded.gap) == pytest.approx((one.trap, one.gap), abs=1e-3)
        assert drill_winning_pool.find_exercise(one.key) == one
        assert drill_pool.find_exercise(one.key) is None


def test_the_theme_is_asked_judged_in_chances_and_kept_apart(
    browser: Browser, advisor: Advisor
) -> None:
    question = browser.get("/drill/?rules=yatzy&theme=win").context["question"]
    assert question.needed > 0
    found = drill_winning_pool.calculate_chances(advisor, question.position, question.needed)
    wrong = found.by_points.option
    data: dict[str, object] = {"of": question.key, "seq": 0}
    if wrong.category:
        data["category"] = wrong.category
    else:
        slots = Hold.of(wrong.dice, question.position.dice).places
        data["slot"] = list(slots)
    text = browser.post("/drill/", data, follow=True).text
    attempt = DrillAttempt.objects.get()
    assert attempt.card.needed == question.needed
    assert attempt.regret == pytest.approx(50 * found.by_points.regret)
    assert f"{question.needed}\u00a0points needed to win" in text
    assert words.format_chance_cost(found.by_points.regret) in text
    assert 'name="theme" value="win"' in text
    following = browser.get("/drill/?rules=yatzy&theme=win").context
    assert following["question"].key != question.key
    assert following["progress"].cards == 1
    usual = browser.get("/drill/?rules=yatzy").context
    assert usual["question"].needed == 0
    assert usual["progress"].cards == 0
    lost = round(100 * found.by_points.regret)
    assert f'<td class="number">{lost} %</td>' in browser.get("/drill/?theme=win").text


@pytest.mark.django_db
def test_the_theme_grows_harder_by_its_own_attempts_alone(player: Player, advisor: Advisor) -> None:
    first = find_next_question(player, YATZY, [], to_win=True)
    for _ in range(6):
        question = next_for(player)
        attempt(player, question, best_of(advisor, question.position))
    assert known(next_for(player).exercise).level > 1
    assert find_next_question(player, YATZY, [], to_win=True).key == first.key
