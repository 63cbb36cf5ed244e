"""Texts for participants: the text to agree to, texts of arms, and no text with brackets."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone, translation

from game.core.refusals import Refused
from game.trials.design.consent import LEFT_OPEN, PARTS, format_standard_consent, store_texts
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import configure_trial, create_trial, open_trial
from game.trials.exports.description import build_description
from game.trials.exports.tables import Standing
from game.trials.joining.answering import store_questions
from game.trials.joining.recruiting import store_recruitment
from game.trials.models import Recruitment, Trial, TrialEvent
from game.trials.results.preregistration import log_lines
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser, play_through
from tests.trials import CONSENT, agree_to, new_trial, next_game, person

pytestmark = pytest.mark.django_db
SILENT, COACHED = ArmSettings("silent"), ArmSettings("coached", coach="after")
USUAL = "Try to score as many points as you can"
THANKS = "You have played all games of this trial."
MADE = {
    "": {"end": "Please call the desk."},
    "coached": {"instructions": "Listen to the voice.\n\nThen decide."},
}


def unopened(texts: dict[str, dict[str, str]] | None = None, **more: Any) -> Trial:
    trial = new_trial(opened=False, questionnaire=False, games_each=1, **more)
    Trial.objects.update(texts=texts or {})
    trial.refresh_from_db()
    return trial


def home(browser: Browser) -> str:
    return browser.get("/take-part/").text


# Texts of arms


@pytest.mark.parametrize("arm", [SILENT, COACHED])
def test_an_arm_reads_its_own_texts_in_the_training_and_another_the_usual_ones(
    browser: Browser, arm: ArmSettings
) -> None:
    trial = open_trial(trial=unopened(MADE, arms=[arm], games_before=1, games_after=1))
    agree_to(browser, person(trial))
    for phase in ("before", "training", "after"):
        if phase == "training":
            assert "Listen to the voice" not in home(browser)
            browser.post("/take-part/game")  # the lot falls
        own = phase == "training" and arm == COACHED
        page = home(browser)
        assert ("<p>Listen to the voice.</p>" in page, USUAL in page) == (own, not own)
        play_through(browser, next_game(browser))
    page = home(browser)
    assert ("Please call the desk." in page, THANKS in page) == (True, False)


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
    agree_to(browser, person(open_trial(trial=unopened(texts, arms=arms))))
    assert ("Listen to the voice" in home(browser)) == (not arms)
    play_through(browser, next_game(browser))
    assert "Bye." in home(browser)


def test_the_next_game_begins_at_once_only_where_it_is_told_as_the_last_one(
    browser: Browser,
) -> None:
    trial = unopened(arms=[COACHED], games_before=2, games_after=1)
    agree_to(browser, person(open_trial(trial=store_texts(trial=trial, texts=MADE))))
    for lead in ("/games/", "/take-part/", "/take-part/"):
        game = next_game(browser)
        play_through(browser, game)
        assert 'name="after" value="game"' in browser.get(f"/games/{game.pk}/").text
        answer = browser.post("/take-part/game", {"after": "game"})
        assert answer.headers["Location"].startswith(lead)


def test_a_participant_who_plays_every_arm_comes_to_one_end(browser: Browser) -> None:
    trial = unopened(arms=[SILENT, COACHED], design="within")
    texts = {"silent": {"end": "not this"}, "": {"end": "All is played."}}
    trial = open_trial(trial=store_texts(trial=trial, texts=texts))
    assert trial.texts == {"": {"end": "All is played."}}
    agree_to(browser, person(trial))
    for _ in range(2):
        play_through(browser, next_game(browser))
    assert "All is played." in home(browser)


def test_texts_are_noted_with_what_they_were_go_with_their_arm_and_are_fixed_once_open() -> None:
    trial = unopened(arms=[SILENT])
    for end in ("Thanks.", "Thank you.", "Thank you."):
        store_texts(trial=trial, texts={"": {"end": end}})
    noted = TrialEvent.objects.filter(kind="settings").order_by("pk")
    assert [one.detail for one in noted] == [
        {"end": {"from": "", "to": "Thanks."}},
        {"end": {"from": "Thanks.", "to": "Thank you."}},
    ]
    assert log_lines(trial)[1].details == ["End: Thanks., now Thank you."]
    configure_trial(trial=trial, consent=CONSENT, arms=[COACHED])
    texts = MADE | {"silent": {"instructions": "x"}}
    trial = open_trial(trial=store_texts(trial=trial, texts=texts))
    with pytest.raises(Refused):
        store_texts(trial=trial, texts={"": {"end": "Another."}})
    trial.refresh_from_db()
    exported = build_description(Standing(trial, timezone.now()), [])["trial"]["texts"]
    assert json.loads(json.dumps(exported)) == trial.texts == MADE
    store_texts(trial=trial, texts=MADE)  # the same is no change


# Brackets

FILLED: dict[str, Any] = dict.fromkeys(LEFT_OPEN, "something")
ASKED = """
title: What you think
before:
  - title: The rules
    text: Please answer.
    questions:
      - key: likes
        kind: likert
        ask: {en: Do you agree?, sv: Håller du med?}
        help: Choose one.
        labels: [not at all, completely]
        rows: {fun: It was fun.}
      - key: friends
        kind: choice
        ask: Whom do you play with?
        options: {alone: Alone, others: With others}
      - key: how_long
        kind: number
        ask: For how long?
        unit: years
"""
READ = [
    "What you think", "The rules", "Please answer.", "Do you agree?", "Håller du med?",
    "Choose one.", "not at all", "It was fun.", "Whom do you play with?", "With others", "years",
]  # fmt: skip


def lack(trial: Trial, fact: str) -> None:
    facts = FILLED | {fact: LEFT_OPEN[fact]}
    configure_trial(trial=trial, consent=format_standard_consent(YATZY, **facts))


def ask(trial: Trial, word: str) -> None:
    store_questions(trial=trial, text=ASKED.replace(word, '"[to do]"', 1))


def tell(trial: Trial, moment: str) -> None:
    store_texts(trial=trial, texts={"": {moment: "Dear [name], thank you!"}})


def retitle(trial: Trial, title: str) -> None:
    configure_trial(trial=trial, consent=CONSENT, title=title)


def code(trial: Trial, shown: str) -> None:
    store_recruitment(trial=trial, ways_out={"complete": shown})


UNFINISHED = [
    *((lack, fact) for fact in LEFT_OPEN),
    *((ask, text) for text in READ),
    *((tell, moment) for moment in ("instructions", "end")),
    (retitle, "A [short] study"),
    (code, "[code]"),
]


@pytest.mark.parametrize(("write", "what"), UNFINISHED)
def test_no_text_with_brackets_opens_a_trial_or_changes_an_open_one(
    write: Callable[..., None], what: str
) -> None:
    trial, other = new_trial(opened=False, places=1), new_trial(slug="open", places=1)
    write(trial, what)
    with pytest.raises(Refused, match=r"\[|brackets"):
        open_trial(trial=trial)
    assert not Trial.objects.get(slug="study").is_open
    with pytest.raises(Refused):
        write(other, what)
    other.refresh_from_db()
    assert (other.title, other.question_files.count(), other.texts) == ("A study", 0, {})
    assert "[" not in other.consents.latest("version").text
    assert not Recruitment.objects.filter(trial=other).exists()


def test_a_finished_text_an_address_and_a_rehearsal_open() -> None:
    trial = new_trial(opened=False)
    lack(trial, "researcher")
    configure_trial(trial=trial, consent=format_standard_consent(YATZY, **FILLED))
    code(trial, "https://[::1]/done")
    assert open_trial(trial=trial).is_open
    bots = create_trial(
        slug="bots", title="[Bots]", places=1, games_each=1, consent="[x]", rehearsal=True
    )
    assert open_trial(trial=bots).is_open


# The usual text to agree to


def test_the_command_fills_in_every_fact_and_works_out_the_rest() -> None:
    every = {name: f"fact of {name}" for name in LEFT_OPEN}
    few = {"researcher": "Ada", "contact": "a@x", "ethics": "7", "games": 4, "before": 1}
    for slug, facts, wanted in (
        ("every", every, [*every.values()]),
        ("few", few, ["about 40 minutes", "at least 18 years"]),
    ):
        call_command("trial_create", slug, "--open", **facts)
        consent = known(Trial.objects.get(slug=slug).consents.first()).text
        assert [fact for fact in wanted if fact not in consent] == []


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_the_usual_text_is_translated_and_lacks_what_only_the_researcher_knows(
    language: str,
) -> None:
    with translation.override("en"):
        english = {str(heading) for heading, _text in PARTS}
    with translation.override(language):
        headings = {str(heading) for heading, _text in PARTS}
        lacks, whole = format_standard_consent(YATZY), format_standard_consent(YATZY, **FILLED)
    assert (headings & english) == (english if language == "en" else set())
    assert [word for word in LEFT_OPEN.values() if word not in lacks] == []
    assert "[" not in whole


def test_it_says_what_the_site_stores() -> None:
    text = format_standard_consent(YATZY)
    assert "hours" not in text
    assert "away for 24 hours" in format_standard_consent(YATZY, hours=24)
    for fact in ("every move", "random code for your browser", "hide", "the ID", "withdraw"):
        assert fact in text
