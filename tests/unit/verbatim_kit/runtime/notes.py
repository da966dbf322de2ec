"""A contract small enough to read whole: notes that are kept, found and streamed."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Annotated, Any, ClassVar, Literal

from fastapi import FastAPI
from pydantic import MISSING, BaseModel, Field, StrictBool, StrictStr
from typing_extensions import override

from verbatim_kit.runtime.call import RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.json_types import StrictFloat, StrictInt
from verbatim_kit.runtime.operation import (
    Call,
    EncodedEvent,
    EventStream,
    FileContent,
    Handlers,
    Operation,
    Parameter,
)
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer


class Failure(BaseModel):
    reason: StrictStr
    kind: StrictStr


class Tag(BaseModel):
    name: Annotated[StrictStr, Field(min_length=1)]


class Note(BaseModel):
    text: Annotated[StrictStr, Field(min_length=1)]
    stars: Annotated[StrictInt, Field(ge=0, le=5)] = 0
    weight: StrictFloat | None | MISSING = MISSING
    tags: list[StrictStr | Tag] | MISSING = MISSING
    extra: Any = None
    stream: StrictBool = False


class Kept(BaseModel):
    id: StrictInt
    text: StrictStr


class Added(BaseModel):
    kind: Literal["added"] = "added"
    text: StrictStr


class Broken(BaseModel):
    kind: Literal["broken"] = "broken"
    reason: StrictStr


class FindArguments(BaseModel):
    name: StrictStr


class KeepArguments(BaseModel):
    shelf: StrictStr
    position: Annotated[StrictInt, Field(ge=1)] | MISSING = MISSING
    labels: Annotated[list[StrictStr], Field(max_length=2)] | MISSING = MISSING
    beside: list[StrictInt] | MISSING = MISSING
    trace: Annotated[StrictStr | MISSING, Field(alias="X-Trace")] = MISSING


_ERRORS: dict[int, type[BaseModel] | None] = {
    401: Failure,
    413: Failure,
    415: Failure,
    422: Failure,
    429: Failure,
    500: Failure,
}


class NoteHandlers(Handlers):
    """Each test says what its handlers do by `answers`: the method's name and what it returns or raises."""

    table: ClassVar = (
        Operation(
            id="write",
            handler="write",
            method="POST",
            path="/notes",
            summary="",
            body=Note,
            response=Kept,
            media_type="application/json",
            event=Kept | Failure,
            terminator="[DONE]",
            headers={"x-shelf": False},
            errors=_ERRORS,
            validation_status=422,
            is_secured=True,
        ),
        Operation(
            id="keep",
            handler="keep",
            method="PUT",
            path="/shelves/{shelf}",
            summary="",
            parameters=(
                Parameter("shelf", "path", is_text=True),
                Parameter("position", "query", is_text=False),
                Parameter("labels[]", "query", is_text=True, is_list=True),
                Parameter("beside", "query", is_text=False, is_list=True),
                Parameter("X-Trace", "header", is_text=True),
            ),
            arguments=KeepArguments,
            body=Note,
            status=201,
            response=Kept,
            media_type="application/json",
            headers={"x-shelf": True},
            errors={400: Failure},
            validation_status=400,
        ),
        Operation(
            id="read",
            handler="read",
            method="GET",
            path="/notes",
            summary="",
            response=str,
            media_type="text/plain",
        ),
        Operation(
            id="watch",
            handler="watch",
            method="GET",
            path="/changes",
            summary="",
            event=Kept,
            event_media_type="text/event-stream; charset=utf-8",
        ),
        Operation(
            id="sweep",
            handler="sweep",
            method="POST",
            path="/shelves/{name}/sweep",
            summary="",
            parameters=(Parameter("name", "path", is_text=True),),
            arguments=FindArguments,
            body=Note,
            is_body_required=False,
            reads_any_media_type=True,
            errors={400: Failure, 404: Failure},
            validation_status=400,
        ),
        Operation(
            id="follow",
            handler="follow",
            method="GET",
            path="/log",
            summary="",
            event=Added | Broken,
            event_name="kind",
            terminator="[DONE]",
            errors={500: Failure},
        ),
        Operation(
            id="tail",
            handler="tail",
            method="GET",
            path="/tail",
            summary="",
            event=Kept | Failure,
            event_media_type="application/x-ndjson",
            errors={429: Failure, 500: Failure},
        ),
        Operation(
            id="find",
            handler="find",
            method="GET",
            path="/found/{name:path}",
            summary="",
            parameters=(Parameter("name", "path", is_text=True),),
            arguments=FindArguments,
            response=str,
            media_type="text/plain",
            errors={400: Failure},
            validation_status=400,
        ),
        Operation(
            id="picture",
            handler="picture",
            method="GET",
            path="/picture",
            summary="",
            response=FileContent,
            media_type="application/octet-stream",
            errors={500: Failure},
        ),
        Operation(id="ping", handler="ping", method="GET", path="/ping", summary="", errors={503: None}),
    )

    def __init__(self, **answers: Callable[..., Any]) -> None:
        self._answers = answers

    async def _answer(self, name: str, **arguments: Any) -> Any:
        result = self._answers[name](**arguments)
        return await result if asyncio.iscoroutine(result) else result

    async def write(self, body: Note, call: Call[dict[str, str]]) -> Kept | EventStream[Kept | Failure]:
        answer: Kept | EventStream[Kept | Failure] = await self._answer("write", body=body, call=call)
        return answer

    async def keep(self, arguments: KeepArguments, body: Note, call: Call[dict[str, str]]) -> Kept:
        answer: Kept = await self._answer("keep", arguments=arguments, body=body, call=call)
        return answer

    async def read(self, call: Call[dict[str, str]]) -> str:
        answer: str = await self._answer("read", call=call)
        return answer

    async def watch(self, call: Call[dict[str, str]]) -> EventStream[Kept]:
        answer: EventStream[Kept] = await self._answer("watch", call=call)
        return answer

    async def follow(self, call: Call[dict[str, str]]) -> EventStream[Added | Broken]:
        answer: EventStream[Added | Broken] = await self._answer("follow", call=call)
        return answer

    async def tail(self, call: Call[dict[str, str]]) -> EventStream[Kept | Failure]:
        answer: EventStream[Kept | Failure] = await self._answer("tail", call=call)
        return answer

    async def find(self, arguments: FindArguments, call: Call[dict[str, str]]) -> str:
        answer: str = await self._answer("find", arguments=arguments, call=call)
        return answer

    async def sweep(self, arguments: FindArguments, body: Note | None, call: Call[dict[str, str]]) -> None:
        await self._answer("sweep", arguments=arguments, body=body, call=call)

    async def picture(self, call: Call[dict[str, str]]) -> FileContent:
        answer: FileContent = await self._answer("picture", call=call)
        return answer

    async def ping(self, call: Call[dict[str, str]]) -> None:
        await self._answer("ping", call=call)


class NotesContract(Contract):
    name = "notes"

    @override
    def error_body(self, problem: Problem, operation: Operation | None, call: RequestCall) -> Failure:
        return Failure(reason=problem.message, kind=problem.kind)

    @override
    def error_event(self, problem: Problem, operation: Operation, call: RequestCall) -> Failure | Broken:
        if operation.event_name:
            return Broken(reason=problem.message)
        return self.error_body(problem, operation, call)

    @override
    def document(self) -> bytes:
        return b'{"openapi": "3.1.1", "info": {"title": "Notes", "version": "1"}, "paths": {}}'


def serve(
    prefix: str = "", options: RuntimeOptions | None = None, **answers: Callable[..., Any]
) -> ContractServer:
    """A server of the notes contract whose handlers do as `answers` say."""
    server = ContractServer(FastAPI(openapi_url=None, docs_url=None, redoc_url=None), options)
    server.mount(NotesContract(), NoteHandlers(**answers), prefix)
    return server


def stream_of(*items: BaseModel | bytes | Exception, pause_s: float = 0.0) -> AsyncGenerator[Any, None]:
    """A stream of events, in which an exception is raised where it stands; it may wait before each item."""

    async def stream() -> AsyncGenerator[Any, None]:
        for item in items:
            if pause_s:
                await asyncio.sleep(pause_s)
            if isinstance(item, Exception):
                raise item
            yield EncodedEvent(item) if isinstance(item, bytes) else item

    return stream()
