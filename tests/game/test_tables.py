"""Tables come while the site runs: wanted, made by somebody else, noticed, and waited for."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import OperationalError

from game.core import judging
from game.core.judging import judge_in_background
from game.core.playing import record_decision
from game.core.worth import tables
from game.core.worth.tables import load_advisor, make_next, mark_as_wanted, request_tables
from game.models import Decision, Game, Player
from solver.rules import RULESETS, Hold, Ruleset, list_legal_actions
from solver.rules.rulesets import MAXI_YATZY
from solver.tables import OUTLOOK, VALUES, find_table_path
from solver.tables.maker import Notes, acquire_lock, lock_path
from solver.tables.parts import PARTS
from tests.conftest import solved
from tests.game.rulesets import begun, finished_game, played_out
from tests.known import known
from tests.play import HTMX, Browser, text

pytestmark = pytest.mark.django_db
RULES = RULESETS["yahtzee-plain"]
OTHER = RULESETS["yahtzee"]
Bring = Callable[..., None]


@pytest.fixture
def bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bring:
    for rules in (RULES, OTHER):
        solved(rules)
    ready = {
        (rules, kind): find_table_path(rules, kind) for rules in (RULES, OTHER) for kind in KINDS
    }
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})

    def brought(*kinds: str, rules: Ruleset = RULES) -> None:
        for kind in kinds:
            new = tmp_path / f".new.{kind}"
            shutil.copyfile(ready[rules, kind], new)
            new.replace(find_table_path(rules, kind))

    return brought


KINDS = (VALUES, OUTLOOK)


class Workshop:
    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.status: int | None = None

    def open(self, command: list[str], **options: Any) -> "Workshop":
        self.commands.append(command)
        return self

    def poll(self) -> int | None:
        return self.status


@pytest.fixture
def workshop(bring: Bring, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Workshop:
    settings.MAKE_TABLES = True
    workshop = Workshop()
    monkeypatch.setattr(subprocess, "Popen", workshop.open)
    monkeypatch.setattr(tables, "RULESETS", {rules.id: rules for rules in (OTHER, RULES)})
    return workshop


# What is there


def test_a_table_is_noticed_when_it_comes_without_a_restart(bring: Bring) -> None:
    assert load_advisor(RULES) is None
    bring(VALUES)
    found = load_advisor(RULES)
    assert found is not None
    assert found.outlook is None
    bring(OUTLOOK)
    found = load_advisor(RULES)
    assert found is not None
    assert found.outlook is not None
    assert load_advisor(RULES) is found


def test_a_table_that_is_taken_away_or_damaged_silences_the_coach(bring: Bring) -> None:
    bring(VALUES)
    assert load_advisor(RULES) is not None
    find_table_path(RULES).write_bytes(b"no table")
    assert load_advisor(RULES) is None
    find_table_path(RULES).unlink()
    assert load_advisor(RULES) is None
    bring(VALUES)
    assert load_advisor(RULES) is not None


# What is made, and when


def made(workshop: Workshop) -> list[str]:
    return [command[-1] for command in workshop.commands]


def test_what_is_missing_is_made_by_one_polite_process_at_a_time(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    there: list[Ruleset] = []
    monkeypatch.setattr(
        tables, "find_existing_parts", lambda rules: dict.fromkeys(PARTS, rules in there)
    )
    for number, rules in enumerate((OTHER, RULES), start=1):
        assert make_next()
        assert make_next()
        assert made(workshop) == [OTHER.id, RULES.id][:number]
        command = workshop.commands[-1]
        assert (command[0], command[-4:-1]) == ("nice", ["-m", "solver", "prepare"])
        there.append(rules)
    assert not make_next()


def test_nothing_is_missing_that_a_large_ruleset_never_has(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = dict.fromkeys(PARTS, False) | {VALUES: True}
    monkeypatch.setattr(tables, "find_existing_parts", lambda rules: values)
    monkeypatch.setattr(tables, "RULESETS", {})
    mark_as_wanted(MAXI_YATZY)
    assert not make_next()
    mark_as_wanted(RULES)
    assert make_next()


def test_what_is_asked_for_waits_for_nothing_that_was_begun_unasked(workshop: Workshop) -> None:
    assert make_next()
    assert load_advisor(RULES) is None
    assert make_next()
    assert make_next()
    assert made(workshop) == [OTHER.id, RULES.id]


def test_nothing_is_started_while_another_process_is_at_it(workshop: Workshop) -> None:
    with acquire_lock(lock_path(OTHER), wait=False):
        assert make_next()
        assert make_next()
        assert request_tables(OTHER).under_way
    assert workshop.commands == []


@pytest.mark.parametrize("status", [0, 1])
def test_what_ends_without_its_tables_holds_up_no_other_and_is_not_tried_again_at_once(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    workshop.status = status
    assert [make_next() for _ in range(4)] == [True, True, False, False]
    assert made(workshop) == [OTHER.id, RULES.id]
    monkeypatch.setattr(tables, "RETRY", 0.0)
    assert make_next()
    assert made(workshop) == [OTHER.id, RULES.id, OTHER.id]


def fail(rules: Ruleset = OTHER) -> None:
    notes = Notes(rules)
    notes.begin("values")
    notes.fail("the disk is full")


def test_a_failure_is_not_tried_again_at_once(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail()
    assert make_next()
    assert made(workshop) == [RULES.id]
    assert request_tables(OTHER).failed == "the disk is full"
    assert not request_tables(OTHER).expected
    monkeypatch.setattr(tables, "RETRY", 0.0)
    make_next()
    assert made(workshop) == [RULES.id, OTHER.id]


def test_a_failure_that_seems_to_lie_ahead_is_tried_again(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock was put back since."""
    fail()
    now = time() - 26 * 60 * 60
    monkeypatch.setattr("game.core.worth.tables.time", lambda: now)
    make_next()
    assert made(workshop) == [OTHER.id]


def test_nothing_is_made_where_the_setting_forbids_it(workshop: Workshop, settings: Any) -> None:
    settings.MAKE_TABLES = False
    mark_as_wanted(RULES)
    assert not make_next()
    assert not request_tables(RULES).expected
    assert workshop.commands == []


# A game without tables


def owner(browser: Browser) -> Player:
    browser.post("/settings/", SETTINGS)
    return Player.objects.latest("pk")


SETTINGS = {
    "language": "",
    "theme": "auto",
    "ruleset": RULES.id,
    "coach": "after",
    "coach_threshold": "1",
}


def test_the_panel_tells_how_far_it_is(browser: Browser, workshop: Workshop) -> None:
    game = begun(owner(browser), RULES, coach="after").game
    with acquire_lock(lock_path(RULES), wait=False):
        notes = Notes(RULES)
        notes.begin("values")
        notes._next = 0.0
        notes.note_share(0.4)
        page = text(browser.get(f"/games/{game.pk}/coach", headers=HTMX))
    assert "The server is now calculating the value of every position: 40 % done" in page
    assert "<html" not in page


def test_when_the_tables_are_there_the_board_comes_with_its_coach(
    browser: Browser, workshop: Workshop, bring: Bring
) -> None:
    game = begun(owner(browser), RULES, coach="after").game
    bring(VALUES, OUTLOOK)
    response = browser.get(f"/games/{game.pk}/coach?slot=1&slot=3", headers=HTMX)
    assert response.headers["HX-Retarget"] == "#board"
    board = response.context["board"]
    assert [die.held for die in board.dice] == [False, True, False, True, False]
    assert "data-coached" in text(response)
    assert 'id="hint"' in text(response)


PAGES = ("/explore/", "/drill/")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_waits_for_its_tables_and_then_answers(
    browser: Browser, workshop: Workshop, bring: Bring, page: str
) -> None:
    waiting = browser.get(f"{page}?rules={RULES.id}")
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (202, "2")
    assert "The coach is being prepared" in text(waiting)
    assert f'hx-get="/tables/{RULES.id}/values/"' in text(waiting)
    bring(VALUES, OUTLOOK)
    assert browser.get(f"{page}?rules={RULES.id}").status_code == 200


def test_learn_leads_on_without_tables_and_shows_leaks_with_them(
    browser: Browser, workshop: Workshop, bring: Bring
) -> None:
    browser.start()
    page = browser.get(f"/learn/?rules={RULES.id}")
    assert page.status_code == 200
    assert "/explore/" in page.text
    assert 'id="costs"' not in page.text
    bring(VALUES, OUTLOOK)
    assert 'id="costs"' in browser.get(f"/learn/?rules={RULES.id}").text


def test_what_waits_is_loaded_again_when_its_part_is_there(
    browser: Browser, workshop: Workshop, bring: Bring
) -> None:
    address = f"/tables/{RULES.id}/values/"
    assert "HX-Refresh" not in browser.get(address).headers
    bring(VALUES)
    assert browser.get(address).headers["HX-Refresh"] == "true"
    assert "HX-Refresh" not in browser.get(f"/tables/{RULES.id}/explain/").headers
    assert browser.get("/tables/kings/values/").status_code == 404
    assert browser.get(f"/tables/{RULES.id}/gold/").status_code == 404


def test_a_failure_is_told_to_everybody_and_its_reason_to_staff(
    browser: Browser, workshop: Workshop
) -> None:
    fail(RULES)
    address = f"/explore/?rules={RULES.id}"
    assert browser.get(address).status_code == 503
    page = text(browser.get(address))
    assert "could not calculate the coach's values" in page
    assert "the disk is full" not in page
    browser.force_login(User.objects.create_user("anna", is_staff=True))
    assert "the disk is full" in text(browser.get(address))


def test_where_nothing_is_made_an_operator_is_named_and_no_command(
    browser: Browser, bring: Bring
) -> None:
    fail(RULES)
    page = text(browser.get(f"/explore/?rules={RULES.id}"))
    assert "The coach is not available" in page
    assert "The people who run the server can make the table." in page
    assert "solver" not in page
    assert "try again" not in page


def test_readiness_names_the_parts_of_every_ruleset_in_use(browser: Browser, bring: Bring) -> None:
    bring(VALUES)
    found = json.loads(browser.get("/readyz").content)["rulesets"]
    assert found == {RULES.id: {"values": True, "outlook": False, "explain": False}}
    load_advisor(OTHER)
    found = json.loads(browser.get("/readyz").content)["rulesets"]
    assert found[OTHER.id] == dict.fromkeys(PARTS, False)


# Judged later


def judged(game: Game) -> list[tuple[float | None, ...]]:
    rows = Decision.objects.filter(game=game).order_by("seq")
    return list(rows.values_list("regret", "luck", "best", "value", "forced"))


@pytest.mark.parametrize("rules", [RULES, OTHER], ids=lambda rules: rules.id)
def test_a_game_judged_later_is_judged_as_if_it_had_been_at_once(
    player: Player, bring: Bring, rules: Ruleset
) -> None:
    late = finished_game(player, rules, seed=5)
    assert late.regret is None
    bring(VALUES, rules=rules)
    call_command("judge")
    late.refresh_from_db()
    from game.core.starting import save_and_roll

    at_once = played_out(
        save_and_roll(
            late.player, Game(mode=Game.Mode.REMATCH, ruleset=late.ruleset, seed=late.seed)
        ),
        seed=5,
    )
    assert judged(late) == judged(at_once)
    assert (late.regret, late.luck) == (at_once.regret, at_once.luck)
    coach = load_advisor(rules)
    assert coach is not None
    assert late.final_score == pytest.approx(
        coach.value_start + known(late.luck) - known(late.regret)
    )


def test_an_end_without_tables_says_so_and_tells_all_when_they_are_there(
    browser: Browser, workshop: Workshop, bring: Bring
) -> None:
    """Nobody asks for a review, nothing is loaded anew, and no server is started again."""
    game = begun(owner(browser), RULES).game
    from game.core.game_queries import replay_game

    played = replay_game(Game.objects.get(pk=game.pk))
    while len(game.rules.open(played.state.filled)) > 1 or not played.state.dice:
        (action,) = list_legal_actions(played.state)[-1:] if played.state.dice else (Hold(0),)
        played = record_decision(
            game_id=played.game.pk,
            player=played.game.player,
            seq=len(played.actions),
            action=action,
        )
    (box,) = [game.rules.categories[n].id for n in game.rules.open(played.state.filled)]
    end = text(browser.act(game, "score", seq=len(played.actions), category=box))
    asks_again = f'hx-get="/games/{game.pk}/coach"'
    assert end.count(asks_again) == 1
    assert "ledger" not in end
    assert browser.get(f"/games/{game.pk}/coach", headers=HTMX).headers.get("HX-Retarget") is None
    bring(VALUES, OUTLOOK)
    told = browser.get(f"/games/{game.pk}/coach", headers=HTMX)
    assert told.headers["HX-Retarget"] == "#board"
    assert told.context["board"].ending.account is not None
    assert asks_again not in text(told)
    assert not game.decisions.filter(roll__gt=0, regret__isnull=True).exists()


def test_an_open_end_page_learns_when_the_game_is_judged(
    player: Player,
    bring: Bring,
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = finished_game(player, RULES)
    told: list[str] = []
    monkeypatch.setattr(
        "game.pages.requests.live.send_event", lambda layer, group, event: told.append(group)
    )
    bring(VALUES)
    with django_capture_on_commit_callbacks(execute=True):
        assert judge_in_background() == 1
    assert told == [f"game.{game.pk}"]
    with django_capture_on_commit_callbacks(execute=True):
        assert judge_in_background() == 0
    assert told == [f"game.{game.pk}"]


def test_games_that_are_left_over_are_judged_by_the_next_look(
    player: Player, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in (1, 2):
        finished_game(player, RULES, seed)
    bring(VALUES)
    monkeypatch.setattr(judging, "AT_ONCE", 1)
    assert [judge_in_background() for _look in range(3)] == [1, 1, 0]


def test_a_game_that_ends_while_others_are_judged_is_looked_for_again(
    player: Player, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end names its rules after the look that found nothing."""
    bring(VALUES)
    judging.to_be_judged.add(RULES.id)

    def nothing(**_: Any) -> int:
        judging.to_be_judged.add(RULES.id)
        return 0

    monkeypatch.setattr(judging, "judge_games", nothing)
    judge_in_background()
    assert RULES.id in judging.to_be_judged


def test_a_look_that_fails_is_made_again(
    player: Player, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(VALUES)
    monkeypatch.setattr(judging, "to_be_judged", {RULES.id})

    def away(**_: Any) -> int:
        raise OperationalError

    monkeypatch.setattr(judging, "judge_games", away)
    with pytest.raises(OperationalError):
        judge_in_background()
    assert judging.to_be_judged == {RULES.id}
