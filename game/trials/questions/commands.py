"""Files of questions for commands: read by name or from a path, and every fault printed."""

from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import CommandError

from game.trials.questions.fields import BadQuestions
from game.trials.questions.kinds import Item
from game.trials.questions.parsing import questionnaire_of
from game.trials.questions.questionnaire import Questionnaire, QuestionPage
from game.trials.questions.reading import ready_files

HELP = f"a file of questions, or the name of one that ships: {', '.join(ready_files())}"


def questions_text(file: str) -> str:
    """Return the text of a good file; else a CommandError that names every faulty line."""
    path = ready_files().get(file, Path(file))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}", returncode=2) from None
    try:
        questionnaire_of(text)
    except BadQuestions as error:
        told = "\n".join(f"{file}:{fault.line}: {fault.message}" for fault in error.faults)
        raise CommandError(told, returncode=2) from None
    return text


def outline(found: Questionnaire) -> Iterator[str]:
    """Yield what is asked and when, in the file's first language."""
    if found.title:
        yield found.title.first
    for page in found.pages:
        yield f"\n{_when(page)}{f': {page.title.first}' if page.title else ''}"
        yield from (_line(item) for item in page.items)


def _when(page: QuestionPage) -> str:
    if page.moment != "between":
        return f"{page.moment.capitalize()} the games"
    if page.games:
        return f"After game {', '.join(map(str, page.games))}"
    return "After every game" if page.every == 1 else f"After every {page.every} games"


def _line(item: Item) -> str:
    question = item.question
    marks = {
        "must be answered": question.must_answer,
        f"right: {', '.join(sorted(item.expected))}": question.right,
        f"attention: {', '.join(sorted(item.expected))}": question.attention and item.expected,
        f"ends for: {', '.join(sorted(question.screens_out))}": question.screens_out,
    }
    told = "".join(f" [{mark}]" for mark, holds in marks.items() if holds)
    return f"  {item.key}: {item.ask.first} ({question.kind}: {question.takes}){told}"
