"""*Drill this*: the drill of one place in the tree of the leak finder."""

import re

import pytest

from game.core.worth.leak_tree import DEEPEST, FEWEST, Path, path_of, place
from game.core.worth.severity import INACCURACY
from game.models import Decision, DrillAttempt, Player
from game.practice.drill_queries import decision_state, drill_mistakes, drill_next_among
from game.practice.drilling import drill_attempt
from game.practice.leak_board import LeakPage
from game.practice.leak_queries import leak_mistakes, player_slips
from solver.advice import Advisor
from solver.rules import YATZY
from tests.game.leaky import store_games
from tests.known import known
from tests.play import Answer, Browser

pytestmark = pytest.mark.usefixtures("db", "yatzy_tables")


@pytest.fixture
def person(browser: Browser) -> Player:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    return Player.objects.get()


def text_of(response: Answer) -> str:
    assert response.status_code == 200
    return response.content.decode()


def mistakes_in(player: Player, advisor: Advisor, path: Path) -> set[int]:
    """Decision by decision, each from its own replay."""
    found = Decision.objects.filter(game__player=player, regret__gte=INACCURACY)
    states = ((one, decision_state(one)) for one in found.select_related("game"))
    return {
        one.pk for one, state in states if place(advisor, state, one.action)[: len(path)] == path
    }


@pytest.mark.parametrize("steps", range(1, DEEPEST + 1))
def test_a_leak_is_drilled_by_its_own_mistakes(
    person: Player, advisor: Advisor, steps: int
) -> None:
    store_games(person, advisor, 4)
    worst = max(
        (slip for one in player_slips(person, advisor) for slip in one.slips),
        key=lambda slip: slip.regret,
    )
    path = worst.place[:steps]
    found = leak_mistakes(person, advisor, path)
    assert set(found) == mistakes_in(person, advisor, path)
    assert len(found) == len(set(found)) > 0


def test_the_drill_of_a_leak_stays_within_it(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    page = browser.get("/profile/leaks/").context["page"]
    assert isinstance(page, LeakPage)
    line = next(one for one in page.lines if one.leak.path[0] == "box" and one.drill)
    inside = mistakes_in(person, advisor, line.leak.path)
    assert line.mistakes == len(inside)
    assert drill_mistakes(person, YATZY)[0] not in inside
    address, asked = line.drill, set()
    for _ in range(min(4, len(inside))):
        response = browser.get(address)
        text, question = text_of(response), response.context["question"]
        assert known(question.decision).pk in inside
        assert f"Only your mistakes in one place: {line.full_name}" in text
        asked.add(question.key)
        leak = re.findall(r'name="leak" value="([^"]+)"', text)
        assert leak == [".".join(line.leak.path)] * 2  # dice and card
        answer = {"of": question.key, "seq": 0, "leak": leak[0]}
        category = YATZY.ids(YATZY.full & ~question.position.filled)[0]
        told = browser.post("/drill/", {**answer, "category": category}, follow=True)
        assert told.request["QUERY_STRING"] == f"leak={leak[0]}"
        assert f'name="leak" value="{leak[0]}"' in text_of(told)
        address = f"/drill/?rules=yatzy&leak={leak[0]}"
    assert len(asked) == min(4, len(inside))
    assert DrillAttempt.objects.count() == len(asked)


def test_a_die_that_is_held_without_a_script_keeps_the_leak(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    question = browser.get("/drill/?leak=hold").context["question"]
    response = browser.post("/drill/", {"of": question.key, "seq": 0, "toggle": 1, "leak": "hold"})
    assert response.status_code == 302
    assert response.headers["Location"].endswith("leak=hold")
    assert "Only your mistakes in one place" in text_of(browser.get(response.headers["Location"]))


def test_what_is_left_of_a_leak_is_asked_again_and_what_was_never_wrong_is_not(
    person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 2)
    mistakes = drill_mistakes(person, YATZY)
    among = set(mistakes[3:5])
    first = known(drill_next_among(person, YATZY, mistakes, among))
    assert known(first.decision).pk == mistakes[3]
    for pk in mistakes[3:5]:
        decision = Decision.objects.get(pk=pk)
        drill_attempt(player=person, key=f"decision-{pk}", number=0, action=decision.action)
    again = known(drill_next_among(person, YATZY, drill_mistakes(person, YATZY), among))
    assert known(again.decision).pk in among
    assert again.ahead
    assert drill_next_among(person, YATZY, mistakes, set()) is None


def test_where_nothing_went_wrong_the_usual_drill_does_not_claim_to_be_of_a_leak(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 1)
    nowhere: Path = ("box", "1", "yatzy", "early", "gone")
    assert not leak_mistakes(person, advisor, nowhere)
    response = browser.get(f"/drill/?leak={'.'.join(nowhere)}")
    assert "Only your mistakes" not in text_of(response)
    assert response.context["question"].decision.pk == drill_mistakes(person, YATZY)[0]


@pytest.mark.parametrize("leak", ["nonsense", "hold.9", "hold.1.nine", "box.3.ones.early.open.x"])
def test_a_leak_that_is_none_is_the_usual_drill(
    browser: Browser, person: Player, advisor: Advisor, leak: str
) -> None:
    store_games(person, advisor, 1)
    assert path_of(leak, YATZY) is None
    response = browser.get(f"/drill/?leak={leak}")
    assert "Only your mistakes" not in text_of(response)
    assert response.context["question"].decision.pk == drill_mistakes(person, YATZY)[0]
