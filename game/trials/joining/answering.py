"""The services that store a trial's file of questions, and participants' answers to its pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.refusals import NotUnderstood, Refused
from game.trials.design.consent import check_texts
from game.trials.design.people import find_recruitment, log_event
from game.trials.design.writing import has_trial_begun, normalise_text
from game.trials.joining.writing import check_open
from game.trials.models import Answer, Participant, QuestionFile, Trial, TrialEvent
from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.questionnaire import DuePage, Reply, Sent, read_replies
from game.trials.questions.reading import find_due_page, hash_questions, map_answers
from game.trials.reading import find_latest_consent


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
    """Store the answers to the page of questions that is due. A finished page never changes."""
    with transaction.atomic():
        participant = _lock(participant)
        due = find_due_page(participant)
        if due is None or due.name != page:
            raise Refused(
                _("You have answered these questions already, and you cannot change your answers.")
            )
        taken = _store_replies(participant, due, read_replies(due.page, sent), seconds)
        if taken.finished:
            _screen_participant(participant, taken)
        participant.seen_at = timezone.now()
        participant.save(update_fields=["screened_out_at", "failed_check", "seen_at"])
        return taken


def _lock(participant: Participant) -> Participant:
    locked = (
        Participant.objects.select_for_update(of=("self",))
        .select_related("trial")
        .get(pk=participant.pk)
    )
    if locked.withdrawn_at is not None or locked.consent_id != find_latest_consent(locked).pk:
        raise NotUnderstood
    check_open(locked)
    return locked


def _store_replies(
    participant: Participant, due: DuePage, sent: Sequence[Reply], seconds: float | None
) -> PageTaken:
    """Count a try if all replies are valid. Finish the page if all are right or no try is left."""
    before = map_answers(participant, due)
    whole = not any(reply.problem for reply in sent)
    tries = max((answer.tries for answer in before.values()), default=0) + whole
    wrong = any(reply.wrong for reply in sent)
    finished = whole and (not wrong or tries >= due.page.tries)
    for reply in sent:
        answer = before.get(reply.item.key) or Answer(participant=participant, key=reply.item.key)
        answer.moment, answer.game = due.page.moment, due.game
        answer.tries, answer.seconds, answer.page_finished = tries, seconds, finished
        if not reply.problem:
            answer.value, answer.state, answer.passed = reply.value, reply.state, reply.passed
            answer.at = timezone.now()
            answer.save()
    return PageTaken(due, sent, finished)


def _screen_participant(participant: Participant, taken: PageTaken) -> None:
    """Screen the participant out for an answer or failed checks; an answer takes precedence."""
    screened = any(reply.screens_out for reply in taken.replies)
    failed = any(reply.wrong for reply in taken.replies) or _has_too_many_failures(participant)
    if screened or failed:
        participant.screened_out_at = timezone.now()
        participant.failed_check = failed and not screened


def _has_too_many_failures(participant: Participant) -> bool:
    """Return whether failed attention checks exclude the participant. Only people who joined by the
    open link can be excluded in this way."""
    recruitment = find_recruitment(participant.trial) if participant.recruited else None
    if recruitment is None or recruitment.checks is None:
        return False
    missed = participant.answers.filter(passed=False, page_finished=True)
    return missed.count() >= recruitment.checks
