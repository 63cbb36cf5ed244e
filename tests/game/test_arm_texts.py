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


def told(arm: str) -> dict[str, dict[str, str]]:
    return {
        "": {"end": "Please call the desk."},
        arm: {"instructions": "Listen to the voice.\n\nThen decide."},
    }


def test_an_arm_reads_its_own_texts_where_they_belong(browser: Browser) -> None:
    trial = draft(arms=[COACHED])
    comes(browser, open_trial(trial=store_texts(trial=trial, texts=told("coached"))))
    is_drawn(browser)
    page = home(browser)
    assert "<p>Listen to the voice.</p>" in page
    assert "<p>Then decide.</p>" in page
    assert USUAL not in page
    game = begins(browser)
    play_through(browser, game)
    page = home(browser)
    assert "Please call the desk." in page
    assert THANKS not in page


def test_another_arm_reads_the_usual_ones(browser: Browser) -> None:
    trial = draft(arms=[COACHED])
    Trial.objects.update(texts=told("silent"))
    comes(browser, open_trial(trial=trial))
    is_drawn(browser)
    assert USUAL in home(browser)
    play_through(browser, begins(browser))
    assert "Please call the desk." in home(browser)


def test_a_text_of_the_training_is_silent_before_and_after_it(browser: Browser) -> None:
    trial = draft(arms=[COACHED], games_before=1, games_after=1)
    comes(browser, open_trial(trial=store_texts(trial=trial, texts=told("coached"))))
    for told_here in (False, True, False):
        if told_here:
            is_drawn(browser)
        assert ("Listen to the voice" in home(browser)) == told_here
        play_through(browser, begins(browser))
    assert "Please call the desk." in home(browser)


def test_the_next_game_begins_at_once_only_where_it_is_told_as_the_last_one(
    browser: Browser,
) -> None:
    trial = draft(arms=[COACHED], games_before=2, games_after=1)
    comes(browser, open_trial(trial=store_texts(trial=trial, texts=told("coached"))))
    for lead in ("/games/", "/take-part/", "/take-part/"):
        game = begins(browser)
        play_through(browser, game)
        assert 'name="after" value="game"' in browser.get(f"/games/{game.pk}/").text
        answer = browser.post("/take-part/game", {"after": "game"})
        assert answer.headers["Location"].startswith(lead)


def test_a_trial_without_arms_has_words_before_its_games(browser: Browser) -> None:
    words = {"": {"instructions": "Listen to the voice.", "end": "All is played."}}
    comes(browser, open_trial(trial=store_texts(trial=draft(), texts=words)))
    assert "Listen to the voice" in home(browser)
    play_through(browser, begins(browser))
    assert "All is played." in home(browser)


def test_an_earlier_trial_has_an_end_for_each_arm(browser: Browser) -> None:
    trial = draft(arms=[COACHED])
    Trial.objects.update(texts={"coached": {"end": "Bye."}, "": {"end": "All is played."}})
    comes(browser, open_trial(trial=trial))
    is_drawn(browser)
    play_through(browser, begins(browser))
    assert "Bye." in home(browser)


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
    trial = open_trial(trial=store_texts(trial=draft(arms=[SILENT]), texts=told("silent")))
    with pytest.raises(Refused):
        store_texts(trial=trial, texts={"": {"end": "Another."}})
    trial.refresh_from_db()
    assert trial.texts == told("silent")
    store_texts(trial=trial, texts=told("silent"))  # the same is no change


def test_a_change_is_noted_with_what_it_was() -> None:
    trial = store_texts(trial=draft(arms=[SILENT]), texts={"": {"end": "Thanks."}})
    store_texts(trial=trial, texts={"": {"end": "Thank you."}})
    store_texts(trial=trial, texts={"": {"end": "Thank you."}})
    noted = TrialEvent.objects.filter(kind="settings").order_by("pk")
    assert [one.detail for one in noted] == [
        {"end": {"from": "", "to": "Thanks."}},
        {"end": {"from": "Thanks.", "to": "Thank you."}},
    ]
    assert log_lines(trial)[1].details == ["End: Thanks., now Thank you."]


def test_a_text_of_an_arm_that_is_gone_goes_with_the_next_change() -> None:
    trial = store_texts(trial=draft(arms=[SILENT]), texts=told("silent"))
    configure_trial(trial=trial, consent=CONSENT, arms=[COACHED])
    trial = store_texts(
        trial=trial, texts={"coached": {"instructions": "Go."}, "silent": {"instructions": "x"}}
    )
    assert trial.texts == {"coached": {"instructions": "Go."}}


def test_the_files_of_a_trial_say_what_was_told() -> None:
    trial = store_texts(trial=draft(arms=[SILENT]), texts=told("silent"))
    found = build_description(Standing(trial, timezone.now()), [])
    assert json.loads(json.dumps(found["trial"]["texts"])) == told("silent")
