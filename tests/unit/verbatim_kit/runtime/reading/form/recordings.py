"""A contract with one operation that takes a form: recordings that are described."""

from typing import Annotated, Any, ClassVar, Literal

import httpx
from fastapi import FastAPI
from pydantic import MISSING, BaseModel, ConfigDict, Field, StrictBool, StrictStr
from typing_extensions import override

from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.json_types import StrictFloat
from verbatim_kit.runtime.operation import Call, FormField, Handlers, Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer
from verbatim_kit.runtime.upload import Upload

MAX_UPLOAD_BYTES = 200_000


class Cut(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["fade"]
    seconds: Annotated[StrictFloat, Field(ge=0)] = 1.0
    is_smooth: StrictBool = False


class Recording(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    sound: Upload
    title: Annotated[StrictStr, Field(min_length=1)] | MISSING = MISSING
    volume: Annotated[StrictFloat, Field(ge=0)] = 1.0
    is_loud: StrictBool = False
    tags: list[Literal["a", "b"]] = Field(default_factory=list)
    speakers: None | MISSING = MISSING
    cut: Literal["auto"] | Cut | MISSING = MISSING


class Seen(BaseModel):
    body: StrictStr


class Failure(BaseModel):
    field: StrictStr
    reason: StrictStr
    violation: StrictStr


CUT = (FormField("kind", "text"), FormField("seconds", "json"), FormField("is_smooth", "json"))


class RecordingHandlers(Handlers):
    table: ClassVar = (
        Operation(
            id="record",
            handler="record",
            method="POST",
            path="/recordings",
            summary="",
            body=Recording,
            form=(
                FormField("sound", "file"),
                FormField("title", "text"),
                FormField("volume", "json"),
                FormField("is_loud", "json"),
                FormField("tags[]", "text", is_list=True),
                FormField("speakers[]", "text", is_list=True),
                FormField("cut", "text", members=CUT),
            ),
            response=Seen,
            media_type="application/json",
            text_media_type="text/plain",
            errors={400: Failure, 413: Failure, 415: Failure, 500: Failure},
            validation_status=400,
        ),
    )

    def __init__(self) -> None:
        self.seen: list[Recording] = []

    async def record(self, body: Recording, call: Call[dict[str, str]]) -> Seen | str:
        """Answer with a text where the title asks for one."""
        self.seen.append(body)
        return "As text" if body.title == "text" else Seen(body="kept")


class RecordingsContract(Contract):
    name = "recordings"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> Failure:
        violation = problem.violation.name if problem.violation else ""
        return Failure(field=problem.field, reason=problem.message, violation=violation)

    @override
    def document(self) -> bytes:
        return b'{"openapi": "3.1.1", "info": {"title": "Recordings", "version": "1"}, "paths": {}}'


class Studio:
    """A server of recordings, and the bodies that its handler got."""

    def __init__(self) -> None:
        handlers = RecordingHandlers()
        self.seen = handlers.seen
        options = RuntimeOptions(max_body_bytes=1000, max_upload_bytes=MAX_UPLOAD_BYTES)
        self.app = ContractServer(FastAPI(openapi_url=None), options)
        self.app.mount(RecordingsContract(), handlers)

    async def post(self, **request: Any) -> httpx.Response:
        return await send(self.app, "POST", "/recordings", **request)
