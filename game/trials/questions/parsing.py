"""A file of questions read: its pages, or every fault with its line."""

from collections.abc import Iterator
from functools import lru_cache

from django.conf import settings

from game.trials.questions.fields import Fields, FileReading
from game.trials.questions.kinds import TrialQuestion
from game.trials.questions.making import COMMON, MAKERS, made
from game.trials.questions.nodes import BadQuestions, Node, tree_of
from game.trials.questions.questionnaire import MOMENTS, Moment, Questionnaire, QuestionPage

TRIES, MOST_TRIES = 3, 20
MOST_ITEMS = 500
MOST_GAMES = 1_000
PAGE = ("title", "text", "tries", "questions")
BETWEEN = (*PAGE, "every", "games")


@lru_cache(maxsize=64)
def questionnaire_of(text: str) -> Questionnaire:
    """Raises BadQuestions. A trial's file is read once a process."""
    reading = FileReading()
    try:
        found = _questionnaire(reading, tree_of(text, reading.faults))
    except BadQuestions as error:
        raise BadQuestions(*sorted({*reading.faults.found, *error.faults})) from None
    reading.faults.check()
    return found


def untranslated(text: str) -> list[tuple[str, int]]:
    """Languages that some text of the file is in, each with the lines of texts that lack it."""
    reading = FileReading()
    _questionnaire(reading, tree_of(text, reading.faults))
    used = {code for _line, texts in reading.texts for code in texts.by_language}
    return [
        (code, line)
        for code, _name in settings.LANGUAGES
        if code in used
        for line, texts in reading.texts
        if code not in texts.by_language and any(map(str.isalpha, texts.first))
    ]


def _questionnaire(reading: FileReading, tree: Node) -> Questionnaire:
    fields = reading.fields(tree, ("language", "title", *MOMENTS))
    languages = [code for code, _name in settings.LANGUAGES]
    reading.language = fields.one_of("language", languages, reading.language)
    title = fields.texts("title")
    pages = tuple(page for moment in MOMENTS for page in _pages(fields, moment))
    if not pages:
        reading.faults.add(tree.line, "Nothing is asked here.")
    if sum(len(page.items) for page in pages) > MOST_ITEMS:
        reading.faults.add(tree.line, f"At most {MOST_ITEMS} questions, please.")
    return Questionnaire(pages, reading.language, title)


def _pages(fields: Fields, moment: Moment) -> Iterator[QuestionPage]:
    if moment not in fields:
        return
    reading = fields.reading
    for number, node in enumerate(reading.listed(fields.content[moment]), start=1):
        known = BETWEEN if moment == "between" else PAGE
        yield _page(reading.fields(node, known), f"{moment}-{number}", moment)


def _page(fields: Fields, name: str, moment: Moment) -> QuestionPage:
    title, text = fields.texts("title"), fields.texts("text")
    questions = tuple(_questions(fields))
    if "every" in fields and "games" in fields:
        fields.fault("games", "Either “every” or “games”, not both.")
    return QuestionPage(
        name=name,
        moment=moment,
        questions=questions,
        title=title,
        text=text,
        tries=_tries(fields, questions),
        every=fields.whole("every", 1, 1, MOST_GAMES),
        games=_games(fields),
    )


def _questions(fields: Fields) -> Iterator[TrialQuestion]:
    node = fields.needed("questions")
    nodes = fields.reading.listed(node) if node else []
    if node and not nodes:
        fields.fault("questions", "Nothing is asked here.")
    for one in nodes:
        if (question := _question(fields.reading, one)) is not None:
            yield question


def _question(reading: FileReading, node: Node) -> TrialQuestion | None:
    """None, where it cannot be told what kind of question it is."""
    if not isinstance(node.content, dict):
        reading.fields(node, ())
        return None
    given = Fields(reading, node.line, node.content)
    kind = given.one_of("kind", MAKERS, "") if given.needed("kind") else ""
    return made(kind, reading.fields(node, [*COMMON, *MAKERS[kind].fields])) if kind else None


def _tries(fields: Fields, questions: tuple[TrialQuestion, ...]) -> int:
    checked = any(question.right for question in questions)
    if "tries" in fields and not checked:
        fields.fault("tries", "“tries” is for pages with a question that has a right answer.")
    return fields.whole("tries", TRIES, 1, MOST_TRIES) if checked else 0


def _games(fields: Fields) -> tuple[int, ...]:
    found = set()
    for value in fields.several("games"):
        if value.isascii() and value.isdigit() and 1 <= int(value) <= MOST_GAMES:
            found.add(int(value))
        else:
            told = {"least": 1, "most": MOST_GAMES}
            fields.fault(
                "games", "A whole number from {least} to {most} is expected.".format(**told)
            )
    return tuple(sorted(found))
