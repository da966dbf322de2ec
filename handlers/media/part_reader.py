"""The reader of a request's parts, whatever they come from."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Final

from handlers.chat.media import PartContent, PartContents, Unreadable
from handlers.chat.messages import MediaPart, SourcePart, TextPart
from handlers.concurrency.limit import Overloaded
from handlers.concurrency.workers import Workers
from handlers.media.budget import Budget, CannotRead
from handlers.media.content import checked
from handlers.media.data_url import data_size, decode, is_data_url
from handlers.media.domains import SCHEMES
from handlers.media.local_files import SCHEME as FILE_SCHEME
from handlers.media.local_files import LocalFiles
from handlers.media.reads import Reads
from handlers.media.settings import MediaSettings
from handlers.media.urls import UrlReader, url_reader

# Requests whose parts are in memory at once; each may hold `max_media_bytes`, and what is made of them.
MAX_READING: Final = 8
_URL: Final = re.compile(f"(?:{'|'.join(SCHEMES)}):", re.IGNORECASE)


class PartReader:
    """Reads parts within the bounds of the settings."""

    def __init__(self, settings: MediaSettings, workers: Workers, urls: UrlReader | None = None) -> None:
        """Take the limits of the settings. urls: the reader of URLs; None makes one from the settings."""
        self._max_bytes = settings.max_media_bytes
        self._timeout_s = settings.media_timeout
        self._files = LocalFiles(settings.media_root)
        self._urls = urls or url_reader(settings)
        self._workers = workers
        self._places = asyncio.Semaphore(MAX_READING)
        self.reads = Reads()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Keep a place among the requests that read. Raises Overloaded if none becomes free in time."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._places.acquire()
        except TimeoutError:
            raise Overloaded from None
        try:
            yield
        finally:
            self._places.release()

    def budget(self) -> Budget:
        """Return what one request may take."""
        return Budget(self._max_bytes)

    async def read(self, parts: Sequence[SourcePart], budget: Budget) -> PartContents:
        """Return the contents of the parts, or why they cannot be read."""
        contents = await asyncio.gather(*(self._read(part, budget) for part in parts))
        return dict(zip(parts, contents, strict=True))

    async def _read(self, part: SourcePart, budget: Budget) -> PartContent:
        started_s = perf_counter()
        content = await self._content(part, budget)
        kind = part.kind.value if isinstance(part, MediaPart) else "file"
        self.reads.count(kind, _size(content), perf_counter() - started_s)
        return content

    async def _content(self, part: SourcePart, budget: Budget) -> PartContent:
        try:
            if _URL.match(part.source):
                data = await self._urls.fetch(part.source, budget)
                return await self._workers.compute(checked, part, data)
            return await self._workers.compute(self._read_here, part, budget)
        except CannotRead as error:
            return Unreadable(str(error))

    def _read_here(self, part: SourcePart, budget: Budget) -> PartContent:
        source = part.source
        if is_data_url(source):
            budget.take(data_size(source))
            data = decode(source)
        elif source[: len(FILE_SCHEME)].lower() == FILE_SCHEME:
            data = self._files.read(source, budget)
        else:
            raise CannotRead("a source is a data URL, or a URL that begins with https://, http:// or file://")
        return checked(part, data)


def _size(content: PartContent) -> int | None:
    """Return the size of what was read, in bytes or characters; None if it could not be read."""
    if isinstance(content, Unreadable):
        return None
    return len(content.text if isinstance(content, TextPart) else content.data)
