"""Trials: who is let in, what is agreed to, what is played, and what is left after a withdrawal."""

import sqlite3
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from game.core.game_dice import list_shown_dice
from game.core.refusals import Refused
from game.models import DayChain, Decision, Game, Player
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import (
    close_trial,
    configure_trial,
    create_trial,
    delete_trial,
    open_trial,
)
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import recruit_agree, store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import (
    bind_participant,
    draw_arm,
    issue_link,
    start_trial_game,
    unbind_participant,
)
from game.trials.kind import TrialRuns
from game.trials.models import Participant, Trial
from game.trials.reading import is_in_trial
from tests.game.questions import answer, asking
from tests.known import known
from tests.play import Browser, play_through, score_all, text
from tests.trials import CONSENT, enter, joined, new_trial, next_game, person, place_game, take_part

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
OVER = "You have played all games"
COACHED = ArmSettings("after", coach="after")
TWO = (ArmSettings("off"), COACHED)


# Setting up


def test_places_can_be_added_but_not_taken_from_somebody() -> None:
    trial = new_trial(places=3)
    joined(trial, 3)
    configure_trial(trial=trial, consent=CONSENT, places=4)
    assert trial.participants.count() == 4
    with pytest.raises(Refused, match="one of the places"):
        configure_trial(trial=trial, consent=CONSENT, places=2)
    assert trial.participants.count() == 4


PLANNED: dict[str, Any] = {
    "games_each": 2, "dice": "virtual", "shared_dice": False, "ruleset": "yatzy", "arms": TWO,
    "games_before": 0, "games_after": 0, "follow_up_days": 0, "design": "between",
}  # fmt: skip


@pytest.mark.parametrize(
    ("begun", "change"),
    [
        (True, {"games_each": 9}),
        (True, {"dice": "real"}),
        (True, {"shared_dice": True}),
        (False, {"ruleset": "yahtzee"}),
        (False, {"arms": [COACHED]}),
        (False, {"arms": []}),
        (False, {"games_before": 2}),
        (False, {"games_after": 1}),
        (False, {"follow_up_days": 3}),
        (False, {"design": "within"}),
    ],
)
def test_what_is_played_is_fixed_once_the_trial_is_opened_or_somebody_agreed(
    begun: bool, change: dict[str, Any]
) -> None:
    trial = new_trial(opened=False, arms=TWO)
    for state in range(1 + begun):
        for facts in (change, PLANNED):
            configure_trial(trial=trial, consent=CONSENT, **facts)
        if state == 0:
            open_trial(trial=trial)
    if begun:
        joined(trial)
    with pytest.raises(Refused):
        configure_trial(trial=trial, consent=CONSENT, **change)
    configure_trial(trial=trial, consent=CONSENT, title="Another", **PLANNED)


@pytest.mark.parametrize(
    "text",
    [
        CONSENT.replace(". ", ".\n"),
        CONSENT.replace(". ", ".\r\n") + "\r\n\r\n",
        "\ufeff" + CONSENT.replace(". ", ". \r") + "\n",
    ],
)
def test_the_same_text_from_a_file_or_a_form_is_the_same_version(text: str) -> None:
    trial = create_trial(consent=text, slug="lines", title="Lines", places=2, games_each=1)
    joined(open_trial(trial=trial))
    configure_trial(trial=trial, consent="You play Yatzy.\r\nYou may stop at any time.")
    (kept,) = trial.consents.all()
    assert kept.text == "You play Yatzy.\nYou may stop at any time."


# What the options of trial_create set, and nothing else
USUAL: dict[str, Any] = {
    "places": 6, "games_each": 50, "dice": "virtual", "round_table": False, "shared_dice": False,
    "ruleset": "yatzy", "dice_places": "", "is_open": False,
}  # fmt: skip
CREATED: dict[str, dict[str, Any]] = {
    "": {},
    "--round-table": {"round_table": True},
    "--participants=2 --games=3 --open": {"places": 2, "games_each": 3, "is_open": True},
    "--preset=study --open": {"dice": "real", "round_table": True, "is_open": True},
    "--preset=study --participants=2 --dice=virtual": {"places": 2, "round_table": True},
    "--ruleset=yahtzee": {"ruleset": "yahtzee"},
    "--dice=real --dice-places=first": {"dice": "real", "dice_places": "first"},
    "--before=1 --after=2 --follow-up=1 --follow-up-days=7": {
        "games_before": 1, "games_after": 2, "games_follow_up": 1, "follow_up_days": 7,
    },
}  # fmt: skip


@pytest.mark.parametrize("options", CREATED)
def test_the_command_makes_what_its_options_say_and_prints_the_links(
    options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    who = ("--researcher=Ada", "--contact=ada@example.org", "--ethics=7")
    call_command("trial_create", "pilot", *options.split(), *who)
    trial, wanted = Trial.objects.get(slug="pilot"), USUAL | CREATED[options]
    assert {name: getattr(trial, name) for name in wanted} == wanted
    assert f"play {trial.rules.title.split()[-1]}." in trial.consents.get().text
    printed = capsys.readouterr().out
    assert all(make_link_path(one) in printed for one in trial.participants.all())


@pytest.mark.parametrize(
    "wrong",
    [
        "Bad.Name",
        "ok --participants=0",
        "ok --dice=real --shared-dice",
        "ok --ruleset=maxi",
        "ok --open",
        "ok --kept=forever-and-a-day",
        "ok --questions=/none.yaml",
        "ok --arms coach=loud",
    ],
)
def test_the_command_makes_nothing_of_options_that_cannot_be(wrong: str) -> None:
    with pytest.raises(CommandError):
        call_command("trial_create", *wrong.split())
    assert not Trial.objects.exists()


# Links


def test_a_forged_link_is_refused_and_looking_at_a_true_one_stores_nothing(
    browser: Browser,
) -> None:
    participant = person(new_trial())
    link, before = make_link_path(participant), Participant.objects.values().get(number=1)
    for forged in (link[:-2] + "x/", "/take-part/abc/", "/take-part/abc~def/", "/take-part/"):
        assert browser.get(forged).status_code == 403
    enter(browser, participant)
    assert CONSENT in text(browser.get("/take-part/"))
    browser.post("/take-part/agree", {"version": 1})  # which does not agree
    assert Participant.objects.values().get(number=1) == before
    assert not Player.objects.exists()


def test_a_link_of_somebody_else_is_refused_until_this_device_is_left(browser: Browser) -> None:
    trial = new_trial()
    take_part(browser, person(trial))
    assert browser.get(make_link_path(person(trial, 2))).status_code == 403
    browser.post("/take-part/leave")
    enter(browser, person(trial, 2))
    assert "You take part as P02" in text(browser.get("/take-part/"))


def test_a_game_goes_on_on_another_device(browser: Browser) -> None:
    participant = person(new_trial())
    take_part(browser, participant)
    game = next_game(browser)
    browser.act(game, "score", seq=1, category="chance")
    phone = Browser()
    enter(phone, participant)
    assert "/take-part/go-on" not in text(phone.get("/take-part/")), "any device goes on"
    assert next_game(phone) == game == next_game(phone), "two clicks make one game"
    assert 'data-seq="2"' in text(phone.get(f"/games/{game.pk}/"))


def test_the_browser_that_answers_first_after_a_release_is_the_one_that_goes_on(
    browser: Browser,
) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    game, preview, phone = next_game(browser), Browser(), Browser()
    assert phone.get(make_link_path(participant)).status_code == 403
    participant.refresh_from_db()
    unbind_participant(participant=participant)
    for each in (preview, phone):
        enter(each, participant)
        page = text(each.get("/take-part/"))  # as programs do that preview mail: it binds nobody
        assert "/take-part/go-on" in page
        assert "taking_part.js" not in page  # a script that would answer by itself
        assert each.get(f"/games/{game.pk}/").status_code >= 400  # nor does it show a game
        assert each.act(game, "score", seq=1, category="chance").status_code >= 400
    phone.post("/take-part/go-on")
    assert "/take-part/go-on" not in text(phone.get("/take-part/"))
    assert [other.get("/take-part/").status_code for other in (browser, preview)] == [403] * 2
    assert Browser().get(make_link_path(participant)).status_code == 403
    assert next_game(phone) == game


def test_two_tabs_that_come_at_once_shut_out_neither(browser: Browser) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    browser.post("/take-part/leave")  # from then on the link leads back from anywhere
    enter(Browser(), participant)
    tabs = [Participant.objects.get(pk=participant.pk) for _ in range(2)]
    assert len({bind_participant(participant=tab).browser for tab in tabs}) == 1
    assert browser.get(make_link_path(participant)).status_code == 403


def test_a_place_without_consent_is_bound_to_nobody() -> None:
    participant = person(new_trial(resume="one"))
    phone, tablet = Browser(), Browser()
    for one in (phone, tablet):
        enter(one, participant)
        assert "/take-part/agree" in text(one.get("/take-part/"))
    phone.post("/take-part/game")  # refused, and it binds nobody either
    assert tablet.get("/take-part/").status_code == 200
    take_part(tablet, participant)
    assert phone.get("/take-part/").status_code == 403


def test_a_new_link_leads_to_the_same_games_and_the_old_one_nowhere(
    browser: Browser, researcher: Browser
) -> None:
    one, stranger = person(new_trial()), Browser()
    take_part(browser, one)
    game, old = next_game(browser), make_link_path(one)
    for act in ("revoke", "issue"):
        shown = text(researcher.get("/trials/study/links/"))
        assert (old in shown) == (act == "revoke")
        assert shown.count("<svg") >= 2
        researcher.post(f"/trials/study/1/link/{act}")
        assert stranger.get(old).status_code == 403
        assert browser.post("/take-part/game").status_code == 403
        new = make_link_path(person(one.trial))
        assert stranger.get(new).status_code == (302 if act == "issue" else 403)
    assert next_game(stranger) == game
    for address in ("links/", "links.csv"):
        assert f"http://testserver{new}" in text(researcher.get(f"/trials/study/{address}"))
    kinds = one.events.values_list("kind", flat=True)
    assert list(kinds)[-3:-1] == ["link_revoked", "link_issued"]
    assert researcher.post("/trials/study/1/link/melt").status_code == 404
    withdraw_participant(participant=person(one.trial))
    with pytest.raises(Refused):
        issue_link(participant=person(one.trial))


def test_a_place_is_withdrawn_once_by_staff_too_and_not_before_somebody_took_it(
    browser: Browser, researcher: Browser
) -> None:
    participant = person(new_trial())
    enter(browser, participant)
    assert browser.post("/take-part/withdraw", {"confirm": "on"}).status_code == 409
    researcher.post("/trials/study/1/withdraw", {"confirm": "on"})
    assert person(participant.trial).withdrawn_at is None
    start_trial_game(participant=joined(participant.trial))
    researcher.post("/trials/study/1/withdraw", {"confirm": "on"})
    first = person(participant.trial).withdrawn_at
    assert first is not None
    assert not Game.objects.exists()
    assert withdraw_participant(participant=person(participant.trial)).withdrawn_at == first


def test_the_administration_makes_no_hole_in_a_trial() -> None:
    admin = Browser()
    admin.force_login(User.objects.create_superuser("root"))
    game = start_trial_game(participant=joined(new_trial())).game
    own = Browser().start()
    found = {f"game/{game.pk}": 403, f"player/{game.player.pk}": 403, f"game/{own.pk}": 200}
    for row, status in found.items():
        assert admin.get(f"/admin/game/{row}/delete/").status_code == status
    assert "delete_selected" not in text(admin.get("/admin/game/game/"))


# Consent and questions


def test_a_changed_text_is_asked_about_before_the_next_game(browser: Browser) -> None:
    trial = new_trial()
    configure_trial(trial=trial, consent="Another text.")
    assert trial.consents.count() == 1, "nobody has agreed to the first"
    take_part(browser, person(trial))
    configure_trial(trial=trial, consent="We also study luck.")
    assert "We also study luck." in text(browser.get("/take-part/"))
    assert browser.post("/take-part/game").status_code == 409
    for version, status in ((1, 409), (2, 302)):
        sent = {"version": version, "agree": "on"}
        assert browser.post("/take-part/agree", sent).status_code == status
    assert next_game(browser).trial_game.number == 1
    assert known(person(trial).consent).text == "We also study luck."
    assert [one.text for one in trial.consents.all()] == ["Another text.", "We also study luck."]


def test_every_question_may_be_left_and_strategy_is_asked_after_the_last_game(
    browser: Browser,
) -> None:
    participant = person(new_trial(games_each=1))
    enter(browser, participant)
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert 'name="strategy"' not in text(browser.get("/take-part/"))
    browser.post("/take-part/answers", {"experience": "child", "strategy": "program"})
    participant.refresh_from_db()
    answers = (participant.experience, participant.last_played, participant.strategy)
    assert answers == ("child", "skipped", "")  # the last was not asked
    first = known(participant.answered_at)
    play_through(browser, next_game(browser))
    page = text(browser.get("/take-part/"))
    assert 'name="strategy"' in page
    assert 'name="experience"' not in page
    browser.post("/take-part/answers", {"strategy": "read", "experience": "now"})
    participant.refresh_from_db()
    assert (participant.strategy, participant.experience) == ("read", "child")
    assert participant.answered_at == first
    assert OVER in text(browser.get("/take-part/"))


# Playing


@pytest.mark.parametrize("shared", [True, False])
def test_dice_are_the_same_for_everyone_where_that_was_chosen_and_never_twice(shared: bool) -> None:
    new_trial(shared_dice=shared)
    Trial.objects.update(seed="a" * 64)
    one, other = (joined(Trial.objects.get(), number) for number in (1, 2))
    first = start_trial_game(participant=one)
    theirs = list_shown_dice(start_trial_game(participant=other).game)
    assert (list_shown_dice(first.game) == theirs) == shared
    score_all(first, one.player)
    second = list_shown_dice(start_trial_game(participant=one).game)
    assert second not in (theirs, list_shown_dice(first.game))
    new_trial(slug="other", ruleset="yahtzee", shared_dice=shared)
    Trial.objects.update(seed="a" * 64)
    last = start_trial_game(participant=joined(Trial.objects.get(slug="other"))).game
    assert last.seed != first.game.seed, "of the same secret by other rules"


def test_a_trial_game_has_no_coach_and_cannot_be_given_up(browser: Browser) -> None:
    take_part(browser, person(new_trial(ruleset="yahtzee")))
    assert 'href="/rules/yahtzee/"' in text(browser.get("/take-part/"))
    game = next_game(browser)
    assert (game.coach, game.ruleset) == ("off", "yahtzee")
    page = text(browser.get(f"/games/{game.pk}/"))
    assert game.share_token not in page
    code = game.trial_game.participant.code
    for address in ("/take-part/", f"/games/{game.pk}/", "/you/"):
        assert code not in text(browser.get(address))
    assert "Trial game 1 of 2" in page
    assert "/abandon" not in page
    assert browser.act(game, "abandon", seq=1).status_code == 409
    game.refresh_from_db()
    assert game.abandoned_at is None


def test_a_finished_participant_may_not_practise_with_a_coach_on_dice_of_others(
    browser: Browser,
) -> None:
    trial = new_trial(games_each=1, shared_dice=True)
    take_part(browser, person(trial))
    game = play_through(browser, next_game(browser))
    assert not is_in_trial(game.player)
    rematch = {"mode": "rematch", "of": game.pk, "coach": "live"}
    assert browser.post("/games/", rematch).status_code == 409
    close_trial(trial=trial)
    assert browser.post("/games/", rematch).status_code == 302
    assert Game.objects.get(mode=Game.Mode.REMATCH).seed == game.seed


def test_other_games_wait_until_the_trial_is_played(browser: Browser) -> None:
    take_part(browser, person(new_trial(games_each=1)))
    assert browser.get("/").headers["Location"] == "/take-part/"
    response = browser.post("/games/", {"mode": "solo", "nonce": "x"})
    assert response.status_code == 403
    play_through(browser, next_game(browser))
    assert browser.get("/").headers["Location"] == "/take-part/"
    browser.post("/take-part/leave")
    assert browser.get("/").status_code == 200


def test_reviews_and_seeds_are_shown_while_the_trial_is_closed(browser: Browser) -> None:
    trial = new_trial(games_each=1)
    take_part(browser, person(trial))
    game = play_through(browser, next_game(browser))
    for act in (open_trial, close_trial, close_trial, open_trial):
        act(trial=trial)
        shown = act == close_trial
        review = browser.get(f"/games/{game.pk}/review")
        assert (review.status_code, str(TrialRuns()) in text(review)) == (
            (200, False) if shown else (403, True)
        )
        assert (game.seed in text(browser.get(f"/games/{game.pk}/verify"))) == shown
    kinds = trial.events.values_list("kind", flat=True).order_by("pk")
    assert list(kinds)[-3:] == ["closed", "reviewed", "reopened"]
    assert known(trial.events.last()).detail["reviews_seen"] == 1


def test_a_closed_trial_takes_no_move_and_an_opened_one_goes_on(browser: Browser) -> None:
    trial = new_trial(opened=False)
    enter(browser, person(trial))
    assert browser.post("/take-part/agree", {"version": 1, "agree": "on"}).status_code == 409
    open_trial(trial=trial)
    take_part(browser, person(trial))
    game = next_game(browser)
    for act, status in ((close_trial, 409), (open_trial, 200)):
        act(trial=trial)
        answer = browser.act(game, "score", seq=1, category="chance")
        assert answer.status_code == status
        assert game.decisions.count() == (1 if status == 409 else 2)


def test_after_leaving_the_browser_is_whose_it_was(browser: Browser) -> None:
    own = browser.start()
    take_part(browser, person(new_trial()))
    game = next_game(browser)
    assert browser.get(f"/games/{own.pk}/").status_code == 403
    data = {"theme": "dark", "coach": "off", "coach_threshold": "1"}
    assert browser.post("/settings/", data).status_code == 302
    account = {"username": "anna", "password1": "a-long-password", "password2": "a-long-password"}
    browser.post("/account/signup/", account)  # which takes no game of a trial along
    game.refresh_from_db()
    assert game.player.user is None
    assert browser.get(f"/games/{game.pk}/").status_code == 200
    browser.post("/take-part/leave")
    assert browser.get(f"/games/{own.pk}/").status_code == 200
    own.player.refresh_from_db()
    assert own.player.theme == "auto"


def test_deleting_a_trial_leaves_no_row_of_arms_questions_labels_or_games() -> None:
    trial = asking(arms=[ArmSettings("one")])
    found = store_recruitment(trial=trial, open=True, labels="id")
    participant = recruit_agree(recruitment=found, version=1, parameters={"id": "7"})
    answer(participant, q_age="30", q_pet="cat")
    start_trial_game(participant=draw_arm(participant=participant))
    withdraw_participant(participant=joined(trial))
    with pytest.raises(Refused, match="Close this trial first"):
        delete_trial(trial=trial)
    close_trial(trial=trial)
    delete_trial(trial=trial)
    models = set(apps.get_app_config("game").get_models()) - {DayChain}
    assert [model.__name__ for model in models if model._base_manager.exists()] == []


@pytest.mark.sqlite
def test_a_large_trial_can_be_deleted_where_statements_are_short() -> None:
    """SQLite may be built to take few values in one statement."""
    trial = new_trial(games_each=60)
    participant = joined(trial)
    assert participant.player is not None
    decisions = []
    for number in range(1, 61):
        game = place_game(participant, number, seed="00", started_at=timezone.now())
        decisions += [
            Decision(game=game, seq=seq, turn=0, roll=0, hold=0, created_at=timezone.now())
            for seq in range(60)
        ]
    Decision.objects.bulk_create(decisions)
    close_trial(trial=trial)
    before = connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 3200)
    try:
        delete_trial(trial=trial)
    finally:
        connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)
    assert not Decision.objects.exists()
