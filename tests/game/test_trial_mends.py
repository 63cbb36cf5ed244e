"""Links taken back, texts that are not complete, answers left out, games left unfinished."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone, translation

from game.core.refusals import Refused
from game.trials.design.consent import LEFT_OPEN, PARTS, format_standard_consent, store_texts
from game.trials.design.writing import configure_trial, create_trial, open_trial
from game.trials.exports.tables import PARTICIPANTS, Standing
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import issue_link, revoke_link, start_trial_game
from game.trials.models import Participant, Recruitment, Trial, TrialEvent
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser, text
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db
NewBrowser = Callable[[], Browser]


def fresh(participant: Participant) -> Participant:
    return Participant.objects.select_related("trial").get(pk=participant.pk)


# Links


def test_a_new_link_leads_to_the_same_games_and_the_old_one_nowhere(
    browser: Browser, new_browser: NewBrowser
) -> None:
    participant = new_trial(questionnaire=False).participants.get(number=1)
    old = make_link_path(participant)
    browser.get(old)
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    game, stranger = browser.post("/take-part/game")["Location"], new_browser()
    for change in (revoke_link, issue_link):
        change(participant=fresh(participant))
        assert stranger.get(old).status_code == 403
        assert browser.post("/take-part/game").status_code == 403
        new = make_link_path(fresh(participant))
        assert stranger.get(new).status_code == (302 if change is issue_link else 403)
    assert stranger.post("/take-part/game")["Location"] == game
    kinds = participant.events.values_list("kind", flat=True)
    assert list(kinds)[-3:-1] == ["link_revoked", "link_issued"]
    withdraw_participant(participant=fresh(participant))
    with pytest.raises(Refused):
        issue_link(participant=fresh(participant))


def test_staff_revokes_and_issues_links_on_their_page(researcher: Browser) -> None:
    participant = new_trial().participants.get(number=1)
    for act in ("revoke", "issue"):
        old = make_link_path(participant)
        assert (old in text(researcher.get("/trials/study/links/"))) == (act == "revoke")
        researcher.post(f"/trials/study/1/link/{act}")
        participant.refresh_from_db()
    for address in ("links/", "links.csv"):
        assert make_link_path(participant) in text(researcher.get(f"/trials/study/{address}"))
    assert researcher.post("/trials/study/1/link/melt").status_code == 404


# The text


FILLED: dict[str, Any] = dict.fromkeys(LEFT_OPEN, "something")


@pytest.mark.parametrize(("fact", "word"), LEFT_OPEN.items())
def test_a_trial_is_not_opened_while_its_text_has_a_word_in_brackets(fact: str, word: str) -> None:
    trial = new_trial(opened=False)
    for value in (word, "Ada"):
        facts = FILLED | {fact: value}
        configure_trial(trial=trial, consent=format_standard_consent(YATZY, **facts))
        if value == word:
            with pytest.raises(Refused, match=re.escape(word)):
                open_trial(trial=trial)
    assert open_trial(trial=trial).is_open


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


def ask(trial: Trial, word: str) -> None:
    store_questions(trial=trial, text=ASKED.replace(word, '"[to do]"', 1))


def tell(trial: Trial, moment: str) -> None:
    store_texts(trial=trial, texts={"": {moment: "Dear [name], thank you!"}})


def retitle(trial: Trial, title: str) -> None:
    configure_trial(trial=trial, consent="Text", title=title)


def code(trial: Trial, shown: str) -> None:
    store_recruitment(trial=trial, ways_out={"complete": shown})


UNFINISHED = [
    *((ask, text) for text in READ),
    *((tell, moment) for moment in ("instructions", "end")),
    (retitle, "A [short] study"),
    (code, "[code]"),
]


@pytest.mark.parametrize(("write", "what"), UNFINISHED)
def test_no_text_for_participants_has_brackets(write: Callable[..., None], what: str) -> None:
    trial = new_trial(opened=False, places=1)
    write(trial, what)
    with pytest.raises(Refused, match="brackets"):
        open_trial(trial=trial)
    assert not Trial.objects.get().is_open


@pytest.mark.parametrize(("write", "what"), [(ask, "years"), (retitle, "[a]"), (code, "[code]")])
def test_nor_does_a_text_that_changes_while_the_trial_is_open(
    write: Callable[..., None], what: str
) -> None:
    trial = new_trial(places=1)
    with pytest.raises(Refused, match="brackets"):
        write(trial, what)
    assert (Trial.objects.get().title, trial.question_files.count()) == ("A study", 0)
    assert not Recruitment.objects.exists()
    with pytest.raises(Refused, match=r"\[pay\]"):
        configure_trial(trial=trial, consent="You get [pay].")
    assert "[" not in trial.consents.latest("version").text


def test_an_address_may_have_brackets_and_a_rehearsal_every_text() -> None:
    trial = new_trial(opened=False)
    code(trial, "https://[::1]/done")
    assert open_trial(trial=trial).is_open
    bots = create_trial(
        slug="bots", title="[Bots]", places=1, games_each=1, consent="[x]", rehearsal=True
    )
    assert open_trial(trial=bots).is_open


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


# Answers


def test_not_to_say_and_to_skip_and_not_to_get_there_are_three_values(browser: Browser) -> None:
    trial = new_trial()
    browser.get(make_link_path(trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})

    def answers() -> list[object]:
        (row,) = Standing(trial, timezone.now()).rows(PARTICIPANTS)
        told = dict(zip(PARTICIPANTS.names, row, strict=True))
        return [told[name] for name in ("experience", "last_played", "strategy")]

    assert answers() == ["not_reached"] * 3
    browser.post("/take-part/answers", {"experience": "declined", "last_played": "year"})
    assert answers() == ["declined", "year", "not_reached"]  # it is asked after the games
    trial.participants.filter(number=1).update(strategy="skipped")
    assert answers() == ["declined", "year", "skipped"]
    trial.participants.update(experience="", last_played="", strategy="")
    assert answers() == [None] * 3  # from before the two were told apart


# Games under way


def test_the_page_to_close_names_the_games_under_way(researcher: Browser) -> None:
    trial = new_trial()
    start_trial_game(participant=joined(trial))
    assert "P01: turn 1, 0 points" in text(researcher.get("/trials/study/close/"))
    researcher.post("/trials/study/turn/close")
    trial.refresh_from_db()
    assert trial.state == "closed"
    assert trial.events.get(kind=TrialEvent.Kind.CLOSED).detail == {"games_under_way": 1}


# The usual text to agree to


LANGUAGES = [code for code, _name in settings.LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_usual_text_lacks_what_only_the_researcher_knows(language: str) -> None:
    with translation.override(language):
        text = format_standard_consent(YATZY)
        facts: dict[str, Any] = dict.fromkeys(LEFT_OPEN, "forty")
        known = format_standard_consent(YATZY, **facts)
    assert [word for word in LEFT_OPEN.values() if word not in text] == []
    assert "[" not in known


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_headings_are_translated(language: str) -> None:
    with translation.override("en"):
        english = [str(heading) for heading, _text in PARTS]
    with translation.override(language):
        found = [str(heading) for heading, _text in PARTS]
    assert not set(found) & set(english)


def test_it_says_what_the_site_stores() -> None:
    text = format_standard_consent(YATZY)
    assert "hours" not in text
    assert "away for 24 hours" in format_standard_consent(YATZY, hours=24)
    for fact in ("every move", "random code for your browser", "hide", "the ID", "withdraw"):
        assert fact in text
