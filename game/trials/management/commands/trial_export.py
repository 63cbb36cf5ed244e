"""./yatzy trial_export SLUG --out DIR: write a trial's data as files."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.trials.exports.files import Export
from game.trials.exports.public import PublicBundle
from game.trials.files.export_table import ExportFailed
from game.trials.models import Trial
from solver.cli.output import add_switch, show_progress

OUT: Mapping[str, Any] = {"type": Path, "metavar": "DIR", "help": "new or empty folder to write to"}


def find_trial(slug: str) -> Trial:
    trial = Trial.objects.filter(slug=slug).first()
    if trial is None:
        known = ", ".join(Trial.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"there is no trial {slug!r}; known trials: {known}", returncode=2)
    return trial


def check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file: --out needs a folder", returncode=2)
    if out.is_dir() and any(out.iterdir()):
        raise CommandError(f"{out} is not empty: choose another folder", returncode=2)


def write_files(kind: type[Export], trial: Trial, out: Path, *, quiet: bool) -> None:
    try:
        with show_progress(f"Exporting {trial.slug}", quiet=quiet) as progress:
            kind(trial, progress=progress).write(out)
    except ExportFailed as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror}") from None


class Command(BaseCommand):
    help = (
        "Write a trial's participants, games, decisions, codebook, statistics, report and"
        " charts into a folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        text = "short name of the trial, from its address"
        parser.add_argument("trial", metavar="SLUG", help=text)
        parser.add_argument("--out", required=True, **OUT)
        text = "write only the files for publication, as CSV in the Psych-DS standard"
        add_switch(parser, "--public", text)

    def handle(self, *args: Any, **options: Any) -> None:
        trial, out = find_trial(options["trial"]), options["out"]
        check_folder(out)
        kind = PublicBundle if options["public"] else Export
        write_files(kind, trial, out, quiet=options["verbosity"] == 0)
        self.stdout.write(self.style.SUCCESS(f"All files are in {out}"))
