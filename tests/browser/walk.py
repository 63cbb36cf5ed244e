"""One way through the whole site, which stands still wherever there is something to be looked at.

The dice of games alone are the same each time; those of duels are not, nor is the day.
"""

from collections.abc import Iterator
from typing import Any

from django.core.signing import TimestampSigner
from playwright.sync_api import Browser, Page, expect

from game.core.fair.tickets import SALT
from tests.browser import steps
from tests.browser.steps import decided, fill, first_open, play_best, play_turns, post, settled

Scene = tuple[str, Page]
NOTHING = ".box--open[data-nothing]"
PAGES = {
    "drill": "/drill/",
    "five": "/five/",
    "explore": "/explore/",
    "lab": "/lab/",
    "answers": "/lab/answers/",
    "learn": "/learn/",
    "you": "/you/",
    "solve-here": "/lab/solve-here/",
    "sources": "/lab/sources/",
    "study": "/lab/study/",
    "study-readings": "/lab/study/readings/",
    "same-value": "/lab/same-value/",
    "rules": "/rules/",
    "settings": "/settings/",
    "fair": "/fair/",
    "leaders": "/leaders/",
    "sign-in": "/account/login/",
    "nowhere": "/nowhere/",
}


class Walk:
    """A new visitor. ``key`` is the secret of the site: with it dice can be chosen."""

    def __init__(self, browser: Browser, key: str, **options: Any) -> None:
        self.browser, self.key, self.options = browser, key, options
        self.page = browser.new_context(**options).new_page()
        self.games = 0

    def scenes(self) -> Iterator[Scene]:
        for name in self.everywhere():
            yield name, self.page

    def everywhere(self) -> Iterator[str]:
        yield from self.first_game()
        page = self.page
        game = page.url.split("?")[0]
        beat = page.locator("#share-result").get_attribute("data-share") or ""
        page.goto(f"{game}review")
        yield "review"
        page.goto(f"{game}learn")
        yield "moment"
        page.goto(f"{game}verify")
        yield "verify"
        mine, self.page = self.page, self.browser.new_context(**self.options).new_page()
        self.page.goto(beat)
        yield "challenge"
        self.page.locator(".beat__play").click()
        self.roll()
        play_turns(self.page, 15)
        yield "end-challenge"
        self.page.locator(".tried a").first.click()
        yield "challenge-both"
        self.page = mine
        yield from self.asked()
        page = self.page
        self.begin("alert")
        page.locator(NOTHING).first.click()
        expect(page.locator("#confirm")).to_be_visible()
        yield "alert"
        page.locator("#choose").click()
        expect(page.locator("#confirm")).to_be_hidden()
        post(page, f"{page.url.split('?')[0]}abandon", page.content())
        yield from self.live()
        yield from self.usual()
        yield from self.daily()
        yield from self.duel()
        for name, address in PAGES.items():
            self.page.goto(address)
            yield name

    def begin(self, coach: str) -> None:
        self.page.goto("/")
        if coach:
            self.page.locator("#level").select_option(coach)
        self.take_dice()
        self.roll()

    def take_dice(self) -> None:
        self.games += 1
        signer = TimestampSigner(key=self.key, salt=SALT, fallback_keys=[])
        signed = signer.sign(f"{self.games:032x}")
        self.page.locator("[name=nonce]").evaluate("(it, signed) => it.value = signed", signed)

    def roll(self) -> None:
        seq = self.seq()
        self.page.locator("#roll").click()
        decided(self.page, seq + 1)
        settled(self.page)

    def fill(self, box: str) -> None:
        seq = self.seq()
        fill(self.page.locator(box).first)
        decided(self.page, seq + 1)

    def seq(self) -> int:
        return int(self.page.locator("#board").get_attribute("data-seq") or 0)

    def first_game(self) -> Iterator[str]:
        page = self.page
        page.goto("/")
        yield "first-visit"
        self.take_dice()
        self.roll()
        yield "guided-1"
        for die in page.locator(".die").all()[:2]:
            die.click()
        yield "guided-2"
        self.roll()
        yield "guided-3"
        self.roll()
        yield "guided-4"
        self.fill(".box--open:not([data-nothing])")
        yield "turn-over"
        self.roll()
        yield "verdict"
        play_turns(page, 2)
        self.roll()
        page.locator("#die-1").click()
        yield "mid-game"
        play_best(page)
        yield "end-first"

    def asked(self) -> Iterator[str]:
        page = self.page
        self.begin("before")
        page.locator(NOTHING).first.click()
        expect(page.locator("#confirm")).to_be_visible()
        yield "question"
        page.locator("#confirm").click()
        decided(page, 2)
        yield "verdict-costly"
        page.locator("#status .why").first.click()
        yield "why"
        page.keyboard.press("Escape")
        self.roll()
        page.locator("#hint").click()
        expect(page.locator("#take")).to_be_visible()
        yield "hint"
        play_best(page)
        yield "end-record"

    def live(self) -> Iterator[str]:
        page = self.page
        self.begin("live")
        page.locator("#die-2").click()
        yield "live"
        self.roll()
        page.locator("#hint").click()
        expect(page.locator("#take")).to_be_visible()
        yield "live-hint"
        page.locator("#status .why").first.click()
        yield "live-why"
        page.keyboard.press("Escape")
        play_best(page)
        yield "end-after-hints"
        self.begin("after")
        play_best(page)
        expect(page.locator("[data-moment='flawless']").first).to_be_visible()
        yield "end-flawless"

    def usual(self) -> Iterator[str]:
        self.begin("off")
        play_turns(self.page, 15)
        yield "end-usual"

    def daily(self) -> Iterator[str]:
        page = self.page
        page.goto("/daily/")
        yield "daily"
        page.locator("main form .button--primary").first.click()
        decided(page, 1)
        play_turns(page, 15)
        yield "end-daily"
        page.goto("/daily/")
        yield "daily-played"

    def duel(self) -> Iterator[str]:
        page = self.page
        page.goto("/duels/")
        yield "duel-choice"
        steps.begin_duel(page, "greedy")
        steps.throw(page)
        yield "duel"
        fill(first_open(page))
        steps.expect_phase(page, "roll")
        steps.play_on(13, page)
        steps.play_turn(page)
        expect(page.locator("#seats")).to_have_attribute("data-state", "finished")
        yield "duel-end"
