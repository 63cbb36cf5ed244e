"""Any position can be set up, addressed and shared, and shows what every option is worth."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from game.coach.position_addresses import explore_query
from game.core.worth.tables import load_advisor
from game.models import Player
from game.practice.explore_setup import PAR, read_setup, split_total
from solver.advice import Advisor, Position
from solver.dp.arrays import calculate_scale
from solver.rules import RULESETS, YATZY, Ruleset
from tests.conftest import solved
from tests.game.rulesets import finished_game
from tests.known import known
from tests.play import HTMX, Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]

SHARED = "/explore/?filled=ones.twos&upper=9&dice=11225&left=2"
ROLL = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(lambda d: tuple(sorted(d)))


def coach() -> Advisor:
    found = load_advisor(YATZY)
    assert found is not None
    return found


def read_address(query: str, rules: Ruleset = YATZY) -> Position:
    setup = read_setup(rules, QueryDict(query))
    assert not setup.problems
    return setup.position


# Addresses


@st.composite
def positions(draw: st.DrawFn) -> Position:
    rules = draw(st.sampled_from(list(RULESETS.values())))
    filled = draw(st.integers(0, rules.full - 1))
    upper = draw(st.sampled_from(sorted(rules.list_upper_totals(filled))))
    joker = rules.joker
    can_win = joker is not None and bool(filled >> rules.index[joker.box] & 1)
    chips_won = can_win and draw(st.booleans())
    return Position(rules, filled, upper, draw(ROLL), draw(st.integers(0, 2)), chips_won)


@given(positions())
def test_every_position_has_an_address_that_leads_back_to_it(position: Position) -> None:
    query = QueryDict(explore_query(position))
    setup = read_setup(position.rules, query)
    assert query["rules"] == position.rules.id
    assert setup.problems == {}
    assert setup.position == position
    assert read_address(setup.query, position.rules) == position


@given(st.dictionaries(st.sampled_from(YATZY.upper), st.integers(0, 5)))
def test_the_form_can_say_every_card_and_keeps_the_points_of_its_boxes(
    counts: dict[int, int],
) -> None:
    query = QueryDict(mutable=True)
    for number in YATZY.upper:
        box = YATZY.categories[number]
        query[box.id] = str(counts[number] * box.face) if number in counts else ""
    setup = read_setup(YATZY, query)
    again = read_setup(YATZY, QueryDict(setup.query))
    expected = {YATZY.categories[number].id: count for number, count in sorted(counts.items())}
    assert (setup.problems, again.problems) == ({}, {})
    assert setup.counts == again.counts == expected


def test_a_total_is_split_as_near_to_three_of_each_as_can_be() -> None:
    assert split_total((1, 2, 3), 18, 5) == (PAR, PAR, PAR)
    assert split_total((1, 2), 9, 5) == (3, 3)
    assert split_total((5, 6), 55, 5) == (5, 5)
    assert split_total((), 0, 5) == ()
    assert split_total((6,), 7, 5) is None


# The page


def test_a_visitor_sees_every_option_ranked_as_the_solver_ranks_them(browser: Browser) -> None:
    page = browser.get(SHARED)
    rows = page.context["found"].rows
    advice = coach().advise(Position(YATZY, 0b11, 9, (1, 1, 2, 2, 5), 2), outlook=True)
    assert page.status_code == 200
    assert [row.expected for row in rows] == [option.value for option in advice.options]
    assert [row.regret for row in rows] == [option.regret for option in advice.options]
    assert {row.key for row in rows} >= {"none", "11225", "5", "chance", "yatzy"}
    text = page.text
    assert page.context["found"].reason in text
    assert all(row.bonus and row.deviation for row in rows)
    assert text.count('<th scope="row">') == len(rows)


def test_the_form_is_an_ordinary_one_that_leads_to_the_short_address(browser: Browser) -> None:
    sent = "dice=1&dice=2&dice=2&dice=3&dice=3&left=1&ones=1&twos=8&threes=&filled=pair"
    response = browser.get(f"/explore/?{sent}")
    where = "/explore/?rules=yatzy&filled=ones.twos.pair&upper=1.8&dice=12233&left=1"
    assert (response.status_code, response.headers["Location"]) == (302, where)
    page = browser.get(where)
    assert page.status_code == 200
    text = page.text
    assert '<option value="8" selected>' in text
    assert 'value="pair" checked' in text
    assert 'name="left" value="1" checked' in text
    assert text.count('name="dice"') == 5


def test_a_change_is_answered_with_the_answer_alone_and_the_new_address(browser: Browser) -> None:
    response = browser.get("/explore/?dice=12233&left=1&ones=1&twos=8", headers=HTMX)
    assert response.status_code == 200
    assert "<html" not in response.text
    assert 'id="answer"' in response.text
    replaced = response.headers["HX-Replace-Url"]
    assert parse_qs(urlsplit(replaced).query)["upper"] == ["1.8"]


# Other rules

YAHTZEE = RULESETS["yahtzee"]


@pytest.fixture
def yahtzee(browser: Browser) -> Browser:
    solved(YAHTZEE)
    return browser


@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_the_form_has_the_boxes_of_its_rules_and_asks_for_chips_where_there_are_any(
    browser: Browser, rules: Ruleset
) -> None:
    solved(rules)
    text = browser.get(f"/explore/?rules={rules.id}").text
    form = text.split('class="setup"')[1].split("</form>")[0]
    for category in rules.categories:
        assert (f'name="{category.id}"' in form) == bool(category.face)
        assert (f'name="filled" value="{category.id}"' in form) != bool(category.face)
    assert ('name="chips_won"' in form) == (rules.joker is not None)
    assert f'name="rules" value="{rules.id}"' in form


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_every_decision_of_a_game_by_any_rules_leads_here(browser: Browser, rules: Ruleset) -> None:
    solved(rules)
    browser.start()
    game = finished_game(Player.objects.get(), rules, seed=3)
    found = browser.get(f"/games/{game.pk}/review").context["review"]
    assert sum(loss.points for loss in found.by_throw) == pytest.approx(found.regret)
    assert len(found.by_box) == len(rules.categories)
    assert found.score == game.final_score
    for step in found.steps:
        page = browser.get(step.explore)
        assert page.status_code == 200
        assert page.context["found"].best.expected == pytest.approx(step.entry.best)


NO_CHIPS = "You get bonus chips only after scoring points in Yahtzee."


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filled=kings", "There is no box “kings”."),
        ("filled=ones&upper=6", "These boxes cannot add up to an upper total of 6: Ones."),
        ("filled=ones.twos&upper=1.7", "You cannot score 7 points in Twos."),
        ("filled=ones.twos&upper=1.2.3", "These boxes cannot add up to an upper total of 1.2.3"),
        ("filled=ones&upper=-1", "These boxes cannot add up to an upper total of -1"),
        ("filled=ones&upper=99999999999999999999999", "99999999"),
        ("filled=ones&upper=²", "These boxes cannot add up to an upper total of ²"),
        ("upper=9", "An upper total of 9 is only possible if an upper box is filled."),
        ("twos=3", "You cannot score 3 points in Twos."),
        ("dice=12347", "The dice must be five numbers from 1 to 6, not “12347”."),
        ("dice=1234", "not “1234”"),
        ("dice=123456", "not “123456”"),
        ("dice=", "not “”"),
        ("left=3", "You can have 0 to 2 rolls left, not “3”."),
        ("left=many", "not “many”"),
        ("filled=" + ".".join(YATZY.index), "leave at least one of them open"),
        ("compare=nothing", "no such option to compare"),
        ("dice=<script>", "not “&lt;script&gt;”"),
        ("rules=yahtzee&chips_won=1", NO_CHIPS),
        ("rules=yahtzee&filled=ones&chips_won=on", NO_CHIPS),
        ("rules=yatzy&chips_won=1", "These rules have no bonus chips."),
        ("rules=yahtzee&filled=pair", "There is no box “pair”."),
    ],
)
def test_what_cannot_be_is_said_beside_the_form(browser: Browser, query: str, message: str) -> None:
    page = browser.get(f"/explore/?{query}")
    assert page.status_code == 422
    text = page.text.split('id="problems"')[1].split("</form>")[0]
    assert message in text
    fragment = browser.get(f"/explore/?{query}", headers=HTMX)
    assert fragment.status_code == 422
    assert message in fragment.text


# Why


class LastBoxes:
    """Points of each box when one is left: the rows that a turn with two open boxes needs."""

    def __init__(self, coach: Advisor) -> None:
        self.coach = coach

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        return np.array([self._read_row(int(number)) for number in numbers])

    def _read_row(self, filled: int) -> np.ndarray:
        (last,) = YATZY.open(filled)
        row = np.zeros((YATZY.bonus_threshold + 1, len(YATZY.categories) + 1))
        row[:, -1] = [YATZY.bonus(upper) for upper in range(len(row))]
        row[:, last] = self.coach.turn(filled, 0).start
        return row / calculate_scale(YATZY)


@pytest.fixture
def explained(monkeypatch: pytest.MonkeyPatch) -> Advisor:
    monkeypatch.setattr(coach(), "explain", LastBoxes(coach()))
    return coach()


TWO_LEFT = Position(
    YATZY, YATZY.full ^ YATZY.make_mask(["chance", "yatzy"]), 63, (1, 5, 5, 5, 6), 1
)
TWO_LEFT_ADDRESS = f"/explore/?{explore_query(TWO_LEFT)}"


def test_an_option_is_compared_with_the_best_box_by_box(
    browser: Browser, explained: Advisor
) -> None:
    rows = browser.get(TWO_LEFT_ADDRESS).context["found"].rows
    worse = next(row for row in rows if row.key == "yatzy")
    assert rows[0].compare == ""
    page = browser.get(worse.compare)
    comparison = page.context["found"].comparison
    parts = {bar.part.name: bar.part.points for bar in comparison.bars}
    assert page.status_code == 200
    assert comparison.picked == worse
    assert set(parts) <= {"Chance", "Yatzy"}
    assert sum(parts.values()) == pytest.approx(worse.regret, abs=0.01)
    assert "Why not: Cross out Yatzy" in page.text


def test_the_best_option_is_not_compared_with_itself(browser: Browser, explained: Advisor) -> None:
    found = browser.get(TWO_LEFT_ADDRESS).context["found"]
    page = browser.get(f"{TWO_LEFT_ADDRESS}&compare={found.best.key}")
    assert page.status_code == 200
    assert page.context["found"].comparison is None


def test_without_the_table_that_says_why_nothing_offers_to(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coach(), "explain", None)
    page = browser.get(f"{SHARED}&compare=chance")
    assert page.status_code == 200
    assert "compare=" not in page.text
    assert page.context["found"].comparison is None


# What was explored before, and how one goes on from there


def sent_again(page: str) -> str:
    form = page[page.index('id="setup"') : page.index("</form>")]
    query = []
    for field in re.findall(r"<input[^>]*>", form):
        said = dict(re.findall(r'(\w+)="([^"]*)"', field))
        if said["type"] not in {"checkbox", "radio"} or " checked" in field:
            query.append((said["name"], said["value"]))
    for select in re.findall(r"<select.*?</select>", form, flags=re.S):
        name = known(re.search(r'name="([^"]+)"', select))[1]
        query.append((name, known(re.search(r'value="([^"]*)" selected', select))[1]))
    return urlencode(query)


@pytest.mark.parametrize(
    "query",
    [
        "rules=yatzy&filled=ones.twos.chance&upper=3.8&dice=11225&left=1",
        "rules=yatzy&filled=ones.twos&upper=9&dice=11225&left=2&needed=31",
        "rules=yahtzee&filled=yahtzee.sixes&upper=24&dice=66666&left=0&chips_won=1",
    ],
)
def test_an_answer_leads_back_to_the_form_with_everything_kept(
    browser: Browser, query: str
) -> None:
    page = browser.get(f"/explore/?{query}")
    setup = page.context["setup"]
    text = page.text
    assert f'href="/explore/?{setup.query}#setup"'.replace("&", "&amp;") in text
    again = browser.get(f"/explore/?{sent_again(text)}", follow=True).context["setup"]
    assert (again.position, again.points, again.needed) == (
        setup.position,
        setup.points,
        setup.needed,
    )


def explored_earlier(browser: Browser, address: str = "/explore/") -> list[str]:
    return [line.explore for line in browser.get(address).context["earlier"]]


def test_the_last_ten_are_listed_and_lead_back(browser: Browser) -> None:
    assert explored_earlier(browser) == []
    addresses = [f"/explore/?{explore_query(Position(YATZY, 0, 0, DICE, left))}" for left in (0, 1)]
    addresses += [
        f"/explore/?{explore_query(Position(YATZY, 1 << box, 0, DICE, 2))}" for box in range(6, 15)
    ]
    for address in addresses:
        browser.get(address)
    assert explored_earlier(browser) == addresses[:0:-1]
    assert explored_earlier(browser, addresses[4]) == [
        address for address in addresses[:0:-1] if address != addresses[4]
    ]
    assert explored_earlier(browser)[0] == addresses[4], "it was the last again"
    assert not Player.objects.exists()


DICE = (1, 1, 2, 2, 5)


def test_changes_by_a_script_are_one_position_until_the_page_is_loaded_anew(
    browser: Browser,
) -> None:
    shared = f"/explore/?{explore_query(Position(YATZY, 0, 0, DICE, 2))}"
    browser.get(shared)
    changed = [
        f"/explore/?{explore_query(Position(YATZY, 1 << box, 0, DICE, 2))}" for box in (7, 8, 9)
    ]
    for address in changed:
        browser.get(address, headers=HTMX)
    assert explored_earlier(browser) == [changed[2], shared]
    browser.get(changed[0])
    browser.get(changed[1], headers=HTMX)
    assert explored_earlier(browser) == [changed[1], changed[0], changed[2], shared]


def test_what_the_cookie_cannot_mean_is_left_out(browser: Browser) -> None:
    browser.cookies["explored"] = "|".join(["nonsense", "rules=no", "rules=yatzy&dice=9", "~"])
    assert explored_earlier(browser) == []


def test_a_wrong_address_and_the_bare_page_are_not_remembered(browser: Browser) -> None:
    for address in ("/explore/?dice=1", "/explore/", "/explore/?rules=yahtzee"):
        assert "explored" not in browser.get(address).cookies
    assert browser.get(SHARED).cookies["explored"]["path"] == "/explore/"
