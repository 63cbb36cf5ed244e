"""Queries about a trial's questions and answers."""

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from game import data
from game.models import Answer, Participant, QuestionFile, Trial
from game.trials.files.export_queries import exported_participants
from game.trials.questions.parsing import questionnaire_of
from game.trials.questions.questionnaire import Asked, DuePage, Questionnaire


def question_file(trial: Trial) -> QuestionFile | None:
    """Return the current version of the questions, or None."""
    file = trial.question_files.order_by("version").last()
    return file if file is not None and file.text else None


def content_of(file: QuestionFile) -> bytes:
    """Return the bytes of the exported file of questions."""
    return f"{file.text}\n".encode()


def digest_of_questions(file: QuestionFile | None) -> str:
    """Return the hash of the exported file; empty without questions."""
    return sha256(content_of(file)).hexdigest() if file and file.text else ""


def questionnaire(trial: Trial) -> Questionnaire | None:
    file = question_file(trial)
    return questionnaire_of(file.text) if file else None


def page_due(participant: Participant) -> DuePage | None:
    asked_questions = questionnaire(participant.trial)
    if asked_questions is None or participant.screened_out_at is not None:
        return None
    finished = participant.games.filter(finished_at__isnull=False).count()
    all_played = finished >= participant.games_planned
    return asked_questions.due(finished, _list_answered(participant), all_played=all_played)


def _list_answered(participant: Participant) -> set[Asked]:
    done = participant.answers.filter(page_finished=True)
    return set(done.values_list("key", "game"))


def answers_of(participant: Participant, due: DuePage) -> dict[str, Answer]:
    keys = [key for key, _game in due.asked]
    return {
        answer.key: answer for answer in participant.answers.filter(key__in=keys, game=due.game)
    }


def answer_of(participant: Participant, key: str, game: int = 0) -> str | None:
    """Return the stored answer: an empty text if the participant declined or skipped the question,
    None if they have not reached it."""
    answer = participant.answers.filter(key=key, game=game, page_finished=True).first()
    return None if answer is None else answer.value


def exported_answers(trial: Trial, until: datetime) -> Iterator[Answer]:
    answers = Answer.objects.filter(participant__in=exported_participants(trial, until))
    answers = answers.filter(at__lte=until).select_related("participant")
    return answers.order_by("participant__number", "pk").iterator()


FOLDER = data.FOLDER / "questions"


def ready_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}


def ready_text(name: str) -> str:
    """Return the text of an included file; raise KeyError for an unknown name."""
    return ready_files()[name].read_text(encoding="utf-8")
