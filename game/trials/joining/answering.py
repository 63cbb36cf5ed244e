"""Pages of questions: what participants see, and the services that store questions and answers."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    Item,
    LikertQuestion,
    OptionsQuestion,
    Questionnaire,
    Reply,
    Sent,
    State,
    Texts,
    TrialQuestion,
    make_declining_name,
    make_field_name,
    read_replies,
)
from game.trials.questions.reading import find_due_page, hash_questions, map_answers
from game.trials.reading import find_latest_consent

SALT = "questions"


@dataclass(frozen=True, slots=True)
class ShownOption:
    value: str
    label: str  # number of a point on a scale; empty for an answer option
    text: Texts | None
    checked: bool


@dataclass(frozen=True, slots=True)
class ShownItem:
    item: Item
    value: str = ""
    declined: bool = False
    problem: str = ""

    @property
    def name(self) -> str:
        return make_field_name(self.item.key)

    @property
    def declining(self) -> str:
        return make_declining_name(self.item.key)

    @property
    def options(self) -> list[ShownOption]:
        question, chosen = self.item.question, self.value.split()
        if isinstance(question, OptionsQuestion):
            return [
                ShownOption(key, "", text, key in chosen) for key, text in question.options.items()
            ]
        if isinstance(question, LikertQuestion):
            labels = [(point, str(point)) for point in range(1, question.points + 1)]
            return [
                ShownOption(label, label, question.named.get(point), label in chosen)
                for point, label in labels
            ]
        return []

    @property
    def described_by(self) -> str:
        """The HTML ids of the elements that explain the field, separated by spaces."""
        question = self.item.question
        parts = {"help": question.help, "range": question.range, "problem": self.problem}
        return " ".join(f"{self.name}-{part}" for part, there in parts.items() if there)


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    question: TrialQuestion
    items: Sequence[ShownItem]

    @property
    def template(self) -> str:
        return f"trials/questions/_{self.question.kind}.html"

    @property
    def first(self) -> ShownItem:
        return self.items[0]


@dataclass(frozen=True, slots=True)
class ShownPage:
    due: DuePage
    questions: Sequence[ShownQuestion]
    notice: str = ""
    stamp: str = ""

    @property
    def when(self) -> str:
        """The moment at which participants get the page, as text for previews."""
        page = self.due.page
        if page.moment == "before":
            return "Before the games"
        if page.moment == "after":
            return "After the games"
        if page.games:
            return f"After game {', '.join(map(str, page.games))}"
        return "After every game" if page.every == 1 else f"After every {page.every} games"

    @property
    def optional(self) -> bool:
        return not any(shown.question.must_answer for shown in self.questions)

    @property
    def problems(self) -> list[ShownItem]:
        return [item for shown in self.questions for item in shown.items if item.problem]


def show_page(participant: Participant, due: DuePage) -> ShownPage:
    """Return the page and restart its timer. Tries that the participant used before still count."""
    stored = map_answers(participant, due)
    tries = max((answer.tries for answer in stored.values()), default=0)
    replies = []
    for item in due.page.items:
        reply, answer = Reply(item, "skipped"), stored.get(item.key)
        if answer is not None:
            state: State = "declined" if answer.state == "declined" else "answered"
            reply = _mark_wrong(Reply(item, state, answer.value), tries)
        replies.append(reply)
    stamp = signing.dumps([due.name, time.time()], salt=SALT)
    return _build_page(due, replies, tries, stamp)


def show_page_again(
    participant: Participant, due: DuePage, sent: Sequence[Reply], stamp: str
) -> ShownPage:
    """Return the page with the sent answers and their faults. Its timer (``stamp``) runs on."""
    tries = max((answer.tries for answer in map_answers(participant, due).values()), default=0)
    replies = [_mark_wrong(reply, tries) for reply in sent]
    return _build_page(due, replies, tries, stamp)


def preview_pages(questionnaire: Questionnaire) -> Iterator[ShownPage]:
    for page in questionnaire.pages:
        due = DuePage(page, 1 if page.moment == "between" else 0)
        yield _build_page(due, [Reply(item, "skipped") for item in page.items], 0, "")


def read_seconds_since(stamp: str, page: str) -> float | None:
    """Return the seconds since the server signed ``stamp``; None if it is invalid for this page."""
    try:
        name, shown_at = signing.loads(stamp, salt=SALT)
    except signing.BadSignature:
        return None
    return round(max(0.0, time.time() - shown_at), 1) if name == page else None


def _mark_wrong(reply: Reply, tries: int) -> Reply:
    """Add a message to each wrong answer, once the participant has used a try."""
    if reply.problem or not (tries and reply.wrong):
        return reply
    return Reply(reply.item, reply.state, reply.value, _("That is not the right answer."))


def _build_page(due: DuePage, replies: Sequence[Reply], tries: int, stamp: str) -> ShownPage:
    items = {
        reply.item.key: ShownItem(reply.item, reply.value, reply.state == "declined", reply.problem)
        for reply in replies
    }
    questions = [
        ShownQuestion(question, [items[item.key] for item in question.items])
        for question in due.page.questions
    ]
    notice, left = "", due.page.tries - tries
    if due.page.tries:
        text = ngettext("You have %(n)s try.", "You have %(n)s tries.", left)
        if tries:
            text = ngettext("You have %(n)s try left.", "You have %(n)s tries left.", left)
        notice = text % {"n": left}
    return ShownPage(due, questions, notice, stamp)


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
        if participant.withdrawn_at is not None:
            raise NotUnderstood
        if participant.consent_id != find_latest_consent(participant).pk:
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
