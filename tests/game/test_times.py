"""Days and moments in the zone of whoever reads."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

from django.template import Context, Template
from django.utils.translation import override

from game.core.words.times import COOKIE, render_day, render_moment, render_sentence, use_time_zone
from solver.rules import RULESETS
from tests.game.rulesets import finished_game
from tests.play import Browser

LATE = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
PRINTED = re.compile(r"\|(date|time):(?!'(c|Y-m-d|D)')(?!\"(c|D)\")")


def test_a_moment_is_told_in_the_readers_zone() -> None:
    with override("en"), use_time_zone("Europe/Stockholm"):
        assert render_moment(LATE) == (
            '<time datetime="2026-11-22T23:30:00+00:00">23\u00a0Nov\u00a02026, 00:30</time>'
        )
        assert render_day(LATE) == (
            '<time datetime="2026-11-22T23:30:00+00:00">23\u00a0Nov\u00a02026</time>'
        )


def test_a_day_without_an_hour_is_the_same_everywhere() -> None:
    with override("en"), use_time_zone("Pacific/Auckland"):
        assert render_day(date(2026, 11, 22)) == (
            '<time datetime="2026-11-22">22\u00a0Nov\u00a02026</time>'
        )


def test_a_sentence_holds_a_time_and_escapes_everything_else() -> None:
    told = render_sentence("%(who)s & %(when)s", who="<b>", when=render_day(date(2026, 1, 2)))
    assert told.startswith("&lt;b&gt; &amp; <time datetime=")
    shown = Template("{% load numbers %}{{ told }}{{ at|moment }}").render(
        Context({"told": told, "at": LATE})
    )
    assert shown.count("<time ") == shown.count("</time>") == 2


def test_a_page_is_in_the_zone_of_its_cookie(browser: Browser) -> None:
    game = finished_game(browser.start().player, RULESETS["yatzy"])
    game.finished_at = LATE
    game.save()
    pages = {}
    for zone in ("", "Asia/Tokyo"):
        browser.cookies[COOKIE] = zone
        pages[zone] = browser.get(f"/games/{game.pk}/review").text
    assert "22\u00a0Nov\u00a02026</time>" in pages[""]
    assert "23\u00a0Nov\u00a02026</time>" in pages["Asia/Tokyo"]


def test_no_template_prints_a_time_that_is_no_element() -> None:
    templates = Path(__file__).parents[2] / "templates"
    found = {
        str(path.relative_to(templates)): line
        for path in templates.rglob("*.html")
        for line in path.read_text(encoding="utf-8").splitlines()
        if PRINTED.search(line)
    }
    assert not found
