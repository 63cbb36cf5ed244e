"""The page of the leak finder: whose games it looks at, its figures, and the drill of a place."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.accounts import create_player
from game.core.worth.leak_tree import DEEPEST, FEWEST, Misplay, Path, find_path, parse_path
from game.core.worth.severity import INACCURACY
from game.models import Coach, Decision, DrillAttempt, Game, Player
from game.practice import leak_queries
from game.practice.drill_queries import find_next_among, list_mistake_keys, rebuild_state
from game.practice.drilling import store_attempt
from game.practice.leak_board import LeakLine, LeakPage, format_path_name
from game.practice.leak_queries import (
    SlipsOfGame,
    find_drill_starts,
    list_leak_mistakes,
    list_slips,
)
from solver.advice import Advisor
from solver.rules import PLAYED, YATZY, Score
from solver.statistics.inference import estimate_mean
from tests.game.finding_leaks import AT_RANDOM, Watched, one_box
from tests.game.leaky import store_games
from tests.known import known
from tests.play import Answer, Browser
from tests.trials import into_trial

pytestmark = pytest.mark.usefixtures("db", "yatzy_tables")
PAGE = "/learn/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    leak_queries._remembered.clear()
    leak_queries._leaks.clear()
    yield
    leak_queries._remembered.clear()
    leak_queries._leaks.clear()


@pytest.fixture
def person(browser: Browser) -> Player:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    return Player.objects.get()


def text_of(response: Answer) -> str:
    assert response.status_code == 200
    return response.text


def shown(browser: Browser, query: str = "") -> LeakPage:
    response = browser.get(f"{PAGE}{query}")
    assert response.status_code == 200
    page = response.context["page"]
    assert isinstance(page, LeakPage)
    return page


def lines(line: LeakLine) -> Iterator[LeakLine]:
    for child in line.children:
        yield child
        yield from lines(child)


# Which games count

UNFINISHED = {"finished_at": None, "final_score": None, "bonus": None}


@pytest.mark.parametrize(
    "facts",
    [
        {"coach": Coach.LIVE},
        {"hints": 1},
        {"mode": Game.Mode.REMATCH},
        {"regret": None, "luck": None, "free_decisions": None},
        UNFINISHED,
        {**UNFINISHED, "mode": Game.Mode.DAILY, "day": "2026-05-01"},
        None,
    ],
    ids=str,
)
def test_games_that_say_nothing_about_the_player_are_left_out(
    person: Player, advisor: Advisor, facts: dict[str, object] | None
) -> None:
    games = store_games(person, advisor, 2)
    store_games(create_player(), advisor, 1)
    if facts is None:
        into_trial(games[0])
    else:
        Game.objects.filter(pk=games[0].pk).update(**facts)
    assert [one.game.pk for one in list_slips(person, advisor)] == [games[1].pk]


def test_a_game_that_was_never_judged_is_judged_before_the_page_counts_it(
    person: Player, advisor: Advisor, browser: Browser
) -> None:
    (game,) = store_games(person, advisor, 1)
    Decision.objects.filter(game=game).update(best=None, value=None, regret=None, luck=None)
    Game.objects.filter(pk=game.pk).update(regret=None, luck=None, free_decisions=None)
    assert [one.game.pk for one in shown(browser).games] == [game.pk]


def test_the_latest_games_of_one_ruleset_are_replayed_once(
    browser: Browser,
    person: Player,
    advisor: Advisor,
    yahtzee: Advisor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store_games(person, yahtzee, 1)
    games = store_games(person, advisor, 5)
    monkeypatch.setattr("game.core.profile_queries.HABITS", 3)
    monkeypatch.setattr(leak_queries, "REMEMBERED", 3)
    queries = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as captured:
            slips = list_slips(person, advisor)
        assert [one.game.pk for one in slips] == [game.pk for game in games[:1:-1]]
        queries.append(len(captured))
    assert queries == [2, 1]
    assert len(shown(browser, "?rules=yahtzee").games) == 1
    assert len(leak_queries._remembered) == 1  # the cache has a limit


# Its figures


def test_the_tree_the_table_and_the_examples_are_those_of_the_games(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    games = store_games(person, advisor, 15)
    with CaptureQueriesContext(connection) as queries:
        page = shown(browser)
    assert len(queries) <= 13
    lost = sum(game.regret or 0 for game in games) / 15
    assert page.root.leak.points == pytest.approx(lost)
    assert page.root.leak.lost.count == 15
    outline = text_of(browser.get(PAGE))
    for line in lines(page.root):
        assert f'<span class="leak__name">{line.name}</span>' in outline
        assert f"<b>{line.points}</b>" in outline
        assert float(line.width) == pytest.approx(100 * line.leak.points / lost, abs=0.06)
    assert outline.count('class="leak__name"') >= len(list(lines(page.root)))
    for example in page.shown[0].examples:
        step = browser.get(example.url).context["step"]
        assert step.entry.regret == pytest.approx(example.slip.regret)
        assert step.turn == example.slip.turn + 1
        assert find_path(advisor, step.state, step.entry.action) == example.slip.place
        assert [(die.face, die.kept) for die in step.dice] == list(example.dice)


def expect_costliest(line: LeakLine, page: LeakPage) -> None:
    inside = [slip for one in page.games for slip in one.slips]
    path = line.leak.path
    costs = sorted((s.regret for s in inside if path in {(), *s.places}), reverse=True)
    assert [one.slip.regret for one in line.examples] == costs[:3]


def test_a_box_that_is_played_badly_is_a_leak_and_mistakes_at_random_are_none(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 30, Watched(advisor, one_box(YATZY)["chance"]))
    page, text = shown(browser), text_of(browser.get(PAGE))
    line = page.findings[0]
    assert line.leak.path[0] == "chance"
    lost = [game.sum_losses(line.leak.path) for game in page.games]
    assert line.leak.points == pytest.approx(sum(lost) / 30)
    assert f"costs you {line.points} points per game" in text
    assert f'href="{line.drill.replace("&", "&amp;")}"' in text
    assert line.mistakes == len(list_leak_mistakes(person, advisor, line.leak.path)) > 10
    expect_costliest(line, page)
    Game.objects.all().delete()
    store_games(person, advisor, 40, Watched(advisor, AT_RANDOM["by cost, 1.2"]))
    page = shown(browser)
    assert page.findings == []
    (all_of_it,) = page.shown
    expect_costliest(all_of_it, page)
    assert all_of_it.drill == "/drill/?rules=yatzy"


def test_every_place_has_a_name_of_its_own_by_every_ruleset() -> None:
    for rules in PLAYED.values():
        boxes = [box.id for box in rules.categories]
        names = {
            format_path_name(rules, (kind, "1", box)) for kind in ("hold", "box") for box in boxes
        }
        assert len(names) == 2 * len(boxes)
        assert len({format_path_name(rules, (box, "hold", "1")) for box in boxes}) == len(boxes)
    steps = format_path_name(YATZY, ("hold", "2", "sixes", "late", "gone")).split(" · ")
    assert len(set(steps)) == DEEPEST
    assert len(set(format_path_name(YATZY, ("sixes", "hold", "2")).split(" · "))) == 3


# Since it was drilled

CHANCE: Path = ("chance",)
ELSEWHERE: Path = ("hold", "1", "ones", "early", "open")
SINCE = datetime(2026, 6, 1, tzinfo=UTC)


def drilled_page(before: list[float], after: list[float], path: Path = CHANCE) -> LeakPage:
    games = []
    for n, lost in enumerate(before + after):
        filled = ("box", "3", "chance", "early", "open")
        costs = ((filled, ("ones", "chance"), lost), (ELSEWHERE, ("ones",), 20.0))
        slips = [
            Misplay(1, 0, place, boxes, cost, (1,) * 5, Score("ones"))
            for place, boxes, cost in costs
        ]
        over = SINCE + timedelta(days=n - len(before) + 0.5)
        game = Game(regret=lost + 20.0, free_decisions=40, finished_at=over)
        games.append(SlipsOfGame(game, slips))
    return LeakPage(YATZY, games, {path: SINCE})


def test_a_drilled_place_is_measured_before_and_since() -> None:
    before, after = [4.0, 2.0] * 4, [0.0, 0.5] * 3
    (drilled,) = drilled_page(before, after).drilled
    assert (drilled.before, drilled.after) == ("3.0", "0.2")
    halves = [known(estimate_mean(lost)).half for lost in (before, after)]
    assert [drilled.before_half, drilled.after_half] == [f"{half:.1f}" for half in halves]
    assert drilled.name == format_path_name(YATZY, CHANCE)


@pytest.mark.parametrize(
    ("before", "after", "path", "told"),
    [(5, 5, CHANCE, 1), (4, 8, CHANCE, 0), (8, 4, CHANCE, 0), (6, 6, ("box", "3"), 0)],
)
def test_only_boxes_and_five_games_before_and_since_say_anything(
    before: int, after: int, path: Path, told: int
) -> None:
    page = drilled_page([0.5] * before, [0.5] * after, path)
    assert len(page.drilled) == told


def test_a_place_is_drilled_once_three_of_its_mistakes_were_asked(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 12)
    path = next(line.leak.path for line in lines(shown(browser).root) if len(line.leak.path) == 3)
    for number, pk in enumerate(list_leak_mistakes(person, advisor, path)[:4], 1):
        decision = Decision.objects.get(pk=pk)
        store_attempt(player=person, key=f"decision-{pk}", number=0, action=decision.action)
        since = find_drill_starts(person, list_slips(person, advisor))
        assert (path in since) == (number >= 3)
    first = DrillAttempt.objects.earliest("created_at").created_at
    assert since[path] == first
    assert not find_drill_starts(create_player(), list_slips(person, advisor))
    middle = Game.objects.order_by("finished_at")[6].finished_at
    DrillAttempt.objects.update(created_at=middle)
    text = text_of(browser.get(PAGE))
    for drilled in shown(browser).drilled:
        for figure in (drilled.before, drilled.before_half, drilled.after, drilled.after_half):
            assert figure in text


# Its drill


def test_the_drill_of_a_leak_stays_within_it(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    page = shown(browser)
    line = next(one for one in lines(page.root) if one.leak.path[0] == "box" and one.drill)
    path = line.leak.path
    made = Decision.objects.filter(game__player=person, regret__gte=INACCURACY)
    states = ((one, rebuild_state(one)) for one in made.select_related("game"))
    inside = {
        one.pk
        for one, state in states
        if find_path(advisor, state, one.action)[: len(path)] == path
    }
    assert line.mistakes == len(inside)
    assert list_mistake_keys(person, YATZY)[0] not in inside
    leak, address, asked = ".".join(line.leak.path), line.drill, set()
    for _ in range(min(4, len(inside))):
        response = browser.get(address)
        text, question = text_of(response), response.context["question"]
        assert known(question.decision).pk in inside
        assert text.count(f'name="leak" value="{leak}"') == 2  # dice and card
        asked.add(question.key)
        category = YATZY.ids(YATZY.full & ~question.position.filled)[0]
        answer = {"of": question.key, "seq": 0, "leak": leak, "category": category}
        verdict = browser.post("/drill/", answer, follow=True)
        assert verdict.request["QUERY_STRING"] == f"leak={leak}"
        assert f'name="leak" value="{leak}"' in text_of(verdict)
        address = f"/drill/?rules=yatzy&leak={leak}"
    assert DrillAttempt.objects.count() == len(asked) == min(4, len(inside))
    question = browser.get("/drill/?leak=hold").context["question"]
    toggle = {"of": question.key, "seq": 0, "toggle": 1, "leak": "hold"}
    response = browser.post("/drill/", toggle)  # a die that is held without a script
    assert response.headers["Location"].endswith("leak=hold")


def test_what_is_left_of_a_leak_is_asked_again_and_what_was_never_wrong_is_not(
    person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 2)
    mistakes = list_mistake_keys(person, YATZY)
    among = set(mistakes[3:5])
    first = known(find_next_among(person, YATZY, mistakes, among))
    assert known(first.decision).pk == mistakes[3]
    for pk in mistakes[3:5]:
        decision = Decision.objects.get(pk=pk)
        store_attempt(player=person, key=f"decision-{pk}", number=0, action=decision.action)
    again = known(find_next_among(person, YATZY, list_mistake_keys(person, YATZY), among))
    assert known(again.decision).pk in among
    assert again.ahead
    assert find_next_among(person, YATZY, mistakes, set()) is None


@pytest.mark.parametrize(
    "leak",
    [
        "nonsense",
        "hold.9",
        "ones.2",
        "ones.hold.1.late",
        "hold.1.nine",
        "box.3.ones.early.open.x",
        "box.1.yatzy.early.gone",
    ],
)
def test_a_leak_that_is_none_is_the_usual_drill(
    browser: Browser, person: Player, advisor: Advisor, leak: str
) -> None:
    store_games(person, advisor, 1)
    path = parse_path(leak, YATZY)
    assert path is None or not list_leak_mistakes(person, advisor, path)
    response = browser.get(f"/drill/?leak={leak}")
    assert 'name="leak"' not in text_of(response)
    assert response.context["question"].decision.pk == list_mistake_keys(person, YATZY)[0]
