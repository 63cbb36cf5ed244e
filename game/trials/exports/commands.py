"""Options that all commands for exporting a trial share."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import CommandError

from game.trials.exports.decisions import GameDoesNotAgree
from game.trials.exports.files import DoesNotRebuild, SomebodyWithdrew, export_now
from game.trials.exports.public import NotClosed, PublicBundle
from game.trials.files.export_table import FORMATS
from game.trials.models import Trial
from solver.cli.output import show_progress


def add_bundle_arguments(parser: ArgumentParser) -> None:
    every = ",".join(FORMATS)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    parser.add_argument(
        "--formats", default=every, metavar="LIST", help=f"table formats (default: {every})"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the files of an earlier export in DIR"
    )


def parse_formats(listed: str) -> list[str]:
    formats = [name.strip().lower() for name in listed.split(",") if name.strip()]
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        message = f"--formats: {', '.join(unknown) or 'no format'}; known: {', '.join(FORMATS)}"
        more = " (parquet: run `python3 install.py parquet` first)" if "parquet" in unknown else ""
        raise CommandError(message + more, returncode=2)
    return list(dict.fromkeys(formats))


def check_folder(out: Path, *, force: bool) -> None:
    """Raise CommandError if ``out`` is a file or, without ``force``, a folder with files in it."""
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is a file: --out needs a folder", returncode=2)
    if out.is_dir() and any(out.iterdir()) and not force:
        raise CommandError(
            f"{out} is not empty: choose another folder, or use --force to replace the"
            " files of an earlier export in it",
            returncode=2,
        )


def write_bundle(
    trial: Trial, out: Path, formats: list[str], *, quiet: bool, public: bool = False
) -> None:
    export = export_now(trial)
    try:
        with show_progress(f"Exporting {trial.slug}", quiet=quiet) as progress:
            if public:
                PublicBundle(export).write(out, progress)
            else:
                export.write(out, formats, progress)
    except (GameDoesNotAgree, SomebodyWithdrew, NotClosed, DoesNotRebuild) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror}") from None
