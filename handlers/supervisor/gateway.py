"""The way of a request to the process of its model, and of the answer back."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from string import punctuation
from typing import Final
from urllib.parse import quote

import aiohttp
import msgspec
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override
from yarl import URL

from handlers.access.closed_pages import KEY_HEADERS
from handlers.access.keys.key_check import KeyCheck
from handlers.access.visits.visit import current_visit
from handlers.access.web_pages import Refuse
from handlers.operations.elsewhere import last_frames, unavailable
from handlers.root_paths.invocations import INVOCATIONS
from handlers.root_paths.playground.home import is_for_the_page
from handlers.root_paths.playground.page import PATH
from handlers.supervisor.model import Model, State
from handlers.supervisor.models import Models, Unavailable
from verbatim_kit.openapi import streams
from verbatim_kit.runtime.answering.disconnect import CancelledByDisconnect, DisconnectWatcher
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.problem import Problem
from verbatim_kit.runtime.reading.bearer import given_keys
from verbatim_kit.runtime.reading.form.form_reader import FormReader
from verbatim_kit.runtime.reading.raw_request import body_chunks
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer, path_of

PREFIX: Final = "/models/"
_PINNED: Final = "verbatim.model"  # where a request's scope has the model that its path begins with
_PAGES: Final = (PATH, INVOCATIONS, "/openapi.json")
_PATH_NAMES: Final = ("model_name", "model", "model_id")  # of parameters
# Those of one connection (RFC 9110, section 7.6.1), and those that each server sends for itself.
_OF_CONNECTION: Final = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade")
)
_OF_CLIENT: Final = _OF_CONNECTION | {b"host", b"origin", b"expect", b"content-length", b"x-forwarded-for"}
_OF_SERVER: Final = _OF_CONNECTION | {b"date", b"server"}

_log = logging.getLogger(__name__)


class _Named(msgspec.Struct):
    """A body that names its model."""

    model: str | None = None


class ByPath:
    """ASGI middleware by which `/models/NAME/…` is `…` of the model NAME, whatever the body names."""

    def __init__(self, app: ASGIApp, models: Models) -> None:
        self._app = app
        self._models = models

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        for model in self._models.models if path.startswith(PREFIX) else ():
            prefix = PREFIX + model.name
            if path == prefix or path.startswith(f"{prefix}/"):
                path = f"{prefix}/" if path == prefix else path
                scope = {**scope, "path": path, "root_path": prefix, _PINNED: model}
        await self._app(scope, receive, send)


class Gateway:
    """Passes requests on to the processes of models, which start for it."""

    def __init__(
        self,
        models: Models,
        session: aiohttp.ClientSession,
        refusal: Refuse,
        options: RuntimeOptions,
        key_check: KeyCheck | None,
    ) -> None:
        """Create the object.

        refusal: returns the answer of an error. key_check: checks the key of a request that would start a
        model; None if no key is required.
        """
        self._models = models
        self._session = session
        self._refusal = refusal
        self._options = options
        self._key_check = key_check
        self._watcher = DisconnectWatcher()

    async def answer(self, scope: Scope, receive: Receive, send: Send, endpoint: Endpoint | None) -> None:
        """Answer a request by its model. endpoint: its operation's; None for a page."""
        try:
            if endpoint is not None:
                endpoint.check_key(scope)
            body = b"".join([chunk async for chunk in body_chunks(scope, receive, self._max_bytes(endpoint))])
            model = await self._model(scope, body, endpoint)
            self._check_key(scope, model, endpoint)
            with CancelledByDisconnect(receive, self._watcher):
                await self._pass_on(model, scope, body, send, endpoint)
        except ClientDisconnect:
            return
        except Problem as error:
            problem = error
            if isinstance(error, Unavailable) and endpoint is not None:
                problem = unavailable(endpoint, error.message) or error
            if endpoint is not None and endpoint.declares(problem.status):
                await endpoint.refuse(problem, scope, send)
            else:
                await self._refusal(problem, scope)(scope, receive, send)

    def _max_bytes(self, endpoint: Endpoint | None) -> int:
        takes_files = endpoint is not None and endpoint.operation.form
        return self._options.max_upload_bytes if takes_files else self._options.max_body_bytes

    async def _model(self, scope: Scope, body: bytes, endpoint: Endpoint | None) -> Model:
        """Return the model that a request names; the first one where it names none of these."""
        pinned: Model | None = scope.get(_PINNED)
        if pinned is not None:
            return pinned
        values = scope.get("path_params", {})
        name = next((values[each] for each in _PATH_NAMES if each in values), None)
        if name is None and endpoint is not None and endpoint.operation.form:
            status = endpoint.operation.validation_status or 400
            form = FormReader(endpoint.operation.form, status, self._options.max_upload_bytes)
            parts = await form.receive(scope, partial(_receive_whole, body))
            named = (bytes(part.content) for part in parts if part.name == "model")
            name = next(named, b"").decode(errors="replace")
        elif name is None:
            name = await self._options.bodies.read(len(body), _name_in, body)
        return self._models.named(name) or self._models.models[0]

    def _check_key(self, scope: Scope, model: Model, endpoint: Endpoint | None) -> None:
        """Refuse a request without a key that would start a model. Raises Problem."""
        is_checked = endpoint is not None and endpoint.operation.is_secured
        if self._key_check is not None and not is_checked and model.state is not State.RUNNING:
            contract = None if endpoint is None else endpoint.contract.name
            self._key_check.identify(contract, given_keys(scope, KEY_HEADERS))

    async def _pass_on(
        self, model: Model, scope: Scope, body: bytes, send: Send, endpoint: Endpoint | None
    ) -> None:
        """Ask the model's process, and send its answer as it arrives.

        The record of the request is left to the process, which knows its tokens. A stream whose rest is lost
        ends with its contract's error; any other answer is cut. Raises Unavailable before one has begun.
        """
        has_begun = is_stream = False
        method, headers = scope["method"], _headers(scope)
        async with self._models.running(model):
            try:
                async with self._session.request(
                    method, _url(model, scope), headers=headers, data=body or None, allow_redirects=False
                ) as response:
                    is_stream, has_begun = streams.is_stream(response.content_type), True
                    _leave_record(True)
                    await send(_start(response))
                    async for part in response.content.iter_any():
                        await send({"type": "http.response.body", "body": part, "more_body": True})
                    await send({"type": "http.response.body", "body": b""})
            except (aiohttp.ClientError, OSError) as error:
                reason = str(error) or type(error).__name__
                _log.error("an answer of the model %s was lost: %s", model.name, reason)
                lost = Unavailable(f"The process of the model {model.name!r} has ended")
                if not has_begun:
                    raise lost from error
                _leave_record(False)
                if is_stream and endpoint is not None:
                    frames = last_frames(endpoint, scope, lost.message)
                    await send({"type": "http.response.body", "body": frames})


class Pages:
    """ASGI middleware that passes pages on, which are no operations and yet a model's."""

    def __init__(self, server: ContractServer, gateway: Gateway) -> None:
        self._server = server
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_page(scope):
            await self._gateway.answer(scope, receive, send, None)
        else:
            await self._server(scope, receive, send)

    def _is_page(self, scope: Scope) -> bool:
        if is_for_the_page(scope) or path_of(scope).startswith(_PAGES):
            return True
        return _PINNED in scope and self._server.endpoint(scope) is None


class ModelEndpoint(Endpoint):
    """The endpoint of an operation that the process of a model answers."""

    def __init__(
        self,
        operation: Operation,
        handlers: Handlers,
        contract: Contract,
        options: RuntimeOptions,
        gateway: Gateway,
        *,
        is_own: bool,
    ) -> None:
        """Create the endpoint.

        is_own: whether the supervisor answers by the handlers, where the path does not begin with a model.
        """
        super().__init__(operation, handlers, contract, options)
        self._gateway = gateway
        self._is_own = is_own

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_own and _PINNED not in scope:
            await super().__call__(scope, receive, send)
        else:
            await self._gateway.answer(scope, receive, send, self)


def _start(response: aiohttp.ClientResponse) -> Message:
    headers = _without(response.raw_headers, _OF_SERVER)
    return {"type": "http.response.start", "status": response.status, "headers": headers}


def _leave_record(is_answered: bool) -> None:
    """Leave the record of the request to the process that answers it, which knows its tokens."""
    if (visit := current_visit.get()) is not None:
        visit.is_recorded = is_answered


async def _receive_whole(body: bytes) -> Message:
    return {"type": "http.request", "body": body}


def _name_in(body: bytes) -> str | None:
    """Return the name of the model in a body of JSON; None where there is none."""
    with suppress(msgspec.DecodeError, RecursionError):
        return msgspec.json.decode(body, type=_Named).model
    return None


def _url(model: Model, scope: Scope) -> URL:
    """Return the URL for the process: that of the request, in which only ASCII stays as it is."""
    path = quote(path_of(scope)) if _PINNED in scope else quote(scope["raw_path"], safe=punctuation)
    query = quote(scope["query_string"], safe=punctuation)
    return URL(f"{model.url}{path}{'?' if query else ''}{query}", encoded=True)


def _headers(scope: Scope) -> list[tuple[str, str]]:
    """Return the headers for the process, which names the client in its log by the last one."""
    passed = [
        (name.decode("latin-1"), value.decode("utf-8", "replace"))  # as aiohttp encodes it
        for name, value in _without(scope["headers"], _OF_CLIENT)
    ]
    client = scope.get("client")
    return passed if client is None else [*passed, ("x-forwarded-for", client[0])]


def _without(headers: Iterable[tuple[bytes, bytes]], names: frozenset[bytes]) -> list[tuple[bytes, bytes]]:
    """Return headers, names in lower case, without these and those that `connection` names."""
    lower = [(name.lower(), value) for name, value in headers]
    named = {
        each.strip().lower() for name, value in lower if name == b"connection" for each in value.split(b",")
    }
    return [(name, value) for name, value in lower if name not in names and name not in named]
