"""The page of the leak finder: whose games it looks at, what it says, and the drill it leads to."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.accounts import player_create
from game.core.worth.leak_tree import FEWEST, Leak, Misplay, Path, place
from game.core.worth.peers import alike
from game.core.worth.severity import grade
from game.models import Coach, Decision, DrillAttempt, Game, Player
from game.practice import leak_queries as selector
from game.practice.drilling import drill_attempt
from game.practice.leak_board import LeakLine, LeakPage, path_name
from game.practice.leak_queries import SlipsOfGame, drilled_since, leak_mistakes, player_slips
from solver.advice import Advisor, position_of
from solver.players.erring import Erring
from solver.rules import PLAYED, YATZY, Action, Hold, Score, State
from tests.game.habits import HABITS, Habitual
from tests.game.leaky import store_games
from tests.known import known
from tests.play import Answer, Browser, into_trial

pytestmark = pytest.mark.usefixtures("db", "yatzy_tables")
PAGE = "/profile/leaks/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    selector._remembered.clear()
    yield
    selector._remembered.clear()


@pytest.fixture
def person(browser: Browser) -> Player:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    return Player.objects.get()


def text_of(response: Answer) -> str:
    assert response.status_code == 200
    return response.content.decode()


def shown(browser: Browser, query: str = "") -> LeakPage:
    response = browser.get(f"{PAGE}{query}")
    assert response.status_code == 200
    page = response.context["page"]
    assert isinstance(page, LeakPage)
    return page


# What is looked at


def test_the_points_of_the_tree_are_those_of_the_games(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    games = store_games(person, advisor, 12)
    page = shown(browser)
    assert page.root.leak.points == pytest.approx(sum(g.regret or 0 for g in games) / 12)
    assert page.root.leak.lost.count == 12
    assert page.grade == grade(page.root.leak.points, YATZY)


def test_only_the_latest_hundred_are_looked_at(
    person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.core.profile_queries.HABITS", 3)
    games = store_games(person, advisor, 5)
    assert [one.game.pk for one in player_slips(person, advisor)] == [
        game.pk for game in games[:1:-1]
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"coach": Coach.LIVE},
        {"hints": 1},
        {"mode": Game.Mode.REMATCH},
        {"regret": None, "luck": None, "free_decisions": None},
        {"finished_at": None, "final_score": None, "bonus": None},
        {
            "finished_at": None,
            "final_score": None,
            "bonus": None,
            "mode": Game.Mode.DAILY,
            "day": "2026-05-01",
        },
    ],
    ids=str,
)
def test_what_says_nothing_about_the_player_is_left_out(
    person: Player, advisor: Advisor, facts: dict[str, object]
) -> None:
    games = store_games(person, advisor, 2)
    Game.objects.filter(pk=games[0].pk).update(**facts)
    assert [one.game.pk for one in player_slips(person, advisor)] == [games[1].pk]


def test_the_games_of_a_trial_are_left_out(person: Player, advisor: Advisor) -> None:
    games = store_games(person, advisor, 2)
    into_trial(games[0])
    assert [one.game.pk for one in player_slips(person, advisor)] == [games[1].pk]


def test_other_peoples_games_and_other_rules_are_left_out(
    browser: Browser, person: Player, advisor: Advisor, yahtzee: Advisor
) -> None:
    store_games(player_create(), advisor, 1)
    store_games(person, yahtzee, 1)
    mine = store_games(person, advisor, 1, seed=2)
    assert [one.game.pk for one in player_slips(person, advisor)] == [mine[0].pk]
    assert len(shown(browser, "?rules=yahtzee").games) == 1


def test_a_game_is_replayed_once_and_says_the_same_again(person: Player, advisor: Advisor) -> None:
    store_games(person, advisor, 3)
    with CaptureQueriesContext(
        connection,
    ) as first:
        found = player_slips(person, advisor)
    with CaptureQueriesContext(connection) as second:
        again = player_slips(person, advisor)
    assert [one.slips for one in found] == [one.slips for one in again]
    assert (len(first), len(second)) == (2, 1)


def test_what_is_remembered_is_bounded(
    person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selector, "REMEMBERED", 3)
    store_games(person, advisor, 2)
    player_slips(person, advisor)
    store_games(person, advisor, 2, seed=2)
    assert len(player_slips(person, advisor)) == 4
    assert len(selector._remembered) == 2


def test_the_numbers_of_slips_are_those_of_the_review(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    for example in shown(browser).shown[0].examples:
        review = browser.get(example.url)
        step = review.context["step"]
        assert step.entry.regret == pytest.approx(example.slip.regret)
        assert step.turn == example.slip.turn + 1
        assert place(advisor, step.state, step.entry.action) == example.slip.place
        assert [die.face for die in step.dice] == [face for face, _ in example.dice]
        assert [die.kept for die in step.dice] == [kept for _, kept in example.dice]


# What it says


class Waster:
    """Plays the best, but takes the first throw of every turn in which it holds a pair again."""

    def __init__(self, advisor: Advisor) -> None:
        self.advisor = advisor

    def choose(self, state: State, rng: object, others: object = ()) -> Action:
        best = self.advisor.best(position_of(state))
        if best.action == "score":
            return Score(best.category)
        if state.throws_left == 2 and len(best.dice) == 2:
            return Hold(0)
        return Hold.of(best.dice, state.dice, state.held)


def test_somebody_with_one_bad_habit_is_told_that_it_is_one(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 40, Waster(advisor))
    page, text = shown(browser), text_of(browser.get(PAGE))
    assert [line.leak.path for line in page.findings] == [("hold", "1")]
    assert [line.leak.path for line in page.root.children] == [("hold",)]
    assert "Nothing stands out" not in text
    assert "Your costliest mistakes" not in text


def test_somebody_who_errs_like_everybody_is_told_that_nothing_stands_out(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 40, Erring(advisor, rate=1.0, temperature=1.107))
    page, text = shown(browser), text_of(browser.get(PAGE))
    assert page.grade.id == "steady"
    assert not page.findings
    assert "Nothing stands out: what you lose, you lose as others of your grade do." in text
    (all_of_it,) = page.shown
    costs = sorted((slip.regret for one in page.games for slip in one.slips), reverse=True)
    assert [one.slip.regret for one in all_of_it.examples] == costs[:3]
    assert all_of_it.drill == "/drill/?rules=yatzy"
    assert 'href="/drill/?rules=yatzy"' in text
    assert 'class="tree"' in text


def page_of(lost: dict[Path, list[float]]) -> LeakPage:
    """Of games in which so much was lost in these places."""
    games = []
    for row in zip(*lost.values(), strict=True):
        costs = zip(lost, row, strict=True)
        found = [Misplay(1, 0, path, cost, (1,) * 5, Score("ones")) for path, cost in costs]
        games.append(SlipsOfGame(Game(regret=sum(row), free_decisions=40), found))
    return LeakPage(YATZY, games)


def test_a_leak_is_told_with_its_uncertainty_beside_what_others_lose_there(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    usual = Erring(advisor, rate=1.0, temperature=0.7)
    store_games(person, advisor, 30, Habitual(usual, HABITS["fills Chance early"], 1.0))
    page, text = shown(browser), text_of(browser.get(PAGE))
    (line,) = page.findings
    assert line.leak.path[:3] == ("box", "3", "chance")
    lost, found = known(line.leak.lost.interval), known(line.excess)
    others = known(alike(YATZY, page.root.leak.points)).at(line.leak.path)
    assert found.own == pytest.approx(lost.mean)
    assert found.theirs == others.mean
    assert others.mean < found.likely < lost.mean
    assert f"{found.likely:.1f}\u00a0points a game, give or take {lost.half:.1f}" in text
    assert f"Others of your grade lose {line.theirs} there." in text
    assert f'href="{line.drill.replace("&", "&amp;")}"' in text
    regrets = [one.slip.regret for one in line.examples]
    assert len(regrets) == 3
    inside = (slip for one in page.games for slip in one.slips)
    costs = [slip.regret for slip in inside if slip.place[: len(line.leak.path)] == line.leak.path]
    assert regrets == sorted(costs, reverse=True)[:3]


# After drilling


CHANCE: Path = ("box", "3", "chance")
ELSEWHERE: Path = ("hold", "1", "ones", "early", "open")


def drilled_page(before: list[float], after: list[float], path: Path = CHANCE) -> LeakPage:
    since = datetime(2026, 6, 1, tzinfo=UTC)
    page = page_of(
        {
            (*CHANCE, "early", "open"): before + after,
            ELSEWHERE: [20.0] * len(before + after),
        }
    )
    for n, one in enumerate(page.games):
        one.game.finished_at = since + timedelta(days=n - len(before) + 0.5)
    return replace(page, since={path: since})


def test_a_drilled_place_is_measured_before_and_since() -> None:
    (drilled,) = drilled_page([4.0, 2.0] * 4, [0.0, 0.5] * 3).drilled
    for games, told in (
        ([4.0, 2.0] * 4, (drilled.before, drilled.before_half)),
        ([0.0, 0.5] * 3, (drilled.after, drilled.after_half)),
    ):
        alone = page_of({(*CHANCE, "early", "open"): games, ELSEWHERE: [20.0] * len(games)})
        line = LeakLine(Leak(CHANCE, alone.lost[CHANCE]), alone)
        assert told == (line.likely, line.half)
    assert drilled.name == path_name(YATZY, CHANCE)
    assert float(drilled.before) > float(drilled.after)


@pytest.mark.parametrize(("before", "after"), [(4, 8), (8, 4)])
def test_nothing_is_said_of_drilling_while_there_are_few_games_before_or_since(
    before: int, after: int
) -> None:
    assert not known_of(drilled_page([2.0] * before, [1.0] * after)).drilled
    assert known_of(drilled_page([2.0] * 5, [1.0] * 5)).drilled


def known_of(page: LeakPage) -> LeakLine:
    return LeakLine(Leak(CHANCE, page.lost[CHANCE]), page)


def test_only_boxes_are_told_among_the_drilled() -> None:
    quiet = [0.5] * 6
    assert drilled_page(quiet, quiet).drilled
    assert not drilled_page(quiet, quiet, ("box", "3")).drilled


def test_what_is_told_as_a_leak_is_not_told_among_the_drilled_again() -> None:
    page = drilled_page([9.0, 8.0] * 4, [8.0, 9.0] * 4)
    leaks = {line.leak.path for line in page.findings}
    assert leaks
    again = replace(page, since=dict.fromkeys(leaks, page.since[CHANCE]))
    assert all(line.drilled for line in again.findings)
    assert not again.drilled


def test_a_place_is_drilled_once_three_of_its_mistakes_were_asked(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    path = shown(browser).findings[0].leak.path if shown(browser).findings else ("hold",)
    asked = leak_mistakes(person, advisor, path)
    for number, pk in enumerate(asked[:4], 1):
        decision = Decision.objects.get(pk=pk)
        drill_attempt(player=person, key=f"decision-{pk}", number=0, action=decision.action)
        since = drilled_since(person, player_slips(person, advisor))
        assert (path in since) == (number >= 3)
    attempts = DrillAttempt.objects.order_by("created_at")
    assert since[path] == attempts[0].created_at
    assert not drilled_since(player_create(), player_slips(person, advisor))


def test_the_page_says_what_became_of_what_was_drilled(
    browser: Browser, person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_games(person, advisor, 12)
    page = shown(browser)
    line = next(one for one in page.lines if len(one.leak.path) == 3)
    day = known(page.games[6].game.finished_at)
    monkeypatch.setattr(
        "game.practice.profile_views.drilled_since", lambda *_: {line.leak.path: day}
    )
    text = text_of(browser.get(PAGE))
    assert "Since you drilled it" in text
    (drilled,) = shown(browser).drilled
    text = text.replace("\u00a0", " ")
    assert f"{drilled.before} points a game, ± {drilled.before_half}, before" in text
    assert f"{drilled.after} ± {drilled.after_half} since" in text


def test_the_tree_and_the_table_tell_the_same(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 15)
    page, text = shown(browser), text_of(browser.get(PAGE))
    told, table = text.split("<summary>The same as a table")
    for line in page.lines:
        assert f'<span class="leak__name">{line.name}</span>' in told
        assert f'<th scope="row">{line.full_name}</th>' in table
    assert told.count('class="leak__name"') - told.count("Smaller ones") == len(page.lines)
    assert table.count('<th scope="row">') == len(page.lines)
    for line in page.lines:
        assert 0.0 <= float(line.width) <= 100.0
        assert float(line.width) == pytest.approx(
            100 * line.leak.points / page.root.leak.points, abs=0.06
        )


@pytest.mark.parametrize("count", [0, 1, FEWEST - 1])
def test_with_too_few_games_it_says_how_many_are_needed_and_why(
    browser: Browser, person: Player, advisor: Advisor, count: int
) -> None:
    store_games(person, advisor, count)
    text = text_of(browser.get(PAGE))
    assert f"After {FEWEST} finished games without help" in text
    assert f"So far there {'is' if count == 1 else 'are'} {count}." in text
    assert "One bad game" in text
    assert 'class="tree"' not in text


def test_who_plays_perfectly_has_no_leak(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST, Erring(advisor, rate=0.0, temperature=1.0))
    text = text_of(browser.get(PAGE))
    assert "There is no leak to find" in text
    assert "you lost 0.0\u00a0points a game" in text


def test_the_page_costs_few_queries(browser: Browser, person: Player, advisor: Advisor) -> None:
    store_games(person, advisor, 25)
    with CaptureQueriesContext(connection) as found:
        shown(browser)
    assert len(found) <= 13


def test_profile_and_ones_own_review_lead_to_it(
    browser: Browser, new_browser: type[Browser], person: Player, advisor: Advisor
) -> None:
    game = store_games(person, advisor, 1)[0]
    link = f'href="{PAGE}?rules=yatzy"'
    assert link in text_of(browser.get("/profile/"))
    assert link in text_of(browser.get(f"/games/{game.pk}/review"))
    assert link not in text_of(new_browser().get(f"/review/{game.share_token}/"))


def test_a_review_without_a_mistake_leads_nowhere(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    game = store_games(person, advisor, 1, Erring(advisor, rate=0.0, temperature=1.0))[0]
    assert PAGE not in text_of(browser.get(f"/games/{game.pk}/review"))


def test_without_tables_the_page_is_silent(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.core.worth.tables.advisor", lambda rules: None)
    assert browser.get(PAGE).status_code in {202, 503}


def test_every_place_has_a_name_by_every_ruleset() -> None:
    for rules in PLAYED.values():
        for box in rules.categories:
            names = {path_name(rules, (kind, "1", box.id)) for kind in ("hold", "box")}
            assert len(names) == 2
    assert path_name(YATZY, ("hold", "2", "sixes", "late", "gone")) == (
        "Choosing what to hold · After the second throw · Aimed at: Sixes · Late in the game"
        " · Bonus out of reach"
    )
