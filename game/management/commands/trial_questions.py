"""./yatzy trial_questions FILE: whether a file of questions can be used, and what it asks."""

from argparse import ArgumentParser
from itertools import groupby
from typing import Any

from django.core.management.base import BaseCommand

from game.trials.questions.commands import HELP, outline, questions_text
from game.trials.questions.parsing import questionnaire_of, untranslated


class Command(BaseCommand):
    help = "Check a trial's question file line by line, and print what it asks and when."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help=HELP)

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        text = questions_text(file)
        for line in outline(questionnaire_of(text)):
            self.stdout.write(line)
        for language, gaps in groupby(untranslated(text), key=lambda gap: gap[0]):
            lines = ", ".join(str(line) for _language, line in gaps)
            self.stdout.write(self.style.WARNING(f"\nNot in {language}: lines {lines}"))
        self.stdout.write(self.style.SUCCESS("\nThis file can be used."))
