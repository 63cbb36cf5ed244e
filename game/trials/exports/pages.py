"""The pages from which a trial's staff download its data."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.exports.decisions import GameDoesNotAgree
from game.trials.exports.files import DoesNotRebuild, NoSuchFile, SomebodyWithdrew, export_now
from game.trials.exports.public import NotClosed, PublicBundle
from game.trials.files.export_table import COMPRESSED, make_download
from game.trials.models import Trial


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
        return make_download(make, filename)
    except NoSuchFile:
        raise Http404 from None
    except (GameDoesNotAgree, SomebodyWithdrew, NotClosed, DoesNotRebuild) as error:
        messages.error(request, str(error))
        return redirect("trial", slug)


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
