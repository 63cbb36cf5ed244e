"""Roles in a trial: who sees it, runs it and owns it, and what the others of the staff are told."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from game.core.refusals import Refused
from game.trials.design.writing import create_trial, open_trial
from game.trials.models import Trial, TrialEvent, TrialStaff
from game.trials.pages import give_role, remove_role
from tests.play import text
from tests.trials import CONSENT, joined, new_trial

pytestmark = pytest.mark.django_db
OWNED: dict[str, Any] = {"slug": "mine", "title": "Mine", "places": 2, "games_each": 1}


def user(name: str, *, superuser: bool = False) -> User:
    return User.objects.create_user(name, is_staff=True, is_superuser=superuser)


def browser_of(one: User) -> Client:
    client = Client()
    client.force_login(one)
    return client


@pytest.fixture
def ada() -> User:
    return user("ada")


@pytest.fixture
def trial(ada: User) -> Trial:
    return create_trial(consent=CONSENT, created_by=ada, **OWNED)


def with_role(trial: Trial, name: str, role: str) -> Client:
    found = user(name)
    give_role(trial=trial, username=name, role=role)
    return browser_of(found)


def kinds(trial: Trial) -> list[str]:
    return list(trial.events.values_list("kind", flat=True))


def test_pages_that_only_staff_sees_are_english_and_say_so(trial: Trial, ada: User) -> None:
    owner, stranger = browser_of(ada), browser_of(user("bo"))
    pages = ("", "mine/", "mine/question/", "mine/results/", "mine/plan/", "mine/roles/")
    for browser, page in [*((owner, page) for page in pages), (stranger, "mine/")]:
        browser.cookies["django_language"] = "sv"
        answer = browser.get(f"/trials/{page}")
        assert answer.headers["Content-Language"] == "en", page
        assert '<html lang="en"' in text(answer), page
    assert '<html lang="sv"' in text(owner.get("/rules/"))


def test_others_of_the_staff_know_title_state_and_owners_and_no_more(trial: Trial) -> None:
    bo = browser_of(user("bo"))
    page = text(bo.get("/trials/"))
    assert all(known in page for known in ("Mine", "ada", "Not opened yet"))
    assert "/trials/mine/" not in page
    assert "0 / 2" not in page
    refused = bo.get("/trials/mine/")
    assert refused.status_code == 403
    assert "ada" in text(refused)
    assert bo.get("/trials/nothing/").status_code == 404
    viewer = with_role(trial, "vi", "view")
    User.objects.filter(username="vi").update(is_staff=False)
    assert viewer.get("/trials/mine/").status_code == 403


def test_pages_offer_what_a_role_may_do(trial: Trial) -> None:
    """What the server refuses a role is in the crawl."""
    runner, viewer = with_role(trial, "ru", "run"), with_role(trial, "vi", "view")
    for browser, may in ((runner, True), (viewer, False)):
        page = text(browser.get("/trials/mine/open/"))
        for part in ("turn", "through"):
            assert (f"/trials/mine/{part}/" in page) == may
        assert ">Save<" not in text(browser.get("/trials/mine/plan/"))
    assert runner.post("/trials/mine/games/", {"games_each": 9}).status_code == 403
    joined(open_trial(trial=trial))
    for browser, may in ((runner, True), (viewer, False)):
        assert ("/1/withdraw" in text(browser.get("/trials/mine/monitor/"))) == may


def test_an_owner_invites_and_gives_another_role(trial: Trial, ada: User) -> None:
    bo, owner = user("bo"), browser_of(ada)
    owner.post("/trials/mine/roles/", {"username": "bo", "role": "view"})
    assert trial.team.get(user=bo).role == "view"
    owner.post("/trials/mine/roles/", {"username": "bo", "role": "own"})
    assert trial.team.get(user=bo).role == "own"
    assert browser_of(bo).get("/trials/mine/question/").status_code == 200
    assert kinds(trial) == ["role_given", "role_given"]
    owner.post(f"/trials/mine/roles/{bo.pk}/end")
    assert kinds(trial)[-1] == "role_taken"
    assert browser_of(bo).get("/trials/mine/").status_code == 403


@pytest.mark.parametrize("name", ["nobody", "guest", "gone"])
def test_nobody_but_the_staff_is_invited(trial: Trial, ada: User, name: str) -> None:
    User.objects.create_user("guest")
    User.objects.create_user("gone", is_staff=True, is_active=False)
    browser_of(ada).post("/trials/mine/roles/", {"username": name, "role": "run"})
    assert trial.team.count() == 1


def test_the_last_owner_stays(trial: Trial, ada: User) -> None:
    owner = browser_of(ada)
    with_role(trial, "ru", "run")
    stays = "A trial needs an owner"
    assert stays in text(owner.post("/trials/mine/roles/leave", follow=True))
    page = owner.post("/trials/mine/roles/", {"username": "ada", "role": "view"})
    assert stays in text(page)
    with pytest.raises(Refused):
        remove_role(trial=trial, user=ada)
    assert give_role(trial=trial, username="ada", role="own").user == ada  # still
    with_role(trial, "bo", "own")
    left = owner.post("/trials/mine/roles/leave")
    assert left.headers["Location"] == "/trials/"
    assert not trial.team.filter(user=ada).exists()


def test_what_a_superuser_does_without_a_role_is_told_in_the_log(trial: Trial) -> None:
    root = browser_of(user("root", superuser=True))
    assert "/trials/mine/" in text(root.get("/trials/"))
    assert root.get("/trials/mine/question/").status_code == 200
    assert kinds(trial) == []
    for what, data in (("delete", {"slug": "another"}), ("turn/close", {}), ("turn/dance", {})):
        assert root.post(f"/trials/mine/{what}", data).status_code in {302, 404}, what
    assert kinds(trial) == [], "what was refused was not done"
    root.post("/trials/mine/turn/open")
    told = trial.events.get(kind=TrialEvent.Kind.SUPERUSER)
    assert told.detail == {"what": "trial_turn"}
    root.post("/trials/mine/roles/", {"username": "nobody", "role": "own"})  # comes back
    assert kinds(trial).count("superuser") == 1
    root.post("/trials/mine/roles/", {"username": "root", "role": "run"})
    assert kinds(trial).count("superuser") == 2
    root.post("/trials/mine/turn/close")  # as one who runs it
    assert kinds(trial).count("superuser") == 2


def test_a_trial_without_an_owner_is_the_superusers_who_invite_one() -> None:
    trial = new_trial()
    bo, root = user("bo"), browser_of(user("root", superuser=True))
    TrialStaff.objects.all().delete()
    invited = {"username": "bo", "role": "own"}
    assert browser_of(bo).post("/trials/study/roles/", invited).status_code == 403
    root.post("/trials/study/roles/", invited)
    assert [(one.user, one.role) for one in trial.team.all()] == [(bo, "own")]
