"""./yatzy trial_ways_out SLUG: which code or address every way out of a trial shows."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.models import Trial
from game.trials.design.people import recruitment_of
from game.trials.joining.outcomes import passages, settings_faults


class Command(BaseCommand):
    help = (
        "Show the code or address that participants of an open link see at each way out. "
        "Exit status: 0 if nothing is missing, 1 if something is, 2 if there is no such "
        "trial or open link."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        trial = Trial.objects.filter(slug=options["slug"]).first()
        recruitment = recruitment_of(trial) if trial else None
        if trial is None or recruitment is None:
            text = f"there is no trial {options['slug']!r} with an open link"
            raise CommandError(text, returncode=2)
        shown, wrong = passages(recruitment), settings_faults(trial)
        for one in shown:
            self.stdout.write(f"{one.way.title}: {one.shown or one.shut or '–'}")
            for missing in one.missing:
                self.stdout.write(f"  {missing}")
        for fault in wrong:
            self.stdout.write(fault)
        if wrong or any(one.missing for one in shown):
            raise CommandError("something is missing", returncode=1)
        self.stdout.write(self.style.SUCCESS("Nothing is missing."))
