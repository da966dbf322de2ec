"""Tests what a multipart body must be to reach its handler, and how it is refused otherwise."""

import tracemalloc
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.unit.verbatim_kit.runtime.reading.form.recordings import MAX_UPLOAD_BYTES, Cut, Studio
from verbatim_kit.runtime.reading.form.form_parser import MAX_PARTS, MAX_TEXT_BYTES, FormParser
from verbatim_kit.runtime.reading.form.part import MalformedForm
from verbatim_kit.runtime.upload import Upload

SOUND = ("sound", ("a.wav", b"RIFF\r\n--x", "audio/wav"))
FORM = {"content-type": "multipart/form-data; boundary=x"}
FILE = b'Content-Disposition: form-data; name="sound"; filename="a.wav"\r\n\r\nRIFF'


def text(name: str, value: str) -> tuple[str, tuple[None, str]]:
    return name, (None, value)


def raw(*parts: bytes, end: bytes = b"--x--\r\n") -> bytes:
    """A body of parts with their headers, by the boundary `x`."""
    return b"".join(b"--x\r\n" + part + b"\r\n" for part in parts) + end


async def test_texts_and_files_reach_the_handler_as_its_model() -> None:
    studio = Studio()
    files = [
        SOUND,
        text("title", "Süß"),
        text("volume", "2"),
        text("is_loud", "true"),
        text("tags[]", "b"),
        text("tags[]", "a"),
    ]
    answer = await studio.post(files=files)
    assert (answer.status_code, answer.json()) == (200, {"body": "kept"})
    (body,) = studio.seen
    assert body.sound == Upload("a.wav", "audio/wav", b"RIFF\r\n--x")
    assert (body.title, body.volume, body.is_loud, body.tags) == ("Süß", 2, True, ["b", "a"])


async def test_members_that_are_left_out_have_their_defaults() -> None:
    studio = Studio()
    await studio.post(files=[SOUND])
    (body,) = studio.seen
    assert (body.volume, body.is_loud, body.tags) == (1.0, False, [])


@pytest.mark.parametrize(
    ("parts", "cut"),
    [
        ([text("cut", "auto")], "auto"),
        ([text("cut", '{"kind": "fade", "seconds": 2}')], Cut(kind="fade", seconds=2.0)),
        ([text("cut[kind]", "fade")], Cut(kind="fade")),
        (
            [text("cut[is_smooth]", "true"), text("cut[kind]", "fade"), text("cut[seconds]", "0.5")],
            Cut(kind="fade", seconds=0.5, is_smooth=True),
        ),
    ],
)
async def test_an_object_comes_as_its_members_or_as_json(parts: list[Any], cut: Any) -> None:
    studio = Studio()
    answer = await studio.post(files=[SOUND, *parts])
    assert answer.status_code == 200, answer.text
    assert studio.seen[0].cut == cut


async def test_a_file_need_not_have_a_name() -> None:
    studio = Studio()
    await studio.post(files=[("sound", (None, b"RIFF"))])
    assert studio.seen[0].sound == Upload("", "", b"RIFF")


async def test_a_text_may_be_answered_in_place_of_json() -> None:
    answer = await Studio().post(files=[SOUND, text("title", "text")])
    assert (answer.text, answer.headers["content-type"]) == ("As text", "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    ("parts", "field", "reason", "violation"),
    [
        ([text("title", "a")], "sound", "sound: is missing", "MISSING"),
        ([SOUND, SOUND], "sound", "sound: is given more than once", "REPEATED"),
        ([SOUND, *[text("title", "a")] * 2], "title", "title: is given more than once", "REPEATED"),
        ([SOUND, text("volume", "loud")], "volume", "volume: must be a number", "WRONG_TYPE"),
        ([SOUND, text("volume", "-1")], "volume", "volume: must be greater than or equal to 0", "TOO_SMALL"),
        ([SOUND, text("volume", "1e999")], "volume", "volume: must be a finite number", "INVALID_VALUE"),
        ([SOUND, text("volume", "NaN")], "volume", "volume: must be a number", "WRONG_TYPE"),
        ([SOUND, text("is_loud", "1")], "is_loud", "is_loud: must be true or false", "WRONG_TYPE"),
        ([SOUND, text("title", "")], "title", "title: must have at least 1 character", "TOO_SHORT"),
        ([SOUND, ("title", ("a.txt", b"a"))], "title", "title: must be a string", "WRONG_TYPE"),
        ([SOUND, ("title", (None, b"\xff"))], "title", "title: must be text in UTF-8", "INVALID_UTF8"),
        ([SOUND, text("tags[]", "c")], "tags[]", "tags[]: must be 'a' or 'b'", "UNSUPPORTED_VALUE"),
        ([SOUND, *[text("speakers[]", "a")] * 2], "speakers[]",
         "speakers[]: must be null", "UNSUPPORTED_FIELD"),
        ([SOUND, text("tags", "a")], "tags", "tags: is not a field of this object", "UNKNOWN"),
        ([SOUND, text("more", "a")], "more", "more: is not a field of this object", "UNKNOWN"),
        ([SOUND, text("cut", "never")], "cut", "cut: must be 'auto' or an object", "UNSUPPORTED_VALUE"),
        ([SOUND, text("cut", "{")], "cut", "cut: must be 'auto' or an object", "UNSUPPORTED_VALUE"),
        ([SOUND, text("cut", "{}")], "cut[kind]", "cut[kind]: is missing", "MISSING"),
        ([SOUND, text("cut[seconds]", "1")], "cut[kind]", "cut[kind]: is missing", "MISSING"),
        ([SOUND, text("cut[kind]", "snap")], "cut[kind]", "cut[kind]: must be 'fade'", "UNSUPPORTED_VALUE"),
        ([SOUND, text("cut[kind]", "fade"), text("cut[seconds]", "-1")], "cut[seconds]",
         "cut[seconds]: must be greater than or equal to 0", "TOO_SMALL"),
        ([SOUND, text("cut[kind]", "fade"), text("cut[seconds]", "a")], "cut[seconds]",
         "cut[seconds]: must be a number", "WRONG_TYPE"),
        ([SOUND, *[text("cut[kind]", "fade")] * 2], "cut[kind]",
         "cut[kind]: is given more than once", "REPEATED"),
        ([SOUND, text("cut", "auto"), text("cut[kind]", "fade")], "cut",
         "cut: is given more than once", "REPEATED"),
        ([SOUND, text("cut[more]", "a")], "cut[more]", "cut[more]: is not a field of this object", "UNKNOWN"),
        ([SOUND, text("cut[kind][a]", "a")], "cut[kind][a]",
         "cut[kind][a]: is not a field of this object", "UNKNOWN"),
        ([SOUND, text("title[a]", "a")], "title[a]", "title[a]: is not a field of this object", "UNKNOWN"),
    ],
)  # fmt: skip
async def test_what_the_document_forbids_is_refused_by_its_field(
    parts: list[Any], field: str, reason: str, violation: str
) -> None:
    studio = Studio()
    answer = await studio.post(files=parts)
    assert answer.status_code == 400
    assert answer.json() == {"field": field, "reason": reason, "violation": violation}
    assert studio.seen == []


@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        (b"", "", "The body ends before its closing boundary"),
        (b"--y\r\n" + FILE, "", "The body does not begin with the boundary that the content type names"),
        (b'{"sound": "a"}', "", "The body does not begin with the boundary that the content type names"),
        (b"--x\r\n", "", "The body ends before its closing boundary"),
        (b"--x\r\n" + FILE, "sound", "sound: is cut off: the body ends before its closing boundary"),
        (raw(FILE, end=b""), "sound", "sound: is cut off: the body ends before its closing boundary"),
        (raw(FILE, end=b"--x"), "sound", "sound: is cut off: the body ends before its closing boundary"),
        (raw(b"no header"), "", "The body is not divided into parts as multipart/form-data must be"),
        (raw(b"Content-Type: text/plain\r\n\r\na"), "", "The body has a part without a name"),
        (raw(b"Content-Disposition: form-data\r\n\r\na"), "", "The body has a part without a name"),
        (raw(b'Content-Disposition: file; name="title"\r\n\r\na'), "", "The body has a part without a name"),
        (
            raw(b'Content-Disposition: form-data; name="\xff"\r\n\r\na'),
            "",
            "The body has a part whose name is not UTF-8",
        ),
        (
            raw(b"Content-Transfer-Encoding: base64\r\n" + FILE),
            "sound",
            "sound: must not have a content-transfer-encoding",
        ),
        (
            raw(b"".join(b"X-%d: a\r\n" % number for number in range(9)) + FILE),
            "",
            "The body is not divided into parts as multipart/form-data must be",
        ),
        (
            raw(b"X: " + b"a" * 5000 + b"\r\n" + FILE),
            "",
            "The body is not divided into parts as multipart/form-data must be",
        ),
    ],
)
async def test_a_body_that_is_no_form_is_refused(body: bytes, field: str, reason: str) -> None:
    answer = await Studio().post(content=body, headers=FORM)
    assert answer.status_code == 400
    assert answer.json() == {"field": field, "reason": reason, "violation": "MALFORMED_FORM"}


async def test_a_body_may_be_cut_anywhere_and_is_refused_wherever_it_is_cut() -> None:
    body = raw(FILE, b'Content-Disposition: form-data; name="title"\r\n\r\na')
    whole = len(body) - len(b"\r\n")
    for length in range(whole):
        answer = await Studio().post(content=body[:length], headers=FORM)
        assert answer.status_code == 400, length
    assert (await Studio().post(content=body[:whole], headers=FORM)).status_code == 200


@pytest.mark.parametrize("num_bytes", [1, 3, 7, 64])
async def test_the_pieces_in_which_a_body_arrives_make_no_difference(num_bytes: int) -> None:
    body = raw(FILE + b"\r\n--\r\n--x-", b'Content-Disposition: form-data; name="title"\r\n\r\na\r\n--xy')

    async def pieces() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), num_bytes):
            yield body[start : start + num_bytes]

    studio = Studio()
    assert (await studio.post(content=pieces(), headers=FORM)).status_code == 200
    assert studio.seen[0].sound.content == b"RIFF\r\n--\r\n--x-"
    assert studio.seen[0].title == "a\r\n--xy"


@pytest.mark.parametrize(
    ("content_type", "status", "reason"),
    [
        ("application/json", 415, "The content type must be multipart/form-data, not application/json"),
        ("", 415, "The content type must be multipart/form-data"),
        ("multipart/mixed; boundary=x", 415, None),
        ("multipart/form-data", 400, "The body has no boundary: the content type must name it"),
        ("multipart/form-data; boundary=", 400, "The body has no boundary: the content type must name it"),
        ("multipart/form-data; boundary=" + "x" * 300, 400, "The body has a boundary that is too long"),
    ],
)
async def test_a_content_type_that_cannot_be_read_is_refused(
    content_type: str, status: int, reason: str | None
) -> None:
    headers = {"content-type": content_type} if content_type else {}
    answer = await Studio().post(content=raw(FILE), headers=headers)
    assert answer.status_code == status
    assert reason is None or answer.json()["reason"] == reason


async def test_a_body_over_the_bound_is_refused_before_any_of_it_is_read() -> None:
    read: list[bytes] = []

    async def pieces() -> AsyncGenerator[bytes, None]:
        read.append(b"a")
        yield b"a"

    length = {"content-length": str(MAX_UPLOAD_BYTES + 1)}
    answer = await Studio().post(content=pieces(), headers={**FORM, **length})
    assert (answer.status_code, read) == (413, [])
    assert answer.json()["reason"] == f"The body is longer than {MAX_UPLOAD_BYTES} bytes"


async def test_a_body_without_a_length_is_refused_at_the_bound() -> None:
    sent = 0

    async def pieces() -> AsyncGenerator[bytes, None]:
        nonlocal sent
        yield b"--x\r\n" + FILE
        while True:
            sent += 10_000
            yield b"a" * 10_000

    assert (await Studio().post(content=pieces(), headers=FORM)).status_code == 413
    assert sent <= MAX_UPLOAD_BYTES


@pytest.mark.parametrize(("num_texts", "status"), [(MAX_PARTS - 1, 200), (MAX_PARTS, 400)])
async def test_the_number_of_parts_is_bounded(num_texts: int, status: int) -> None:
    answer = await Studio().post(files=[SOUND, *[text("tags[]", "a")] * num_texts])
    assert answer.status_code == status
    if status == 400:
        assert answer.json() == {
            "field": "",
            "reason": f"The body has more than {MAX_PARTS} parts",
            "violation": "TOO_LONG",
        }


def test_a_text_is_bounded_and_a_file_only_by_the_body() -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n'
    FormParser(b"x", {"sound"}).write(head % b"sound" + b"a" * (2 * MAX_TEXT_BYTES))
    FormParser(b"x", {"sound"}).write(head % b"title" + b"a" * MAX_TEXT_BYTES)
    with pytest.raises(MalformedForm, match=f"must have at most {MAX_TEXT_BYTES} bytes") as raised:
        FormParser(b"x", {"sound"}).write(head % b"title" + b"a" * (MAX_TEXT_BYTES + 1))
    assert (raised.value.field, raised.value.is_too_long) == ("title", True)


def test_a_parser_keeps_little_beside_what_it_is_given() -> None:
    piece = b"a" * 2**16
    tracemalloc.start()
    try:
        parser = FormParser(b"x", {"sound"})
        parser.write(b"--x\r\n" + FILE)
        for _ in range(160):
            parser.write(piece)
        size, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    num_bytes = len(parser.parts[0].content)
    assert num_bytes >= 159 * len(piece)
    assert size < 1.3 * num_bytes
    assert peak < 2.6 * num_bytes  # while a bytearray grows it is held twice
