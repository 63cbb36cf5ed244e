"""Lessons of the playbook: positions in which a rule is right, and forgetting it costs."""

import re
from dataclasses import replace
from html import unescape

import pytest

from game.core.worth.tables import load_advisor
from game.practice import lessons
from game.practice.lessons import ASKED, LEAST, list_lesson_positions, list_lessons
from solver.advice import Position
from solver.dp.space import TIE
from solver.players.playbook import read_playbook, read_stored_books
from solver.players.playbook_rules import Playbook, find_cases, find_commonest, format_sentence
from solver.rules import YATZY, Ruleset
from tests.game.test_again import choice, query_of
from tests.known import known
from tests.play import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
TEN = read_playbook(YATZY, 10)


def does(book: Playbook, position: Position) -> object:
    rules = position.rules
    opened = rules.full ^ position.filled
    for rule in book.rules:
        for case in find_cases(rule, rules, position.dice, position.rolls_left):
            if case.need & opened == case.need and not case.ban & opened:
                where = rules.cup.holds if case.holds else list(rules.index)
                return where[case.action]
    if position.rolls_left:
        return find_commonest(position.dice)
    return next(box for box in book.scratch if 1 << rules.index[box] & opened)


def cost(position: Position, deed: object) -> float:
    options = known(load_advisor(position.rules)).advise(position).options
    return next(
        one.regret
        for one in options
        if deed == (one.dice if one.action == "hold" else one.category)
    )


def is_taught(rules: Ruleset, size: int, number: int) -> int:
    book = read_playbook(rules, size)
    rule, asked = book.rules[number], list_lesson_positions(rules, size, number)
    without = replace(book, rules=book.rules[:number] + book.rules[number + 1 :])
    for position in asked:
        assert does(book, position) == does(Playbook((rule,), book.scratch), position)
        assert cost(position, does(book, position)) < TIE
        assert cost(position, does(without, position)) >= LEAST - TIE
    assert len({one.dice for one in asked}) == len(asked) <= ASKED
    return len(asked)


def test_a_rule_is_right_in_all_of_its_lesson_and_forgetting_it_costs() -> None:
    for number in range(len(TEN.rules)):
        assert is_taught(YATZY, 10, number) == ASKED


def test_what_the_cards_of_the_drill_do_not_teach_those_of_the_book_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *_, other, cheapest = list_lessons(YATZY, "30")
    for lesson in (other, cheapest):
        assert is_taught(YATZY, 30, lesson.number) > 1
    monkeypatch.setattr(
        lessons, "_draw_cards", lambda rules, size: lessons._list_pool_cards(rules, size)[:1]
    )
    assert not list_lesson_positions.__wrapped__(YATZY, 30, cheapest.number)


@pytest.mark.parametrize("size", ["10", "20"])
def test_the_page_has_them_in_order_of_worth(browser: Browser, size: str) -> None:
    html = unescape(browser.get(f"/drill/lessons/?size={size}").text)
    told = [format_sentence(one.rule, YATZY) for one in list_lessons(YATZY, size)]
    assert re.findall(r"<span>\d+\. (.*?) <span", html) == told
    costs = [one["costs"] for one in read_stored_books("yatzy")[size]["lessons"]]
    assert costs == sorted(costs, reverse=True)
    assert "/drill/lessons/?rules=yahtzee" in html
    assert 'href="/learn/" aria-current="page"' in html
    assert "yahtzee-plain" not in html


def test_what_a_rule_earns_is_said_first_and_the_sentence_after_a_wrong_answer(
    browser: Browser,
) -> None:
    lesson = list_lessons(YATZY, "10")[1]
    text = format_sentence(lesson.rule, YATZY)
    address = "/drill/again/?of=lesson-yatzy-10-2"
    html = unescape(browser.get(address).text)
    assert f"adds {lesson.earns:.2f} points per game" in html
    assert text not in html
    assert "Lesson 2 of 10" in html
    position = list_lesson_positions(YATZY, 10, lesson.number)[0]
    for right in (True, False):
        answer = query_of(choice(position, best=right))
        html = unescape(browser.get(f"{address}&at=1{answer}").text)
        assert (text in html) is not right
        assert "Answers here do not count" not in html
        assert html.count("/drill/lessons/?rules=yatzy&size=10") == 1


@pytest.mark.parametrize(
    "address",
    [
        "/drill/lessons/?size=11",
        "/drill/lessons/?rules=yahtzee-plain",
        "/drill/again/?of=lesson-yatzy-10-11",
        "/drill/again/?of=lesson-yatzy-10-0",
        "/drill/again/?of=lesson-10",
        "/drill/again/?of=lesson-yahtzee-plain-10-1",
    ],
)
def test_a_lesson_that_there_is_not_is_nowhere(browser: Browser, address: str) -> None:
    assert browser.get(address).status_code == 404
