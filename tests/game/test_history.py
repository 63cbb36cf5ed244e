"""The list of one's games, narrowed down by what its address asks for."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import create_player
from game.models import Game, Player
from game.pages import history
from game.pages.history import Wanted, query_past_games
from solver.rules import RULESETS
from tests.play import Browser, who
from tests.selection import examples

pytestmark = pytest.mark.django_db

FIRST = date(2026, 3, 1)
MODES = ("solo", "rematch", "duel")
RULES = ("yatzy", "yahtzee")


def past(player: Player, **more: Any) -> Game:
    moment = more.pop("finished_at", datetime(2026, 3, 1, 12, tzinfo=UTC))
    facts: dict[str, Any] = {
        "started_at": moment,
        "finished_at": moment,
        "final_score": 200,
        "bonus": 0,
        "seed": "0" * 64,
        **more,
    }
    return Game.objects.create(player=player, **facts)


class Narrowed(TestCase):
    @settings(max_examples=examples(25))
    @given(
        st.lists(
            st.tuples(
                st.sampled_from(MODES),
                st.sampled_from(RULES),
                st.integers(0, 72),
                st.integers(198, 202),
            ),
            max_size=6,
        ),
        st.sampled_from([None, *RULES]),
        st.sampled_from(["", *MODES]),
        *(st.none() | st.integers(0, 3) for _ in range(2)),
        *(st.none() | st.integers(198, 202) for _ in range(2)),
    )
    def test_those_are_found_that_are_as_asked_for(
        self,
        made: list[tuple[str, str, int, int]],
        rules: str | None,
        mode: str,
        since: int | None,
        until: int | None,
        least: int | None,
        most: int | None,
    ) -> None:
        player = create_player()
        begin = datetime(2026, 3, 1, tzinfo=UTC)
        games = [
            past(
                player,
                mode=of,
                ruleset=by,
                finished_at=begin + timedelta(hours=hour),
                final_score=points,
            )
            for of, by, hour, points in made
        ]
        wanted = Wanted(
            RULESETS[rules] if rules else None,
            mode,
            None if since is None else FIRST + timedelta(days=since),
            None if until is None else FIRST + timedelta(days=until),
            least,
            most,
        )
        expected = {
            game
            for game, (of, by, hour, points) in zip(games, made, strict=True)
            if (rules in {None, by} and mode in {"", of})
            and (since is None or hour // 24 >= since)
            and (until is None or hour // 24 <= until)
            and (least is None or points >= least)
            and (most is None or points <= most)
        }
        assert set(query_past_games(player, wanted)) == expected


@pytest.fixture
def played(browser: Browser) -> Browser:
    browser.start()
    player = who(browser)
    for number in range(3):
        moment = datetime(2026, 3, 1, 12 + number, tzinfo=UTC)
        past(player, final_score=200 + number, finished_at=moment)
    past(player, mode="rematch", ruleset="yahtzee", final_score=300)
    return browser


def scores(browser: Browser, address: str, status: int = 200) -> list[int]:
    response = browser.get(address)
    assert response.status_code == status
    return sorted(one.final_score for one in response.context["page"])


@pytest.mark.parametrize(
    ("asked", "found", "text"),
    [
        ("least=x&most=201", [200, 201], "Enter a whole number."),
        ("least=201&most=200", [201, 202], "The minimum is above the maximum."),
        ("least=99999999999999999999", [200, 201, 202], "less than or equal to 9999"),
        ("since=soon&least=202", [202], "Enter a valid date."),
        ("since=2026-02-02&until=2026-02-01", [200, 201, 202], "before the first"),
        ("mode=chess", [200, 201, 202], "You have no games of this kind."),
        ("opponent=nobody", [200, 201, 202], "You have no duels with this player."),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_counts(
    played: Browser, asked: str, found: list[int], text: str
) -> None:
    assert scores(played, f"/you/?{asked}", 400) == found
    html = played.get(f"/you/?{asked}").text
    assert text in html
    for part in asked.split("&"):
        name, value = part.split("=")
        if name in {"least", "most", "since", "until"}:
            assert f'name="{name}" value="{value}"' in html


def test_further_pages_and_other_rules_keep_what_was_asked(
    played: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "ON_A_PAGE", 1)
    html = played.get("/you/?least=201").text
    assert 'href="?rules=yatzy&amp;least=201&amp;page=2"' in html
    assert 'href="?rules=yahtzee&amp;least=201"' in html
    assert 'href="?rules=all&amp;least=201"' in html
    assert scores(played, "/you/?rules=yatzy&least=201&page=2") == [201]


def test_the_list_is_found_by_an_index(played: Browser) -> None:
    with CaptureQueriesContext(connection) as queries:
        list(query_past_games(who(played), Wanted(RULESETS["yatzy"]))[:50])
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {queries[-1]['sql']}")
            plan = " ".join(str(row) for row in cursor.fetchall())
        assert "game_over_of_player" in plan
        assert "TEMP B-TREE" not in plan
