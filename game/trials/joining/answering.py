"""Pages of questions: what participants see, and the services that store questions and answers."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.refusals import NotUnderstood, Refused
from game.trials.design.consent import check_texts
from game.trials.design.people import find_recruitment, log_event
from game.trials.design.writing import has_trial_begun, normalise_text
from game.trials.joining.writing import check_open
from game.trials.models import Answer, Participant, QuestionFile, Trial, TrialEvent
from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import (
    DuePage,
    Questionnaire,
    Reply,
    Sent,
    TrialQuestion,
    read_replies,
)
from game.trials.questions.reading import find_due_page, hash_questions, map_answers
from game.trials.reading import find_latest_consent

SALT = "questions"


@dataclass(frozen=True, slots=True)
class ShownPage:
    due: DuePage
    replies: Sequence[Reply]
    tries: int = 0  # number of tries that the participant has used
    stamp: str = ""

    @property
    def when(self) -> str:
        """The moment at which participants get the page, as text for previews."""
        return self.due.page.when

    @property
    def questions(self) -> list[tuple[TrialQuestion, list[Reply]]]:
        return [
            (question, [reply for reply in self.replies if reply.item.question is question])
            for question in self.due.page.questions
        ]

    @property
    def notice(self) -> str:
        left = self.due.page.tries - self.tries
        if self.tries:
            return ngettext("You have %(n)s try left.", "You have %(n)s tries left.", left) % {
                "n": left
            }
        return ngettext("You have %(n)s try.", "You have %(n)s tries.", left) % {"n": left}

    @property
    def optional(self) -> bool:
        return not any(question.must_answer for question in self.due.page.questions)

    @property
    def problems(self) -> list[Reply]:
        return [reply for reply in self.replies if reply.problem]


def show_page(
    participant: Participant, due: DuePage, sent: Sequence[Reply] = (), stamp: str = ""
) -> ShownPage:
    """Return the page with the answers that were sent, or else with the stored ones. The timer of
    the page (``stamp``) runs on if it is given. Tries that the participant used before count."""
    stored = map_answers(participant, due)
    replies = sent or [
        Reply(item, answer.state, answer.value) if (answer := stored.get(item.key)) else Reply(item)
        for item in due.page.items
    ]
    tries = max((answer.tries for answer in stored.values()), default=0)
    wrong = _("That is not the right answer.")
    replies = [
        replace(reply, problem=wrong) if tries and reply.wrong and not reply.problem else reply
        for reply in replies
    ]
    stamp = stamp or signing.dumps([due.name, time.time()], salt=SALT)
    return ShownPage(due, replies, tries, stamp)


def preview_pages(questionnaire: Questionnaire) -> Iterator[ShownPage]:
    for page in questionnaire.pages:
        yield ShownPage(DuePage(page), [Reply(item) for item in page.items])


def read_seconds_since(stamp: str, page: str) -> float | None:
    """Return the seconds since the server signed ``stamp``; None if it is invalid for this page."""
    try:
        name, shown_at = signing.loads(stamp, salt=SALT)
    except signing.BadSignature:
        return None
    return round(max(0.0, time.time() - shown_at), 1) if name == page else None


def store_questions(*, trial: Trial, text: str) -> Trial:
    """Store the file of questions. An empty text removes it; a faulty one raises BadQuestions."""
    text = normalise_text(text)
    if text:
        parse_questionnaire(text)
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        latest = trial.question_files.order_by("version").last()
        if text == (latest.text if latest else ""):
            return trial
        if has_trial_begun(trial):
            raise Refused("A participant has already begun, so the questions can no longer change.")
        version = latest.version + 1 if latest else 1
        made = QuestionFile.objects.create(trial=trial, version=version, text=text)
        if trial.is_open:
            check_texts(trial)
        digests = {"from": hash_questions(latest), "to": hash_questions(made)}
        log_event(trial, TrialEvent.Kind.SETTINGS, None, questions=digests)
        return trial


@dataclass(frozen=True, slots=True)
class PageTaken:
    """The result of a page that was sent. Valid answers are stored even if others are missing."""

    due: DuePage
    replies: Sequence[Reply]
    finished: bool


def store_page_answers(
    *, participant: Participant, page: str, sent: Sent, seconds: float | None = None
) -> PageTaken:
    """Store the answers to the page of questions that is due. If all replies are valid, count a
    try; the page is finished if all are right or no try is left, and then never changes. A finished
    page may screen the participant out for an answer or failed checks; an answer takes precedence.
    """
    with transaction.atomic():
        participant = (
            Participant.objects.select_for_update(of=("self",))
            .select_related("trial")
            .get(pk=participant.pk)
        )
        agreed = participant.consent_id == find_latest_consent(participant).pk
        if participant.withdrawn_at is not None or not agreed:
            raise NotUnderstood
        check_open(participant)
        due = find_due_page(participant)
        if due is None or due.name != page:
            raise Refused(
                _("You have answered these questions already, and you cannot change your answers.")
            )
        replies, before = read_replies(due.page, sent), map_answers(participant, due)
        whole = not any(reply.problem for reply in replies)
        tries = max((answer.tries for answer in before.values()), default=0) + whole
        wrong = any(reply.wrong for reply in replies)
        finished = whole and (not wrong or tries >= due.page.tries)
        for reply in replies:
            key = reply.item.key
            answer = before.get(key) or Answer(participant=participant, key=key)
            answer.moment, answer.game = due.page.moment, due.game
            answer.tries, answer.seconds, answer.page_finished = tries, seconds, finished
            if not reply.problem:
                answer.value, answer.state, answer.passed = reply.value, reply.state, reply.passed
                answer.at = timezone.now()
                answer.save()
        if finished:
            screened = any(reply.screens_out for reply in replies)
            failed = wrong
            # Failed attention checks exclude only people who joined by the open link.
            if not wrong and participant.recruited:
                recruitment = find_recruitment(participant.trial)
                if recruitment is not None and recruitment.checks is not None:
                    missed = participant.answers.filter(passed=False, page_finished=True)
                    failed = missed.count() >= recruitment.checks
            if screened or failed:
                participant.screened_out_at = timezone.now()
                participant.failed_check = failed and not screened
        participant.seen_at = timezone.now()
        participant.save(update_fields=["screened_out_at", "failed_check", "seen_at"])
        return PageTaken(due, replies, finished)
