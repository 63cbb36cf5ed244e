"""What the pages show of every ruleset, and what of a joker."""

import re

import pytest
from django.test import Client

from game.core.fair import blocks
from game.core.game_queries import replay_game
from game.core.throwing import enter_roll
from game.core.words import labels
from game.models import Game, Player
from solver.rules import PLAYED, RULESETS, Ruleset
from tests.game.joker_games import YAHTZEE, before_joker, kept_playing, scored, typed
from tests.jokers import SEED
from tests.play import Browser

pytestmark = pytest.mark.django_db
EVERY = pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS)


def boxes_of(html: str) -> int:
    return len(re.findall(r'class="box[ "]', html))


@EVERY
def test_the_address_lays_out_the_card_of_its_rules(browser: Browser, rules: Ruleset) -> None:
    page = browser.get(f"/?rules={rules.id}")
    board = page.context["board"]
    assert (board.rules, len(board.rows)) == (rules, len(rules.categories))
    html = page.text
    assert boxes_of(html) == len(rules.categories)
    assert f'name="ruleset" value="{rules.id}"' in html
    assert f"<title>\n  {labels.find_ruleset_name(rules)}\n" in html
    current = [choice for choice in board.choices if choice.current]
    assert [choice.id for choice in current] == [rules.id]
    assert not Player.objects.exists()


def test_rules_that_are_not_there_are_said_to_be_missing(browser: Browser) -> None:
    page = browser.get("/?rules=poker")
    assert page.status_code == 404
    assert "There are no rules with that name." in page.text
    assert browser.get("/daily/poker/").status_code == 404
    assert browser.get("/rules/poker/").status_code == 404
    for mode in ("solo", "daily"):
        data = {"mode": mode, "nonce": browser.nonce(), "ruleset": "poker"}
        answer = browser.post("/games/", data)
        assert answer.status_code == 400
        assert "There are no rules with that name." in answer.text
    assert not Game.objects.exists()


def test_another_game_under_way_is_shown_and_named(browser: Browser) -> None:
    game = browser.start(ruleset="yatzy")
    board = browser.get("/?rules=yahtzee").context["board"]
    assert board.game == game
    assert "unfinished game of Yatzy" in board.message
    assert browser.get("/?rules=yatzy").context["board"].message == ""
    assert browser.get("/").context["board"].message == ""


ALLOWED = {
    "own": "A joker: Sixes is open, so you must score these dice there.",
    "lower": "A joker: Sixes is filled, so these dice score full points in any lower box.",
    "upper": "A joker, but only upper boxes are open: it scores 0 in one of them.",
}


@pytest.mark.parametrize("allowed", ALLOWED)
def test_the_card_says_what_a_forced_joker_may_do(browser: Browser, allowed: str) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed=SEED)
    before_joker(replay_game(Game.objects.get(pk=game.pk)), allowed)
    page = browser.get(f"/games/{game.pk}/")
    board = page.context["board"]
    assert board.joker == ALLOWED[allowed]
    assert page.text.count(board.joker) == 2  # what is shown, and what is said
    assert (board.chips.name, board.chips.hint) == ("Yahtzee bonus", "100 for these dice")
    assert board.chips.offered


def test_a_yahtzee_box_without_points_wins_no_chips_and_says_so(browser: Browser) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed="", commitment="", real_dice=True)
    game.decisions.all().delete()
    played = replay_game(Game.objects.get(pk=game.pk))
    played = enter_roll(
        game_id=game.pk, player=game.player, seq=0, entries=0, faces=[1, 2, 3, 4, 6]
    )
    played = typed(scored(played, "yahtzee"), 3)
    board = browser.get(f"/games/{game.pk}/").context["board"]
    assert (board.chips.hint, board.chips.offered) == ("none, because Yahtzee is 0", False)
    assert board.joker.startswith("A joker: Threes is open")
    assert scored(played, "threes").state.chips == 0


def test_a_finished_game_shows_its_chips_wherever_it_is_shown(browser: Browser) -> None:
    game = browser.start(ruleset="yahtzee")
    Game.objects.filter(pk=game.pk).update(seed=SEED, key="", commitment=blocks.hash_seed(SEED))
    kept_playing(replay_game(Game.objects.get(pk=game.pk)))
    for address in (f"/games/{game.pk}/", f"/watch/{game.share_token}/"):
        html = browser.get(address).text
        assert "including 400 points of Yahtzee bonus" in html
        assert "4 × 100" in html
    history = browser.get("/you/").text
    assert "Yahtzee <span" in history
    assert "0 + 400" in history
    verify = browser.get(f"/games/{game.pk}/verify")
    assert verify.context["matches"]
    assert len(verify.context["turns"]) == 13
    assert "Roll 3" in verify.text
    assert "Roll 4" not in verify.text


@EVERY
def test_every_box_has_an_example_that_is_worth_what_is_said(rules: Ruleset) -> None:
    upper, lower = Client().get(f"/rules/{rules.id}/").context["columns"]
    drawn = [box for box in (*upper, *lower) if box.dice]
    assert [box.name for box in drawn] == [
        str(labels.find_category_name(c)) for c in rules.categories
    ]
    for category, box in zip(rules.categories, drawn, strict=True):
        roll = tuple(sorted(face for face, _counts in box.dice))
        counted = tuple(sorted(face for face, counts in box.dice if counts))
        assert roll in rules.cup.rolls
        assert box.points == category.score(roll) > 0
        assert counted == tuple(sorted(category.find_counted(roll)))
        if category.points is None:
            assert box.points == sum(counted)


def test_an_example_is_what_the_box_asks_for_and_no_more() -> None:
    upper, lower = Client().get("/rules/yatzy/").context["columns"]
    shown = {box.name: box.dice for box in (*upper, *lower)}
    assert [face for face, counts in shown["Fours"] if counts] == [4, 4, 4]  # what the bonus asks
    assert [face for face, counts in shown["Pair"] if counts] == [6, 6]
    assert len({face for face, _counts in shown["Pair"]}) == 4
    chance = [face for face, _counts in shown["Chance"]]
    assert chance not in ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6])


def test_a_box_says_what_it_brings_where_that_is_fixed() -> None:
    hints = {box.name: box.hint for box in labels.describe_boxes(RULESETS["yatzy"])}
    assert hints["Small straight"] == "1 to 5 = 15"
    assert hints["Yatzy"] == "5 equal = 50"
    assert hints["Full house"] == "3 + 2 equal: sum"
    hints = {box.name: box.hint for box in labels.describe_boxes(YAHTZEE)}
    assert hints["Full house"] == "3 + 2 equal = 25"
    assert hints["Three of a kind"] == "3 equal: sum of all"


def test_the_rules_of_jokers_name_what_they_bring() -> None:
    forced, free, plain = (
        " ".join(Client().get(f"/rules/{name}/").context["notes"])
        for name in ("yahtzee", "yahtzee-free-joker", "yahtzee-plain")
    )
    fixed = "25 in Full house, 30 in Small straight, 40 in Large straight"
    assert fixed in forced
    assert fixed in free
    assert "you must put 0" in forced
    assert "any open box" in free
    assert "not a joker" in plain
    assert "Only the dice of a combination count" not in forced


def test_every_ruleset_and_each_of_its_boxes_has_a_name_of_its_own() -> None:
    for rules in PLAYED.values():
        names = [labels.find_category_name(category) for category in rules.categories]
        assert len(set(names)) == len(names)
    assert [name for name, _ in labels.list_ruleset_choices()] == list(PLAYED)
    assert len({title for _, title in labels.list_ruleset_choices()}) == len(PLAYED)
