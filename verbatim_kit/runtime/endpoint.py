"""The endpoint of one operation, bound to its handler."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from functools import cache, partial
from typing import Any, Final, cast

from pydantic import TypeAdapter
from pydantic_core import from_json
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from verbatim_kit.runtime.answering.disconnect import CancelledByDisconnect, DisconnectWatcher
from verbatim_kit.runtime.answering.framing import framing_of
from verbatim_kit.runtime.answering.keep_alive import kept_alive
from verbatim_kit.runtime.answering.ready_batches import ready_batches
from verbatim_kit.runtime.answering.reply import RawHeaders, Reply, encode_headers
from verbatim_kit.runtime.answering.sliced_json import is_large, to_json_in_slices
from verbatim_kit.runtime.call import FAULT, RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.operation import FileContent, Handlers, Operation
from verbatim_kit.runtime.problem import BodyTooLarge, InternalError, Problem, UnsupportedMediaType
from verbatim_kit.runtime.protocols import Admits, CountsRefusals, LooksUp
from verbatim_kit.runtime.reading.bearer import given_keys
from verbatim_kit.runtime.reading.ignored_fields import IGNORED_FIELDS_HEADER, listed_names
from verbatim_kit.runtime.reading.request_reader import RequestReader
from verbatim_kit.runtime.runtime_options import RuntimeOptions

logger = logging.getLogger(__name__)

JSON = "application/json"
_METRICS: Final = "/metrics"

Handler = Callable[..., Awaitable[Any]]
Encode = Callable[[Any], bytes]


class Endpoint:
    """An ASGI application that answers one operation, and only as the document declares.

    An exception of the handler's other than Problem is logged and answered with 500, if the operation
    declares that status. If it does not, or the status line has gone out, the server gets the exception.
    """

    def __init__(
        self, operation: Operation, handlers: Handlers, contract: Contract, options: RuntimeOptions
    ) -> None:
        self.operation = operation
        self._handler: Handler = getattr(handlers, operation.handler)
        self._admits, self._looks_up, self._counts_refusals = _optional_parts(handlers)
        self.contract = contract
        self._reader = RequestReader(operation, options)
        self._checks_keys = options.checks_keys if operation.is_secured else None
        self._counts_ignored = options.counts_ignored_fields
        self._lists_ignored = options.ignores_unknown_fields
        self._keep_alive_s = options.keep_alive_s
        self._watcher = DisconnectWatcher()
        self._answer = _answer_encoder(operation)
        self._event = _encoder(operation.event)
        self._errors = {status: _encoder(model) for status, model in operation.errors.items()}
        self._framing = framing_of(operation.event_media_type)
        terminator = operation.terminator
        self._tail = self._framing.frame(terminator.encode(), b"") if terminator else b""

    @property
    def is_for_monitors(self) -> bool:
        """True for probes and metrics, which monitors ask every few seconds."""
        return self.operation.path == _METRICS or self.operation.id in self.contract.probes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = RequestCall(scope, self.operation)
        reply = Reply(send, is_head=scope["method"] == "HEAD")
        try:
            arguments = await self._admit(call, scope, receive)
            with CancelledByDisconnect(receive, self._watcher):
                result = await self._handler(**arguments, call=call)
                if isinstance(result, AsyncGenerator):
                    await self._send_stream(result, call, reply)
                else:
                    await self._send_whole(result, call, reply)
        except ClientDisconnect:
            return
        except Exception as error:
            if reply.started:
                raise
            await self._send_error(error, call, reply)

    async def shake_hands(self, scope: Scope, send: Send) -> None:
        """Answer a request for a WebSocket: 101, or an error."""
        call = RequestCall(scope, self.operation)
        reply = Reply(send, is_head=False)
        try:
            self.check_key(scope)
        except Problem as problem:
            await self._send_error(problem, call, reply)
        else:
            await reply.whole(101, None, b"", encode_headers(self.contract.headers(call)))

    async def refuse(self, problem: Problem, scope: Scope, send: Send) -> None:
        """Answer a request with an error, in place of the handler."""
        reply = Reply(send, is_head=scope["method"] == "HEAD")
        await self._send_error(problem, RequestCall(scope, self.operation), reply)

    def check_key(self, scope: Scope) -> None:
        """Let a request in that has a key, or needs none. Raises Problem."""
        if self._checks_keys is not None:
            given = given_keys(scope, self.operation.key_headers)
            self._checks_keys.check(self.operation, self.contract.name, given)

    def declares(self, status: int) -> bool:
        """Return whether the document declares answers with this status of an error."""
        return status in self._errors

    def last_frames(self, problem: Problem, call: RequestCall) -> bytes:
        """Return the end of a stream that an error cuts short: the contract's event, and what ends it."""
        return self._frame(self.contract.error_event(problem, self.operation, call)) + self._tail

    async def _admit(self, call: RequestCall, scope: Scope, receive: Receive) -> dict[str, Any]:
        """Return the handler's arguments. Raises Problem for a request that must not reach it."""
        try:
            self.check_key(scope)
            if self._admits is not None:
                self._admits.admit(self.operation)
            if (fault := scope.get(FAULT)) is not None:
                raise fault
            arguments = self._reader.read_arguments(scope)
            if self._looks_up is not None:
                self._looks_up.look_up(self.operation, arguments.get("arguments"))
            arguments |= await self._reader.read_body(scope, receive, call.has_arrived, call.ignored_fields)
            if call.ignored_fields:
                self._counts_ignored(self.contract.name, call.ignored_fields)
        except Problem as problem:
            if self._counts_refusals is not None:
                self._counts_refusals.refused(self.operation, problem)
            raise
        return arguments

    async def _send_whole(self, result: Any, call: RequestCall, reply: Reply) -> None:
        operation = self.operation
        if (result is None) != (operation.media_type is None):
            raise RuntimeError(
                f"{operation.id} answered {type(result).__name__}, its body is {operation.media_type}"
            )
        if isinstance(result, FileContent) != (operation.response is FileContent):
            raise RuntimeError(
                f"{operation.id} answered {type(result).__name__} where a file is declared, or not"
            )
        if isinstance(result, FileContent) and operation.media_type is not None:
            await reply.file(operation.media_type, result, self._answer_headers(call))
            return
        is_text = isinstance(result, str) and operation.text_media_type is not None
        media_type = operation.text_media_type if is_text else operation.media_type
        body = result.encode() if is_text else await self._encode_answer(result)
        await reply.whole(operation.status, media_type, body, self._answer_headers(call))

    async def _encode_answer(self, result: Any) -> bytes:
        if self._answer is None:
            return b""
        if isinstance(result, bytes):
            return result
        if is_large(result):
            self._check_type(result)
            return await asyncio.to_thread(to_json_in_slices, result)
        return self._answer(result)

    def _check_type(self, result: Any) -> None:
        declared = self.operation.response
        if isinstance(declared, type) and not isinstance(result, declared):
            raise _mismatch(declared, result)

    async def _send_stream(self, stream: AsyncGenerator[Any, None], call: RequestCall, reply: Reply) -> None:
        if self._event is None:
            raise RuntimeError(f"{self.operation.id} declares no stream")
        async with aclosing(stream), aclosing(ready_batches(stream, self._frame)) as batches:
            tail = b"" if reply.is_head else self._tail
            async with self._kept_alive(call, reply):
                try:
                    if not reply.is_head:
                        await self._send_batches(batches, call, reply)
                except Exception as error:
                    # What fails before the status has gone out is not part of a stream yet.
                    if not reply.started:
                        raise
                    problem = self._as_problem(error)
                    call.answers_with(problem)
                    tail = self.last_frames(problem, call)
                await self._open(call, reply)
            await reply.close_events(tail)

    async def _send_batches(
        self, batches: AsyncGenerator[list[bytes], None], call: RequestCall, reply: Reply
    ) -> None:
        is_open = False
        async for batch in batches:
            if not is_open:
                await self._open(call, reply)
                is_open = True
            await reply.events(b"".join(batch))

    async def _open(self, call: RequestCall, reply: Reply) -> None:
        await reply.open_events(self.operation.event_media_type, self._answer_headers(call))

    def _kept_alive(self, call: RequestCall, reply: Reply) -> AbstractAsyncContextManager[None]:
        if not self._keep_alive_s or call.connection is not None:  # a WebSocket is kept alive by its pings
            return nullcontext()

        async def open_early() -> None:
            call.respond_with(self.contract.headers(call))
            if call.has_required_headers:
                await self._open(call, reply)

        filler = self._framing.comment if self.contract.has_comments else b""
        return kept_alive(reply, open_early, filler, self._keep_alive_s)

    def _answer_headers(self, call: RequestCall) -> RawHeaders:
        call.respond_with(self.contract.headers(call))
        headers = call.answer_headers()
        if self._lists_ignored and call.ignored_fields:
            headers.append((IGNORED_FIELDS_HEADER, listed_names(call.ignored_fields)))
        return headers

    async def _send_error(self, error: Exception, call: RequestCall, reply: Reply) -> None:
        problem = self._declared(self._as_problem(error))
        call.answers_with(problem)
        encode = self._errors[problem.status]
        body = encode(self.contract.error_body(problem, self.operation, call)) if encode else b""
        media_type = JSON if encode else None
        headers = encode_headers({**self.contract.headers(call), **problem.headers})
        await reply.whole(problem.status, media_type, body, headers)

    def _frame(self, event: Any) -> bytes:
        assert self._event is not None
        data = event if isinstance(event, bytes) else self._event(event)
        return self._framing.frame(data, self._name_of(data) if self.operation.event_name else b"")

    def _name_of(self, data: bytes) -> bytes:
        """Return the event's name, read from its text, since a handler may write an event without a model."""
        name: str = from_json(data)[self.operation.event_name]
        return name.encode()

    def _as_problem(self, error: Exception) -> Problem:
        if isinstance(error, Problem):
            return error
        logger.error("%s failed", self.operation.id, exc_info=error)
        return InternalError()

    def _declared(self, problem: Problem) -> Problem:
        """Return the problem with a status that the operation declares. Raises RuntimeError if
        there is none.
        """
        if problem.status in self._errors:
            return problem
        if isinstance(problem, BodyTooLarge | UnsupportedMediaType) and self.operation.validation_status:
            problem.status = self.operation.validation_status
            return problem
        undeclared = RuntimeError(f"{self.operation.id} declares no status {problem.status}: {problem}")
        if 500 not in self._errors:
            raise undeclared from problem
        return self._as_problem(undeclared)


def _optional_parts(handlers: Handlers) -> tuple[Admits | None, LooksUp | None, CountsRefusals | None]:
    """Return the handlers as each of the interfaces that they may have beside their operations."""
    admits, looks_up, counts_refusals = _implemented(type(handlers))
    return (
        cast(Admits, handlers) if admits else None,
        cast(LooksUp, handlers) if looks_up else None,
        cast(CountsRefusals, handlers) if counts_refusals else None,
    )


@cache  # a class has up to twenty operations, and its comparison with a protocol takes 40 microseconds
def _implemented(handlers: type[Handlers]) -> tuple[bool, bool, bool]:
    return issubclass(handlers, Admits), issubclass(handlers, LooksUp), issubclass(handlers, CountsRefusals)


@cache
def _encoder(declared: Any) -> Encode | None:
    """Return a function that writes values of a declared type as JSON, and raises for other types."""
    if declared is None:
        return None
    encode = partial(TypeAdapter(declared).serializer.to_json, by_alias=True, warnings="error")
    return _checked(encode, declared) if isinstance(declared, type) else encode


def _checked(encode: Encode, model: type) -> Encode:
    """Check the model's type before encoding: pydantic would write any model with the right field names."""

    def encode_checked(value: Any) -> bytes:
        if not isinstance(value, model):
            raise _mismatch(model, value)
        return encode(value)

    return encode_checked


def _mismatch(model: type, value: Any) -> TypeError:
    return TypeError(f"expected {model.__name__}, not {type(value).__name__}")


def _answer_encoder(operation: Operation) -> Encode | None:
    """Return a function that writes a successful answer: text unchanged, anything else but a file as JSON."""
    if operation.response is FileContent:
        return None
    return str.encode if operation.response is str else _encoder(operation.response)
