"""Downloads of files that the server makes on request. They are sent in chunks to save memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from asgiref.sync import sync_to_async
from django.http import FileResponse

COMPRESSED = {".parquet", ".zip"}


class Download(FileResponse):
    """A file that a thread reads chunk by chunk. Under ASGI, Django would read it in one step."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = iter(cast(Iterator[bytes], self.streaming_content))
        read = sync_to_async(lambda: next(chunks, None), thread_sensitive=False)
        while (chunk := await read()) is not None:
            yield chunk


def make_download(make: Callable[[Path], Path], filename: str) -> Download:
    """Send a file. Delete its folder at once, because the open file stays readable to its end."""
    with TemporaryDirectory(prefix="yatzy-") as folder:
        file = make(Path(folder)).open("rb")
    response = Download(file, as_attachment=True, filename=filename)
    if Path(filename).suffix in COMPRESSED:
        response["Content-Encoding"] = "identity"  # keeps middleware from compressing it again
    return response
