"""Speech as text: the forms of answers, what reaches the transcriber, and what is refused."""

from typing import Any

import orjson
import pytest

from engine.port.errors import EngineBusy, InvalidMedia
from handlers.transcription.chunks import PauseRules
from handlers.transcription.transcript import TranscriptionRequest
from tests.support.scripted.engine import says
from tests.unit.handlers.contracts.openai.api import Api
from tests.unit.handlers.contracts.openai.transcriptions.scripted import (
    MODEL,
    SOUND,
    TRANSCRIPTIONS,
    TRANSLATIONS,
    ScriptedTranscriber,
    SpeechApi,
)
from tests.unit.verbatim_kit.runtime.client import events, send
from verbatim_kit.errors import Refused, Violation

TEXT = "Good morning. It's late."
USAGE = {"type": "duration", "seconds": 3.5}


def text(name: str, value: str) -> tuple[str, tuple[None, str]]:
    return name, (None, value)


LOGPROBS = text("include[]", "logprobs")
WORD, SEGMENT = (text("timestamp_granularities[]", one) for one in ("word", "segment"))


async def test_the_text_alone_is_the_usual_answer() -> None:
    api = SpeechApi()
    answer = await api.post(TRANSCRIPTIONS)
    assert (answer.status_code, answer.json()) == (200, {"text": TEXT, "usage": USAGE})
    assert answer.headers["x-request-id"]
    assert api.transcriber.requests == [TranscriptionRequest(audio=SOUND)]


async def test_every_field_reaches_the_transcriber() -> None:
    api = SpeechApi()
    fields = {"language": "de", "prompt": "Süß", "temperature": "0.5", "seed": 7}
    await api.post(TRANSCRIPTIONS, LOGPROBS, **fields)
    (request,) = api.transcriber.requests
    assert request == TranscriptionRequest(
        audio=SOUND, language="de", prompt="Süß", temperature=0.5, seed=7, logprobs=True
    )


@pytest.mark.parametrize(
    ("parts", "pauses"),
    [
        ([text("chunking_strategy", "auto")], PauseRules(0.5, 300, 200)),
        ([text("chunking_strategy[type]", "server_vad")], PauseRules(0.5, 300, 200)),
        (
            [
                text("chunking_strategy[type]", "server_vad"),
                text("chunking_strategy[threshold]", "0.25"),
                text("chunking_strategy[prefix_padding_ms]", "0"),
                text("chunking_strategy[silence_duration_ms]", "900"),
            ],
            PauseRules(0.25, 0, 900),
        ),
        ([text("chunking_strategy", '{"type": "server_vad", "threshold": 1}')], PauseRules(1.0, 300, 200)),
    ],
)
async def test_a_sound_is_divided_as_the_request_says(parts: list[Any], pauses: PauseRules) -> None:
    api = SpeechApi()
    answer = await api.post(TRANSCRIPTIONS, *parts)
    assert answer.status_code == 200, answer.text
    assert api.transcriber.requests == [TranscriptionRequest(audio=SOUND, pauses=pauses)]


@pytest.mark.parametrize(
    ("granularities", "has_words", "has_segments"),
    [([], False, True), ([SEGMENT], False, True), ([WORD], True, False), ([WORD, SEGMENT], True, True)],
)
async def test_a_verbose_answer_has_the_times_that_are_asked_for(
    granularities: list[Any], has_words: bool, has_segments: bool
) -> None:
    answer = (await SpeechApi().post(TRANSCRIPTIONS, *granularities, response_format="verbose_json")).json()
    assert ("words" in answer, "segments" in answer) == (has_words, has_segments)
    assert (answer["task"], answer["language"], answer["duration"]) == ("transcribe", "german", 3.5)
    assert (answer["text"], answer["usage"]) == (TEXT, USAGE)
    if has_words:
        assert answer["words"][1] == {"word": "morning.", "start": 0.5, "end": 1.5}
    if has_segments:
        assert answer["segments"][1]["seek"] == 150
        assert answer["segments"][0] == {
            "id": 0,
            "seek": 0,
            "start": 0,
            "end": 1.5,
            "text": " Good morning.",
            "tokens": [50, 60],
            "temperature": 0,
            "avg_logprob": -0.25,
            "compression_ratio": 0.5,
            "no_speech_prob": 0.125,
        }


@pytest.mark.parametrize("path", [TRANSCRIPTIONS, TRANSLATIONS])
@pytest.mark.parametrize(
    ("form", "start", "has_segments"),
    [("text", f"{TEXT}\n", False), ("srt", "1\n00:00:00,000", True), ("vtt", "WEBVTT\n\n00:00:00.000", True)],
)
async def test_texts_and_subtitles_are_answered_as_text(
    path: str, form: str, start: str, has_segments: bool
) -> None:
    api = SpeechApi()
    answer = await api.post(path, response_format=form)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.text.startswith(start)
    assert api.transcriber.requests[0].segments == has_segments


async def test_a_translation_is_an_english_transcript() -> None:
    api = SpeechApi()
    assert (await api.post(TRANSLATIONS, prompt="Well,")).json() == {"text": TEXT}
    verbose = (await api.post(TRANSLATIONS, response_format="verbose_json")).json()
    assert verbose.keys() == {"task", "language", "duration", "text", "segments"}
    assert (verbose["task"], verbose["language"]) == ("translate", "english")
    plain, whole = api.transcriber.requests
    assert plain == TranscriptionRequest(audio=SOUND, prompt="Well,", translate=True)
    assert (whole.translate, whole.segments) == (True, True)


async def test_a_stream_gives_the_text_in_parts_and_then_whole() -> None:
    answer = await SpeechApi().post(TRANSCRIPTIONS, stream="true")
    assert answer.headers["content-type"].startswith("text/event-stream")
    *parts, done = events(answer)
    assert done == "[DONE]"
    assert [orjson.loads(part) for part in parts] == [
        {"type": "transcript.text.delta", "delta": "Good morning."},
        {"type": "transcript.text.delta", "delta": " It's late."},
        {
            "type": "transcript.text.done",
            "text": TEXT,
            "usage": {"type": "tokens", "input_tokens": 4, "output_tokens": 9, "total_tokens": 13},
        },
    ]


LOGPROBS_ANSWER = [
    {"token": " Good", "logprob": -0.5, "bytes": list(b" Good")},
    {"token": " morning.", "logprob": -9999, "bytes": list(b" morning.")},
    {"token": " It", "logprob": 0, "bytes": list(b" It")},
    {"token": "\ufffd", "logprob": -0.25, "bytes": [0xE2, 0x80]},
    {"token": "\ufffds late.", "logprob": -1, "bytes": [0x99, *b"s late."]},
]


async def test_log_probabilities_are_those_of_the_texts_tokens() -> None:
    answer = (await SpeechApi().post(TRANSCRIPTIONS, LOGPROBS)).json()
    assert answer == {"text": TEXT, "logprobs": LOGPROBS_ANSWER, "usage": USAGE}
    *parts, done, _ = events(await SpeechApi().post(TRANSCRIPTIONS, LOGPROBS, stream="true"))
    assert [orjson.loads(part)["logprobs"] for part in parts] == [LOGPROBS_ANSWER[:2], LOGPROBS_ANSWER[2:]]
    assert orjson.loads(done)["logprobs"] == LOGPROBS_ANSWER


@pytest.mark.parametrize("error", [InvalidMedia(0, "no sound"), RuntimeError("a bug")])
async def test_a_stream_that_fails_ends_with_the_error(error: Exception) -> None:
    answer = await SpeechApi(ScriptedTranscriber(error, num_deltas=1)).post(TRANSCRIPTIONS, stream="true")
    assert answer.status_code == 200
    delta, failure, done = events(answer)
    assert (orjson.loads(delta)["delta"], done) == ("Good morning.", "[DONE]")
    assert orjson.loads(failure)["error"]["message"]


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (InvalidMedia(0, "this is no sound"), (400, "invalid_value", "file")),
        (
            Refused("no such language", "language", Violation.UNSUPPORTED_VALUE),
            (400, "unsupported_value", "language"),
        ),
        (EngineBusy("no place became free"), (429, "rate_limit_exceeded", None)),
        (RuntimeError("a bug"), (500, None, None)),
    ],
)
async def test_what_the_transcriber_refuses_has_its_status(
    stream: str, error: Exception, refusal: tuple[int, str | None, str | None]
) -> None:
    assert await SpeechApi(ScriptedTranscriber(error)).refused(TRANSCRIPTIONS, stream=stream) == refusal


async def test_an_upload_that_is_no_sound_is_not_called_an_item() -> None:
    answer = await SpeechApi(ScriptedTranscriber(InvalidMedia(0, "this is no sound"))).post(TRANSCRIPTIONS)
    assert answer.json()["error"]["message"] == "this is no sound"


FILE = ("file", ("a.wav", SOUND))


@pytest.mark.parametrize(
    ("parts", "fields", "refusal"),
    [
        ([FILE, FILE], {}, (400, "invalid_value", "file")),
        ([("file", ("a.wav", b""))], {}, (400, "invalid_value", "file")),
        ([], {"model": "other"}, (404, "model_not_found", "model")),
        ([text("model", MODEL)], {}, (400, "invalid_value", "model")),
        ([], {"response_format": "diarized_json"}, (400, "unsupported_value", "response_format")),
        ([], {"response_format": "xml"}, (400, "unsupported_value", "response_format")),
        ([], {"temperature": "hot"}, (400, "invalid_type", "temperature")),
        ([], {"temperature": "1.5"}, (400, "decimal_above_max_value", "temperature")),
        ([], {"stream": "yes"}, (400, "invalid_type", "stream")),
        ([], {"stream": "true", "response_format": "srt"}, (400, "invalid_value", "stream")),
        ([], {"chunking_strategy": "server_vad"}, (400, "unsupported_value", "chunking_strategy")),
        (
            [text("chunking_strategy[type]", "semantic_vad")],
            {},
            (400, "unsupported_value", "chunking_strategy[type]"),
        ),
        (
            [text("chunking_strategy[threshold]", "0.5")],
            {},
            (400, "missing_required_parameter", "chunking_strategy[type]"),
        ),
        (
            [text("chunking_strategy", '{"type": "server_vad", "threshold": 1.5}')],
            {},
            (400, "decimal_above_max_value", "chunking_strategy[threshold]"),
        ),
        (
            [
                text("chunking_strategy[type]", "server_vad"),
                text("chunking_strategy[silence_duration_ms]", "-1"),
            ],
            {},
            (400, "integer_below_min_value", "chunking_strategy[silence_duration_ms]"),
        ),
        (
            [text("chunking_strategy[type]", "server_vad"), text("chunking_strategy[eagerness]", "low")],
            {},
            (400, "unknown_parameter", "chunking_strategy[eagerness]"),
        ),
        ([text("include[]", "speakers")], {}, (400, "unsupported_value", "include[]")),
        ([text("include", "logprobs")], {}, (400, "unknown_parameter", "include")),
        ([LOGPROBS], {"response_format": "verbose_json"}, (400, "invalid_value", "include[]")),
        ([LOGPROBS], {"response_format": "text"}, (400, "invalid_value", "include[]")),
        (
            [text("known_speaker_names[]", "a")] * 2,
            {},
            (400, "unsupported_parameter", "known_speaker_names[]"),
        ),
        (
            [text("known_speaker_references[]", "a")],
            {},
            (400, "unsupported_parameter", "known_speaker_references[]"),
        ),
        ([WORD], {}, (400, "invalid_value", "timestamp_granularities[]")),
        (
            [text("timestamp_granularities[]", "year")],
            {"response_format": "verbose_json"},
            (400, "unsupported_value", "timestamp_granularities[]"),
        ),
        ([], {"languge": "de"}, (400, "unknown_parameter", "languge")),
        ([("prompt", ("a.txt", b"a"))], {}, (400, "invalid_type", "prompt")),
    ],
)
async def test_what_the_contract_does_not_allow_is_refused_by_its_field(
    parts: list[Any], fields: dict[str, str], refusal: tuple[int, str | None, str | None]
) -> None:
    api = SpeechApi()
    assert await api.refused(TRANSCRIPTIONS, *parts, **fields) == refusal
    assert api.transcriber.requests == []


FORM = {"content-type": "multipart/form-data; boundary=x"}
CUT = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'


@pytest.mark.parametrize(
    ("request_", "status", "code", "param"),
    [
        ({"files": [text("model", MODEL)]}, 400, "missing_required_parameter", "file"),
        ({"json": {"file": "a", "model": MODEL}}, 415, None, None),
        ({"content": b"--y\r\n", "headers": FORM}, 400, None, None),
        ({"content": CUT, "headers": FORM}, 400, None, "file"),
    ],
)
async def test_a_body_that_is_no_such_form_is_refused(
    request_: dict[str, Any], status: int, code: str | None, param: str | None
) -> None:
    answer = await send(SpeechApi().app, "POST", TRANSCRIPTIONS, **request_)
    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (status, param)
    assert code is None or error["code"] == code


async def test_an_upload_over_its_bound_is_refused_whatever_bodies_may_have() -> None:
    for api, status in ((SpeechApi(upload_limit=1000), 413), (SpeechApi(payload_limit=1000), 200)):
        answer = await api.post(TRANSCRIPTIONS, ("file", ("a.wav", bytes(2000))))
        assert answer.status_code == status
        assert (answer.json().get("error", {}).get("message") is not None) == (status == 413)


async def test_a_model_that_continues_texts_transcribes_nothing() -> None:
    app = Api(says("Hi")).app
    for path in (TRANSCRIPTIONS, TRANSLATIONS):
        answer = await send(app, "POST", path, files=[FILE, text("model", MODEL)])
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["param"]) == (400, "unsupported_value", "model")
        assert error["message"] == "The model of this server does not transcribe speech"


@pytest.mark.parametrize(
    "path",
    [
        "/openai/v1/chat/completions",
        "/openai/v1/completions",
        "/openai/v1/responses",
        "/openai/v1/embeddings",
        "/tgi/generate",
        "/hf/generate",
        "/aleph_alpha/chat/completions",
        "/triton/v2/models/verbatim-demo/generate",
        "/mindie/v1/chat/completions",
        "/anthropic/v1/messages",
        "/tokens/inference/v1/generate",
    ],
)
async def test_a_model_that_transcribes_continues_no_text_under_any_contract(path: str) -> None:
    answer = await send(SpeechApi().app, "POST", path, json={}, headers={"anthropic-version": "2023-06-01"})
    assert answer.status_code in (400, 422)
    assert "transcribes speech" in answer.text
