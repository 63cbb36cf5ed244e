"""What every way out of a trial shows: on its page, by its command, and where people go out."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Model

from game.trials.design.phases import ArmSettings
from game.trials.design.ways_out import WAYS_OUT
from game.trials.design.writing import close_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.outcomes import Passage, list_ways_out
from game.trials.joining.recruiting import recruit_agree
from game.trials.models import Recruitment, Trial
from tests.game.sent_through import walk
from tests.game.test_recruitment import ANNA
from tests.game.test_ways_out import CODES, QUESTIONS, coded
from tests.play import Browser
from tests.trials import researcher_user

pytestmark = pytest.mark.django_db
FULL: dict[str, Any] = {
    "places": 1,
    "games_before": 2,
    "games_each": 3,
    "games_follow_up": 2,
    "follow_up_days": 7,
    "questionnaire": True,
    "opened": False,
}
AFTERWARDS = """
between:
  - questions:
      - {key: sure, kind: slider, ask: How well?, labels: [badly, well]}
after:
  - questions:
      - {key: fun, kind: text, ask: Was it fun?}
"""


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


def everything() -> dict[str, list[Any]]:
    models: list[type[Model]] = [*apps.get_app_config("game").get_models(), User]
    return {
        model.__name__: list(model._default_manager.order_by("pk").values()) for model in models
    }


def eventful(**wanted: Any) -> Recruitment:
    found = coded(trial=FULL, **{"minutes": 60, "checks": 1} | wanted)
    store_questions(trial=found.trial, text=QUESTIONS + AFTERWARDS)
    return found


def by_name(trial: Trial) -> dict[str, Passage]:
    return dict(zip(WAYS_OUT, list_ways_out(Recruitment.objects.get(trial=trial)), strict=True))


@pytest.mark.parametrize("way", list(WAYS_OUT))
def test_every_way_is_walked_to_its_own_code_and_nothing_stays(way: str) -> None:
    found = eventful()
    before = everything()
    assert walk(found.trial, way) == (CODES[way], CODES[way])
    assert everything() == before


def test_a_trial_with_arms_that_runs_is_walked_too() -> None:
    arms = [ArmSettings("off", games_each=5), ArmSettings("after", coach="after")]
    trial = {"arms": arms, "design": "within", "games_each": 4, "stratify_by": "experience"}
    found = coded(trial=trial | {"questionnaire": True}, quota=1)
    recruit_agree(recruitment=found, version=1, parameters=ANNA)
    before = everything()
    assert walk(found.trial, "complete") == (CODES["complete"], CODES["complete"])
    assert everything() == before


def test_a_trial_that_is_closed_is_walked_as_if_it_were_open() -> None:
    found = coded(open=False)
    close_trial(trial=found.trial)
    assert walk(found.trial, "complete") == (CODES["complete"], CODES["complete"])


def test_an_address_is_filled_in_with_made_up_labels() -> None:
    found = coded(
        labels="id STUDY_ID who",
        expected="STUDY_ID=s7",
        complete="https://panel.example/?p={id}&s={STUDY_ID}",
    )
    shown = by_name(found.trial)["complete"].shown
    assert shown == "https://panel.example/?p=made-up&s=s7"


# What is missing


def test_a_way_out_that_nobody_can_go_is_said_and_not_walked() -> None:
    found = by_name(coded().trial)
    shut = {name for name, one in found.items() if one.shut}
    assert shut == {"first_sitting", "timed_out", "screened_out", "failed_check"}
    assert not any(one.missing or (one.shut and one.shown) for one in found.values())


def test_attention_checks_alone_end_the_part_where_a_number_of_them_does() -> None:
    attentive = QUESTIONS.replace("        right: 3\n", "").replace("  - tries: 1\n    q", "  - q")
    found = coded(trial={"opened": False})
    store_questions(trial=found.trial, text=attentive)
    assert by_name(found.trial)["failed_check"].shut
    Recruitment.objects.update(checks=1)
    assert by_name(found.trial)["failed_check"].shown == CODES["failed_check"]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("", "No code or address is set"),
        ("https://panel.example/?p={nobody}", "“{nobody}” is not filled in"),
        ("http://panel.example/", "begin with https"),
    ],
)
def test_what_is_missing_is_said(told: str, words: str) -> None:
    found = coded()
    Recruitment.objects.update(ways_out=CODES | {"full": told})  # as older ones are
    walked = by_name(found.trial)
    assert [name for name, one in walked.items() if one.missing] == ["full"]
    assert words in " ".join(walked["full"].missing)


# The page


@pytest.fixture
def researcher(browser: Browser) -> Browser:
    browser.force_login(researcher_user("rosa"))
    return browser
