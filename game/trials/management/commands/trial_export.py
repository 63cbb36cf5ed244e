"""./yatzy trial_export SLUG --out DIR: write a trial's data as files."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.trials.exports.pages import (
    add_bundle_arguments,
    check_folder,
    parse_formats,
    write_bundle,
)
from game.trials.models import Trial


class Command(BaseCommand):
    help = (
        "Write a trial's participants, games, decisions, codebook, statistics, report and"
        " charts into a folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "trial", metavar="SLUG", help="short name of the trial, from its address"
        )
        add_bundle_arguments(parser)
        parser.add_argument(
            "--public",
            action="store_true",
            help="write only the files for publication, as CSV in the Psych-DS standard",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug, out = options["trial"], options["out"]
        trial = Trial.objects.filter(slug=slug).first()
        if trial is None:
            known = ", ".join(Trial.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"there is no trial {slug!r}; known trials: {known}", returncode=2)
        formats = parse_formats(options["formats"])
        check_folder(out, force=options["force"])
        quiet, public = options["verbosity"] == 0, options["public"]
        write_bundle(trial, out, formats, quiet=quiet, public=public)
        self.stdout.write(self.style.SUCCESS(f"All files are in {out}"))
