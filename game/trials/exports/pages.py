"""The pages from which staff download a trial's data, and the options of commands that export."""

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.contrib import messages
from django.core.management.base import CommandError
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.exports.decisions import GameDoesNotAgree
from game.trials.exports.files import DoesNotRebuild, NoSuchFile, SomebodyWithdrew, export_now
from game.trials.exports.public import NotClosed, PublicBundle
from game.trials.files.export_table import COMPRESSED, FORMATS, Download
from game.trials.models import Trial
from solver.cli.output import show_progress

FAILURES = (GameDoesNotAgree, SomebodyWithdrew, NotClosed, DoesNotRebuild)


@require_safe
@never_cache
def trial_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    export = export_now(get_object_or_404(Trial, slug=slug))
    filename = f"{slug}-{Path(name).name}"
    return _send_download(request, lambda folder: export.write_one(name, folder), slug, filename)


@require_safe
@never_cache
def trial_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the files that ``./yatzy trial_export`` writes, as a zip file."""
    export = export_now(get_object_or_404(Trial, slug=slug))
    return _send_download(
        request, lambda folder: _zip_folder(export.write, folder, slug), slug, f"{slug}.zip"
    )


@require_safe
@never_cache
def public_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the files that ``./yatzy trial_export --public`` writes, as a zip file."""
    public = PublicBundle(export_now(get_object_or_404(Trial, slug=slug)))
    name = f"{slug}-public"
    return _send_download(
        request, lambda folder: _zip_folder(public.write, folder, name), slug, f"{name}.zip"
    )


def _send_download(
    request: HttpRequest, make: Callable[[Path], Path], slug: str, filename: str
) -> HttpResponseBase:
    try:
        # Delete the folder at once, because the open file stays readable to its end.
        with TemporaryDirectory(prefix="yatzy-") as folder:
            file = make(Path(folder)).open("rb")
    except NoSuchFile:
        raise Http404 from None
    except FAILURES as error:
        messages.error(request, str(error))
        return redirect("trial", slug)
    response = Download(file, as_attachment=True, filename=filename)
    if Path(filename).suffix in COMPRESSED:
        response["Content-Encoding"] = "identity"  # keeps middleware from compressing it again
    return response


def _zip_folder(write: Callable[[Path], None], folder: Path, name: str) -> Path:
    """Write the files, and pack them into a zip file. Delete each file once it is packed."""
    write(folder / name)
    path = folder / f"{name}.zip"
    with ZipFile(path, "w") as archive:
        for file in sorted(path for path in (folder / name).rglob("*") if path.is_file()):
            kind = ZIP_STORED if file.suffix in COMPRESSED else ZIP_DEFLATED
            archive.write(file, file.relative_to(folder), compress_type=kind)
            file.unlink()
    return path


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
    except FAILURES as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out}: {error.strerror}") from None
