"""Operations that take forms, under generated forms, valid and not, before a model that reads all files."""

import asyncio
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from openapi_core import Config, OpenAPI
from schemathesis import GenerationMode

from handlers.composition import TABLES
from tests.contract.documents.test_models_match_document import document, plain, template
from tests.contract.documents.test_second_opinion import parts_of, validate
from tests.support.samples.contracts import Exchange
from tests.support.selection.effort import trials
from tests.unit.handlers.contracts.openai.transcriptions.scripted import MODEL, SOUND, SpeechApi
from tests.unit.verbatim_kit.runtime.client import send

FORMS = {
    operation.id: (contract, operation)
    for contract, table in TABLES.items()
    for operation in table
    if operation.form
}
NUM_EXAMPLES = trials(60, whole=1000)
URL = "http://test"


def test_the_forms_are_those_of_speech_and_files() -> None:
    assert FORMS.keys() == {"createTranscription", "createTranslation", "createFile"}


def parts(body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The parts of a form: a text for each value, or for each item of an array."""
    for name, value in body.items():
        for item in value if isinstance(value, list) else [value]:
            one = SOUND if name == "file" and item is not None else plain(item)
            is_file = isinstance(one, bytes)
            text = one if isinstance(one, str) else json.dumps(one) if not is_file else ""
            yield name, ("a.wav", one) if is_file else (None, text.encode(errors="replace"))


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("operation_id", FORMS)
def test_every_generated_form_has_an_answer_that_is_declared(operation_id: str, mode: GenerationMode) -> None:
    contract, operation = FORMS[operation_id]
    api = SpeechApi()
    schema = schemathesis.openapi.from_dict(document(contract))
    endpoint = schema[template(operation)][operation.method]
    statuses: set[int] = set()

    @settings(
        max_examples=NUM_EXAMPLES,
        phases=[Phase.generate],
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(endpoint.as_strategy(generation_mode=mode))
    def answer(case: schemathesis.Case[Any]) -> None:
        if not isinstance(case.body, dict):
            return
        # A form cannot have a null: what may be nothing else is left out.
        given_ = {name: value for name, value in case.body.items() if value is not None}
        body = {**given_, "model": MODEL} if "model" in given_ else given_
        request = send(api.app, "POST", f"/{contract}{operation.path}", files=list(parts(body)))
        statuses.add(asyncio.run(request).status_code)

    answer()
    assert statuses <= {200, 400, 415}
    assert (200 if mode is GenerationMode.POSITIVE else 400) in statuses


FORMATS: tuple[dict[str, str], ...] = (
    *({"response_format": name} for name in ("json", "text", "srt", "verbose_json", "vtt", "xml")),
    {"model": "other"},
)


@pytest.fixture(scope="module")
def api() -> SpeechApi:
    return SpeechApi()


@cache
def judge_of(api: SpeechApi, contract: str) -> OpenAPI:
    """Return a second validator of a contract's document as the server serves it."""
    served: dict[str, Any] = asyncio.run(send(api.app, "GET", f"/{contract}/openapi.json")).json()
    served["servers"] = [{"url": f"{URL}/{contract}"}]
    read: dict[str, Callable[..., Any]] = {
        "text/event-stream": lambda data, **_: json.loads(data),
        "text/plain": lambda data, **_: data.decode(),
    }
    return OpenAPI.from_dict(served, config=Config(extra_media_type_deserializers=read))


@pytest.mark.parametrize("fields", [*FORMATS, {"stream": "true"}], ids=str)
@pytest.mark.parametrize("operation_id", FORMS)
def test_answers_are_what_a_second_validator_reads_in_the_document(
    api: SpeechApi, operation_id: str, fields: dict[str, str]
) -> None:
    contract, operation = FORMS[operation_id]
    judge = judge_of(api, contract)
    answer: httpx.Response = asyncio.run(api.post(f"/{contract}{operation.path}", **fields))
    exchange = Exchange(operation.method, operation.path, answer.status_code)
    for part in parts_of(answer):
        validate(judge, f"{URL}/{contract}{operation.path}", exchange, answer, part)
