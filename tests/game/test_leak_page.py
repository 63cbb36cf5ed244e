"""The page of the leak finder: whose games it looks at, what it says, and the drill it leads to."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game import services
from game.coach.leaks import LeakPage, path_name
from game.judgement.leaks import FEWEST, Misplay, Path, place
from game.judgement.severity import decisions_of
from game.models import Coach, Game, Player
from game.selectors import leaks as selector
from game.selectors.leaks import SlipsOfGame, player_slips
from solver.advice import Advisor, position_of
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY, Action, Hold, Score, State
from solver.statistics.inference import t_test
from tests.game.conftest import Answer, Browser
from tests.game.leaky import store_games
from tests.game.trials import into_trial
from tests.known import known

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
    assert page.rating == pytest.approx(
        sum((g.regret or 0) / decisions_of(YATZY) for g in games) / 12
    )


def test_only_the_latest_hundred_are_looked_at(
    person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.selectors.profile.HABITS", 3)
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


def test_during_a_trial_there_is_no_leak_finder(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    into_trial(browser.start())
    response = browser.get(PAGE)
    assert response.status_code == 403
    assert "points a game" not in response.content.decode()


def test_other_peoples_games_and_other_rules_are_left_out(
    browser: Browser, person: Player, advisor: Advisor, yahtzee: Advisor
) -> None:
    store_games(services.player_create(), advisor, 1)
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
    for line in shown(browser).findings[:2]:
        example = line.examples[0]
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
    page = shown(browser)
    assert page.findings[0].sure
    assert all(line.leak.path[:2] == ("hold", "1") for line in page.findings)
    assert [line.leak.path for line in page.root.children] == [("hold",)]
    assert "more than chance explains" in text_of(browser.get(PAGE))


def test_somebody_who_errs_like_everybody_has_no_sure_leak(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 40, Erring(advisor, rate=1.0, temperature=1.107))
    page = shown(browser)
    assert page.grade.id == "steady"
    assert not any(line.sure for line in page.lines)
    assert "more than chance explains</span>" not in text_of(browser.get(PAGE))


def page_of(lost: dict[Path, list[float]]) -> LeakPage:
    """Of games in which so much was lost in these places; all of a steady player."""
    games = []
    for row in zip(*lost.values(), strict=True):
        costs = zip(lost, row, strict=True)
        found = [Misplay(1, 0, path, cost, (1,) * 5, Score("ones")) for path, cost in costs]
        games.append(SlipsOfGame(Game(regret=28.0, free_decisions=40), found))
    return LeakPage(YATZY, games)


def test_what_is_surely_more_than_others_lose_comes_first_and_what_is_less_is_no_leak() -> None:
    end = ("early", "open")
    ones, yatzy, twos = (("hold", "1", box, *end) for box in ("ones", "yatzy", "twos"))
    wide = [0.0, 5.6] * 20  # 2.8 a game, which could as well be the 1.8 that others lose
    page = page_of({ones: wide, yatzy: [0.9, 1.1] * 20, twos: [0.3, 0.5] * 20})
    assert page.grade.id == "steady"
    assert [(line.leak.path[2], line.sure) for line in page.findings] == [
        ("yatzy", True),
        ("ones", False),
        ("twos", False),
    ]
    less = page.findings[2]
    assert less.excess < 0
    assert known(t_test(less.more)).p < 1e-9
    assert "less than" in less.compared


def test_places_that_are_looked_at_together_share_the_limit() -> None:
    """What would stand out alone is nothing special as one of forty."""
    boxes, kinds = (
        [box.id for box in YATZY.categories],
        [("hold", "1"), ("hold", "2"), ("box", "3")],
    )
    others = [(*kind, box, "late", "gone") for kind in kinds for box in boxes]
    own = [0.0, 2.45, 0.4, 0.1] * 5
    alone: Path = ("hold", "1", "yatzy", "early", "open")
    (one,) = page_of({alone: own}).findings
    assert one.sure
    many = page_of({alone: own} | {path: [0.0, 0.2] * 10 for path in others[:40]})
    assert not next(line for line in many.lines if line.leak.path == alone[:3]).sure


def test_a_leak_is_told_with_its_uncertainty_beside_those_of_the_grade(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 30)
    page, text = shown(browser), text_of(browser.get(PAGE))
    assert len(page.findings) == 5
    for line in page.findings:
        interval = known(line.leak.lost.interval)
        assert f"{interval.mean:.1f}\u00a0points a game, give or take {interval.half:.1f}" in text
        assert line.excess == pytest.approx(interval.mean - page.peers.at(line.leak.path).mean)
        assert known(line.more).mean == pytest.approx(line.excess)
        told = "As much as" if abs(line.excess) < 0.05 else "more" if line.excess > 0 else "less"
        assert told in line.compared
        regrets = [one.slip.regret for one in line.examples]
        assert regrets == sorted(regrets, reverse=True)
        assert regrets[0] == max(
            slip.regret
            for one in page.games
            for slip in one.slips
            if slip.place[:3] == line.leak.path
        )


def test_the_tree_and_the_table_tell_the_same(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, 15)
    page, text = shown(browser), text_of(browser.get(PAGE))
    told, table = text.split("The same as a table")
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


def test_nobody_is_stored_by_looking(browser: Browser) -> None:
    assert "After 10 finished games" in text_of(browser.get(PAGE))
    assert not Player.objects.exists()


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
    assert len(found) <= 12


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
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: None)
    assert browser.get(PAGE).status_code in {202, 503}


def test_every_place_has_a_name_by_every_ruleset() -> None:
    for rules in RULESETS.values():
        for box in rules.categories:
            names = {path_name(rules, (kind, "1", box.id)) for kind in ("hold", "box")}
            assert len(names) == 2
    assert path_name(YATZY, ("hold", "2", "sixes", "late", "gone")) == (
        "Choosing what to hold · After the second throw · Aimed at: Sixes · Late in the game"
        " · Bonus out of reach"
    )
