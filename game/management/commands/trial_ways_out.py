"""manage.py trial_ways_out SLUG: somebody made up is sent through every way out of a trial."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.models import Trial
from game.trials.design.people import recruitment_of
from game.trials.rehearsal.sending import faults, passages


class Command(BaseCommand):
    help = (
        "Send somebody made up through every way out of a trial with an open link, by the pages"
        " that people use, and tell which code or address each of them shows. Nothing of it stays."
        " Exit: 0 nothing is missing, 1 something is, 2 there is no such trial or open link."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        trial = Trial.objects.filter(slug=options["slug"]).first()
        if trial is None or recruitment_of(trial) is None:
            text = f"there is no trial {options['slug']!r} with an open link"
            raise CommandError(text, returncode=2)
        walked, wrong = passages(trial), faults(trial)
        for one in walked:
            self.stdout.write(f"{one.way.title}: {one.shown or one.shut or '–'}")
            for missing in one.missing:
                self.stdout.write(f"  {missing}")
        for fault in wrong:
            self.stdout.write(fault)
        if wrong or any(one.missing for one in walked):
            raise CommandError("something is missing", returncode=1)
        self.stdout.write(self.style.SUCCESS("Nothing is missing."))
