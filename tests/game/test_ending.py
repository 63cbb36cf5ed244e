"""The end of a game: how its score came about, what is worth a word, and what may not be said."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.coach.hints import choose_best_move
from game.coach.review import review_game
from game.core.game_dice import list_shown_dice
from game.core.game_queries import FIRST_GAMES, replay_game
from game.core.playing import fill_box
from game.core.starting import save_and_roll
from game.core.throwing import enter_roll
from game.core.words import phrases, sentences
from game.core.worth.tables import load_advisor
from game.models import Decision, Game, Player
from game.pages.board.ending import WIDEST, Account, Ending
from game.pages.board.sharing import SQUARES
from game.pages.board.showing import make_game_board
from solver.advice import Advisor, find_position
from solver.rules import RULESETS, YATZY, Hold, Ruleset, State
from solver.rules.game import Box
from tests.game.rulesets import begun, finished_game
from tests.game.test_again import browser_of
from tests.known import known
from tests.play import Browser, play_out, play_through, settled, take, text

pytestmark = pytest.mark.django_db
tables = pytest.mark.usefixtures("yatzy_tables")


def perfect(player: Player, coach: Advisor) -> Game:
    played = play_out(
        begun(player, coach.rules),
        lambda state: (
            Hold(0) if not state.dice else take(coach.best(find_position(state)), state.dice)
        ),
    )
    return Game.objects.get(pk=played.game.pk)


def end_of(game: Game, viewer: Player | None = None) -> Ending:
    return known(make_game_board(game, viewer=viewer or game.player).ending)


# The account


@pytest.mark.usefixtures("all_tables")
@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_the_score_is_perfect_play_plus_luck_minus_mistakes(player: Player, rules: Ruleset) -> None:
    game = finished_game(player, rules)
    account, coach = known(end_of(game).account), known(load_advisor(rules))
    found = review_game(coach, list_shown_dice(game), replay_game(game).actions)
    assert account.start == pytest.approx(coach.value_start, abs=1e-6)
    assert (account.luck, account.regret) == pytest.approx((found.luck, found.regret))
    assert account.score == game.final_score == found.score
    assert (account.grade, account.accuracy) == (found.grade, found.accuracy)
    assert Account(rules, found.score, found.luck, found.regret).parts == account.parts


@given(score=st.integers(0, 400), luck=st.floats(-150, 150), lost=st.floats(0, 250))
def test_the_drawing_is_to_scale_and_stays_inside(score: int, luck: float, lost: float) -> None:
    account = Account(YATZY, score, luck, lost)
    bars = (account.luck_bar, account.mistakes_bar)
    for place in (account.start_at, account.score_at, *(bar.start + bar.width for bar in bars)):
        assert 0 <= place <= WIDEST
    assert all(bar.width >= 0 for bar in bars)
    if abs(luck) > 1:
        ratio = account.regret / abs(luck)
        assert account.mistakes_bar.width == pytest.approx(
            account.luck_bar.width * ratio, abs=2 + 2 * ratio
        )


# What cost most


@tables
def test_a_game_without_a_mistake_is_flawless_and_names_no_decision(
    player: Player, advisor: Advisor
) -> None:
    end = end_of(perfect(player, advisor))
    assert end.worst == ()
    assert end.moments[0].event == "flawless"
    assert "every move was the best" in end.moments[0].says


# Moments


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_bonus_and_five_alike_are_moments_of_the_card(player: Player, rules: Ruleset) -> None:
    played = save_and_roll(player, Game(mode=Game.Mode.SOLO, ruleset=rules.id, real_dice=True))
    for category in rules.categories:
        dice = [category.face or 6] * 5
        played = enter_roll(
            game_id=played.game.pk,
            player=player,
            seq=len(played.actions),
            entries=played.entries,
            faces=dice,
        )
        offers = {rules.categories[n].id for n in played.state.offers}
        box = category.id if category.id in offers else min(offers)
        played = fill_box(
            game_id=played.game.pk, player=player, seq=len(played.actions), category=box
        )
    end = end_of(Game.objects.get(pk=played.game.pk))
    moments = {one.event: one for one in end.moments}
    assert moments["bonus"].says == f"Bonus +{rules.bonus_points}"
    assert len(set(moments["five"].facts["dice"])) == 1
    chips = replay_game(Game.objects.get(pk=played.game.pk)).state.chips
    assert ("more" in moments["five"].says) == bool(chips)


# Silence


@tables
def test_a_watcher_sees_the_points_and_no_judgement(browser: Browser) -> None:
    game = play_through(browser, browser.start())
    end = known(make_game_board(game, viewer=None).ending)
    assert (end.account, end.worst) == (None, ())
    page = Client().get(f"/watch/{game.share_token}/").text
    assert 'class="account"' not in page
    assert str(game.final_score) in page


@tables
def test_a_game_that_was_judged_in_part_has_no_account(browser: Browser) -> None:
    """A sum over some of its decisions would be wrong."""
    game = play_through(browser, browser.start())
    Decision.objects.filter(game=game, seq=5).update(best=None, value=None, regret=None, luck=None)
    assert end_of(game).account is None


# The page


def test_the_last_box_takes_the_controls_of_the_game_with_it(browser: Browser) -> None:
    game = browser.start()
    running = browser.get(f"/games/{game.pk}/").text
    assert f"/games/{game.pk}/abandon" in running
    seq, reply = 1, ""
    for number, category in enumerate(YATZY.categories):
        if number:
            browser.act(game, "hold", seq=seq)
            seq += 1
        reply = browser.act(game, "score", seq=seq, category=category.id).text
        seq += 1
    part = reply[reply.index('id="side"') :]
    assert 'hx-swap-oob="true"' in part[:80]
    for page in (reply, browser.get(f"/games/{game.pk}/").text):
        assert "/abandon" not in page
        assert "/hint" not in page


def shared(browser: Browser, game: Game) -> Any:
    return browser.get(f"/games/{game.pk}/").context["board"].shared


@tables
def test_a_daily_game_is_shared_without_its_dice(browser: Browser) -> None:
    settled(browser)
    game = play_through(browser, browser.start(mode="daily"))
    found = shared(browser, game)
    assert found.address.startswith("/daily/")
    assert game.share_token not in found.address
    assert f"{game.final_score} points, rank 1 of 1" in found.text
    again = play_through(browser, browser.start(mode="rematch", of=game.pk))
    assert shared(browser, again).address.startswith("/daily/")


@tables
def test_a_solo_game_is_shared_as_something_to_beat(browser: Browser) -> None:
    game = play_through(browser, browser.start())
    found = shared(browser, game)
    words, drawn = found.text.split("\n")
    assert words == f"Yatzy: {game.final_score} points on these dice. Beat that score."
    assert len(drawn) == len(YATZY.categories)
    assert not set(drawn) - set(SQUARES.values())
    assert game.share_token not in found.address
    assert Client().get(found.address).status_code == 200


@tables
def test_the_review_of_a_days_game_is_its_players_alone_until_the_day_is_over(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    assert browser.get(f"/games/{game.pk}/review").status_code == 200
    for address in (f"/review/{game.share_token}/", f"/review/{game.share_token}/learn"):
        assert browser.get(address).status_code == 200
        assert Client().get(address).status_code == 403
    Game.objects.filter(pk=game.pk).update(day=timezone.now().date() - timedelta(days=3))
    assert Client().get(f"/review/{game.share_token}/").status_code == 200


# The bonus


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
@given(data=st.data())
def test_the_bonus_is_promised_exactly_while_it_can_be_had(
    rules: Ruleset, data: st.DataObject
) -> None:
    """Against the slowest answer: five of everything that is still open."""
    filled = data.draw(st.sets(st.sampled_from(sorted(rules.upper))))
    points = {n: data.draw(st.integers(0, 5)) * rules.categories[n].face for n in sorted(filled)}
    boxes = [
        Box(points.get(n, 0), ()) if n in points or n not in rules.upper else None
        for n in range(len(rules.categories))
    ]
    state = State(rules, tuple(boxes), rules.throws)
    most = sum(points.values()) + sum(
        5 * rules.categories[n].face for n in rules.upper if n not in filled
    )
    said = sentences.describe_bonus(state)
    has, can = sum(points.values()) >= rules.bonus_threshold, most >= rules.bonus_threshold
    assert state.upper_most == most
    assert ("more for a bonus" in said) == (can and not has)
    assert ("short of" in said) == (not has and len(filled) == len(rules.upper))
    assert ("out of reach" in said) == (not can and len(filled) < len(rules.upper))
    assert said.startswith("Upper boxes") == has


# What it shows, game by game


@tables
def test_a_beginners_end_shows_more_with_every_game(player: Player) -> None:
    ends = []
    for seed in range(FIRST_GAMES + 2):
        game = finished_game(player, YATZY, seed)
        page = text(browser_of(player).get(f"/games/{game.pk}/"))
        assert "data-equation" in page
        shown = ("account__grade", "data-square", "over__lost", "account__skill", "data-grade")
        ends.append([part for part in shown if f'"{part}' in page or f" {part}=" in page])
        figures = 'points">−' in page, "data-lost>−" in page.split("over__next")[0]
        assert figures == ((False, False) if not seed else (True, True))
    assert ends[0] == []
    assert ends[1] == ends[2] == ["over__lost"]
    assert "over__lost" not in ends[3]
    assert set(ends[4]) == {*shown} - {"over__lost"}


@tables
def test_the_costliest_turn_is_shown_with_the_better_move(player: Player, advisor: Advisor) -> None:
    game = finished_game(player, YATZY)
    moves, worst = replay_game(game).moves, end_of(game).worst
    costs = [(-known(move.entry).regret, number) for number, move in enumerate(moves, start=1)]
    assert [one.number for one in worst] == [number for _cost, number in sorted(costs)[:3]]
    first, move = worst[0], moves[worst[0].number - 1]
    best = advisor.best(find_position(move.state))
    kept = sorted(die.face for die in first.better_dice if die.kept)
    assert kept == sorted(move.state.dice if best.category else best.dice)
    assert first.better
    assert first.again.endswith(f"?step={first.number}")


@tables
def test_the_habit_is_shown_with_the_better_move(player: Player, advisor: Advisor) -> None:
    game = finished_game(player, YATZY)
    (habit,) = (one for one in end_of(game).rest if one.event == "habit")
    move = replay_game(game).moves[habit.facts["example"] - 1]
    best = choose_best_move(advisor.make_advice(advisor.evaluate(find_position(move.state))), YATZY)
    assert habit.says.endswith(f" {phrases.describe_option(YATZY, best)}.")


@tables
def test_the_best_find_cost_nothing_and_is_nobodys_with_hints(
    player: Player, advisor: Advisor
) -> None:
    game = perfect(player, advisor)
    find = known(end_of(game).find)
    assert known(replay_game(game).moves[find.number - 1].entry).regret == pytest.approx(0)
    Game.objects.filter(pk=game.pk).update(hints=3)
    helped = end_of(Game.objects.get(pk=game.pk))
    assert helped.find is None
    assert helped.headline == f"The coach showed 3 of {game.free_decisions} moves."
