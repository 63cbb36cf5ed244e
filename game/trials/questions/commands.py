"""Files of questions for commands, which read a file by name or path and print its faults."""

from pathlib import Path

from django.core.management.base import CommandError

from game.trials.questions.fields import BadQuestions
from game.trials.questions.parsing import parse_questionnaire
from game.trials.questions.reading import list_ready_files

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
        message = "\n".join(f"{file}:{fault.line}: {fault.message}" for fault in error.faults)
        raise CommandError(message, returncode=2) from None
    return text
