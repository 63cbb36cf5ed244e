"""Pages of a game: what they show, who may see them, and the frame around them."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.core import signing
from django.test import Client, RequestFactory
from django.urls import resolve, set_script_prefix
from django.utils import timezone

from game.coach.hints import build_hint, pick_move
from game.coach.panel import GameStanding, measure_standing
from game.core.access import check_own, find_own_game, find_watched_game
from game.core.accounts import create_player
from game.core.fair import tickets
from game.core.game_queries import Played, replay_game
from game.core.playing import fill_box, hold_dice, record_decision
from game.core.refusals import AskFirst, NoSuchGame, NotYours
from game.core.worth.tables import load_advisor
from game.models import Coach, Game, Player
from game.pages import play_views as first_page
from game.pages.board.showing import make_played_board
from game.pages.error_views import server_error
from game.pages.sockets.common import FORBIDDEN, UNKNOWN, turn_into_code
from game.pages.sockets.common import NotShown as HungUp
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial
from game.trials.joining.links import make_link_path
from game.trials.models import Participant, Trial
from solver.advice import Advisor, find_position
from solver.rules import RULESETS, YATZY, Action, Block, Hold, Score, play, start_state
from solver.rules.dice import make_cup
from tests.known import known
from tests.play import BOXES, COACH, HTMX, Browser, costly_box, start_solo, stored
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


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
        assert "Put 0\xa0in" in asked.text
    assert len(stored(game)) == 1
    browser.act(game, "score", seq=1, category=costly, confirmed="1")
    assert stored(game)[1] == (1, None, costly)


# Refusals: a clear message, the right status, the state untouched


@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize(
    ("what", "data", "status", "message"),
    [
        ("hold", {"seq": 0, "slot": [1]}, 409, "You continued this game in another window"),
        ("hold", {"seq": 5}, 409, "You continued this game in another window"),
        ("score", {"seq": 2, "category": "ones"}, 409, "You continued this game in another"),
        ("abandon", {"seq": 9}, 409, "You continued this game in another window"),
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


LANGUAGES = [code for code, _ in settings.LANGUAGES]
COACHES = ("", *Game.Coach.values)
OWN = {
    "token": re.compile(r'"X-CSRFToken": "(\w+)"'),
    "forms": re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"'),
    "tab": re.compile(r'"X-Tab": "([\w-]+)"'),
    "nonce": re.compile(r'name="nonce" value="([^"]+)"'),
    "seal": re.compile(r'class="hash">(\w+)<'),
}


def own(page: str) -> dict[str, str]:
    found = {name: pattern.findall(page) for name, pattern in OWN.items()}
    assert all(found.values()), found
    return {name: values[0] for name, values in found.items()}


def without(page: str) -> str:
    for name, value in own(page).items():
        page = page.replace(value, name)
    return page


def asked(path: str, language: str, cookie: str = "") -> str:
    headers = {"accept-language": language} | ({"cookie": cookie} if cookie else {})
    answer = Client().get(path, headers=headers)
    assert answer.status_code == 200
    return answer.text


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", ["", *RULESETS])
def test_it_is_the_page_that_somebody_with_a_cookie_is_given(language: str, ruleset: str) -> None:
    for coach in COACHES:
        path = f"/?rules={ruleset}&coach={coach}"
        drawn = asked(path, language, "somebody=else")
        assert without(asked(path, language)) == without(drawn)
        assert without(asked(path, language)) == without(drawn)  # and once more what was kept


def test_what_is_of_one_visitor_alone_is_nobody_elses() -> None:
    mine, yours = own(asked("/", "en")), own(asked("/", "en"))
    assert all(mine[name] != yours[name] for name in mine)
    for found in (mine, yours):
        assert tickets.redeem(found["nonce"]).commitment == found["seal"]
    assert first_page._render_board.cache_info().currsize == 1


def test_its_addresses_lie_under_what_the_site_lies_under() -> None:
    assert 'href="/daily/"' in asked("/", "en")
    try:
        set_script_prefix("/yatzy/")
        assert 'href="/yatzy/daily/"' in asked("/", "en")
    finally:
        set_script_prefix("/")
    assert 'href="/daily/"' in asked("/", "en")


def test_a_game_can_be_begun_from_it_by_a_browser_that_is_asked_for_its_token(
    new_browser: Callable[[], Browser],
) -> None:
    for _ in range(2):
        browser = Browser(enforce_csrf_checks=True)
        found = own(browser.get("/").text)
        data = {"mode": "solo", "nonce": found["nonce"]}
        assert browser.post("/games/", data).status_code == 403
        headers = {"X-CSRFToken": found["token"], "HX-Request": "true"}
        assert browser.post("/games/", data, headers=headers).status_code == 200
    seals = set(Game.objects.values_list("commitment", flat=True))
    assert len(seals) == 2


def test_a_trial_that_closes_the_coach_is_told_from_its_first_day_to_its_last() -> None:
    open_before = without(asked("/", "en"))
    trial = new_trial(coach_closed=True)
    closed = without(asked("/", "en"))
    assert "closed for everyone" in closed
    assert closed == without(asked("/", "en", "somebody=else"))
    Trial.objects.filter(pk=trial.pk).delete()
    assert without(asked("/", "en")) == open_before


def test_who_writes_templates_sees_them_anew(settings: object) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    asked("/", "en")
    assert first_page._render_board.cache_info().currsize == 0


SAVED = {
    "language": "",
    "theme": "dark",
    "coach": "live",
    "ruleset": "yahtzee",
    "read_out": "results",
}


def comes(browser: Browser, trial: Trial, *, agrees: bool = True) -> Participant:
    one = trial.participants.get(number=1)
    browser.get(make_link_path(one))
    if agrees:
        browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    one.refresh_from_db()
    return one


def begins(browser: Browser) -> Game:
    address = browser.post("/take-part/game").headers["Location"]
    return Game.objects.get(pk=address.split("/")[2])


def page(browser: Browser, address: str) -> str:
    return browser.get(address).text


def menu(html: str) -> list[str]:
    found = re.search(r'<nav id="menu".*?</nav>', html, re.DOTALL)
    return re.findall(r'(?:href|action)="([^"]+)"', known(found)[0])


def test_a_participant_has_the_menu_of_the_trial_and_no_other(browser: Browser) -> None:
    trial = new_trial(questionnaire=False)
    comes(browser, trial, agrees=False)
    before = ["/take-part/", "/rules/", "/take-part/leave"]
    assert menu(page(browser, "/take-part/")) == before
    comes(browser, trial)
    all_of_it = ["/take-part/", "/rules/", "/settings/", "/take-part/withdraw", "/take-part/leave"]
    game = begins(browser)
    for address in ("/take-part/", f"/games/{game.pk}/", "/rules/", "/nowhere/"):
        assert menu(page(browser, address)) == all_of_it, address
    close_trial(trial=trial)
    assert "/daily/" in menu(page(browser, "/take-part/"))


def test_a_participant_who_is_screened_out_has_the_site_again(browser: Browser) -> None:
    comes(browser, new_trial())
    Participant.objects.update(screened_out_at="2026-01-01T12:00Z")
    assert "/daily/" in menu(page(browser, "/take-part/"))
    assert browser.get("/daily/").status_code == 200


def test_a_game_of_a_trial_is_called_after_it(browser: Browser) -> None:
    comes(browser, new_trial(title="How people play", questionnaire=False))
    html = page(browser, f"/games/{begins(browser).pk}/")
    assert "How people play" in known(re.search(r"<title>(.*?)</title>", html, re.DOTALL))[1]


def test_an_account_is_not_signed_in_where_somebody_takes_part(browser: Browser) -> None:
    User.objects.create_user("ada", password="five sixes at once")
    comes(browser, new_trial())
    word = {"username": "ada", "password": "five sixes at once"}
    assert browser.post("/account/login/", word).status_code == 403
    browser.post("/take-part/leave")
    assert browser.post("/account/login/", word).status_code == 302
    assert browser.get("/learn/").status_code == 403, "the browser remembers the trial"


def test_settings_of_a_participant_are_what_is_seen_and_heard(browser: Browser) -> None:
    one = comes(browser, new_trial())
    asked = re.findall(r'name="(\w+)"', page(browser, "/settings/"))
    assert {"language", "theme", "sound", "vibration", "confirm_boxes", "read_out"} <= set(asked)
    assert not {"coach", "coach_threshold", "ruleset", "confirm_costly"} & set(asked)
    assert browser.post("/settings/", SAVED).status_code == 302
    before = Player()
    player = Player.objects.get(pk=known(one.player).pk)
    assert (player.theme, player.read_out) == ("dark", "results")
    assert (player.coach, player.ruleset) == (before.coach, before.ruleset)


def test_settings_before_the_consent_would_be_somebody_elses(browser: Browser) -> None:
    browser.start()
    comes(browser, new_trial(), agrees=False)
    assert browser.get("/settings/").status_code == 403
    assert browser.post("/settings/", SAVED).status_code == 403
    assert not Player.objects.filter(theme="dark").exists()


def test_a_browser_that_has_left_is_asked_nothing_about_a_coach(browser: Browser) -> None:
    comes(browser, new_trial())
    browser.post("/take-part/leave")
    asked = re.findall(r'name="(\w+)"', page(browser, "/settings/"))
    assert "ruleset" in asked
    assert not {"coach", "coach_threshold"} & set(asked)
    assert 'name="coach_0"' not in page(browser, "/table/")
    assert 'name="name_0"' in page(browser, "/table/")


def test_the_rules_are_those_of_the_game_that_is_played_next(browser: Browser) -> None:
    arms = [ArmSettings("one", ruleset="yahtzee", games_each=1)]
    comes(browser, new_trial(arms=arms, questionnaire=False))
    assert "Rules of Yatzy" in page(browser, "/rules/"), "no arm is given yet"
    browser.post("/take-part/game")
    assert "Rules of Yahtzee" in page(browser, "/rules/")
    assert "Rules of Yatzy" in page(browser, "/rules/yatzy/")
    assert "/rules/yahtzee-plain/" not in page(browser, "/rules/")


def kept(browser: Browser) -> list[str]:
    script = browser.get("/service-worker.js")
    assert script.headers["Content-Type"].startswith("text/javascript")
    found = re.search(r"const SHELL = \[(.*?), OFFLINE\]", script.text)
    assert found
    return re.findall(r'"([^"]+)"', found[1])


def test_a_device_keeps_static_files_and_the_offline_page_alone(browser: Browser) -> None:
    files = kept(browser)
    assert files
    files.remove("/offline/facts.json")
    assert all(finders.find(name.removeprefix("/static/")) for name in files)


@pytest.mark.parametrize("address", ["/offline/", "/offline/stored/"])
def test_a_page_without_a_network_is_drawn_with_what_is_kept(
    browser: Browser, address: str
) -> None:
    page = browser.get(address).text
    drawn = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    assert drawn <= set(kept(browser))


def test_the_offline_page_names_nobody(browser: Browser) -> None:
    before = browser.get("/offline/").content
    browser.force_login(User.objects.create_user("ada", password="x"))
    Player.objects.update_or_create(user=User.objects.get(), defaults={"theme": "dark"})
    browser.start()
    assert browser.get("/offline/").content == before


def test_another_shell_has_another_version(browser: Browser) -> None:
    def version() -> str:
        script = browser.get("/service-worker.js").text
        found = re.search(r'"shell-(\w+)"', script)
        assert found
        return found[1]

    first = version()
    assert version() == first
    browser.cookies["django_language"] = "fi"
    assert version() != first


def test_the_manifest_names_icons_that_are_there(browser: Browser) -> None:
    answer = browser.get("/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    facts = answer.json()
    assert {one["purpose"] for one in facts["icons"]} == {"any", "maskable"}
    assert all(finders.find(one["src"].removeprefix("/static/")) for one in facts["icons"])
    for address in (facts["start_url"], *(one["url"] for one in facts["shortcuts"])):
        assert browser.get(address).status_code in {200, 202, 503}


DOORS = {
    "game_find": "find_own_game",
    "game_watched": "find_watched_game",
    "TrialStaff.objects.filter(trial__slug": "check_trial",
}
# The first two and the last are that place. A challenge is signed by who may show the game.
ASKING = (
    "game/core/access.py",
    "game/core/game_queries.py",
    "game/pages/board/challenge.py",
    "game/trials/audiences.py",
)


def test_no_page_and_no_socket_decides_by_itself() -> None:
    root = Path(settings.BASE_DIR)
    found = [
        f"{path.relative_to(root)}: ask game.core.access.{instead}"
        for path in sorted((root / "game").rglob("*.py"))
        if str(path.relative_to(root)) not in ASKING
        for name, instead in DOORS.items()
        if name in path.read_text(encoding="utf-8").replace("game_find_locked", "")
    ]
    assert found == []


def test_a_game_is_its_players_and_a_link_s(player: Player) -> None:
    game = start_solo(player).game
    assert find_own_game(game.pk, player) == find_watched_game(game.share_token) == game
    for somebody in (None, create_player()):
        with pytest.raises(NotYours):
            find_own_game(game.pk, somebody)
    with pytest.raises(NoSuchGame):
        check_own(None, player)
    with pytest.raises(NoSuchGame):
        find_own_game("none", player)
    with pytest.raises(NoSuchGame):
        find_watched_game(game.pk)


@pytest.mark.parametrize(("refusal", "code"), [(NoSuchGame, UNKNOWN), (NotYours, FORBIDDEN)])
def test_a_socket_is_hung_up_with_what_its_page_is_refused_with(
    refusal: type[Exception], code: int
) -> None:
    with pytest.raises(HungUp) as hung_up, turn_into_code():
        raise refusal
    assert hung_up.value.code == code


FIVE = make_cup(5)


def test_somebody_new_is_told_in_three_lines_until_a_game_has_begun(browser: Browser) -> None:
    assert browser.get("/").text.count('id="welcome"') == 1
    game = browser.start()
    assert 'id="welcome"' not in browser.get("/").text
    browser.act(game, "abandon", seq=1)
    assert 'id="welcome"' not in browser.get("/").text


def test_a_first_game_that_is_the_days_is_silent_and_leaves_the_wish_alone(
    browser: Browser,
) -> None:
    game = browser.start(mode="daily")
    assert (game.coach, game.player.coach) == (Coach.OFF, Coach.AFTER)


def test_an_alert_says_how_serious_it_is_and_not_what_is_better(browser: Browser) -> None:
    game = browser.start(coach="alert")
    box = costly_box(game)
    asked = browser.act(game, "score", seq=1, category=box, confirmed="")
    board, html = asked.context["board"], asked.text
    assert "you have a better move" in html
    assert board.best is None
    assert "data-marked" not in html
    assert "data-best" not in html
    assert "costs" not in html
    assert game.decisions.count() == 1


def test_after_an_alerted_move_the_better_one_is_behind_a_tap(browser: Browser) -> None:
    game = browser.start(coach="alert")
    done = browser.act(game, "score", seq=1, category=costly_box(game), confirmed="1")
    html = done.text
    veil = html[html.index('<details class="feedback__best">') :]
    assert "The best move was" in veil[: veil.index("</details>")]
    assert html.count("The best move was") == 1


def test_a_best_move_that_keeps_all_five_is_taken_as_a_box(advisor: Advisor) -> None:
    fives: Block = ((((5,) * FIVE.dice,) * 3),) * len(YATZY.categories)
    state = play(start_state(YATZY), Hold(0), fives)
    options = build_hint(advisor, state, advisor.evaluate(find_position(state)), shown=20).options
    assert len(options[0].slots) == FIVE.dice
    assert pick_move(options).category == "yatzy"


def test_before_every_box_is_asked_where_the_player_wants_that(player: Player) -> None:
    player.confirm_boxes = True
    player.save()
    game = start_solo(player).game
    fill = partial(fill_box, game_id=game.pk, player=player, seq=1, category="chance")
    with pytest.raises(AskFirst, match="Chance for") as asked:
        fill()
    assert not asked.value.coach
    assert game.decisions.count() == 1
    fill(confirmed=True)
    assert game.decisions.count() == 2


def test_the_ledger_holds_at_every_moment_of_a_game(player: Player) -> None:
    coach = known(load_advisor(YATZY))
    played = start_solo(player)
    lost = 0.0
    actions: tuple[Action, ...] = (Hold(0b11), Hold(0b101), Score("ones"), Hold(0))
    for seq, action in enumerate(actions, start=1):
        played = record_decision(game_id=played.game.pk, player=player, seq=seq, action=action)
        lost = sum(known(one.regret) for one in played.game.decisions.filter(roll__gt=0))
        found, again = stands(coach, played), stands(coach, replay_game(played.game))
        assert found == again
        assert known(found).lost == pytest.approx(lost)
        luck = known(found).luck
        assert known(found).expected == pytest.approx(coach.value_start + luck - lost)
    assert lost > 0


def stands(coach: Advisor, played: Played) -> GameStanding | None:
    at_hand = coach.evaluate(find_position(played.state)) if played.state.dice else None
    return measure_standing(coach, played, at_hand)


def test_the_track_shows_every_throw_of_the_turn_behind_on_the_table_and_to_come(
    player: Player,
) -> None:
    played = start_solo(player)
    for seq in (1, 2, 3):
        board = make_played_board(played, viewer=player)
        assert (board.roll_number, *board.later_rolls) == (seq, *range(seq + 1, YATZY.throws + 1))
        assert len(board.earlier) == seq - 1
        if seq < YATZY.throws:
            played = hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=1)
    played = fill_box(game_id=played.game.pk, player=player, seq=3, category="chance")
    board = make_played_board(played, viewer=player)
    assert (board.roll_number, [*board.later_rolls], board.earlier) == (0, [1, 2, 3], ())


def test_a_page_of_play_has_two_live_regions(browser: Browser) -> None:
    """A region is for what happens, another for what needs an answer."""
    page = browser.get("/").text
    assert re.findall(r'role="(status|alert|log)"', page) == ["status", "alert"]
    assert "aria-live" not in page
