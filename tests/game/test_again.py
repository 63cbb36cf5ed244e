"""Once more: positions in a row that are stored nowhere; and the history of what is stored."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.fair import days
from game.core.worth.tables import load_advisor
from game.models import DrillAttempt, DrillCard, FiveAnswer, Player
from game.practice.answered import list_missed, query_answers, read_answers, sum_answer_figures
from game.practice.drill_queries import (
    AT_LEAST,
    Sat,
    find_next_question,
    list_mistake_keys,
    list_session_answers,
    list_to_repeat,
    measure_progress,
)
from game.practice.drilling import store_attempt
from game.practice.five import choose_daily_five, store_five_answer
from solver.dp.space import TIE
from solver.rules import RULESETS, YATZY, Action, Hold, Score
from tests.known import known
from tests.play import Answer, Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
YAHTZEE = RULESETS["yahtzee"]
NOW = datetime(2026, 5, 17, 20, 0, tzinfo=UTC)  # a Sunday


class Clock:
    now = NOW

    def on(self, **more: float) -> None:
        self.now += timedelta(**more)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
    return clock


def choice(position: Any, *, best: bool) -> Action:
    option = known(load_advisor(YATZY)).advise(position).options[0 if best else -1]
    return Score(option.category) if option.category else Hold.of(option.dice, position.dice)


def drilled(player: Player, *, best: bool, to_win: bool = False) -> DrillAttempt:
    mistakes = list_mistake_keys(player, YATZY)
    question = find_next_question(player, YATZY, mistakes, to_win=to_win)
    action = choice(question.position, best=best)
    key, number = question.key, question.number
    return store_attempt(player=player, key=key, number=number, action=action)


def five_answered(player: Player, place: int, *, best: bool) -> FiveAnswer:
    position = choose_daily_five(days.today(), YATZY)[place - 1].position
    action = choice(position, best=best)
    facts: dict[str, Any] = {"rules": YATZY, "day": days.today(), "place": place, "action": action}
    return store_five_answer(player=player, **facts)


def query_of(action: Action) -> str:
    if isinstance(action, Score):
        return f"&category={action.category}"
    return "".join(f"&slot={slot}" for slot in action.places) + "&go=1"


def everything() -> list[Any]:
    models = (DrillCard, DrillAttempt, FiveAnswer)
    return [list(model._base_manager.order_by("pk").values()) for model in models]


# A session


def sat(*rows: tuple[int, float]) -> list[Sat]:
    return [Sat(number, card, regret, NOW) for number, (card, regret) in enumerate(rows)]


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from([0.0, TIE, 0.5, 2.0, 7.5]))))
def test_each_position_missed_comes_once_and_the_costliest_first(
    rows: list[tuple[int, float]],
) -> None:
    answers = sat(*rows)
    found = list_to_repeat(answers)
    costs = [rows[key][1] for key in found]
    worst: dict[int, float] = {}
    for card, regret in rows:
        worst[card] = max(worst.get(card, 0.0), regret)
    assert costs == sorted((cost for cost in worst.values() if cost > TIE), reverse=True)
    assert len({rows[key][0] for key in found}) == len(found)


def timed(*rows: tuple[int, float, int | None]) -> list[Sat]:
    return [
        Sat(key, card, regret, NOW, None if took is None else 1000 * took)
        for key, (card, regret, took) in enumerate(rows)
    ]


def test_right_but_slow_comes_after_what_was_missed_the_slowest_first() -> None:
    quick = [(card, 0.0, 8) for card in range(10, 15)]
    slow = [(1, 0.0, 16), (2, 0.0, 40), (3, 3.0, 60), (4, 0.0, 15), (5, 1.0, 2)]
    answers = timed(*quick, *slow, (2, 0.0, 50), (3, 0.0, 70))
    # Middle: 15.5 of twelve times; slow from 31 seconds on, each position once.
    assert [answers[key].card for key in list_to_repeat(answers)] == [3, 5, 2]
    assert AT_LEAST == 10_000
    hasty = timed(*((card, 0.0, 1) for card in range(4)), (9, 0.0, 10), (8, 0.0, 9))
    assert [hasty[key].card for key in list_to_repeat(hasty)] == [9]
    few = timed(*((card, 0.0, 1) for card in range(3)), (9, 0.0, 99))
    assert list_to_repeat(few) == []
    assert list_to_repeat([*few, *timed((7, 0.0, None))]) == []
    assert list_to_repeat(timed(*((card, 0.0, 1) for card in range(4)), (9, 0.0, 99))) == [4]


@given(st.lists(st.integers(0, 60), max_size=8))
def test_a_session_ends_at_the_first_pause(minutes: list[int]) -> None:
    at, answers = NOW, []
    for number, pause in enumerate(minutes):
        at -= timedelta(minutes=pause)
        answers.append(Sat(number, number, 1.0, at))
    slow = [number for number, pause in enumerate(minutes) if pause >= 30]
    assert len(list_session_answers(answers, NOW)) == (slow[0] if slow else len(minutes))


def test_the_session_is_that_of_one_player_one_ruleset_and_one_theme(
    player: Player, clock: Clock
) -> None:
    drilled(player, best=False)
    clock.on(minutes=40)
    wrong = [drilled(player, best=False).pk for _ in range(2)]
    drilled(player, best=True)
    to_win = drilled(player, best=False, to_win=True)
    drilled(create_player(), best=False)
    found = list_missed(player, YATZY, to_win=False)
    assert {one.key for one in found} == {f"drill-{pk}" for pk in wrong}
    assert [one.regret for one in found] == sorted((one.regret for one in found), reverse=True)
    won = list_missed(player, YATZY, to_win=True)
    assert [one.key for one in won] == ([f"drill-{to_win.pk}"] if to_win.regret > TIE else [])
    assert list_missed(player, YAHTZEE, to_win=False) == []
    assert measure_progress(player, YATZY, (), to_win=False).missed == 2
    clock.on(minutes=30)
    assert list_missed(player, YATZY, to_win=False) == []


@pytest.fixture
def sitting(browser: Browser) -> list[DrillAttempt]:
    first = browser.get("/drill/").context["question"]
    box = YATZY.ids(YATZY.full & ~first.position.filled)[0]
    browser.post("/drill/", {"of": first.key, "seq": 0, "category": box, "waited": 4200})
    player = Player.objects.get()
    assert DrillAttempt.objects.get().took == 4200
    for best in (True, False):
        drilled(player, best=best)
    return list(DrillAttempt.objects.order_by("pk"))


def test_the_drill_offers_what_was_missed_and_asks_it_in_a_row(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    before = everything()
    player = Player.objects.get()
    found = list_missed(player, YATZY, to_win=False)
    page = browser.get("/drill/").text
    assert f"Repeat missed or slow positions: {len(found)}" in " ".join(page.split())
    address = "/drill/again/?of=session-yatzy"
    assert address in page
    for number, one in enumerate(found):
        asked = browser.get(address)
        assert asked.context["heading"]["player"] == f"Position {number + 1} of {len(found)}"
        assert "costs" not in _main(asked)
        best = query_of(choice(one.position, best=True))
        told = browser.get(f"/drill/again/?of=session-yatzy&at={one.key}{best}")
        assert told.context["answer"].right
        following = told.context["following"]
        address = following.url + "?" + "&".join(f"{k}={v}" for k, v in following.fields.items())
    assert address == "/drill/?rules=yatzy"
    assert everything() == before, "nothing is counted, and the schedule is as it was"


def _main(response: Answer) -> str:
    text = response.text
    return text[text.index('id="play"') : text.index('id="keys"')]


@pytest.mark.parametrize(
    "query",
    ["", "of=nothing", "of=drill-x", "of=drill-99999", "of=five-1", "of=list-x", "of=session-no"],
)
def test_a_row_that_there_is_not(browser: Browser, query: str) -> None:
    assert browser.get(f"/drill/again/?{query}").status_code == 404


def test_nobody_is_asked_what_somebody_else_answered(
    sitting: list[DrillAttempt], new_browser: Callable[[], Browser]
) -> None:
    other = new_browser()
    other.post("/nickname/", {"nickname": "Somebody"})
    owner = Player.objects.earliest("pk")
    answer = five_answered(owner, 1, best=True)
    assert other.get(f"/drill/again/?of=drill-{sitting[0].pk}").status_code == 404
    assert other.get(f"/drill/again/?of=five-{answer.pk}").status_code == 404


def test_to_win_is_asked_again_with_its_points(browser: Browser) -> None:
    browser.post("/nickname/", {"nickname": "Somebody"})
    made = drilled(Player.objects.get(), best=False, to_win=True)
    here = f"/drill/again/?of=drill-{made.pk}"
    assert f"{made.card.needed} points needed to win" in (
        browser.get(here).text.replace("\xa0", " ")
    )
    told = browser.get(here + query_of(made.action))
    assert told.context["answer"].regret == pytest.approx(made.regret, abs=1e-12)
    assert told.context["following"].fields == {"rules": "yatzy", "theme": "win"}


# Everything that was answered


def test_the_history_has_every_answer_the_latest_first(player: Player, clock: Clock) -> None:
    made = []
    for number, best in enumerate((True, False, True)):
        made.append(f"drill-{drilled(player, best=best).pk}")
        clock.on(minutes=1)
        made.append(f"five-{five_answered(player, number + 1, best=best).pk}")
        clock.on(minutes=1)
    made.append(f"drill-{drilled(player, best=False, to_win=True).pk}")
    rows = read_answers(query_answers(player, YATZY))
    assert [row.key for row in rows] == made[::-1]
    assert [row.source for row in rows] == ["win", *["five", "drill"] * 3]
    for source in ("drill", "win", "five"):
        own = read_answers(query_answers(player, YATZY, source))
        assert [row.key for row in own] == [row.key for row in rows if row.source == source]
    for right in (True, False):
        own = read_answers(query_answers(player, YATZY, right=right))
        assert [row.key for row in own] == [row.key for row in rows if row.right == right]
    assert not query_answers(player, YAHTZEE).exists()
    assert not query_answers(create_player(), YATZY).exists()


def test_the_figures_add_up_what_the_rows_say(player: Player, clock: Clock) -> None:
    clock.on(weeks=-3)
    for number, best in enumerate((False, True, False, True)):
        drilled(player, best=best)
        drilled(player, best=best, to_win=True)
        five_answered(player, number + 1, best=not best)
        clock.on(weeks=1)
    rows = read_answers(query_answers(player, YATZY))
    found = sum_answer_figures(player, YATZY)
    assert list(found.weeks) == sorted(found.weeks, reverse=True)
    assert len(found.weeks) == 4
    assert found.total.answers == len(rows) == 12
    for figures, own in (
        (found.total, rows),
        *((found.sources[name], [r for r in rows if r.source == name]) for name in found.sources),
        *(
            (figures, [r for r in rows if week <= r.at.date() < week + timedelta(weeks=1)])
            for week, figures in found.weeks.items()
        ),
    ):
        right = sum(row.right for row in own)
        assert (figures.answers, figures.right) == (len(own), right)
        assert figures.share == pytest.approx(right / len(own), abs=1e-12)
        lost = sum(row.regret for row in own) / len(own)
        assert figures.each == pytest.approx(lost, abs=1e-12)


def test_nobody_has_answered_anything(browser: Browser) -> None:
    page = browser.get("/drill/history/")
    assert page.status_code == 200
    assert page.context["figures"].total.share == page.context["figures"].total.each == 0.0
    assert not Player.objects.exists()


def test_the_page_shows_and_filters_and_asks_again(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    five = five_answered(Player.objects.get(), 1, best=False)
    before = everything()
    whole = browser.get("/drill/history/")
    assert len(whole.context["page"].object_list) == 4
    links = re.findall(r'href="(/drill/again/\?of=[^"]+)"', whole.text)
    assert len(links) == 4
    for link in links:
        assert browser.get(link).status_code == 200
    told = browser.get(f"/drill/again/?of=five-{five.pk}{query_of(five.action)}")
    assert told.context["answer"].regret == pytest.approx(five.regret, abs=1e-12)
    for query, many in (
        ("source=five", 1),
        ("source=drill&result=right", sum(one.regret <= TIE for one in sitting)),
        ("result=missed", 1 + sum(one.regret > TIE for one in sitting)),
        ("source=nonsense&result=nonsense", 4),
        ("rules=yahtzee", 0),
    ):
        found = browser.get(f"/drill/history/?{query}").context["page"].object_list
        assert len(found) == many, query
    assert everything() == before


def test_a_leak_that_is_drilled_is_not_lost_on_the_way(
    browser: Browser, sitting: list[DrillAttempt]
) -> None:
    made = max(sitting, key=lambda one: one.regret)
    asked = browser.get(f"/drill/again/?of=drill-{made.pk}&leak=box.chance")
    assert asked.context["fields"]["leak"] == "box.chance"
    address = f"/drill/again/?of=drill-{made.pk}&leak=box.chance{query_of(made.action)}"
    following = browser.get(address).context["following"]
    assert following.fields == {"rules": "yatzy", "leak": "box.chance"}
    assert "leak=box.chance" in following.again
