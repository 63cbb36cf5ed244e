"""A trial's data as files, for those who run it."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.models import Trial
from game.trials.exports.decisions import GameDoesNotAgree
from game.trials.exports.files import Export, NoSuchFile, SomebodyWithdrew, export_now
from game.views.downloads import COMPRESSED, download


@require_safe
@never_cache
def trial_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    export = export_now(get_object_or_404(Trial, slug=slug))
    filename = f"{slug}-{Path(name).name}"
    return _sent(request, lambda folder: export.write_one(name, folder), slug, filename)


@require_safe
@never_cache
def trial_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The whole folder that ``manage.py trial_export`` writes."""
    export = export_now(get_object_or_404(Trial, slug=slug))
    return _sent(request, lambda folder: _zipped(export, folder, slug), slug, f"{slug}.zip")


def _sent(
    request: HttpRequest, make: Callable[[Path], Path], slug: str, filename: str
) -> HttpResponseBase:
    try:
        return download(make, filename)
    except NoSuchFile:
        raise Http404 from None
    except (GameDoesNotAgree, SomebodyWithdrew) as error:
        messages.error(request, str(error))
        return redirect("trial", slug)


def _zipped(export: Export, folder: Path, slug: str) -> Path:
    """Each file goes once it is in the archive."""
    export.write(folder / slug)
    path = folder / f"{slug}.zip"
    with ZipFile(path, "w") as archive:
        for file in sorted((folder / slug).rglob("*.*")):
            kind = ZIP_STORED if file.suffix in COMPRESSED else ZIP_DEFLATED
            archive.write(file, file.relative_to(folder), compress_type=kind)
            file.unlink()
    return path
