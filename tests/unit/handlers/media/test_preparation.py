"""The reading of a request's parts, and the second attempt at its preparation."""

import asyncio
import threading
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from engine.port.request import MediaKind
from handlers.chat.media import MediaWanted, PartContents, Unreadable
from handlers.chat.messages import FilePart, MediaPart, SourcePart, TextPart
from handlers.concurrency.limit import Overloaded
from handlers.concurrency.workers import Workers
from handlers.media.data_url import data_url
from handlers.media.part_reader import MAX_READING, PartReader
from handlers.media.preparation import MediaPreparation
from handlers.settings.settings import Settings
from tests.support.scripted.media_processor import png


class Body(BaseModel):
    text: str = ""


def text_file(text: str) -> FilePart:
    return FilePart(data_url(b64encode(text.encode()).decode()))


def reader(**settings: Any) -> PartReader:
    return PartReader(Settings(**settings), Workers(1))


async def read(part: SourcePart, **settings: Any) -> object:
    one = reader(**settings)
    return (await one.read([part], one.budget()))[part]


async def test_parts_are_read_from_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("file")
    assert await read(text_file("data")) == TextPart("data\n\n")
    path = FilePart(f"file://{tmp_path}/a")
    assert await read(path, media_root=str(tmp_path)) == TextPart("file\n\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("https://example.com/a.png", "this server fetches no URLs"),
        ("HTTPS://example.com/a.png", "this server fetches no URLs"),
        ("FILE:///etc/passwd", "this server reads no files"),
        ("file:///etc/passwd", "this server reads no files"),
        ("/etc/passwd", "a source is"),
        ("", "a source is"),
        ("ftp://example.com/a", "a source is"),
        ("data:image/png;base64,AAAA", "the content is not"),
    ],
)
async def test_what_cannot_be_read_is_said(source: str, reason: str) -> None:
    content = await read(MediaPart(MediaKind.IMAGE, source))
    assert isinstance(content, Unreadable) and content.reason.startswith(reason)


async def test_the_parts_of_a_request_share_its_bytes() -> None:
    parts = [text_file("a" * 60), text_file("b" * 60)]
    one = reader(max_media_bytes=100)
    contents = await one.read(parts, one.budget())
    assert {type(content) for content in contents.values()} == {TextPart, Unreadable}
    assert one.reads.num_files == {("file", True): 1, ("file", False): 1}
    assert one.reads.num_bytes == {"file": 62}, "the text, and the lines that part it from others"
    assert one.reads.seconds.num_values == 2


async def test_a_data_url_over_the_limit_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.media.part_reader.decode", lambda source: pytest.fail("it is decoded"))
    content = await read(text_file("a" * 60), max_media_bytes=50)
    assert isinstance(content, Unreadable) and "50 bytes" in content.reason


class Prepared:
    """A preparation that wants parts, one after the other. threads: those in which it was attempted."""

    def __init__(self, *parts: SourcePart) -> None:
        self.parts = parts
        self.threads: list[threading.Thread] = []

    def __call__(self, body: Body, contents: PartContents, name: str) -> str:
        self.threads.append(threading.current_thread())
        for part in self.parts:
            if part not in contents:
                raise MediaWanted([part])
        return name + "".join(str(contents[part]) for part in self.parts)


def preparation(**settings: Any) -> MediaPreparation:
    workers = Workers(1)
    return MediaPreparation(PartReader(Settings(**settings), workers), workers)


async def test_a_request_without_parts_is_prepared_once_and_where_it_is() -> None:
    prepared = Prepared()
    assert await preparation().prepare(prepared, Body(), "x") == "x"
    assert prepared.threads == [threading.current_thread()]


async def test_a_request_with_parts_is_prepared_again_in_a_thread() -> None:
    first, second = text_file("1"), text_file("2")
    prepared = Prepared(first, second)
    text = await preparation().prepare(prepared, Body(), "x")
    assert text == "x" + str(TextPart("1\n\n")) + str(TextPart("2\n\n"))
    here, *threads = prepared.threads
    assert here is threading.current_thread() and len(threads) == 2 and here not in threads


async def test_what_the_second_attempt_raises_is_raised_and_its_place_is_free_again() -> None:
    workers = Workers(1)
    one = MediaPreparation(PartReader(Settings(media_timeout=0.5), workers), workers)
    part = text_file("1")

    def fail(body: Body, contents: PartContents) -> str:
        if part in contents:
            raise ValueError("no")
        raise MediaWanted([part])

    for _ in range(MAX_READING + 1):
        with pytest.raises(ValueError, match="no"):
            await one.prepare(fail, Body())


async def test_requests_that_read_are_bounded_and_those_beyond_are_refused_in_time() -> None:
    one = reader(media_timeout=0.05)
    async with asyncio.timeout(5):
        places = [one.place() for _ in range(MAX_READING)]
        for place in places:
            await place.__aenter__()
        with pytest.raises(Overloaded):
            async with one.place():
                pytest.fail("there was a place")
        await places[0].__aexit__(None, None, None)
        async with one.place():
            pass
        for place in places[1:]:
            await place.__aexit__(None, None, None)


async def test_reading_an_image_does_not_stop_the_loop() -> None:
    part = MediaPart(MediaKind.IMAGE, data_url(b64encode(png(3000, 3000)).decode()))
    one = reader()
    task = asyncio.create_task(one.read([part], one.budget()))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0)
        ticks += 1
    assert ticks > 1
