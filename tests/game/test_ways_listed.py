"""What staff see of every way out of a trial: its code or address, and what is missing."""

import pytest

from game.trials.design.people import WAYS_OUT
from game.trials.joining.answering import store_questions
from game.trials.joining.recruiting import Passage, list_ways_out
from game.trials.models import Recruitment, Trial
from tests.game.test_ways_out import CODES, QUESTIONS, coded

pytestmark = pytest.mark.django_db


def by_name(trial: Trial) -> dict[str, Passage]:
    return dict(zip(WAYS_OUT, list_ways_out(Recruitment.objects.get(trial=trial)), strict=True))


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
