"""The page of the playbook: its sentences, and a bench where people put together their own."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client

from game.lab import playbook as page_of
from game.lab.playbook import MOST_RULES, move_items
from game.pages.requests.limits import MOST_A_MINUTE
from solver.players.playbook import read_playbook, read_stored_books
from solver.players.playbook_play import measure_book
from solver.players.playbook_rules import (
    ALIKE,
    JOKER,
    MADE,
    BookRule,
    Playbook,
    format_sentence,
    list_closing_notes,
)
from solver.rules import YATZY

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.lab")]
PAGE = "/lab/playbook/"
TEN = read_playbook(YATZY, 10)


def page(query: str = "", status: int = 200, path: str = PAGE) -> str:
    answer = Client().get(path + query)
    assert answer.status_code == status
    return unescape(answer.text)


def asked(
    book: Playbook, *, off: Sequence[int] = (), more: Mapping[str, object] | None = None
) -> str:
    fields: list[tuple[str, object]] = [("size", 10)]
    for place, rule in enumerate(book.rules, start=1):
        fields += [("rule", rule), ("place", place)]
    for place, box in enumerate(book.scratch, start=1):
        fields += [("scratch", box), ("order", place)]
    return "?" + urlencode([*fields, *(("off", one) for one in off), *(more or {}).items()])


def sentences(html: str) -> list[str]:
    return re.findall(r'<th scope="row">(.*?)<input', html)


def figures(html: str) -> list[str]:
    return re.findall(r"<dd>(.*?)</dd>", html.partition('<form class="lab')[0])


def mean(book: Playbook) -> str:
    """Return the mean of this very book, which the page has in its cache if it asked for it."""
    return f"{page_of._calculate_worth(YATZY.id, book).mean:.3f}"


@pytest.mark.parametrize("size", ["10", "20", "30"])
def test_every_sentence_stands_with_what_it_earns_and_costs(size: str) -> None:
    stored, html = read_stored_books("yatzy")[size], page(f"?size={size}")
    book = Playbook.from_facts(stored)
    assert sentences(html) == [format_sentence(rule, YATZY) for rule in book.rules]
    assert all(text in html for text in list_closing_notes(YATZY, book.scratch))
    assert figures(html)[0] == f"{stored['mean']:.3f}"
    cells = re.findall(r'<td class="number">(.*?)</td>', html)
    for place, lesson in enumerate(stored["lessons"], start=1):
        row = cells[3 * lesson["rule"] :][:3]
        due = [f"{lesson['costs']:.2f}", f"{lesson['earns']:.2f}", str(place)]
        assert [cell.replace("\u2212", "-") for cell in row] == due


def test_it_opens_with_ten_rules_and_an_untouched_book_is_still_the_stored_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_of, "measure_play", None)  # nothing is worked out
    assert page() == page("?size=10")
    assert figures(page(asked(TEN))) == figures(page())
    assert page("", path="/lab/yahtzee/playbook/").count("/lab/yahtzee/playbook/") > 1
    assert JOKER in page("", path="/lab/yahtzee/playbook/")


def test_a_rule_that_is_off_stays_and_counts_nothing() -> None:
    html = page(asked(TEN, off=(3,)))
    assert sentences(html) == sentences(page())
    without = Playbook((*TEN.rules[:3], *TEN.rules[4:]), TEN.scratch)
    assert mean(without) == f"{measure_book(YATZY, TEN, {*range(10)} - {3}).mean:.3f}"
    assert figures(html)[0] == mean(without)
    assert re.findall(r'name="off" value="(\d+)" checked', html) == ["3"]
    lost = read_stored_books("yatzy")["10"]["mean"] - float(mean(without))
    assert figures(html)[2] == f"\u2212{lost:.3f}"


def test_rules_and_boxes_are_moved_by_their_numbers() -> None:
    html = page(asked(TEN).replace("place=10", "place=1"))
    assert sentences(html) == sentences(page())[9:] + sentences(page())[:9]
    turned = Playbook((TEN.rules[9], *TEN.rules[:9]), TEN.scratch)
    assert figures(html)[0] == mean(turned)
    other = page(asked(TEN).replace("order=15", "order=1"))
    boxes = re.findall(r'name="scratch" value="(\w+)"', other)
    assert boxes == [TEN.scratch[14], *TEN.scratch[:14]]
    numbers = {(1, 2, 3, 4): "abcd", (1, 2, 3, 2): "adbc", (3, 2, 3, 4): "bcad"}
    assert {places: "".join(move_items("abcd", places)) for places in numbers} == numbers
    with pytest.raises(ValueError, match="a place is missing"):
        move_items("abcd", [1, 2, 3])


ADDED: dict[str, object] = {
    "do": "hold alike", "count": 2, "low": 1, "high": 3, "free": "chance", "filled": "",
    "when": "first", "at": 2,
}  # fmt: skip


def test_a_rule_is_added_where_it_shall_stand() -> None:
    rule = BookRule(ALIKE, 2, 1, 3, open="chance", when="first")
    html = page(asked(TEN, more=ADDED))
    assert sentences(html)[1] == format_sentence(rule, YATZY)
    book = Playbook((TEN.rules[0], rule, *TEN.rules[1:]), TEN.scratch)
    assert figures(html)[0] == mean(book)
    made = page(asked(TEN, more=ADDED | {"do": f"score {MADE}", "free": "", "when": "end"}))
    assert sentences(made)[1] == format_sentence(
        BookRule(box=MADE, count=2, high=3, when="end"), YATZY
    )


@pytest.mark.parametrize(
    ("book", "more"),
    [(TEN, {"when": "end"}), (Playbook(TEN.rules * (MOST_RULES // 10), TEN.scratch), {})],
    ids=["what no rule can say", "a full book"],
)
def test_a_rule_that_cannot_be_added_changes_nothing(
    book: Playbook, more: dict[str, object]
) -> None:
    html = page(asked(book, more=ADDED | more), 400)
    assert sentences(html) == [format_sentence(rule, YATZY) for rule in book.rules]


@pytest.mark.parametrize(
    "query",
    [
        "?size=11",
        "?rule=nonsense&place=1",
        "?rule=alike,1,1,6,,,,always",
        "?rule=alike,1,1,6,,,,always&place=x",
        "?scratch=ones&order=1",
        "?" + "&".join(["rule=alike,1,1,6,,,,always&place=1"] * (MOST_RULES + 1)),
    ],
)
def test_an_address_that_says_nonsense_is_nowhere(query: str) -> None:
    page(query, 404)


def test_who_asks_too_much_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "game.pages.requests.limits.add_to_counter", lambda key, window: MOST_A_MINUTE["upload"] + 1
    )
    html = page(asked(TEN, off=(0,)), 429)
    assert "too many requests at once" in html
    assert figures(html) == []
    assert figures(page())
