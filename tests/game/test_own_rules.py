"""One's own rules: put together in the lab, worked out in the background, played alone."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from game import services
from game.judgement import tables
from game.judgement.tables import advisor, make_next, making
from game.kind import kind_of
from game.lab.own_rules_forms import OwnRulesForm
from game.models import Game, OwnRules, Player, own_rules, stored_ruleset
from game.models.own_rules import own_rules_id
from game.selectors.games import player_rulesets
from game.services import judging
from game.words import labels
from game.words import rules as words
from solver.making import description, prepare, there, wanted
from solver.rules import PLAYED, YATZY, Ruleset, Score, UnknownRuleset
from solver.rules.own import MARK, made, offered
from solver.tables import VALUES, BadTable, table_path
from tests.game.conftest import Browser
from tests.game.rulesets import begun, played_out
from tests.game.trials import into_trial
from tests.known import known

pytestmark = pytest.mark.django_db
NAME = "Mormors <b>Yatzy</b>"
PAGE = "/lab/own/"
ASKED = {
    "dice": "3",
    "name": NAME,
    "throws": "2",
    "goal": "21",
    "bonus": "10",
    "box_yatzy": "on",
    "points_yatzy": "30",
}


@pytest.fixture(autouse=True)
def own_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})
    return tmp_path


def rules_of(name: str = NAME, *, saved: bool = False, throws: int = 2) -> Ruleset:
    bonus = (21, 10)
    lower = offered(3)[-1:]
    return made(own_rules_id(), name, lower, dice=3, throws=throws, saved=saved, bonus=bonus)


def member(browser: Browser, name: str = "ann") -> Player:
    user = User.objects.create_user(name)
    browser.force_login(user)
    return services.player_of_user(user=user)


@pytest.fixture
def ann(browser: Browser) -> Player:
    return member(browser)


@pytest.fixture
def own(ann: Player, django_capture_on_commit_callbacks: Any) -> Ruleset:
    with django_capture_on_commit_callbacks(execute=True):
        return services.own_rules_make(player=ann, rules=rules_of()).rules


@pytest.fixture
def solved_own(own: Ruleset) -> Ruleset:
    prepare(own)
    return own


def text_of(browser: Browser, address: str, status: int = 200) -> str:
    response = browser.get(address)
    assert response.status_code == status, address
    return response.content.decode()


# What is put together.


def test_what_it_takes_is_told_before_it_is_made(browser: Browser, ann: Player) -> None:
    page = browser.get(PAGE, ASKED)
    figures = list(page.context["cost"].figures)
    assert figures[0][1] == "2,004"
    assert figures[3][1] == "1"  # a part of a megabyte
    assert NAME not in page.content.decode()  # as it was typed, it would be bold
    assert not OwnRules.objects.exists()


def test_what_was_told_is_made_by_a_button(browser: Browser, ann: Player) -> None:
    asked = browser.get(PAGE, ASKED).context["asked"]
    answer = browser.post(f"{PAGE}make", {"asked": asked}, follow=True)
    rules = OwnRules.objects.get().rules
    assert (rules.title, rules.dice, rules.throws, rules.bonus_points) == (NAME, 3, 2, 10)
    assert [box.id for box in rules.categories][6:] == ["yatzy"]
    assert rules.categories[6].points == 30
    assert rules.id.startswith(MARK)
    shown = answer.content.decode()
    assert "Mormors &lt;b&gt;Yatzy&lt;/b&gt;" in shown
    assert NAME not in shown


def test_a_double_click_makes_one(browser: Browser, ann: Player) -> None:
    asked = browser.get(PAGE, ASKED).context["asked"]
    for _click in range(2):
        browser.post(f"{PAGE}make", {"asked": asked})
    assert OwnRules.objects.count() == 1
    browser.post(f"{PAGE}make", {"asked": asked.replace("bonus=10", "bonus=11")})
    assert OwnRules.objects.count() == 2


def test_the_first_card_of_every_number_of_dice_is_that_of_the_form(
    browser: Browser, ann: Player
) -> None:
    for dice in (3, 4, 5, 6):
        form = browser.get(PAGE, {"dice": dice}).context["form"]
        assert form["goal"].value() == 21 * (dice - 2)
        assert [line.name for line in form.lines][-1] == "Yatzy"
    assert browser.get(PAGE, {"dice": 7}).context["form"].cup == 5


def test_usual_rules_come_out_of_the_form_as_they_are() -> None:
    """What is not touched on it for five dice is Yatzy, under another name."""
    form = OwnRulesForm(5)
    sent = {name: form[name].value() for name in form.fields} | {"name": "Mine"}
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    rules = usual_of(sent, 5)
    scored = [[box.score(roll) for roll in YATZY.cup.rolls] for box in rules.categories]
    assert scored == [[box.score(roll) for roll in YATZY.cup.rolls] for box in YATZY.categories]
    assert (rules.bonus_threshold, rules.bonus_points, rules.throws) == (63, 50, 3)


def usual_of(sent: dict[str, Any], dice: int) -> Ruleset:
    form = OwnRulesForm(dice, sent)
    assert form.is_valid(), form.errors
    return form.rules


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "\u202e\u200b"}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"throws": "5"}, "throws"),
        ({"goal": "64"}, "goal"),
        ({"goal": "-1"}, "goal"),
        ({"goal": "0"}, "bonus"),
        ({"bonus": "0"}, "bonus"),
        ({"bonus": "201"}, "bonus"),
        ({"points_yatzy": "0"}, "points_yatzy"),
        ({"points_yatzy": "201"}, "points_yatzy"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_said_in_its_field(
    browser: Browser, ann: Player, wrong: dict[str, str], field: str
) -> None:
    page = browser.get(PAGE, ASKED | wrong)
    assert page.status_code == 400
    assert field in page.context["form"].errors
    assert "cost" not in page.context


def test_what_is_just_allowed_is_taken() -> None:
    rules = usual_of(ASKED | {"goal": "63", "bonus": "200", "name": " a\u200b  b "}, 3)
    assert (rules.bonus_threshold, rules.bonus_points, rules.title) == (63, 200, "a b")
    assert usual_of(ASKED | {"goal": "0", "bonus": "0"}, 3).bonus_threshold == 0


def test_a_box_without_points_of_its_own_brings_those_of_its_dice() -> None:
    asked = {"dice": "4", "box_pair": "on", "box_three_in_a_row": "on", "box_yatzy": "on"}
    rules = usual_of(ASKED | asked | {"points_yatzy": "", "points_pair": "7"}, 4)
    pair, row, alike = rules.categories[6:]
    assert pair.score((1, 1, 2, 3)) == 7
    assert row.score((1, 2, 3, 3)) == 15
    assert alike.score((4, 4, 4, 4)) == 16


def test_what_is_too_large_is_refused_in_words(
    browser: Browser, ann: Player, settings: Any
) -> None:
    settings.OWN_RULES_MEGABYTES = 0
    page = browser.get(PAGE, ASKED)
    assert "may take 0 MB" in page.context["refused"]
    browser.post(f"{PAGE}make", {"asked": page.context["asked"]})
    assert not OwnRules.objects.exists()


def test_a_few_are_kept_and_a_few_made_in_a_day(ann: Player, settings: Any) -> None:
    settings.OWN_RULES, settings.OWN_RULES_A_DAY = 2, 3
    first = services.own_rules_make(player=ann, rules=rules_of("a"))
    services.own_rules_make(player=ann, rules=rules_of("b"))
    with pytest.raises(services.Refused, match="delete one of them"):
        services.own_rules_make(player=ann, rules=rules_of("c"))
    services.own_rules_remove(player=ann, ruleset_id=first.pk)
    second = services.own_rules_make(player=ann, rules=rules_of("c"))
    services.own_rules_remove(player=ann, ruleset_id=second.pk)
    with pytest.raises(services.Refused, match="tomorrow"):
        services.own_rules_make(player=ann, rules=rules_of("d"))
    OwnRules.objects.update(made_at=timezone.now() - timedelta(days=1))
    services.own_rules_make(player=ann, rules=rules_of("d"))


def test_a_guest_is_told_and_makes_none(browser: Browser) -> None:
    assert "you need an account" in text_of(browser, PAGE)
    page = browser.get(PAGE, ASKED)
    assert page.context["cost"]
    assert f"{PAGE}make" not in page.content.decode()
    answer = browser.post(f"{PAGE}make", {"asked": page.context["asked"]})
    assert answer.status_code == 404
    assert not OwnRules.objects.exists()


def test_whoever_takes_part_in_a_trial_neither_sees_nor_makes_any(
    browser: Browser, ann: Player, own: Ruleset
) -> None:
    asked = browser.get(PAGE, ASKED | {"name": "More"}).context["asked"]
    into_trial(begun(ann, YATZY).game)
    assert browser.get(PAGE).status_code == 403
    assert browser.post(f"{PAGE}make", {"asked": asked}).status_code == 403
    assert browser.post(f"{PAGE}{own.id}/remove").status_code == 403
    assert [one.removed for one in OwnRules.objects.all()] == [False]


# Worked out in the background.


def test_it_is_made_by_the_process_that_makes_all_tables(
    own: Ruleset, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    begun_with: list[list[str]] = []
    settings.MAKE_TABLES = True
    monkeypatch.setattr(tables, "lacks", lambda rules: rules == own)
    monkeypatch.setattr(tables, "begun", begun_with.append)
    assert make_next()
    assert [command[-2:] for command in begun_with] == [["prepare", str(description(own))]]
    tables._known.clear()
    assert not make_next()  # nobody has asked
    tables.note(own)
    description(own).unlink()
    assert not make_next()  # nobody keeps it


def test_whoever_is_asked_about_comes_before_what_was_only_made(own: Ruleset) -> None:
    tables.note(own)
    assert tables._known[own.id].asked == tables.NOTED
    making(own)
    assert tables._known[own.id].asked > tables.NOTED
    tables.note(own)
    assert tables._known[own.id].asked > tables.NOTED


def test_a_server_that_starts_anew_goes_on(own: Ruleset) -> None:
    """Also from a backup, which has the rules and neither tables nor descriptions."""
    tables._known.clear()
    description(own).unlink()
    services.own_rules_wanted()
    assert wanted(own)
    assert tables._known[own.id].asked
    prepare(own)
    tables._known.clear()
    services.own_rules_wanted()
    assert not tables._known.get(own.id)


def test_the_page_says_how_far_it_is_and_what_it_is_worth(
    browser: Browser, own: Ruleset, settings: Any
) -> None:
    settings.MAKE_TABLES = True
    assert "is worked out once, in the background" in text_of(browser, PAGE)
    address = f"/tables/{own.id}/{VALUES}/"
    assert browser.get(address).status_code == 200
    prepare(own)
    page = text_of(browser, PAGE)
    start = known(advisor(own)).value_start
    assert f"Perfect play brings {start:.2f} points" in page
    assert "background" not in page.split('id="make"')[0]
    assert browser.get(address).headers["HX-Refresh"] == "true"
    assert browser.get(f"/tables/{own.id}/lab/").status_code == 404
    assert browser.get(f"/tables/{MARK}nobodys/{VALUES}/").status_code == 404


# Played.


def test_a_game_by_own_rules_is_played_coached_reviewed_and_exported(
    browser: Browser, solved_own: Ruleset, ann: Player
) -> None:
    assert "Mormors &lt;b&gt;" in text_of(browser, f"/?rules={solved_own.id}")
    game = browser.start(ruleset=solved_own.id, coach="after")
    assert game.rules == solved_own
    hint = browser.act(game, "hint", seq=1)
    assert hint.status_code == 200
    game = played_out(
        services.decision_record(game_id=game.pk, player=ann, seq=1, action=Score("ones"))
    )
    start = known(advisor(solved_own)).value_start
    final, luck, regret = known(game.final_score), known(game.luck), known(game.regret)
    assert final == pytest.approx(start + luck - regret, abs=1e-9)
    for address in (f"games/{game.pk}/", f"games/{game.pk}/review", f"games/{game.pk}/verify"):
        assert NAME not in text_of(browser, f"/{address}")
    query = f"?rules={solved_own.id}"
    for page in ("history", "statistics", "profile", "profile/leaks", "explore"):
        shown = text_of(browser, f"/{page}/{query}")
        assert NAME not in shown
        assert f"/duels/{query}" not in shown
        assert f"/week/{query}" not in shown
    exported = json.loads(text_of(browser, "/history/export?format=json"))
    assert [one["ruleset"] for one in exported["games"]] == [solved_own.id]
    assert exported["rulesets"][0]["title"] == NAME


def test_it_is_the_players_usual_one_from_then_on(
    browser: Browser, own: Ruleset, ann: Player
) -> None:
    browser.start(ruleset=own.id)
    ann.refresh_from_db()
    assert ann.ruleset == own.id
    page = browser.get("/settings/").content.decode()
    assert f'<option value="{own.id}" selected>' in page
    wishes = {"theme": "auto", "coach": "after", "coach_threshold": "1", "ruleset": own.id}
    assert browser.post("/settings/", wishes).status_code == 302
    for page in ("duels/", "daily/", "week/", "drill/", "import/", "table/"):
        assert browser.get(f"/{page}").status_code != 404, page


def test_no_other_kind_of_game_is_by_own_rules(browser: Browser, own: Ruleset) -> None:
    nonce = browser.nonce("/daily/")
    answer = browser.post("/games/", {"mode": "daily", "nonce": nonce, "ruleset": own.id})
    assert answer.status_code == 400
    for page in ("daily", "leaders", "five"):
        assert browser.get(f"/{page}/{own.id}/").status_code == 404
    for page in ("week", "drill", "duels", "table"):
        assert browser.get(f"/{page}/", {"rules": own.id}).status_code == 404
    duel = {"ruleset": own.id, "people": 2, "minutes": 0}
    assert browser.post("/duels/", duel).status_code in {400, 404}
    assert not Game.objects.exists()


def test_nobody_is_asked_to_beat_it(solved_own: Ruleset, ann: Player) -> None:
    assert not kind_of(played_out(begun(ann, solved_own))).challengeable
    assert kind_of(played_out(begun(ann, YATZY))).challengeable


def test_others_cannot_play_it_nor_see_it(browser: Browser, own: Ruleset, new_browser: Any) -> None:
    other = new_browser()
    member(other, "bob")
    assert other.get(f"/?rules={own.id}").status_code == 404
    answer = other.post("/games/", {"mode": "solo", "nonce": other.nonce(), "ruleset": own.id})
    assert answer.status_code == 400
    assert "Mormors" not in text_of(other, PAGE)
    other.post(f"{PAGE}{own.id}/remove")
    assert not OwnRules.objects.get().removed
    for page in ("history", "statistics", "explore"):
        assert other.get(f"/{page}/", {"rules": own.id}).status_code == 404
    assert own.id not in text_of(other, "/settings/")


def test_a_visitor_without_a_cookie_does_not_get_it(own: Ruleset, new_browser: Any) -> None:
    assert new_browser().get(f"/?rules={own.id}").status_code == 404


def test_its_rules_are_told_to_whoever_is_shown_a_game_by_them(
    own: Ruleset, new_browser: Any
) -> None:
    shown = text_of(new_browser(), f"/rules/{own.id}/")
    assert "Mormors &lt;b&gt;" in shown
    assert "3 equal dice: 50 points." in shown
    assert new_browser().get(f"/rules/{MARK}nobodys/").status_code == 404


# Removed.


def test_games_stay_readable_when_the_rules_are_removed(
    browser: Browser,
    solved_own: Ruleset,
    ann: Player,
    django_capture_on_commit_callbacks: Any,
    settings: Any,
) -> None:
    settings.MAKE_TABLES = True
    game = played_out(begun(ann, solved_own))
    browser.get(f"/?rules={solved_own.id}")
    services.player_configure(
        player=ann,
        **{**SETTINGS, "ruleset": solved_own.id},
    )
    with django_capture_on_commit_callbacks(execute=True):
        browser.post(f"{PAGE}{solved_own.id}/remove")
    ann.refresh_from_db()
    assert ann.ruleset == YATZY.id
    assert not any(there(solved_own).values())
    assert not making(solved_own).expected
    assert text_of(browser, f"/games/{game.pk}/")
    assert "Mormors" in text_of(browser, f"/history/?rules={solved_own.id}")
    assert browser.get(f"/games/{game.pk}/review").status_code == 503
    assert "Mormors" not in text_of(browser, PAGE)
    assert browser.get(f"/?rules={solved_own.id}").status_code == 404
    services.own_rules_wanted()
    assert not wanted(solved_own)


SETTINGS: dict[str, Any] = {
    "language": "",
    "theme": "auto",
    "coach": "off",
    "coach_threshold": 1.0,
    "confirm_costly": False,
    "confirm_boxes": False,
    "sound": False,
    "vibration": False,
    "brief": False,
}


def test_nothing_of_them_is_left_when_the_player_is_deleted(
    solved_own: Ruleset, ann: Player, django_capture_on_commit_callbacks: Any
) -> None:
    played_out(begun(ann, solved_own))
    judging.to_be_judged.add(solved_own.id)
    with django_capture_on_commit_callbacks(execute=True):
        services.player_delete(player=ann)
    assert not OwnRules.objects.exists()
    assert not any(there(solved_own).values())
    assert not wanted(solved_own)
    own_rules._own.cache_clear()
    services.games_judge_later()
    assert solved_own.id not in judging.to_be_judged


# What a stored name means.


def test_a_stored_name_is_looked_up_once(
    own: Ruleset, ann: Player, django_assert_num_queries: Any
) -> None:
    assert stored_ruleset(YATZY.id) is YATZY
    with django_assert_num_queries(1):
        assert stored_ruleset(own.id) == own
        assert stored_ruleset(own.id) is stored_ruleset(own.id)
    with django_assert_num_queries(1), pytest.raises(UnknownRuleset):
        stored_ruleset(f"{MARK}nobodys")
    with django_assert_num_queries(0), pytest.raises(UnknownRuleset):
        stored_ruleset("nobodys")


def test_own_rules_follow_the_usual_ones_in_a_list(own: Ruleset, ann: Player) -> None:
    for rules in (own, PLAYED["maxi-yatzy"], YATZY):
        begun(ann, rules)
    assert player_rulesets(ann) == [YATZY, PLAYED["maxi-yatzy"], own]


def test_tables_that_nobody_asked_for_lately_are_closed(
    solved_own: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_OWN", 1)
    other = replace(solved_own, id=own_rules_id())
    prepare(other)
    usual = replace(other, id=YATZY.id)
    prepare(usual, (VALUES,))
    for rules in (usual, solved_own, other):
        assert advisor(rules)
    kept = {name: known.advisor is not None for name, known in tables._known.items()}
    assert kept == {YATZY.id: True, solved_own.id: False, other.id: True}
    assert advisor(solved_own)
    assert tables._known[other.id].advisor is None


def test_damage_of_a_table_silences_its_coach_alone(solved_own: Ruleset) -> None:
    assert advisor(solved_own)
    error = BadTable("damaged")
    error.ruleset, error.path = solved_own.id, table_path(solved_own)
    assert tables.damaged(error) == solved_own
    assert advisor(solved_own) is None
    error.ruleset = "nobodys"
    assert tables.damaged(error) is None
    error.ruleset = YATZY.id
    assert tables.damaged(error) == YATZY


def test_games_that_were_played_before_it_was_solved_are_judged_later(
    own: Ruleset, ann: Player
) -> None:
    game = played_out(begun(ann, own))
    assert game.regret is None
    judging.to_be_judged.add(own.id)
    prepare(own)
    assert services.games_judge_later() == 1
    game.refresh_from_db()
    assert game.regret is not None


# In words.


def test_a_bonus_is_told_by_number_where_a_number_of_each_comes_to_it() -> None:
    assert "which is three of each" in words.bonus(YATZY)
    plain = "Reach 21 points in the upper boxes, and you get a bonus of 10."
    assert words.bonus(rules_of()) == plain
    odd = made("own-x", "X", (), dice=5, throws=3, saved=False, bonus=(64, 50))
    assert "Reach 64 points in the upper boxes" in words.bonus(odd)


def test_a_card_without_a_bonus_shows_none(browser: Browser, ann: Player) -> None:
    rules = made(own_rules_id(), "None", (), dice=3, throws=2, saved=False, bonus=(0, 0))
    services.own_rules_make(player=ann, rules=rules)
    assert 'class="bonus' not in text_of(browser, f"/?rules={rules.id}")
    assert 'class="bonus' in text_of(browser, "/?rules=yatzy")
    assert "Bonus</h3>" not in text_of(browser, f"/rules/{rules.id}/")
    assert "Bonus</h3>" in text_of(browser, "/rules/")


def test_boxes_with_points_of_their_own_are_told_so() -> None:
    boxes = {box.id: replace(box, points=33) for box in offered(6)}
    for name in ("two_pairs", "villa", "full_house", "small_straight", "five_of_a_kind"):
        assert "33 points" in labels.category_rule(boxes[name]), name
    plain = {box.id: box for box in YATZY.categories}
    assert labels.category_rule(plain["small_straight"]) == "The dice 1 to 5: 15 points."


def test_every_box_that_is_offered_has_a_name() -> None:
    for dice in (3, 4, 5, 6):
        for box in offered(dice):
            assert labels.category_name(box)
