"""However many fields of an object are unknown, the first is told, and soon."""

import gc
import json
from contextlib import suppress
from time import thread_time
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, StrictStr
from starlette.types import Message, Scope

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.json_types import StrictInt
from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import InvalidRequest
from verbatim_kit.runtime.reading.request_reader import RequestReader
from verbatim_kit.runtime.runtime_options import RuntimeOptions


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Regex(Closed):
    regex: StrictStr


class Grammar(Closed):
    grammar: StrictStr


class Request(Closed):
    form: Regex | Grammar | None = None
    bias: dict[str, StrictInt] = {}


OPERATION = Operation(
    id="ask", handler="ask", method="POST", path="/ask", summary="", body=Request, validation_status=422
)
MANY = {f"field{number}": 1 for number in range(2000)}


async def read(body: Any) -> Any:
    scope: Scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
    raw = json.dumps(body).encode()

    async def receive() -> Message:
        return {"type": "http.request", "body": raw}

    reader = RequestReader(OPERATION, RuntimeOptions(max_body_bytes=3_000_000))
    return (await reader.read_body(scope, receive, lambda: None, set()))["body"]


@pytest.mark.parametrize(
    ("body", "field"),
    [(MANY, "field0"), ({"form": MANY}, "form.field0"), ({"form": {"regex": "a", **MANY}}, "form.field0")],
    ids=["body", "union", "beside a known one"],
)
async def test_of_many_unknown_fields_the_first_is_told(body: Any, field: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        await read(body)
    assert (raised.value.field, raised.value.violation) == (field, Violation.UNKNOWN)


async def test_a_free_object_may_have_many_fields_and_all_are_validated() -> None:
    assert (await read({"bias": MANY | {"large": 10**30}})).bias == MANY | {"large": 10**30}
    with pytest.raises(InvalidRequest) as raised:
        await read({"bias": MANY | {"last": "x"}})
    assert raised.value.field == "bias.last"


async def test_a_body_of_2_mb_of_unknown_fields_takes_no_longer_than_its_parsing_deserves() -> None:
    many = {f"f{number}": 1 for number in range(150_000)}
    accepted_s = await processor_seconds({"bias": many})
    refused_s = await processor_seconds({"form": many})
    assert refused_s < 3 * accepted_s, "told one by one they take minutes"


async def processor_seconds(body: Any) -> float:
    """Return this thread's processor time for a body, without other tests' garbage collection."""
    gc.disable()
    try:
        start = thread_time()
        with suppress(InvalidRequest):
            await read(body)
        return thread_time() - start
    finally:
        gc.enable()
