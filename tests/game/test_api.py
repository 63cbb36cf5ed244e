"""Programs get exact answers, clear refusals, and nothing during a trial."""

import json
import re
import shlex
from collections.abc import Callable
from html import unescape
from io import BytesIO
from pathlib import Path
from random import Random, seed
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from game.api import api_limits
from game.api.examples import EXAMPLES, GAME
from game.api.openapi import DOCUMENT
from game.core.worth.tables import load_advisor
from solver.advice import Advisor, Position
from solver.advice.wire import serialise_advice, serialise_position
from solver.cli.bench import make_random_game
from solver.rules import PLAYED, YATZY, Action, Hold, State, replay_actions
from solver.tables import BadTable, Table
from tests.play import Answer, Browser
from tests.trials import into_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "fresh_counters")]

DOCS = Path(__file__).parents[2] / "docs" / "api.md"
ADVISE, LEDGER = "/api/v1/advise", "/api/v1/ledger"
ONE = {"dice": [1, 2, 3, 4, 5], "rolls_left": 0}
MINUTE = 29_390_000  # any


@pytest.fixture
def fresh_counters() -> None:
    cache.clear()


@pytest.fixture
def bot() -> Client:
    """No cookies and no token."""
    return Client(enforce_csrf_checks=True)


def ask(client: Client, path: str, facts: Any, **more: Any) -> Answer:
    """Every answer is held to the document."""
    response = client.post(path, facts, content_type="application/json", **more)
    assert not response.cookies
    assert response.headers["Cache-Control"].count("no-store")
    described = DOCUMENT["paths"][path]["post"]["responses"][str(response.status_code)]
    check(response.json(), described["content"]["application/json"]["schema"])
    assert set(described.get("headers", ())) <= set(response.headers)
    return response


def check(value: Any, schema: dict[str, Any]) -> None:
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


def coach() -> Advisor:
    found = load_advisor(YATZY)
    assert found is not None
    return found


def random_positions(number: int) -> list[Position]:
    random = Random(number)
    return [_random_position(random) for _ in range(number)]


def _random_position(random: Random) -> Position:
    filled = random.randrange(YATZY.full)
    upper = random.choice(sorted(YATZY.list_upper_totals(filled)))
    dice = tuple(sorted(random.randint(1, 6) for _ in range(5)))
    return Position(YATZY, filled, upper, dice, random.randrange(3))


def record(moves: list[tuple[State, Action]]) -> dict[str, Any]:
    turns: list[dict[str, Any]] = []
    for state, action in moves:
        if not state.dice:
            turns.append({"throws": [], "holds": []})
            continue
        turns[-1]["throws"].append(list(state.dice))
        if isinstance(action, Hold):
            turns[-1]["holds"].append(list(action.kept(state.dice)))
        else:
            turns[-1]["category"] = action.category
    return {"turns": turns}


# Advice


def test_one_position_is_answered_as_the_solver_answers_it(bot: Client) -> None:
    for position in random_positions(20):
        answer = ask(bot, ADVISE, serialise_position(position)).json()
        expected = json.loads(json.dumps(serialise_advice(coach().advise(position, outlook=True))))
        assert answer == {"ruleset": "yatzy", **expected}


def test_many_positions_are_answered_in_their_order(bot: Client) -> None:
    positions = random_positions(api_limits.POSITIONS)
    facts = {"positions": [serialise_position(position) for position in positions], "top": 1}
    answers = ask(bot, ADVISE, facts).json()["answers"]
    for answer, position in zip(answers, positions, strict=True):
        assert answer["value"] == pytest.approx(coach().advise(position).value, abs=2e-12)
    assert all(answer["options"] == [answer["best"]] for answer in answers)


def test_a_damaged_row_is_noticed_among_many(bot: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object, **__: object) -> None:
        raise BadTable("the table is damaged in row 5")

    monkeypatch.setattr(Table, "rows", damaged)
    assert ask(bot, ADVISE, {"positions": [ONE, ONE]}).status_code == 503


def test_top_keeps_the_best(bot: Client) -> None:
    everything = ask(bot, ADVISE, ONE).json()["options"]
    assert ask(bot, ADVISE, {**ONE, "top": 3}).json()["options"] == everything[:3]
    assert ask(bot, ADVISE, {**ONE, "top": 999}).json()["options"] == everything
    (alone,) = ask(bot, ADVISE, {"positions": [ONE]}).json()["answers"]
    assert alone["options"] == everything[:1]


@pytest.mark.parametrize(
    ("facts", "field", "message"),
    [
        ({}, "dice", "dice must be a list of 5 numbers"),
        ({"dice": [1, 2, 3, 4, 5]}, "rolls_left", "rolls_left must be a whole number"),
        ({**ONE, "dice": [1, 2, 3, 4]}, "dice", "5 dice, not 4"),
        ({**ONE, "dice": [1, 2, 3, 4, 7]}, "dice", "1 to 6, not 7"),
        ({**ONE, "dice": "12345"}, "dice", "dice must be a list"),
        ({**ONE, "dice": [1, 2, 3, 4, True]}, "dice", "dice must be a list"),
        ({**ONE, "rolls_left": 3}, "rolls_left", "0 to 2, not 3"),
        ({**ONE, "rolls_left": 1.5}, "rolls_left", "whole number"),
        ({**ONE, "filled": ["kings"]}, "filled", "no box 'kings'"),
        ({**ONE, "filled": ["ones", "ones"]}, "filled", "named twice"),
        ({**ONE, "filled": "ones"}, "filled", "list of boxes"),
        ({**ONE, "filled": list(YATZY.index)}, "filled", "the game is over"),
        ({**ONE, "filled": ["ones"], "upper": 6}, "upper", "6 cannot come from ones"),
        ({**ONE, "upper": -1}, "upper", "cannot come from no upper boxes"),
        ({**ONE, "chips_won": True}, "chips_won", "bonus chips"),
        ({**ONE, "chips_won": "no"}, "chips_won", "true or false"),
        ({**ONE, "colour": "red"}, "colour", "unknown key 'colour'"),
        ({**ONE, "x" * 5000: 1}, "x" * 5000, "unknown key"),
        ({**ONE, "ruleset": "kniffel"}, "ruleset", "unknown ruleset 'kniffel'"),
        ({**ONE, "ruleset": 5}, "ruleset", "unknown ruleset"),
        ({**ONE, "top": 0}, "top", "at least 1"),
        ({**ONE, "top": None}, "top", "whole number"),
        ({**ONE, "positions": [ONE]}, "dice", "unknown key 'dice'"),
        ({"positions": []}, "positions", "1 to 1,000"),
        ({"positions": [ONE] * 1001}, "positions", "1 to 1,000"),
        ({"positions": ONE}, "positions", "1 to 1,000"),
        ({"positions": [ONE, 5]}, "positions[1]", "a position must be a JSON object"),
        ({"positions": [ONE, {**ONE, "dice": [0] * 5}]}, "positions[1].dice", "1 to 6, not 0"),
        ({"positions": [{**ONE, "ruleset": "yatzy"}]}, "positions[0].ruleset", "unknown key"),
    ],
)
def test_a_position_that_cannot_be_is_refused_by_its_field(
    bot: Client, facts: dict[str, Any], field: str, message: str
) -> None:
    refusal = ask(bot, ADVISE, facts)
    assert refusal.status_code == 422
    problem = refusal.json()["problems"][0]
    assert problem["field"] == field
    assert message in problem["message"]
    assert len(refusal.json()["error"]) < 400


def test_all_wrong_positions_are_named_at_once_but_for_the_twenty_first(bot: Client) -> None:
    wrong = {**ONE, "rolls_left": 5}
    refusal = ask(bot, ADVISE, {"positions": [wrong, ONE, *[wrong] * 50]}).json()
    fields = [problem["field"] for problem in refusal["problems"]]
    assert fields[:2] == ["positions[0].rolls_left", "positions[2].rolls_left"]
    assert len(fields) == 20


# The ledger


def test_the_ledger_of_a_whole_game_adds_up_to_its_score(bot: Client) -> None:
    block, actions = make_random_game(Random(7))
    moves = list(replay_actions(YATZY, block, actions))
    answer = ask(bot, LEDGER, record(moves)).json()
    expected = coach().make_ledger(moves)
    totals = answer["totals"]
    assert answer["finished"] is True
    assert totals["score"] == pytest.approx(expected.score, abs=1e-6)
    assert totals["score"] == totals["points"] + totals["expected_rest"]
    assert totals["luck"] == pytest.approx(expected.luck)
    assert totals["regret"] == pytest.approx(expected.regret)
    assert (totals["decisions"], totals["free_decisions"]) == (45, 44)
    assert abs(answer["identity"]["difference"]) < 1e-6
    assert [e["regret"] for e in answer["entries"]] == [e.regret for e in expected.entries]
    costs = [f"{entry.regret:.2f}" for entry in expected.entries]
    assert [e["event"]["facts"]["cost"] for e in answer["entries"]] == costs
    assert [e["forced"] for e in answer["entries"]].count(True) == 1
    assert sum(entry["points"] for entry in answer["entries"]) == totals["points"]


@given(st.integers(0, 10**6), st.integers(1, 15))
def test_the_identity_holds_for_unfinished_games_too(number: int, turns: int) -> None:
    moves = list(replay_actions(YATZY, *make_random_game(Random(number))))
    facts = {"turns": record(moves)["turns"][:turns]}
    cache.clear()
    answer = ask(Client(), LEDGER, facts).json()
    assert abs(answer["identity"]["difference"]) < 1e-6
    assert answer["finished"] == (turns == 15)
    assert (answer["totals"]["score"] is None) == (turns < 15)


@pytest.mark.sampled("any_advisor")
def test_jokers_and_their_chips_are_counted(bot: Client, any_advisor: Advisor) -> None:
    rules = any_advisor.rules
    five = "yahtzee" if "yahtzee" in rules.index else "yatzy"
    sixes = {"throws": [[6] * 5], "category": "sixes"}
    facts = {"turns": [{"throws": [[1] * 5], "category": five}, sixes], "ruleset": rules.id}
    answer = ask(bot, LEDGER, facts).json()
    chip = rules.joker.chip if rules.joker else 0
    assert answer["entries"][1]["points"] == 30 + chip
    assert [entry["chip"] for entry in answer["entries"]] == [0, chip]
    assert answer["totals"]["chips"] == chip
    assert answer["totals"]["points"] == 80 + chip
    assert abs(answer["identity"]["difference"]) < 1e-6


FIRST = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("turn", "field", "message"),
    [
        ({}, "throws", "throws must be a list of lists"),
        ({"throws": [], "category": "ones"}, "throws", "1 to 3 rolls"),
        ({"throws": [FIRST] * 4, "holds": [[]] * 3, "category": "ones"}, "throws", "1 to 3"),
        ({"throws": [[1, 2, 3, 4]], "category": "ones"}, "throws[0]", "5 numbers from 1 to 6"),
        ({"throws": [[1, 2, 3, 4, 9]], "category": "ones"}, "throws[0]", "5 numbers from 1 to 6"),
        ({"throws": ["12345"], "category": "ones"}, "throws[0]", "dice must be a list"),
        ({"throws": [FIRST, FIRST], "category": "ones"}, "holds", "one hold per reroll"),
        ({"throws": [FIRST], "holds": [[]], "category": "ones"}, "holds", "one hold per reroll"),
        ({"throws": [FIRST], "holds": 5, "category": "ones"}, "holds", "list of lists"),
        (
            {"throws": [FIRST, FIRST], "holds": [[6, 6]], "category": "ones"},
            "holds[0]",
            "the roll 1 2 3 4 5 does not contain 6 6",
        ),
        (
            {"throws": [FIRST, [1, 1, 2, 3, 4]], "holds": [[5]], "category": "ones"},
            "throws[1]",
            "the roll 1 1 2 3 4 lacks some of the held dice 5",
        ),
        ({"throws": [FIRST]}, "category", "the box that was filled"),
        ({"throws": [FIRST], "category": "kings"}, "category", "there is no box 'kings'"),
        ({"throws": [FIRST], "category": "yatzy"}, "category", "is filled already"),
        ({"throws": [FIRST], "category": "ones", "luck": 1}, "luck", "unknown key"),
        (5, "", "a turn must be a JSON object"),
    ],
)
def test_a_game_that_cannot_be_is_refused_by_its_turn_and_field(
    bot: Client, turn: Any, field: str, message: str
) -> None:
    first = {"throws": [FIRST], "category": "yatzy"}
    refusal = ask(bot, LEDGER, {"turns": [first, turn]})
    assert refusal.status_code == 422
    (problem,) = refusal.json()["problems"]
    assert problem["field"] == ".".join(filter(None, ("turns[1]", field)))
    assert problem["message"].startswith("turn 2: ")
    assert message in problem["message"]


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({}, "turns"),
        ({"turns": []}, "turns"),
        ({"turns": {}}, "turns"),
        ({"turns": [{"throws": [FIRST], "category": "ones"}] * 16}, "turns"),
        ({"turns": [], "ruleset": "kniffel"}, "ruleset"),
        ({"turns": [], "player": "x"}, "player"),
    ],
)
def test_a_game_without_turns_or_with_too_many_is_refused(
    bot: Client, facts: dict[str, Any], field: str
) -> None:
    refusal = ask(bot, LEDGER, facts)
    assert refusal.status_code == 422
    assert refusal.json()["problems"][0]["field"] == field


# Refusals


@pytest.mark.parametrize("path", [ADVISE, LEDGER])
@pytest.mark.parametrize(
    "body", [b" ", b"not json", b"[1, 2]", b"5", b"\xff\xfe\xfd", b"[" * 200_000, b"9" * 10_000]
)
def test_what_is_no_json_object_is_refused(bot: Client, path: str, body: bytes) -> None:
    refusal = ask(bot, path, body)
    assert refusal.status_code == 400
    assert "JSON" in refusal.json()["error"]


@pytest.mark.parametrize("path", [ADVISE, LEDGER])
def test_a_request_that_is_too_large_is_refused_unread(bot: Client, path: str) -> None:
    assert ask(bot, path, b" " * api_limits.BODY).status_code == 400
    assert ask(bot, path, b" " * (api_limits.BODY + 1)).status_code == 413
    assert ask(bot, path, b"{}", CONTENT_LENGTH="many").status_code == 413


@pytest.mark.parametrize("path", [ADVISE, LEDGER])
def test_another_method_is_refused(bot: Client, path: str) -> None:
    for method in ("get", "put", "delete", "patch", "options"):
        response = getattr(bot, method)(path)
        assert response.status_code == 405
        assert response.headers["Allow"] == "POST"
        check(response.json(), {"$ref": "#/components/schemas/Refusal"})
    assert bot.head(path).status_code == 405


@pytest.mark.parametrize("path", [ADVISE, LEDGER])
def test_another_content_type_is_refused(bot: Client, path: str) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; x", ""):
        response = bot.post(path, json.dumps(ONE), content_type=kind)
        assert response.status_code == 415
        assert "application/json" in response.json()["error"]
    charset = "application/json; charset=utf-8"
    assert bot.post(ADVISE, json.dumps(ONE), content_type=charset).status_code == 200


def test_an_address_that_does_not_exist_is_refused_in_json(bot: Client) -> None:
    for path in ("/api/v1/", "/api/v1/advise/", "/api/v2/advise"):
        for response in (bot.get(path), bot.post(path)):
            assert response.status_code == 404
            check(response.json(), {"$ref": "#/components/schemas/Refusal"})


def test_without_a_table_the_server_says_which(
    bot: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.api.api_answers.load_advisor", lambda rules: None)
    for path, facts in ((ADVISE, ONE), (LEDGER, GAME)):
        refusal = ask(bot, path, facts)
        assert refusal.status_code == 503
        assert "no value table for yatzy" in refusal.json()["error"]
    assert bot.get("/api/").status_code == 200


# How much


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    def moved(seconds: float) -> None:
        monkeypatch.setattr("game.api.api_limits.time", lambda: MINUTE * 60 + seconds)

    moved(15)
    return moved


def test_requests_beyond_the_limit_wait(
    bot: Client, at: Callable[[float], None], settings: Any
) -> None:
    settings.API_REQUESTS_A_MINUTE = 12
    statuses = [ask(bot, ADVISE, b"x").status_code for _ in range(12)]
    assert set(statuses) == {400}
    refusal = ask(bot, ADVISE, ONE)
    assert refusal.status_code == 429
    assert refusal.headers["Retry-After"] == "45"
    assert ask(bot, LEDGER, GAME).status_code == 429
    at(60)
    assert ask(bot, ADVISE, ONE).status_code == 200


@pytest.mark.parametrize(("many", "asked"), [(199, 10), (200, 5), (400, 3), (600, 2)])
def test_positions_count_for_more_requests(
    bot: Client, at: Callable[[float], None], settings: Any, many: int, asked: int
) -> None:
    settings.API_REQUESTS_A_MINUTE = 10
    facts = {"positions": [ONE] * many}
    answers = [ask(bot, ADVISE, facts).status_code for _ in range(asked + 1)]
    assert answers == [200] * asked + [429]


def test_what_is_not_answered_is_not_worked_out(
    bot: Client, at: Callable[[float], None], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_REQUESTS_A_MINUTE = 3
    monkeypatch.setattr("game.api.api_views.answer_question", None)  # would fail
    assert ask(bot, ADVISE, {"positions": [ONE] * 600}).status_code == 429


def test_a_long_answer_is_sent_and_counts_for_the_next(
    bot: Client, at: Callable[[float], None], settings: Any
) -> None:
    settings.API_REQUESTS_A_MINUTE = 2
    facts = {"positions": [ONE] * 199, "top": 999}
    answer = ask(bot, ADVISE, facts)
    assert answer.status_code == 200
    assert len(answer.content) > 2 * api_limits.DEAR_BYTES
    assert ask(bot, ADVISE, ONE).status_code == 429


def test_clients_are_counted_apart_and_never_stored_by_address(
    bot: Client, at: Callable[[float], None], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_REQUESTS_A_MINUTE = 1
    keys: list[str] = []
    add = cache.add

    def seen(key: str, *more: Any, **options: Any) -> bool:
        keys.append(key)
        return add(key, *more, **options)

    monkeypatch.setattr(cache, "add", seen)
    assert ask(bot, ADVISE, ONE, REMOTE_ADDR="192.0.2.1").status_code == 200
    assert ask(bot, ADVISE, ONE, REMOTE_ADDR="192.0.2.1").status_code == 429
    assert ask(bot, ADVISE, ONE, REMOTE_ADDR="192.0.2.2").status_code == 200
    assert len(set(keys)) == 2
    assert not any("192.0" in key for key in keys)


def test_a_player_is_counted_wherever_the_request_comes_from(
    browser: Browser, at: Callable[[float], None], settings: Any
) -> None:
    settings.API_REQUESTS_A_MINUTE = 1
    browser.start()
    assert ask(browser, ADVISE, ONE, REMOTE_ADDR="192.0.2.1").status_code == 200
    assert ask(browser, ADVISE, ONE, REMOTE_ADDR="192.0.2.2").status_code == 429


def test_a_counter_that_the_cache_has_dropped_starts_anew(
    bot: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "add", lambda *_, **__: False)
    assert ask(bot, ADVISE, ONE).status_code == 200


# Trials


def test_during_a_trial_the_api_is_silent_and_says_why(browser: Browser) -> None:
    game = browser.start()
    into_trial(game)
    for path, facts in ((ADVISE, ONE), (LEDGER, GAME), (ADVISE, {}), (ADVISE, b"x")):
        refusal = ask(browser, path, facts)
        assert refusal.status_code == 403
        assert "trial" in refusal.json()["error"]
        assert set(refusal.json()) == {"error", "status", "problems"}
    assert browser.get("/api/").status_code == 403


# The document, the page and the manual


def test_the_document_is_sound_and_describes_every_address(bot: Client) -> None:
    response = bot.get("/api/v1/openapi.json")
    document = response.json()
    assert document == json.loads(json.dumps(DOCUMENT))
    assert document["openapi"].startswith("3.1")
    assert "max-age" in response.headers["Cache-Control"]
    assert not response.cookies
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for path, methods in document["paths"].items():
        assert bot.post(path).status_code == (415 if "post" in methods else 405)
    named = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document))
    assert set(named) <= set(document["components"]["schemas"])
    ruleset = document["components"]["schemas"]["Game"]["properties"]["ruleset"]
    assert ruleset["enum"] == list(PLAYED)
    assert bot.post("/api/v1/openapi.json").status_code == 405


def test_the_document_allows_what_is_answered_and_nothing_that_is_refused(bot: Client) -> None:
    asked = DOCUMENT["paths"][ADVISE]["post"]["requestBody"]["content"]["application/json"]
    schema = Draft202012Validator({**asked["schema"], "components": DOCUMENT["components"]})
    for facts in (ONE, {"positions": [ONE], "top": 1}, {**ONE, "ruleset": "yahtzee-plain"}):
        assert schema.is_valid(facts)
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {**ONE, "dice": [1]},
        {**ONE, "colour": 1},
        {"positions": []},
        {**ONE, "filled": ["full_house_of_cards"]},
        {**ONE, "ruleset": "yahtzee", "filled": ["two_pairs"]},
        {"positions": [{**ONE, "chips_won": True}]},
        {**ONE, "filled": list(YATZY.index), "upper": 0},
    )
    for facts in wrong:
        assert not schema.is_valid(facts)
        assert ask(bot, ADVISE, facts).status_code == 422


def test_every_ruleset_is_listed_as_it_is(bot: Client) -> None:
    response = bot.get("/api/v1/rulesets")
    described = DOCUMENT["paths"]["/api/v1/rulesets"]["get"]["responses"]["200"]
    told = response.json()
    check(told, described["content"]["application/json"]["schema"])
    assert told["default"] == "yatzy"
    assert [one["id"] for one in told["rulesets"]] == list(PLAYED)
    for one in told["rulesets"]:
        rules = PLAYED[one["id"]]
        assert one["hash"] == rules.hash
        assert one["boxes"] == [category.id for category in rules.categories]
        assert (one["joker"] or {}).get("chip") == (rules.joker.chip if rules.joker else None)


def run_curl(bot: Client, command: str) -> Any:
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "curl"
    assert words[words.index("-H") + 1] == "Content-Type: application/json"
    path = "/" + words[1].split("/", 3)[3]
    response = ask(bot, path, words[words.index("-d") + 1])
    assert response.status_code == 200
    return response.json()


def test_the_page_shows_commands_that_work_and_their_answers(bot: Client, yahtzee: Advisor) -> None:
    page = bot.get("/api/")
    blocks = re.findall(r"<code>(.*?)</code>", page.text, re.DOTALL)
    texts = [unescape(block) for block in blocks]
    assert len(texts) == 2 * len(EXAMPLES)
    for command, answer in zip(texts[::2], texts[1::2], strict=True):
        assert command.startswith("curl http://testserver/api/v1/")
        assert json.loads(answer) == run_curl(bot, command)


def fenced(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCS.read_text(), re.DOTALL)


def test_the_commands_of_the_manual_work(bot: Client) -> None:
    commands = fenced("sh")
    assert len(commands) == 3
    for command in commands:
        run_curl(bot, command)


def test_the_bot_of_the_manual_plays_within_the_limits(
    bot: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def urlopen(request: Any) -> BytesIO:
        asked.append(request.selector)
        response = ask(bot, request.selector, request.data)
        assert response.status_code == 200
        return BytesIO(response.content)

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    (program,) = fenced("python")
    seed(1)
    exec(program, {})
    said = capsys.readouterr().out
    numbers = [float(number) for number in re.findall(r"\d+\.\d", said)]
    _score, score_error, skill, skill_error = numbers
    assert (asked.count(ADVISE), asked.count(LEDGER)) == (45, 20)
    assert 200 < skill < 248.5
    assert skill_error < score_error


def test_the_manual_names_the_limits_as_they_are() -> None:
    manual = DOCS.read_text()
    for number in (
        f"{api_limits.BODY:,} bytes",
        f"{api_limits.POSITIONS:,} positions",
        "120 requests",
    ):
        assert number in manual
    for status in DOCUMENT["paths"][ADVISE]["post"]["responses"]:
        assert status == "200" or re.search(rf"^\|.*\b{status}\b.*\|", manual, re.MULTILINE)
