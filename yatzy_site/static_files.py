"""Static files: the hashes in their names, and the middleware that sends the files."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Redirect, StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(WhiteNoiseMiddleware):
    """The middleware that sends each static file in one piece, because the files are small, and
    Django warns if an ASGI server gets a file in pieces."""

    @staticmethod
    def serve(static_file: StaticFile | Redirect, request: HttpRequest) -> HttpResponse:
        streamed = WhiteNoiseMiddleware.serve(static_file, request)
        content = b"".join(streamed.streaming_content)
        streamed.close()
        response = HttpResponse(content, status=streamed.status_code)
        del response["content-type"]
        for name, value in streamed.items():
            response[name] = value
        return response


# JavaScript modules import each other by names with hashes.
MODULE = (
    r"""(?P<matched>import (?P<what>(?:[^"';]+ from )?)"(?P<url>\./[^"]+)";)""",
    'import %(what)s"%(url)s";',
)


# Remove comments from the files that browsers get: each match is replaced with "".
COMMENTS_OF_CSS = r"(?P<matched>/\*[^*]*\*+(?:[^/*][^*]*\*+)*/\s*)", ""
COMMENTS_OF_JS = r"(?m)(?P<matched>^[ \t]*//.*\n)", ""


class CollectedOrPlain(CompressedManifestStaticFilesStorage):
    """A storage for static files. After ``collectstatic``, their names contain a hash."""

    patterns = (
        ("css/*.css", (COMMENTS_OF_CSS,)),
        ("js/*.js", (COMMENTS_OF_JS, MODULE)),
        *CompressedManifestStaticFilesStorage.patterns,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._addresses: dict[tuple[str | None, str], str] = {}
        super().__init__(*args, **kwargs)

    def url(self, name: str | None, force: bool = False) -> str:
        """Return the address of a file. Addresses are cached, because a page names sixty files."""
        hashed = self.hashed_files.get(name, "")
        if not hashed or settings.DEBUG:
            return self._put_together(name, force)
        if (name, hashed) not in self._addresses:
            self._addresses[name, hashed] = self._put_together(name, force)
        return self._addresses[name, hashed]

    def url_converter(self, name: str, hashed_files: Any, template: str | None = None) -> Any:
        if template == "":
            return lambda _match: ""
        return super().url_converter(name, hashed_files, template)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress only the files that pages use: names with a hash, and minified scripts."""
        hashed = self.hashed_files
        named = {
            hashed[name] for name in hashed if f"{name.removesuffix('.js')}.min.js" not in hashed
        }
        return super().compress_files(set(paths) & named)  # type: ignore[no-any-return]

    def _put_together(self, name: str | None, force: bool) -> str:
        if self.hashed_files:
            return str(super().url(name, force))
        return StaticFilesStorage.url(self, name)
