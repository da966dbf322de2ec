"""Files are sent as the parts of a form, and an answer that may be a text is read by its content type."""

import io
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tests.unit.verbatim_kit.generate.sdk.scripted import Reply, Script
from verbatim_server_client import openai
from verbatim_server_client.openai import models

ANSWER = {"text": "Hi", "usage": {"type": "duration", "seconds": 1.5}}


def parts_of(script: Script) -> list[tuple[str, str | None, bytes]]:
    """The name, the filename and the content of each part of the last form, read by Python's own parser."""
    _, _, headers, content = script.requests[-1]
    form = message_from_bytes(b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + content)
    assert form.get_content_type() == "multipart/form-data"
    found: Any = form.get_payload()
    return [_read(part) for part in found]


def _read(part: Message) -> tuple[str, str | None, bytes]:
    content: Any = part.get_payload(decode=True)
    return str(part.get_param("name", header="content-disposition")), part.get_filename(), content


def open_file(folder: Path) -> Any:
    (folder / "b.wav").write_bytes(b"RIFF")
    return (folder / "b.wav").open("rb")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (b"RIFF", "file"),
        (("a.wav", b"RIFF"), "a.wav"),
        (("a.wav", io.BytesIO(b"RIFF"), "audio/wav"), "a.wav"),
    ],
)
def test_a_file_is_bytes_or_has_a_name(script: Script, file: Any, name: str) -> None:
    script.replies = [Reply(body=ANSWER)]
    with openai.Client(script.url) as it:
        it.create_transcription(file=file, model="m")
    assert parts_of(script) == [("file", name, b"RIFF"), ("model", None, b"m")]


def test_an_open_file_has_its_own_name(script: Script, tmp_path: Path) -> None:
    script.replies = [Reply(body=ANSWER)]
    with openai.Client(script.url) as it, open_file(tmp_path) as file:
        it.create_transcription(file=file, model="m")
    assert parts_of(script)[0] == ("file", "b.wav", b"RIFF")


def test_an_array_is_a_part_an_item_and_values_are_json(script: Script) -> None:
    script.replies = [Reply(body=ANSWER)]
    with openai.Client(script.url) as it:
        it.create_transcription(
            file=b"RIFF",
            model="m",
            temperature=0.5,
            timestamp_granularities=["word", "segment"],
            prompt="Süß",
        )
    assert parts_of(script)[2:] == [
        ("temperature", None, b"0.5"),
        ("timestamp_granularities[]", None, b"word"),
        ("timestamp_granularities[]", None, b"segment"),
        ("prompt", None, "Süß".encode()),
    ]


def test_an_object_is_a_part_a_member(script: Script) -> None:
    script.replies = [Reply(body=ANSWER)]
    with openai.Client(script.url) as it:
        it.create_transcription(
            file=b"RIFF",
            model="m",
            include=["logprobs"],
            chunking_strategy={"type": "server_vad", "threshold": 0.5},
        )
    assert parts_of(script)[2:] == [
        ("include[]", None, b"logprobs"),
        ("chunking_strategy[type]", None, b"server_vad"),
        ("chunking_strategy[threshold]", None, b"0.5"),
    ]


def test_a_stream_is_asked_for_in_the_form(script: Script) -> None:
    event = 'data: {"type": "transcript.text.delta", "delta": "Hi"}\n\n'
    script.replies = [Reply(body=event + "data: [DONE]\n\n", media_type="text/event-stream")]
    with openai.Client(script.url) as it, it.stream_create_transcription(file=b"RIFF", model="m") as events:
        assert [event.delta for event in events if isinstance(event, models.TranscriptTextDeltaEvent)] == [
            "Hi"
        ]
    assert ("stream", None, b"true") in parts_of(script)


def test_an_answer_is_a_text_where_it_says_so(script: Script) -> None:
    script.replies = [Reply(body="WEBVTT\n\n", media_type="text/plain; charset=utf-8"), Reply(body=ANSWER)]
    with openai.Client(script.url) as it:
        assert it.create_transcription(file=b"RIFF", model="m", response_format="vtt") == "WEBVTT\n\n"
        answer = it.create_transcription(file=b"RIFF", model="m")
    assert isinstance(answer, models.CreateTranscriptionResponseJson)
    assert answer.text == "Hi"
