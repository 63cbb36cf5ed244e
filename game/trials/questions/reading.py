"""Queries for a trial's questions and answers."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from django.core.management.base import CommandError

from game import data
from game.trials.files.export_queries import query_participants
from game.trials.models import Answer, Participant, QuestionFile, Trial
from game.trials.questions.parsing import BadQuestions, parse_questionnaire
from game.trials.questions.questionnaire import DuePage, Item, Questionnaire


def find_question_file(trial: Trial) -> QuestionFile | None:
    file = trial.question_files.order_by("version").last()
    return file if file is not None and file.text else None


def encode_file(file: QuestionFile) -> bytes:
    return f"{file.text}\n".encode()


def hash_questions(file: QuestionFile | None) -> str:
    """Return the hash of the file of questions as it is exported, or "" without questions."""
    return sha256(encode_file(file)).hexdigest() if file and file.text else ""


def load_questionnaire(trial: Trial) -> Questionnaire | None:
    file = find_question_file(trial)
    return parse_questionnaire(file.text) if file else None


def map_question_items(trial: Trial) -> Mapping[str, Item]:
    questionnaire = load_questionnaire(trial)
    return questionnaire.items if questionnaire else {}


def find_due_page(participant: Participant) -> DuePage | None:
    questionnaire = load_questionnaire(participant.trial)
    if questionnaire is None or participant.screened_out_at is not None:
        return None
    finished = participant.games.filter(game__finished_at__isnull=False).count()
    all_played = finished >= participant.games_planned
    answered = participant.answers.filter(page_finished=True).values_list("key", "game")
    return questionnaire.due(finished, set(answered), all_played=all_played)


def map_answers(participant: Participant, due: DuePage) -> dict[str, Answer]:
    keys = [key for key, _game in due.asked]
    return {
        answer.key: answer for answer in participant.answers.filter(key__in=keys, game=due.game)
    }


def yield_exported_answers(trial: Trial, until: datetime) -> Iterator[Answer]:
    answers = Answer.objects.filter(participant__in=query_participants(trial, until))
    answers = answers.filter(at__lte=until).select_related("participant")
    return answers.order_by("participant__number", "pk").iterator()


FOLDER = data.FOLDER / "questions"


def list_ready_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}


def read_ready_text(name: str) -> str:
    """Read a file that comes with the program. Raise KeyError for an unknown name."""
    return list_ready_files()[name].read_text(encoding="utf-8")


HELP = f"file of questions, or an included file: {', '.join(list_ready_files())} (default: none)"


def read_questions(file: str) -> str:
    """Return the text of a valid file. For a faulty file, raise a CommandError with every fault."""
    path = list_ready_files().get(file, Path(file))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}", returncode=2) from None
    try:
        parse_questionnaire(text)
    except BadQuestions as error:
        message = "\n".join(f"{file}: {fault}" for fault in error.faults)
        raise CommandError(message, returncode=2) from None
    return text
