"""What participants of an arm are told: written by a researcher, previewed, and fixed once open."""

import json
from typing import Any

import pytest
from django.utils import timezone

from game.core.refusals import Refused
from game.models import Game
from game.trials.design.consent import store_texts
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import configure_trial, open_trial
from game.trials.exports.description import build_description
from game.trials.exports.tables import Standing
from game.trials.joining.links import make_link_path
from game.trials.models import Trial, TrialEvent
from game.trials.results.preregistration import log_lines
from tests.play import Browser, play_through
from tests.trials import CONSENT, new_trial

pytestmark = pytest.mark.django_db
SILENT, COACHED = ArmSettings("silent"), ArmSettings("coached", coach="after")
USUAL = "Try to score as many points as you can"
THANKS = "You have played all games of this trial."


def draft(**more: Any) -> Trial:
    return new_trial(opened=False, questionnaire=False, games_each=1, **more)


def comes(browser: Browser, trial: Trial) -> None:
    browser.get(make_link_path(trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})


def is_drawn(browser: Browser) -> None:
    assert "Listen to the voice" not in home(browser)
    assert browser.post("/take-part/game").headers["Location"] == "/take-part/"


def home(browser: Browser) -> str:
    return browser.get("/take-part/").text


def begins(browser: Browser) -> Game:
    address = browser.post("/take-part/game").headers["Location"]
    return Game.objects.get(pk=address.split("/")[2])


def make_texts(arm: str) -> dict[str, dict[str, str]]:
    return {
        "": {"end": "Please call the desk."},
        arm: {"instructions": "Listen to the voice.\n\nThen decide."},
    }


@pytest.mark.parametrize("arm", ["coached", "silent"])
def test_an_arm_reads_its_own_texts_in_the_training_and_another_the_usual_ones(
    browser: Browser, arm: str
) -> None:
    trial = draft(arms=[COACHED], games_before=1, games_after=1)
    Trial.objects.update(texts=make_texts(arm))
    comes(browser, open_trial(trial=trial))
    for phase in ("before", "training", "after"):
        if phase == "training":
            is_drawn(browser)
        own = phase == "training" and arm == "coached"
        page = home(browser)
        assert ("<p>Listen to the voice.</p>" in page, USUAL in page) == (own, not own)
        play_through(browser, begins(browser))
    page = home(browser)
    assert "Please call the desk." in page
    assert THANKS not in page


@pytest.mark.parametrize(
    ("arms", "texts"),
    [
        ([], {"": {"instructions": "Listen to the voice.", "end": "Bye."}}),
        ([COACHED], {"coached": {"end": "Bye."}, "": {"end": "All is played."}}),  # of an old trial
    ],
)
def test_a_trial_without_arms_and_an_earlier_one_have_their_words(
    browser: Browser, arms: list[ArmSettings], texts: dict[str, dict[str, str]]
) -> None:
    trial = draft(arms=arms)
    Trial.objects.update(texts=texts)
    comes(browser, open_trial(trial=trial))
    assert ("Listen to the voice" in home(browser)) == (not arms)
    if arms:
        is_drawn(browser)
    play_through(browser, begins(browser))
    assert "Bye." in home(browser)


def test_the_next_game_begins_at_once_only_where_it_is_told_as_the_last_one(
    browser: Browser,
) -> None:
    trial = draft(arms=[COACHED], games_before=2, games_after=1)
    comes(browser, open_trial(trial=store_texts(trial=trial, texts=make_texts("coached"))))
    for lead in ("/games/", "/take-part/", "/take-part/"):
        game = begins(browser)
        play_through(browser, game)
        assert 'name="after" value="game"' in browser.get(f"/games/{game.pk}/").text
        answer = browser.post("/take-part/game", {"after": "game"})
        assert answer.headers["Location"].startswith(lead)


def test_whoever_plays_every_arm_comes_to_one_end(browser: Browser) -> None:
    trial = draft(arms=[SILENT, COACHED], design="within")
    texts = {"silent": {"end": "not this"}, "": {"end": "All is played."}}
    trial = open_trial(trial=store_texts(trial=trial, texts=texts))
    assert trial.texts == {"": {"end": "All is played."}}
    comes(browser, trial)
    is_drawn(browser)
    play_through(browser, begins(browser))
    play_through(browser, begins(browser))
    assert "All is played." in home(browser)


def test_what_is_told_is_fixed_once_the_trial_is_opened() -> None:
    trial = open_trial(trial=store_texts(trial=draft(arms=[SILENT]), texts=make_texts("silent")))
    with pytest.raises(Refused):
        store_texts(trial=trial, texts={"": {"end": "Another."}})
    trial.refresh_from_db()
    exported = build_description(Standing(trial, timezone.now()), [])["trial"]["texts"]
    assert json.loads(json.dumps(exported)) == trial.texts == make_texts("silent")
    store_texts(trial=trial, texts=make_texts("silent"))  # the same is no change


def test_a_change_is_noted_with_what_it_was_and_a_text_goes_with_its_arm() -> None:
    trial = draft(arms=[SILENT])
    for end in ("Thanks.", "Thank you.", "Thank you."):
        store_texts(trial=trial, texts={"": {"end": end}})
    noted = TrialEvent.objects.filter(kind="settings").order_by("pk")
    assert [one.detail for one in noted] == [
        {"end": {"from": "", "to": "Thanks."}},
        {"end": {"from": "Thanks.", "to": "Thank you."}},
    ]
    assert log_lines(trial)[1].details == ["End: Thanks., now Thank you."]
    configure_trial(trial=trial, consent=CONSENT, arms=[COACHED])
    texts = {"coached": {"instructions": "Go."}, "silent": {"instructions": "x"}}
    assert store_texts(trial=trial, texts=texts).texts == {"coached": {"instructions": "Go."}}
