"""A participant's browser, arm by arm and stage by stage: every page that links lead to, and every
address that can be typed in, is read for words of a coach that the arm does not have."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.utils import translation

from game.models import Coach, Game
from game.pages.error_views import server_error
from game.trials.design.phases import ArmSettings
from game.trials.joining.links import make_link_path
from game.trials.models import Participant
from tests.crawl.reading import body_of, pages_from, words_in
from tests.game.test_blinding import pushed, typed_in
from tests.game.test_trial_table import passed
from tests.known import known
from tests.play import BOXES, Browser, play_through
from tests.trials import new_trial, next_game

pytestmark = [
    pytest.mark.needs("game.trials"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("yatzy_tables"),
]

# Of a coach, whatever it is called, and of what only a coach knows.
WORDS = re.compile(
    r"\b(coach\w*|hints?|advi[cs]\w*|reviews?|drill\w*|learn\w*|mistakes?|blunders?|best|better"
    r"|regrets?|leaks?|five a day|explore\w*|labs?|profile|practis\w*|cost\w*|perfect\w*|luck\w*"
    r"|expected)\b",
    re.IGNORECASE,
)
# Where an arm is told of its own coach: on these pages, in these words.
ARMS = {
    "silent": (ArmSettings("silent"), (), ""),
    "hint": (ArmSettings("hint", coach=Coach.HINT), ("/games/", "/take-part/"), "coach hint hints"),
    "after": (ArmSettings("after", coach=Coach.AFTER), ("/games/", "/take-part/"), "any"),
    "live": (ArmSettings("live", coach=Coach.LIVE), ("/games/", "/take-part/"), "any"),
    "drill": (ArmSettings("drill", drill=True), ("/drill/", "/take-part/"), "any"),
}
# What the table of words calls them in the other languages.
CALLED = ("coach", "hint", "review", "leak", "mistake", "blunder", "explore", "lab", "accuracy")


class Seat(NamedTuple):
    """A participant, and what the pages showed them that their arm does not have."""

    browser: Browser
    participant: Participant
    found: dict[str, list[str]]
    words: re.Pattern[str] = WORDS
    arm: str = "silent"

    def look(self, stage: str, start: str = "/take-part/") -> None:
        for address, html in pages_from(self.browser, start):
            self.read(stage, address, html)

    def read(self, stage: str, address: str, html: str) -> None:
        _, pages, allowed = ARMS[self.arm]
        told = words_in(html, self.words)
        if address.startswith(pages or "?"):
            told = [] if allowed == "any" else [one for one in told if one not in allowed.split()]
        if told:
            self.found[f"{stage}: {address}"] = told

    def agree(self) -> None:
        self.browser.post("/take-part/agree", {"version": 1, "agree": "on"})

    def drawn(self) -> None:
        self._replace(arm="silent").look("before the lot")
        response = self.browser.post("/take-part/game")
        assert response.headers["Location"] == "/take-part/"

    def play(self, game: Game) -> None:
        page = f"/games/{game.pk}/"
        for box in BOXES:
            seq = game.decisions.count()
            if seq % 2 == 0:
                self.read("held", page, body_of(self.browser.act(game, "hold", seq=seq)))
            seq = game.decisions.count()
            answer = self.browser.act(game, "score", seq=seq, category=box)
            assert answer.status_code == 200
            self.read("scored", page, body_of(answer))


def seat(arm: str, words: re.Pattern[str] = WORDS, language: str = "") -> Seat:
    trial = new_trial(arms=[ARMS[arm][0]], games_each=2, questionnaire=False, language=language)
    one = trial.participants.get(number=1)
    browser = Browser()
    browser.get(make_link_path(one))
    return Seat(browser, one, {}, words, arm)


def walk(who: Seat) -> Iterator[Game]:
    who.look("before the consent")
    who.agree()
    who.drawn()
    who.look("before the first game")
    game = next_game(who.browser)
    page = f"/games/{game.pk}/"
    who.look("in a game", page)
    who.read("held", page, body_of(who.browser.act(game, "hold", seq=1, slot=[0, 1])))
    who.read("pushed", page, pushed(who.browser, game))
    yield game
    who.play(game)
    who.look("after a game", page)
    who.look("between two games")
    who.play(next_game(who.browser))
    who.look("done")
    who.look("done", page)


def unlinked(who: Seat, *games: Game) -> None:
    for address in (*dict.fromkeys(typed_in(*games)), "/nowhere/"):
        answer = who.browser.get(address)
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            who.read("typed in", address, body_of(answer))


@pytest.mark.parametrize(
    "arm", ["silent", *(pytest.param(arm, marks=pytest.mark.nightly) for arm in [*ARMS][1:])]
)
def test_nobody_meets_a_word_of_a_coach_that_their_arm_does_not_have(arm: str) -> None:
    who = seat(arm)
    for game in walk(who):
        if arm == "silent":
            unlinked(who, game)
            who.read("asked", "hint", body_of(who.browser.act(game, "hint")))
            saved = who.browser.post("/settings/", {"theme": "dark"}, follow=True)
            who.read("saved", "/settings/", body_of(saved))
    assert who.found == {}


def test_round_one_table_every_arm_reads_of_its_own_coach_alone() -> None:
    arms = [ARMS["silent"][0], ARMS["live"][0]]
    trial = new_trial(arms=arms, games_each=1, places=2, questionnaire=False, round_table=True)
    tablet, found = Browser(), dict[str, list[str]]()
    people = [trial.participants.get(number=number) for number in (1, 2)]
    for one in people:
        tablet.get(make_link_path(one))
        Seat(tablet, one, found).look("sits down")
        Seat(tablet, one, found).agree()
    met = set()
    for turn, box in enumerate(box for box in BOXES for _ in people):
        game = passed(tablet) if turn >= len(people) else _first(tablet, people[turn], found)
        who = Seat(tablet, game.trial_game.participant, found, arm=known(game.trial_game.arm).name)
        met.add(who.arm)
        if turn < 2:
            who.look("has the turn", f"/games/{game.pk}/")
        tablet.act(game, "hold", seq=game.decisions.count())
        who.read(
            "scored",
            f"/games/{game.pk}/",
            body_of(tablet.act(game, "score", seq=game.decisions.count(), category=box)),
        )
        if turn < 2:
            assert "Pass to" in body_of(tablet.get(f"/games/{game.pk}/"))
            who.look("passes on")
    assert met == {"silent", "live"}
    who.look("done")
    assert found == {}


def _first(tablet: Browser, one: Participant, found: dict[str, list[str]]) -> Game:
    """Passed to somebody who has no arm yet: their own page and the lot come before the game."""
    assert tablet.post("/take-part/pass").headers["Location"] == "/take-part/"
    who = Seat(tablet, one, found)
    who.drawn()
    one.refresh_from_db()
    who._replace(arm=known(one.arm).name).look("before the first game")
    return next_game(who.browser)


def test_nobody_is_told_of_programs_that_judge_moves_before_they_play() -> None:
    trial = new_trial(arms=[ARMS["silent"][0]])
    who = Seat(Browser(), trial.participants.get(number=1), {})
    who.browser.get(make_link_path(who.participant))
    who.agree()
    assert 'name="experience"' in body_of(who.browser.get("/take-part/"))
    who.look("asked about experience")
    assert who.found == {}


def test_an_arm_with_a_coach_reads_of_it_where_it_plays_and_nowhere_else() -> None:
    """Otherwise the test above would find nothing because there is nothing."""
    who = seat("live")
    who.agree()
    who.drawn()
    game = next_game(who.browser)
    assert "coach" in words_in(body_of(who.browser.get(f"/games/{game.pk}/")), WORDS)
    unlinked(who, game)
    assert who.found == {}


def _called(language: str) -> re.Pattern[str]:
    rows = (Path(settings.BASE_DIR) / "docs/words.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in row.split("|")] for row in rows if row.startswith("| ")]
    at = {"sv": 2, "nb": 3, "da": 4, "fi": 5}[language]
    names = [row[at].partition(",")[0] for row in cells if row[1] in CALLED]
    assert len(names) == len(CALLED)
    return re.compile(rf"\b({'|'.join(names)})\w*", re.IGNORECASE)


@pytest.mark.sampled("language")
@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_a_silent_arm_meets_none_in_any_other_language(language: str) -> None:
    who = seat("silent", _called(language), language)
    for _game in walk(who):
        assert f'<html lang="{language}"' in body_of(who.browser.get("/take-part/"))
    assert who.found == {}
    with translation.override(language):
        assert words_in(translation.gettext("Coach"), _called(language))


@pytest.mark.parametrize("error", [ValueError, None])
def test_an_error_page_names_no_coach_to_a_participant(
    rf: RequestFactory, error: Callable[[], Exception] | None
) -> None:
    who = seat("silent")
    rf.cookies = who.browser.cookies
    html = body_of(server_error(rf.get("/")))
    assert words_in(html, WORDS) == []
    assert 'href="/take-part/"' in html
    assert 'href="/daily/"' not in html
    assert words_in(body_of(server_error(RequestFactory().get("/"))), WORDS) != []


# What a browser keeps of a trial when nobody takes part in it any more.
NAMED = re.compile(r"\b(coach\w*|hints?|reviews?|drill\w*|mistakes?|leaks?)\b", re.IGNORECASE)


@pytest.mark.parametrize("out", ["/take-part/leave", "/take-part/withdraw"])
def test_a_participant_who_left_or_withdrew_meets_none_either(out: str) -> None:
    who = seat("silent", NAMED)
    who.agree()
    who.drawn()
    play_through(who.browser, next_game(who.browser))
    who.browser.post(out, {"confirm": "on"})
    who.look("gone", "/")
    assert not [page for page in who.found if not page.startswith("gone: /daily/")]
