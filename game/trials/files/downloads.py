"""Files that are made when they are asked for, and sent without being held in memory."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from asgiref.sync import sync_to_async
from django.http import FileResponse

COMPRESSED = {".parquet", ".zip"}


class Download(FileResponse):
    """Read chunk by chunk in a thread: under ASGI Django would read all of it at once."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = iter(cast(Iterator[bytes], self.streaming_content))
        read = sync_to_async(lambda: next(chunks, None), thread_sensitive=False)
        while (chunk := await read()) is not None:
            yield chunk


def download(make: Callable[[Path], Path], filename: str) -> Download:
    """Send the file that ``make`` leaves in a folder, which is gone when it is sent."""
    with TemporaryDirectory(prefix="yatzy-") as folder:
        file = make(Path(folder)).open("rb")
    response = Download(file, as_attachment=True, filename=filename)
    if Path(filename).suffix in COMPRESSED:
        response["Content-Encoding"] = "identity"  # so that it is not compressed again
    return response
