"""Trials: who is let in, what is agreed to, what is played, and what is left after a withdrawal."""

import re
import sqlite3
from collections.abc import Callable
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
    start_trial_game,
    unbind_participant,
)
from game.trials.kind import TrialRuns
from game.trials.models import Participant, Trial
from game.trials.reading import is_in_trial
from tests.game.questions import answer, asking
from tests.play import Browser, play_through, score_all, text
from tests.trials import CONSENT, joined, new_trial, place_game

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
NewBrowser = Callable[[], Browser]


def person(trial: Trial, number: int = 1) -> Participant:
    return trial.participants.get(number=number)


def enter(browser: Browser, participant: Participant) -> None:
    assert browser.get(make_link_path(participant)).status_code == 302


def take_part(browser: Browser, participant: Participant) -> None:
    enter(browser, participant)
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    browser.post("/take-part/answers", {"experience": "child"})


def next_game(browser: Browser) -> Game:
    response = browser.post("/take-part/game")
    if response.headers.get("Location") == "/take-part/":  # the lot fell first
        response = browser.post("/take-part/game")
    assert response.status_code == 302, text(response)
    return Game.objects.get(pk=response.headers["Location"].split("/")[2])


# Setting up


def test_a_trial_has_a_place_and_a_link_for_every_participant() -> None:
    trial = new_trial(places=5)
    found = [make_link_path(one) for one in trial.participants.all()]
    assert len(set(found)) == 5
    assert not any(str(number) == link for number, link in enumerate(found))


def test_places_can_be_added_but_not_taken_from_somebody() -> None:
    trial = new_trial(places=3)
    joined(trial, 3)
    configure_trial(trial=trial, consent=CONSENT, places=4)
    assert trial.participants.count() == 4
    with pytest.raises(Refused, match="one of the places"):
        configure_trial(trial=trial, consent=CONSENT, places=2)
    assert trial.participants.count() == 4


@pytest.mark.parametrize("change", [{"games_each": 9}, {"dice": "real"}, {"shared_dice": True}])
def test_what_people_agreed_to_play_stays_what_it_was(change: dict[str, Any]) -> None:
    trial = new_trial()
    configure_trial(trial=trial, consent=CONSENT, games_each=2)
    joined(trial)
    with pytest.raises(Refused, match="already begun"):
        configure_trial(trial=trial, consent=CONSENT, **change)


def test_real_dice_are_never_shared() -> None:
    assert not new_trial(dice="real", shared_dice=True).shared_dice


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


def test_a_changed_text_is_a_new_version_only_once_somebody_agreed() -> None:
    trial = new_trial()
    configure_trial(trial=trial, consent="Another text.")
    assert [one.version for one in trial.consents.all()] == [1]
    joined(trial)
    configure_trial(trial=trial, consent="A third text.")
    assert [one.text for one in trial.consents.all()] == ["Another text.", "A third text."]


def test_the_command_makes_a_trial_and_prints_its_links(capsys: pytest.CaptureFixture[str]) -> None:
    who = ("--researcher=Ada", "--contact=ada@example.org", "--ethics=7")
    call_command("trial_create", "pilot", "--participants=2", "--games=3", "--open", *who)
    trial = Trial.objects.get(slug="pilot")
    assert trial.is_open
    assert trial.games_each == 3
    printed = capsys.readouterr().out
    assert all(make_link_path(one) in printed for one in trial.participants.all())


@pytest.mark.parametrize(
    "wrong", [["Bad Name"], ["ok", "--participants=0"], ["ok", "--dice=real", "--shared-dice"]]
)
def test_the_command_says_what_is_wrong_and_makes_nothing(wrong: list[str]) -> None:
    with pytest.raises(CommandError, match=":"):
        call_command("trial_create", *wrong)
    assert not Trial.objects.exists()


# Links


def test_a_forged_link_is_refused(browser: Browser) -> None:
    link = make_link_path(person(new_trial()))
    for forged in (link[:-2] + "x/", "/take-part/abc/", "/take-part/abc~def/"):
        response = browser.get(forged)
        assert response.status_code == 403
        assert "not one of ours" in text(response)
    assert browser.get("/take-part/").status_code == 403


def test_a_link_of_somebody_else_is_refused_until_this_device_is_left(browser: Browser) -> None:
    trial = new_trial()
    take_part(browser, person(trial))
    response = browser.get(make_link_path(person(trial, 2)))
    assert response.status_code == 403
    assert "Another participant, P01, uses this browser" in text(response)
    browser.post("/take-part/leave")
    enter(browser, person(trial, 2))
    assert "You take part as P02" in text(browser.get("/take-part/"))


def test_looking_at_a_link_stores_nothing(browser: Browser) -> None:
    participant = person(new_trial())
    before = Participant.objects.values().get(pk=participant.pk)
    enter(browser, participant)
    browser.get("/take-part/")
    assert Participant.objects.values().get(pk=participant.pk) == before
    assert not Player.objects.exists()


def test_a_game_goes_on_on_another_device(browser: Browser, new_browser: NewBrowser) -> None:
    participant = person(new_trial())
    take_part(browser, participant)
    game = next_game(browser)
    browser.act(game, "score", seq=1, category="chance")
    phone = new_browser()
    enter(phone, participant)
    assert "/take-part/go-on" not in text(phone.get("/take-part/")), "any device goes on"
    assert next_game(phone) == game == next_game(phone), "two clicks make one game"
    assert 'data-seq="2"' in text(phone.get(f"/games/{game.pk}/"))


def test_where_one_browser_is_asked_for_another_is_refused_until_released(
    browser: Browser, new_browser: NewBrowser
) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    phone = new_browser()
    response = phone.get(make_link_path(participant))
    assert response.status_code == 403
    assert "began with this link in another browser" in text(response)
    assert browser.get(make_link_path(participant)).status_code == 302
    participant.refresh_from_db()
    unbind_participant(participant=participant)
    assert phone.get(make_link_path(participant)).status_code == 302
    assert phone.post("/take-part/go-on").status_code == 302
    assert browser.get("/take-part/").status_code == 403


def test_leaving_one_browser_lets_the_link_lead_back(
    browser: Browser, new_browser: NewBrowser
) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    browser.post("/take-part/leave")
    phone = new_browser()
    enter(phone, participant)
    next_game(phone)
    assert browser.get(make_link_path(participant)).status_code == 403


def test_the_browser_that_answers_first_after_a_release_is_the_one_that_goes_on(
    browser: Browser, new_browser: NewBrowser
) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    game = next_game(browser)
    participant.refresh_from_db()
    unbind_participant(participant=participant)
    preview, phone, tablet = new_browser(), new_browser(), new_browser()
    for each in (preview, phone, tablet):
        enter(each, participant)
        page = each.get("/take-part/")  # as programs do that preview mail: it binds nobody
        assert page.status_code == 200
        assert "/take-part/go-on" in text(page)
        assert "taking_part.js" not in text(page)  # a script that would answer by itself
        assert each.get(f"/games/{game.pk}/").status_code >= 400  # nor does it show a game
        assert each.act(game, "score", seq=1, category="chance").status_code >= 400
    phone.post("/take-part/go-on")
    assert "/take-part/go-on" not in text(phone.get("/take-part/"))
    for other in (browser, preview, tablet):
        assert other.get("/take-part/").status_code == 403
    assert new_browser().get(make_link_path(participant)).status_code == 403
    next_game(phone)


def test_two_tabs_that_come_at_once_shut_out_neither(browser: Browser) -> None:
    participant = person(new_trial(resume="one"))
    take_part(browser, participant)
    participant.refresh_from_db()
    unbind_participant(participant=participant)
    tabs = [Participant.objects.get(pk=participant.pk) for _ in range(2)]
    assert len({bind_participant(participant=tab).browser for tab in tabs}) == 1


def test_a_place_without_consent_is_bound_to_nobody(new_browser: NewBrowser) -> None:
    participant = person(new_trial(resume="one"))
    phone, tablet = new_browser(), new_browser()
    for one in (phone, tablet):
        enter(one, participant)
        assert "/take-part/agree" in text(one.get("/take-part/"))
    phone.post("/take-part/game")  # refused, and it binds nobody either
    assert tablet.get("/take-part/").status_code == 200
    take_part(tablet, participant)
    assert phone.get("/take-part/").status_code == 403


def test_a_place_is_withdrawn_once_by_staff_too_and_not_before_somebody_took_it(
    browser: Browser, researcher: Browser
) -> None:
    participant = person(new_trial())
    enter(browser, participant)
    assert browser.post("/take-part/withdraw", {"confirm": "on"}).status_code == 409
    researcher.post("/trials/study/1/withdraw", {"confirm": "on"})
    assert person(participant.trial).withdrawn_at is None
    start_trial_game(participant=joined(participant.trial))
    researcher.post("/trials/study/1/withdraw")
    assert person(participant.trial).withdrawn_at is None, "it was not confirmed"
    researcher.post("/trials/study/1/withdraw", {"confirm": "on"})
    first = person(participant.trial).withdrawn_at
    assert first is not None
    assert not Game.objects.exists()
    assert withdraw_participant(participant=person(participant.trial)).withdrawn_at == first


def test_the_administration_makes_no_hole_in_a_trial(new_browser: NewBrowser) -> None:
    admin = new_browser()
    admin.force_login(User.objects.create_superuser("root"))
    game = start_trial_game(participant=joined(new_trial())).game
    own = new_browser().start()
    for model, found, status in (
        ("game", game, 403),
        ("player", game.player, 403),
        ("game", own, 200),
    ):
        assert admin.get(f"/admin/game/{model}/{found.pk}/delete/").status_code == status
    assert "delete_selected" not in text(admin.get("/admin/game/game/"))


# Consent and questions


def test_consent_is_kept_with_time_and_version(browser: Browser) -> None:
    participant = person(new_trial())
    enter(browser, participant)
    page = text(browser.get("/take-part/"))
    assert CONSENT in page
    browser.post("/take-part/agree", {"version": 1})
    participant.refresh_from_db()
    assert participant.consent is None
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    participant.refresh_from_db()
    assert participant.consent is not None
    assert participant.consent.version == 1
    assert participant.consented_at is not None


def test_a_changed_text_is_asked_about_before_the_next_game(browser: Browser) -> None:
    trial = new_trial()
    take_part(browser, person(trial))
    configure_trial(trial=trial, consent="We also study luck.")
    page = text(browser.get("/take-part/"))
    assert "has changed" in page
    assert "We also study luck." in page
    assert browser.post("/take-part/game").status_code == 409
    assert browser.post("/take-part/agree", {"version": 1, "agree": "on"}).status_code == 409
    browser.post("/take-part/agree", {"version": 2, "agree": "on"})
    assert next_game(browser).trial_game.number == 1


def test_every_question_may_be_left_unanswered(browser: Browser) -> None:
    participant = person(new_trial())
    enter(browser, participant)
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert "program that judges" not in text(browser.get("/take-part/"))
    browser.post("/take-part/answers", {"experience": "child", "strategy": "program"})
    participant.refresh_from_db()
    assert (participant.experience, participant.last_played) == ("child", "skipped")
    assert participant.strategy == "", "it was not asked"
    assert participant.answered_at is not None


def test_whether_the_game_was_studied_is_asked_after_the_last_game(browser: Browser) -> None:
    participant = person(new_trial(games_each=1))
    take_part(browser, participant)
    participant.refresh_from_db()
    first = participant.answered_at
    play_through(browser, next_game(browser))
    page = text(browser.get("/take-part/"))
    assert "program that judges" in page
    assert "How well do you know" not in page
    browser.post("/take-part/answers", {"strategy": "read", "experience": "now"})
    participant.refresh_from_db()
    assert (participant.strategy, participant.experience) == ("read", "child")
    assert participant.answered_at == first
    assert "You have played all games" in text(browser.get("/take-part/"))


def test_where_arms_are_given_by_it_it_is_asked_before(browser: Browser) -> None:
    arms = [ArmSettings("one"), ArmSettings("two")]
    enter(browser, person(new_trial(arms=arms, stratify_by="strategy", games_each=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert "program that judges" in text(browser.get("/take-part/"))
    browser.post("/take-part/answers", {"strategy": "no"})
    play_through(browser, next_game(browser))
    assert "You have played all games" in text(browser.get("/take-part/"))


def test_whoever_answered_before_that_is_not_asked_once_more(browser: Browser) -> None:
    participant = person(new_trial(games_each=1))
    take_part(browser, participant)
    Participant.objects.update(experience="", last_played="", strategy="")
    play_through(browser, next_game(browser))
    assert "You have played all games" in text(browser.get("/take-part/"))


# Playing


def test_a_participant_plays_so_many_games_and_no_more(browser: Browser) -> None:
    take_part(browser, person(new_trial(games_each=2)))
    numbers = [play_through(browser, next_game(browser)).trial_game.number for _ in range(2)]
    assert numbers == [1, 2]
    browser.post("/take-part/answers", {})
    assert "played all games" in text(browser.get("/take-part/"))
    assert browser.post("/take-part/game").status_code == 409


@pytest.mark.parametrize("shared", [True, False])
def test_dice_are_the_same_for_everyone_only_where_that_was_chosen(shared: bool) -> None:
    trial = new_trial(shared_dice=shared)
    games = [start_trial_game(participant=joined(trial, number)).game for number in (1, 2)]
    one, other = map(list_shown_dice, games)
    assert (one == other) == shared


def test_no_game_has_the_dice_of_another() -> None:
    participant = joined(new_trial())
    first = start_trial_game(participant=participant)
    assert participant.player is not None
    score_all(first, participant.player)
    second = start_trial_game(participant=participant)
    assert list_shown_dice(first.game) != list_shown_dice(second.game)


def test_a_trial_game_has_no_coach_and_cannot_be_given_up(browser: Browser) -> None:
    take_part(browser, person(new_trial()))
    game = next_game(browser)
    assert game.coach == "off"
    assert game.share_token not in text(browser.get(f"/games/{game.pk}/"))
    page = text(browser.get(f"/games/{game.pk}/"))
    assert "Trial game 1 of 2" in page
    assert "Give up" not in page
    assert browser.act(game, "abandon", seq=1).status_code == 409
    game.refresh_from_db()
    assert game.abandoned_at is None


def test_whoever_is_done_may_not_practise_with_a_coach_on_dice_that_others_still_play(
    browser: Browser,
) -> None:
    trial = new_trial(games_each=1, shared_dice=True)
    take_part(browser, person(trial))
    game = play_through(browser, next_game(browser))
    assert not is_in_trial(game.player)
    response = browser.post("/games/", {"mode": "rematch", "of": game.pk, "coach": "live"})
    assert response.status_code == 409
    assert "You cannot play this game again on the same dice" in text(response)
    assert not Game.objects.filter(mode=Game.Mode.REMATCH).exists()
    close_trial(trial=trial)
    response = browser.post("/games/", {"mode": "rematch", "of": game.pk, "coach": "live"})
    assert response.status_code == 302
    assert Game.objects.get(mode=Game.Mode.REMATCH).seed == game.seed


def test_other_games_wait_until_the_trial_is_played(browser: Browser) -> None:
    take_part(browser, person(new_trial(games_each=1)))
    assert browser.get("/").headers["Location"] == "/take-part/"
    response = browser.post("/games/", {"mode": "solo", "nonce": "x"})
    assert response.status_code == 403
    assert "taking part in a trial" in text(response)
    play_through(browser, next_game(browser))
    assert browser.get("/").headers["Location"] == "/take-part/"
    browser.post("/take-part/leave")
    assert browser.get("/").status_code == 200


def test_reviews_open_when_the_trial_is_closed(browser: Browser, yatzy_tables: None) -> None:
    trial = new_trial(games_each=1)
    take_part(browser, person(trial))
    game = play_through(browser, next_game(browser))
    response = browser.get(f"/games/{game.pk}/review")
    assert response.status_code == 403
    assert str(TrialRuns()) in text(response)
    assert game.seed not in text(browser.get(f"/games/{game.pk}/verify"))
    close_trial(trial=trial)
    assert browser.get(f"/games/{game.pk}/review").status_code == 200
    assert game.seed in text(browser.get(f"/games/{game.pk}/verify"))


def test_a_closed_trial_takes_no_move_and_an_opened_one_goes_on(browser: Browser) -> None:
    trial = new_trial()
    take_part(browser, person(trial))
    game = next_game(browser)
    close_trial(trial=trial)
    response = browser.act(game, "score", seq=1, category="chance")
    assert response.status_code == 409
    assert "This trial is closed" in text(response)
    assert game.decisions.count() == 1
    open_trial(trial=trial)
    assert browser.act(game, "score", seq=1, category="chance").status_code == 200


def test_before_it_is_opened_nobody_can_begin(browser: Browser) -> None:
    enter(browser, person(new_trial(opened=False)))
    assert "not been opened yet" in text(browser.get("/take-part/"))
    assert browser.post("/take-part/agree", {"version": 1, "agree": "on"}).status_code == 409


# Who a browser is


def test_after_leaving_the_browser_is_whose_it_was(browser: Browser) -> None:
    own = browser.start()
    participant = person(new_trial())
    take_part(browser, participant)
    assert browser.get(f"/games/{own.pk}/").status_code == 403
    data = {"theme": "dark", "coach": "off", "coach_threshold": "1"}
    assert browser.post("/settings/", data).status_code == 302
    browser.post("/take-part/leave")
    assert browser.get(f"/games/{own.pk}/").status_code == 200
    own.player.refresh_from_db()
    assert own.player.theme == "auto"


def test_signing_in_takes_no_game_of_a_trial_along(browser: Browser) -> None:
    take_part(browser, person(new_trial()))
    game = next_game(browser)
    password = "a-long-password"
    browser.post(
        "/account/signup/", {"username": "anna", "password1": password, "password2": password}
    )
    game.refresh_from_db()
    assert game.player.user is None
    assert browser.get(f"/games/{game.pk}/").status_code == 200


# Withdrawing


def test_a_withdrawal_deletes_every_game_and_answer_and_closes_the_link(browser: Browser) -> None:
    trial = new_trial()
    take_part(browser, person(trial))
    game = next_game(browser)
    assert browser.post("/take-part/withdraw", {}).status_code == 200
    assert Game.objects.filter(pk=game.pk).exists()
    browser.post("/take-part/withdraw", {"confirm": "on"})
    participant = person(trial)
    assert participant.withdrawn_at is not None
    assert (participant.player, participant.experience, participant.browser) == (None, "", "")
    assert participant.seen_at is None
    assert not Game.objects.exists()
    assert not Decision.objects.exists()
    assert not Player.objects.exists()
    response = browser.get(make_link_path(participant))
    assert response.status_code == 403
    assert "You have withdrawn" in text(response)


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


# The researcher's pages


def test_the_links_page_has_a_link_and_a_code_for_everyone(researcher: Browser) -> None:
    trial = new_trial()
    page = text(researcher.get("/trials/study/links/"))
    assert page.count("<svg") >= 3
    links = [f"http://testserver{make_link_path(one)}" for one in trial.participants.all()]
    assert all(link in page for link in links)
    rows = text(researcher.get("/trials/study/links.csv")).splitlines()
    assert rows[1] == f"P01,{links[0]}"


def test_no_page_of_a_participant_names_the_code_behind_a_link(browser: Browser) -> None:
    participant = person(new_trial())
    take_part(browser, participant)
    game = next_game(browser)
    for address in ("/take-part/", f"/games/{game.pk}/", "/you/"):
        assert not re.search(participant.code, text(browser.get(address)))


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
