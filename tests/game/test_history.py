"""A player's games: history, lists, statistics and the last page."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.coach.position_addresses import explore_query
from game.coach.score_charts import draw_own_games, read_perfect_scores
from game.core import accounts
from game.core.accounts import create_player, delete_player, get_or_create_player, merge_guest
from game.core.game_queries import replay_game
from game.core.profile_queries import average_box_points, list_latest_scores
from game.core.refusals import Refused
from game.core.words.equation import round_to_sum, round_to_tenths
from game.core.worth.tables import load_advisor
from game.models import DrillAttempt, DrillCard, Game, KeptPosition, Player, PositionList
from game.models.drill import LONGEST_LIST_NAME, MOST_KEPT, MOST_LISTS
from game.pages import history
from game.pages.history import Wanted, query_past_games
from game.practice.lists import NoSuchList, remove_invisible, remove_position, save_position
from game.practice.statistics_board import (
    FEWEST,
    ROLLING,
    list_box_rows,
    make_total_row,
    smooth_scores,
)
from game.trials.design.phases import ArmSettings
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm
from game.trials.models import Trial
from game.trials.monitor import monitor
from game.trials.results.data import count_games, query_finished_games
from game.trials.results.results import calculate_results
from solver.advice import Position
from solver.rules import RULESETS, YATZY, Ruleset
from tests.game.rulesets import finished_game
from tests.known import known
from tests.play import Browser, play_through, score_all, start_solo, who
from tests.selection import examples
from tests.trials import joined, new_trial, place_game

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


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


NewBrowser = Callable[[], Browser]
LATE = YATZY.full & ~YATZY.make_mask(["chance", "yatzy"])
POSITION = Position(YATZY, YATZY.make_mask(["ones", "twos"]), 9, (1, 1, 2, 2, 5), 2)


def other(number: int) -> Position:
    dice = tuple(sorted((1, 2, 3, 1 + number // 6 % 6, 1 + number % 6)))
    return Position(YATZY, number % 32 << 8, 0, dice, number % 3)


def kept(browser: Browser, position: Position = POSITION, **more: object) -> PositionList:
    query = explore_query(position, needed=more.pop("needed", None))  # type: ignore[arg-type]
    answer = browser.post("/drill/lists/keep", {"position": query} | more)
    assert answer.status_code == 302, answer.content
    return PositionList.objects.latest("used_at", "pk")


# What is kept


def test_a_position_is_in_a_list_once(player: Player) -> None:
    first, again = (save_position(player=player, position=POSITION) for _ in range(2))
    assert first == again
    elsewhere = save_position(player=player, position=POSITION, name="Openings")
    assert elsewhere.kept_in != first.kept_in
    assert KeptPosition.objects.count() == 2
    to_win = save_position(player=player, position=POSITION, needed=9, name="Openings")
    assert to_win != elsewhere


def test_a_list_holds_so_many_and_a_player_has_so_many_lists(player: Player) -> None:
    found = save_position(player=player, position=other(0)).kept_in
    blank = KeptPosition.objects.get()
    for number in range(1, MOST_KEPT):
        blank.pk, blank.needed = None, number
        blank.save(force_insert=True)
    with pytest.raises(Refused, match="full: it has 100 positions"):
        save_position(player=player, position=other(1))
    save_position(player=player, position=other(0))  # is there already
    assert found.positions.count() == MOST_KEPT
    for number in range(1, MOST_LISTS):
        save_position(player=player, position=other(1), name=f"List {number}")
    with pytest.raises(Refused, match="20 lists"):
        save_position(player=player, position=other(1), name="One more")
    assert player.position_lists.count() == MOST_LISTS


def test_a_full_list_says_so_on_the_page_that_asked(browser: Browser) -> None:
    found = kept(browser)
    blank = KeptPosition.objects.get()
    for number in range(1, MOST_KEPT):
        blank.pk, blank.needed = None, number
        blank.save(force_insert=True)
    data = {"position": explore_query(other(7))}
    came_from = "http://testserver/explore/?dice=11225"
    answer = browser.post("/drill/lists/keep", data, headers={"Referer": came_from})
    assert answer.headers["Location"] == came_from
    assert "This list is full" in browser.get(f"/drill/lists/{found.token}/").text


@pytest.mark.parametrize("came_from", ["", "https://elsewhere.example/", "javascript:alert(1)"])
def test_one_is_led_back_within_this_site_alone(browser: Browser, came_from: str) -> None:
    data = {"position": explore_query(POSITION)}
    answer = browser.post("/drill/lists/keep", data, headers={"Referer": came_from})
    assert answer.headers["Location"] == f"/drill/lists/{PositionList.objects.get().token}/"


@pytest.mark.parametrize("query", ["", "dice=11", "rules=yatzy&dice=99999", "filled=nothing"])
def test_what_is_no_position_is_not_kept(browser: Browser, query: str) -> None:
    answer = browser.post("/drill/lists/keep", {"position": query})
    assert answer.headers["Location"] == "/drill/lists/"
    assert not Player.objects.exists()


@given(st.text(max_size=80))
def test_a_name_is_short_and_can_be_seen(text: str) -> None:
    name = remove_invisible(text, LONGEST_LIST_NAME)
    assert len(name) <= LONGEST_LIST_NAME
    assert name.isprintable() or not name
    assert name == remove_invisible(name, LONGEST_LIST_NAME)


# A link


def test_a_stranger_answers_the_positions_and_learns_only_a_nickname(
    browser: Browser, new_browser: NewBrowser
) -> None:
    browser.post("/nickname/", {"nickname": "Ada"})
    found = kept(browser)
    kept(browser, other(3))
    stranger = new_browser()
    page = stranger.get(f"/drill/lists/{found.token}/")
    text = page.text
    assert "saved by Ada" in text
    assert found.player.code not in text
    assert not page.context["own"]
    for action in ("rename", "remove", "delete"):
        assert f"/{action}" not in text
    asked = page.context["asked"]
    assert asked == f"/drill/again/?of=list-{found.token}"
    question = stranger.get(asked)
    assert question.context["heading"]["player"] == "Position 1 of 2"
    assert question.context["source"].title == found.name
    told = stranger.get(f"{asked}&slot=4&go=1")
    assert told.context["answer"].right
    following = told.context["following"]
    last = known(found.positions.last())
    assert following.fields == {"of": f"list-{found.token}", "at": str(last.pk)}
    ended = stranger.get(f"{asked}&at={last.pk}&category=chance").context["following"]
    assert ended.url == f"/drill/lists/{found.token}/"
    assert Player.objects.count() == 1, "looking makes nobody"
    assert not DrillAttempt.objects.exists()
    assert not DrillCard.objects.exists()


def test_a_list_with_points_needed_is_judged_in_chances(browser: Browser) -> None:
    found = kept(browser, Position(YATZY, LATE, 63, (1, 2, 3, 4, 6), 1), needed=20)
    asked = browser.get(f"/drill/again/?of=list-{found.token}")
    assert "20 points needed to win" in asked.text.replace("\xa0", " ")
    told = browser.get(f"/drill/again/?of=list-{found.token}&category=yatzy")
    assert not told.context["answer"].step, "in chances, and not in points"


# What becomes of it


def test_a_list_is_renamed_emptied_and_deleted_by_its_owner_alone(
    browser: Browser, new_browser: NewBrowser
) -> None:
    found = kept(browser)
    one = known(found.positions.first())
    here = f"/drill/lists/{found.token}/"
    stranger = new_browser()
    kept(stranger, other(1))
    for person, done in ((stranger, False), (new_browser(), False), (browser, True)):
        for action, data in (
            ("rename", {"name": "  Full \u202e houses "}),
            ("remove", {"kept": one.pk}),
            ("remove", {"kept": "x"}),
            ("rename", {"name": " "}),
        ):
            answer = person.post(f"{here}{action}", data)
            assert answer.status_code == (302 if done else 404)
        found.refresh_from_db()
        assert found.name == ("Full houses" if done else "Kept positions")
        assert found.positions.exists() is not done
        assert person.post(f"{here}delete").status_code == (302 if done else 404)
    assert not PositionList.objects.filter(pk=found.pk).exists()
    assert browser.get(here).status_code == 404


def test_nobody_removes_from_anothers_list_by_their_own(player: Player) -> None:
    mine = save_position(player=player, position=POSITION)
    hers = save_position(player=create_player(), position=POSITION)
    remove_position(player=player, token=mine.kept_in.token, kept=hers.pk)
    assert KeptPosition.objects.count() == 2
    with pytest.raises(NoSuchList):
        remove_position(player=player, token=hers.kept_in.token, kept=hers.pk)


def test_a_guests_lists_move_to_the_account_and_go_with_it(player: Player) -> None:
    user = User.objects.create_user("ada", password="x")
    account = get_or_create_player(user=user)
    save_position(player=player, position=POSITION)
    save_position(player=account, position=other(1))
    merge_guest(guest=player, user=user)
    assert account.position_lists.count() == 2
    delete_player(player=account)
    assert not KeptPosition.objects.exists()


def test_who_kept_something_lately_is_not_forgotten(player: Player) -> None:
    Player.objects.update(created_at="2020-01-01T00:00Z")
    assert list(accounts.query_idle_guests(days=30)) == [player]
    save_position(player=player, position=POSITION)
    assert list(accounts.query_idle_guests(days=30)) == []


tables = pytest.mark.usefixtures("yatzy_tables")


def test_boxes_are_averages_over_the_games_that_count(player: Player) -> None:
    ends = [score_all(start_solo(player), player).state for _ in range(3)]
    found = known(average_box_points(player, YATZY))
    for at, category in enumerate(YATZY.categories):
        points = [known(end.boxes[at]).points for end in ends]
        assert found.points[category.id] == pytest.approx(sum(points) / 3)
    total = sum(found.points.values()) + found.bonus
    assert total == pytest.approx(sum(end.total for end in ends) / 3)
    assert list(list_latest_scores(player, YATZY)) == [end.total for end in ends]


def test_the_chart_of_own_games_has_groups_of_ten_points() -> None:
    svg = draw_own_games("", [205, 214, 219], known(read_perfect_scores(YATZY)))
    own = known(re.search(r'series-1" d="M([^"]*)"', svg))[1].replace("L", " ").split()
    bottom = max(float(point.split(",")[1]) for point in own)
    heights = [bottom - float(point.split(",")[1]) for point in own[1::2]]
    low, high = [height for height in heights if height]
    assert high == pytest.approx(2 * low, abs=0.2)


def test_a_rematch_counts_in_no_statistics(player: Player, browser: Browser) -> None:
    game = play_through(browser, browser.start())
    again = play_through(browser, browser.start(mode="rematch", of=game.pk))
    assert known(average_box_points(game.player, YATZY)).games == 1
    assert again.final_score is not None
    assert replay_game(again).state.finished


@given(st.lists(st.integers(0, 374), max_size=40))
def test_the_trend_is_the_mean_of_the_latest(scores: list[int]) -> None:
    found = smooth_scores(scores)
    assert len(found) == max(0, len(scores) - FEWEST + 1)
    for at, mean in enumerate(found):
        latest = scores[: at + FEWEST][-ROLLING:]
        assert mean == pytest.approx(sum(latest) / len(latest))


@tables
def test_the_page_shows_both_for_every_box(browser: Browser) -> None:
    assert "rows" not in browser.get("/you/").context
    game = play_through(browser, browser.start())
    page = browser.get("/you/")
    rows = page.context["rows"]
    assert len(rows) == len(YATZY.categories) + 1
    assert sum(row.mine for row in rows) == pytest.approx(game.final_score)
    boxes = known(average_box_points(game.player, YATZY))
    assert rows == list_box_rows(known(load_advisor(YATZY)), boxes)


@given(st.lists(st.floats(0.0, 60.0), min_size=1, max_size=18))
def test_printed_lines_add_up_to_the_printed_total(parts: list[float]) -> None:
    total = sum(parts)
    printed = round_to_sum(parts, total)
    assert sum(printed) == round_to_tenths(total)
    for part, one in zip(parts, printed, strict=True):
        assert abs(one - 10 * part) < 1 + 1e-9


@pytest.mark.parametrize("rules", [YATZY, RULESETS["yahtzee"]], ids=lambda rules: rules.id)
@pytest.mark.usefixtures("yatzy_tables", "yahtzee")
def test_the_lines_of_the_page_add_up_as_printed(rules: Ruleset, player: Player) -> None:
    """Chips are what the boxes leave of perfect play's total."""
    for number in range(3):
        finished_game(player, rules, number)
    theirs = np.linspace(1.04, 20.06, len(rules.categories) + 1)
    chips = 7.77 if rules.joker else 0.0
    coach: Any = SimpleNamespace(
        rules=rules, boxes_start=theirs, value_start=float(theirs.sum()) + chips
    )
    boxes = known(average_box_points(player, rules))
    rows, total = list_box_rows(coach, boxes), make_total_row(coach, boxes)
    assert sum(row.printed_mine for row in rows) == total.printed_mine
    assert sum(known(row.printed_perfect) for row in rows) == total.printed_perfect
    assert sum(row.mine for row in rows) == pytest.approx(total.mine)
    assert sum(known(row.perfect) for row in rows) == pytest.approx(coach.value_start)
    assert rows[-1].name == ("Yahtzee bonus" if rules.joker else "Bonus")


OTHER = ArmSettings("other", ruleset="yahtzee", games_each=1)
SHORT = ArmSettings("short", games_each=1)  # the lot falls after the game that comes before


def made_up(seed: int) -> Trial:
    """People who have not come, were not drawn yet, played some games or all, withdrew, or were
    screened out."""
    random = Random(seed)
    arms = random.choice([(), (ArmSettings("same"), OTHER), (ArmSettings("same"), SHORT)])
    trial = new_trial(slug=f"t{seed}", arms=arms, places=8, games_each=3, games_before=1)
    for number in range(1, 9):
        if random.random() < 0.2:
            continue
        one = joined(trial, number)
        for played in range(random.randint(0, one.games_planned)):
            one = draw_arm(participant=one)
            if played == one.games_planned or random.random() < 0.1:
                break
            began = timezone.now()
            over = random.random() < 0.8
            arm = one.arm if played else None
            place_game(
                one,
                played + 1,
                arm=arm,
                phase="training" if arm else "before" if arms else "",
                ruleset=(arm and arm.ruleset) or trial.ruleset,
                seed="1" * 64,
                started_at=began,
                finished_at=began if over else None,
                final_score=200 if over else None,
                bonus=0 if over else None,
            )
            if not over:
                break
        fate = random.random()
        if fate < 0.2:
            withdraw_participant(participant=one)
        elif fate < 0.4:
            trial.participants.filter(pk=one.pk).update(screened_out_at=timezone.now())
    return trial


@pytest.mark.parametrize("seed", range(12))
def test_the_monitor_and_the_results_count_the_same_games(seed: int) -> None:
    trial, now = made_up(seed), timezone.now()
    seen, people = monitor(trial), count_games(trial, now)
    assert query_finished_games(trial, now).count() + people.elsewhere == seen.finished
    to_come = [row for row in seen.rows if row.participant.consent_id is None]
    expected = sum(row.participant.games_planned for row in to_come if row.state != "withdrawn")
    assert seen.planned == people.planned + expected
    assert seen.finished <= seen.planned


def test_arms_with_other_rules_are_among_the_finished_on_both_pages() -> None:
    trial = next(
        one for one in map(made_up, range(20, 60)) if count_games(one, timezone.now()).elsewhere
    )
    assert len(calculate_results(trial).data.rows) == monitor(trial).finished
    assert calculate_results(trial).games.games < monitor(trial).finished
