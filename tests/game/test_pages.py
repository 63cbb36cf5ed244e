"""Every page answers everyone in plain words, and with the right status."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
from django.core import signing
from django.test import RequestFactory
from django.urls import resolve
from django.utils import timezone

from game.models import Game, Player
from game.pages.error_views import server_error
from tests.play import BOXES, COACH, HTMX, Browser, stored

NewBrowser = Callable[[], Browser]


def test_the_commitment_is_on_the_page_before_the_first_throw(browser: Browser) -> None:
    page = browser.get("/").text
    nonce = re.search(r'name="nonce" value="([^"]+)"', page)
    assert nonce
    game = browser.start(nonce=nonce.group(1))
    assert game.commitment in page
    assert game.seed not in page
    assert game.key not in page


def test_the_first_throw_names_the_player_in_a_cookie(browser: Browser) -> None:
    game = browser.start()
    cookie = browser.cookies["player"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 365 * 24 * 60 * 60
    assert browser.get("/").context["board"].game == game


def test_beginning_with_htmx_answers_with_the_page_and_its_new_address(browser: Browser) -> None:
    data = {"mode": "solo", "nonce": browser.nonce()}
    response = browser.post("/games/", data, headers=HTMX)
    game = Game.objects.get()
    assert response.status_code == 200
    assert response.headers["HX-Push-Url"] == f"/games/{game.pk}/"
    assert b'id="play"' in response.content


def test_a_die_can_be_held_without_a_script(browser: Browser) -> None:
    game = browser.start()
    first = browser.act(game, "hold", htmx=False, seq=1, toggle=2)
    assert first.headers["Location"] == f"/games/{game.pk}/?held=2"
    held = browser.get(first.headers["Location"]).context["board"].dice
    assert [die.held for die in held] == [False, False, True, False, False]
    assert held[2].label.endswith("held")
    second = browser.act(game, "hold", htmx=False, seq=1, slot=[2], toggle=2)
    assert second.headers["Location"] == f"/games/{game.pk}/?held="
    assert len(stored(game)) == 1


def test_the_board_tells_what_a_player_needs(browser: Browser) -> None:
    game = browser.start()
    board = browser.get(f"/games/{game.pk}/").context["board"]
    assert (board.turn, len(board.rows), board.throws_left, board.phase) == (1, 15, 2, "decide")
    assert [row.id for row in board.upper + board.lower] == list(BOXES)
    assert [row.key for row in board.upper + board.lower] == list("abcdefgijklmnop")
    assert all(row.playable for row in board.upper + board.lower)
    assert board.lower[-2].offer == sum(die.face for die in board.dice)
    assert board.bonus_hint == "63 more for a bonus of 50"
    maxima = {row.id: row.maximum for row in board.upper + board.lower}
    assert (maxima["sixes"], maxima["full_house"], maxima["yatzy"]) == (30, 28, 50)


def test_a_game_under_way_hides_its_seed_everywhere(browser: Browser) -> None:
    game = browser.start()
    for url in (f"/games/{game.pk}/", f"/games/{game.pk}/verify", f"/watch/{game.share_token}/"):
        assert game.seed not in browser.get(url).text
    assert game.seed not in browser.get("/history/export").text


def test_a_costly_choice_is_confirmed_on_the_same_page(browser: Browser) -> None:
    game = browser.start()
    browser.post("/settings/", {"theme": "auto", "language": "", "confirm_costly": "on", **COACH})
    rows = browser.get("/").context["board"].lower
    costly = next(row.id for row in rows if row.offer == 0)
    for htmx in (True, False):
        asked = browser.act(game, "score", htmx=htmx, seq=1, category=costly, confirmed="")
        assert asked.status_code == 200
        assert asked.context["board"].confirm.id == costly
        assert "Put 0 in" in asked.text
    assert len(stored(game)) == 1
    browser.act(game, "score", seq=1, category=costly, confirmed="1")
    assert stored(game)[1] == (1, None, costly)


# Refusals: a clear message, the right status, the state untouched


@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize(
    ("what", "data", "status", "message"),
    [
        ("hold", {"seq": 0, "slot": [1]}, 409, "You played on in another window"),
        ("hold", {"seq": 5}, 409, "You played on in another window"),
        ("score", {"seq": 2, "category": "ones"}, 409, "You played on in another window"),
        ("abandon", {"seq": 9}, 409, "You played on in another window"),
        ("score", {"seq": 1, "category": "poker"}, 400, "no such box"),
        ("hold", {"seq": 1, "slot": [5]}, 400, "cannot hold these dice"),
        ("hold", {"seq": 1, "slot": [6]}, 400, "did not understand"),
        ("hold", {"seq": "one"}, 400, "did not understand"),
        ("hold", {}, 400, "did not understand"),
        ("score", {"seq": 1}, 400, "did not understand"),
        ("score", {"seq": -1, "category": "ones"}, 400, "did not understand"),
    ],
)
def test_a_refusal_shows_the_true_board(
    browser: Browser, what: str, data: dict[str, object], status: int, message: str, htmx: bool
) -> None:
    game = browser.start()
    response = browser.act(game, what, htmx=htmx, **data)
    assert response.status_code == status
    assert message in response.text
    assert response.context["board"].seq == 1
    assert (b"<html" in response.content) != htmx
    assert stored(game) == [(0, 0, "")]


def test_a_game_that_does_not_exist_is_not_found(browser: Browser) -> None:
    browser.start()
    for url in (
        "/games/æøå/",
        "/games/nowhere/",
        "/games/nowhere/verify",
        "/watch/nowhere/",
        "/duel/nowhere/",
        "/nowhere/",
    ):
        assert browser.get(url).status_code == 404
    for what in ("hold", "score", "abandon"):
        data = {"seq": 1, "category": "ones"}
        assert browser.post(f"/games/nowhere/{what}", data).status_code == 404
    assert browser.post("/games/", {"mode": "rematch", "of": "nowhere"}).status_code == 404


@pytest.mark.parametrize("cookie", ["forged", "abcdefgh:1:forged", "x" * 500])
def test_a_forged_cookie_is_dropped_with_a_message(browser: Browser, cookie: str) -> None:
    game = browser.start()
    browser.cookies["player"] = cookie
    response = browser.act(game, "hold", htmx=False, seq=1)
    assert response.status_code == 403
    assert "is not from this site" in response.text
    assert stored(game) == [(0, 0, "")]
    assert browser.cookies["player"].value == ""
    assert browser.start().player != game.player


def test_a_cookie_signed_for_something_else_is_forged(browser: Browser) -> None:
    game = browser.start()
    browser.cookies["player"] = signing.TimestampSigner(salt="other").sign(game.player.code)
    assert browser.get(f"/games/{game.pk}/").status_code == 403


def test_a_cookie_of_a_deleted_player_is_forgotten_quietly(browser: Browser) -> None:
    browser.start()
    Player.objects.all().delete()
    response = browser.get("/")
    assert response.status_code == 200
    assert "is not from this site" not in response.text
    assert response.cookies["player"].value == ""


def test_a_cookie_lives_a_year(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    game = browser.start()
    later = timezone.now() + timedelta(days=366)
    monkeypatch.setattr("django.core.signing.time.time", later.timestamp)
    assert browser.get(f"/games/{game.pk}/").status_code == 403


def test_a_used_or_old_card_is_replaced_by_the_true_one(
    browser: Browser, new_browser: NewBrowser
) -> None:
    nonce = browser.nonce()
    game = browser.start(nonce=nonce)
    browser.act(game, "hold", seq=1)
    other = new_browser()
    used = other.post("/games/", {"mode": "solo", "nonce": nonce})
    assert used.status_code == 409
    assert "have already played on these dice" in used.text
    assert used.context["board"].game is None
    old = other.post("/games/", {"mode": "solo", "nonce": "x"})
    assert old.status_code == 409
    second = browser.post("/games/", {"mode": "solo", "nonce": other.nonce()})
    assert second.status_code == 409
    assert second.context["board"].game == game
    assert Game.objects.count() == 1


def test_a_request_forged_elsewhere_is_refused_in_plain_words(db: None) -> None:
    strict = Browser(enforce_csrf_checks=True)
    response = strict.post("/games/", {"mode": "solo"})
    assert response.status_code == 403
    assert "CSRF" not in response.text


def test_a_watcher_sees_the_game_and_may_not_act(browser: Browser, new_browser: NewBrowser) -> None:
    game = browser.start()
    response = new_browser().get(f"/watch/{game.share_token}/")
    board = response.context["board"]
    assert response.status_code == 200
    assert not board.may_act
    assert not any(row.playable for row in board.upper + board.lower)
    assert board.player_label == f"Guest {game.player.code[:4]}"
    assert f"/games/{game.pk}/hold" not in re.findall(r'hx-post="([^"]+)"', str(response.content))


def test_no_page_is_kept_by_a_cache_that_others_share(browser: Browser) -> None:
    for url in ("/", "/daily/", "/you/", "/settings/"):
        assert "no-store" in browser.get(url).headers["Cache-Control"]


@pytest.mark.parametrize(
    "address",
    [
        "parts/",
        "import/",
        "games/abc-1/text",
        "lab/own/make",
        "ladder/",
        "ladder/programs/",
        "api/v1/ladder/ask",
    ],
)
def test_an_address_of_an_earlier_release_says_that_it_is_gone(
    browser: Browser, address: str
) -> None:
    assert browser.get(f"/{address}").status_code == 410
    assert browser.post(f"/{address}").status_code == 410


def test_an_address_that_no_release_had_is_not_found(browser: Browser) -> None:
    assert browser.get("/part/").status_code == browser.get("/x/parts/").status_code == 404


MAIL = "mailto:help@yatzy.example"


@pytest.mark.parametrize(
    ("support", "goes_to"), [("", ""), (MAIL, MAIL), ("https://faults.example/new",) * 2]
)
def test_a_report_has_the_version_and_goes_where_the_site_says(
    browser: Browser, settings: Any, support: str, goes_to: str
) -> None:
    settings.SUPPORT = support
    page = browser.get("/report/?page=history", headers={"user-agent": "Tester/7"}).text
    page = page.partition("<main")[2].partition("</main>")[0]
    facts = dict(re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page))
    assert facts == {"Version": settings.VERSION, "Page": "history", "Browser": "Tester/7"}
    links = [link for link in re.findall(r'href="([^"]+)"', page) if link.startswith(("ht", "mai"))]
    assert len(links) == bool(goes_to)
    assert all(link.startswith(goes_to) for link in links)
    if goes_to == MAIL:
        assert "%0APage%3A%20history%0A" in links[0]


@pytest.mark.parametrize("page", ["", "<b>", "a" * 41, "history&amp;", "a b"])
def test_a_report_names_no_page_that_nobody_can_have_come_from(browser: Browser, page: str) -> None:
    assert "<dt>Page</dt>" not in browser.get("/report/", {"page": page}).text


def test_pages_and_errors_lead_to_the_report_by_the_name_of_the_page(browser: Browser) -> None:
    for address in ("/rules/", "/you/"):
        assert f'href="/report/?page={address.strip("/")}"' in browser.get(address).text
    assert 'href="/report/"' in browser.get("/nowhere/").text
    request = RequestFactory().get("/review/secret/")
    request.resolver_match = resolve("/review/secret/")
    page = server_error(request).text
    assert 'href="/report/?page=review_shared"' in page
    assert "secret" not in page


def test_the_site_says_who_runs_it_and_what_crawlers_may_read(
    browser: Browser, settings: Any
) -> None:
    assert browser.get("/.well-known/security.txt").status_code == 404
    settings.SUPPORT, settings.OPERATOR = MAIL, "<b>A. Person</b>"
    lines = browser.get("/.well-known/security.txt").text.splitlines()
    facts = dict(line.split(": ", 1) for line in lines)
    assert facts["Contact"] == MAIL
    left = datetime.fromisoformat(facts["Expires"]) - datetime.now(UTC)
    assert timedelta(days=1) < left < timedelta(days=365)  # RFC 9116
    page = browser.get("/privacy/").text
    assert "&lt;b&gt;A. Person" in page
    assert f'href="{MAIL}"' in page
    rules = RobotFileParser()
    rules.parse(browser.get("/robots.txt").text.splitlines())
    assert rules.can_fetch("*", "/rules/")
    assert not rules.can_fetch("*", "/watch/secret/")
    settings.INDEXED, rules = False, RobotFileParser()
    rules.parse(browser.get("/robots.txt").text.splitlines())
    assert not rules.can_fetch("*", "/rules/")
