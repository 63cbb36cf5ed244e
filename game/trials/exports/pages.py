"""The pages from which staff download a trial's data."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.trials.exports.files import Export, NoSuchFile
from game.trials.exports.public import PublicBundle
from game.trials.files.export_table import COMPRESSED, Download, ExportFailed
from game.trials.models import Trial


@require_safe
@never_cache
def trial_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    export = Export(get_object_or_404(Trial, slug=slug))
    filename = f"{slug}-{Path(name).name}"
    return _send_download(request, lambda folder: export.write_one(name, folder), slug, filename)


@require_safe
@never_cache
def trial_zip(request: HttpRequest, slug: str, *, public: bool = False) -> HttpResponseBase:
    """Send the files that ``./yatzy trial_export`` writes, as a zip file."""
    trial = get_object_or_404(Trial, slug=slug)
    export, name = (PublicBundle(trial), f"{slug}-public") if public else (Export(trial), slug)

    def make(folder: Path) -> Path:
        """Write the files, and pack them. Delete each file once it is packed."""
        export.write(folder / name)
        with ZipFile(folder / f"{name}.zip", "w") as archive:
            for file in sorted(path for path in (folder / name).rglob("*") if path.is_file()):
                kind = ZIP_STORED if file.suffix in COMPRESSED else ZIP_DEFLATED
                archive.write(file, file.relative_to(folder), compress_type=kind)
                file.unlink()
        return folder / f"{name}.zip"

    return _send_download(request, make, slug, f"{name}.zip")


def _send_download(
    request: HttpRequest, make: Callable[[Path], Path], slug: str, filename: str
) -> HttpResponseBase:
    try:
        # Delete the folder at once, because the open file stays readable to its end.
        with TemporaryDirectory(prefix="yatzy-") as folder:
            file = make(Path(folder)).open("rb")
    except NoSuchFile:
        raise Http404 from None
    except ExportFailed as error:
        messages.error(request, str(error))
        return redirect("trial", slug)
    response = Download(file, as_attachment=True, filename=filename)
    if Path(filename).suffix in COMPRESSED:
        response["Content-Encoding"] = "identity"  # keeps middleware from compressing it again
    return response
