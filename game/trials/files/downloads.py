"""Downloads of files that are made on request and streamed without being held in memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from asgiref.sync import sync_to_async
from django.http import FileResponse

COMPRESSED = {".parquet", ".zip"}


class Download(FileResponse):
    """A file that a thread reads chunk by chunk; under ASGI Django would read all of it at once."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = iter(cast(Iterator[bytes], self.streaming_content))
        read = sync_to_async(lambda: next(chunks, None), thread_sensitive=False)
        while (chunk := await read()) is not None:
            yield chunk


def make_download(make: Callable[[Path], Path], filename: str) -> Download:
    """Send a file whose folder is deleted at once; the response still reads the open file."""
    with TemporaryDirectory(prefix="yatzy-") as folder:
        file = make(Path(folder)).open("rb")
    response = Download(file, as_attachment=True, filename=filename)
    if Path(filename).suffix in COMPRESSED:
        response["Content-Encoding"] = "identity"  # so that no middleware compresses it again
    return response
