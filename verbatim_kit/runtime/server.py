"""The ASGI application: the contracts' operations, and a FastAPI application behind them for the rest."""

from collections.abc import Callable, Collection

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from verbatim_kit.runtime.call import HANDSHAKE, RequestCall
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.documents.reference import Reference
from verbatim_kit.runtime.documents.served_document import ServedDocument
from verbatim_kit.runtime.endpoint import Endpoint
from verbatim_kit.runtime.likely_path import likely_paths
from verbatim_kit.runtime.operation import Handlers, Operation
from verbatim_kit.runtime.problem import MethodNotAllowed, NotFound, Problem
from verbatim_kit.runtime.routes import Methods, Routes
from verbatim_kit.runtime.runtime_options import RuntimeOptions

MakeEndpoint = Callable[[Operation, Handlers, Contract, RuntimeOptions], Endpoint]


class ContractServer:
    """The application that serves mounted contracts, and by `shell` the life cycle, documents and pages.

    A path that no contract has goes to the shell. If the shell cannot find or allow it, the error has the
    form of the contract that owns the path's prefix (`/tgi`), or has other paths at the root with the same
    first segment (`/v2`), or else is the first at the root. endpoint: binds an operation to its handler.
    document: returns a contract's document as this server serves it.
    """

    def __init__(
        self,
        shell: FastAPI,
        options: RuntimeOptions | None = None,
        endpoint: MakeEndpoint = Endpoint,
        document: Callable[[Contract], bytes] = lambda contract: contract.document(),
    ) -> None:
        self._shell = shell
        self._endpoint = endpoint
        self._document = document
        self._options = options or RuntimeOptions()
        self._routes = Routes()
        self._marked_routes: dict[bytes, Routes] = {}  # of contracts at the root, by marking header
        self._contracts: dict[str, Contract] = {}
        self._families: dict[str, Contract] = {}  # by first segment
        self._reference = Reference(shell, self._options.pages)
        shell.add_exception_handler(HTTPException, self._answer_shell_error)
        shell.add_exception_handler(Problem, self._answer_problem)

    def mount(
        self, contract: Contract, handlers: Handlers, prefix: str = "", *, leaves: Collection[str] = ()
    ) -> list[Operation]:
        """Mount a contract's operations under a prefix ("/tgi"), or at the root ("").

        At the root the first contract to claim a path keeps it, except for requests that have the marking
        header of another. leaves: paths that this one does not claim. Returns the operations that got their
        path. A prefix is for one contract, whose effective document is served there as openapi.json, with a
        page to browse it at docs. Raises ValueError for a prefix that is taken.
        """
        if prefix and prefix in self._contracts:
            raise ValueError(f"{prefix} is taken by {self._contracts[prefix].name}")
        free = {op.path for op in handlers.table if not self._routes.claims(prefix + op.path)}
        free -= {*leaves}
        claimed = [operation for operation in handlers.table if operation.path in free]
        for operation in claimed:
            self._add(operation, handlers, contract, prefix)
        self._contracts.setdefault(prefix, contract)
        if prefix:
            self._serve_document(contract, prefix)
        elif contract.marking_header is not None:
            routes = self._marked_routes.setdefault(contract.marking_header.encode(), Routes())
            for operation in (one for one in handlers.table if one.path not in free):
                endpoint = self._endpoint(operation, handlers, contract, self._options)
                routes.add(operation.path, operation.method, endpoint)
        return claimed

    def _add(self, operation: Operation, handlers: Handlers, contract: Contract, prefix: str) -> None:
        endpoint = self._endpoint(operation, handlers, contract, self._options)
        self._routes.add(prefix + operation.path, operation.method, endpoint)
        self._families.setdefault(_first_segment(prefix + operation.path), contract)
        if prefix and operation.path == "/":
            # Clients are given the prefix as their base URL, and post to it as it stands.
            self._routes.add(prefix, operation.method, endpoint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = None if scope["type"] != "http" else self._find(scope)
        if self._is_base_probe(scope, found):
            await Response()(scope, receive, send)
            return
        if found is None:
            await self._shell(scope, receive, send)
            return
        methods, values = found
        if HANDSHAKE in scope and (endpoint := _of_web_socket(methods)) is not None:
            scope["endpoint"] = endpoint
            await endpoint.shake_hands(scope, send)
            return
        endpoint = scope["endpoint"] = methods.get(scope["method"])
        if endpoint is None:
            await self._refuse_method(methods, scope, receive, send)
            return
        scope["path_params"] = values
        await endpoint(scope, receive, send)

    def _is_base_probe(self, scope: Scope, found: tuple[Methods, dict[str, str]] | None) -> bool:
        """Return whether a client only asks if there is a server at a base URL, as Claude Code does first."""
        if scope["type"] != "http" or scope["method"] != "HEAD" or (found and "HEAD" in found[0]):
            return False
        return path_of(scope).rstrip("/") in self._contracts

    def _find(self, scope: Scope) -> tuple[Methods, dict[str, str]] | None:
        """Return the endpoints of a request's path, by method, and the values of its template."""
        path = path_of(scope)
        for header, routes in self._marked_routes.items():
            found = routes.find(path)
            if found is not None and any(name == header for name, _ in scope["headers"]):
                return found
        return self._routes.find(path)

    async def _refuse_method(self, methods: Methods, scope: Scope, receive: Receive, send: Send) -> None:
        problem = MethodNotAllowed(scope["method"], ", ".join(sorted(methods)))
        contract = next(iter(methods.values())).contract
        await _answer(contract, problem, scope)(scope, receive, send)

    async def _answer_shell_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 404:
            return self.refusal(NotFound(request.url.path, self._hint(request)), request.scope)
        return self.refusal(_as_problem(request, error), request.scope)

    async def _answer_problem(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        return self.refusal(error, request.scope)

    def _hint(self, request: Request) -> str:
        """Return the operation that a request for an unknown path probably meant, in words.

        If none is like it, the words are the base URL of the contract that has others with its first segment,
        if there is one.
        """
        path = path_of(request.scope)
        server = str(request.base_url).rstrip("/")
        own = f"/{_first_segment(path)}"
        prefixes = [own] if own in self._contracts else self._contracts
        below = sorted({"", *(contract.base_path for contract in self._contracts.values())})
        bases = [prefix + base for prefix in prefixes for base in below]
        for likely in likely_paths(path.removeprefix(own) if own in self._contracts else path, bases):
            methods, _ = self._routes.find(likely) or ({}, {})
            if (endpoint := methods.get(request.method)) is not None:
                contract = endpoint.contract
                prefix = f"/{contract.name}" if likely.startswith(f"/{contract.name}/") else ""
                base = prefix + contract.base_path
                base = base if likely.startswith(f"{base}/") else prefix
                return (
                    f"; did you mean {likely}? The base URL of the contract {contract.name} is {server}{base}"
                )
        family = self._families.get(own[1:]) if own != "/" else None
        if family is None:
            return ""
        base = (own if own in self._contracts else "") + family.base_path
        return f"; the base URL of the contract {family.name} is {server}{base}"

    def endpoint(self, scope: Scope) -> Endpoint | None:
        """Return the endpoint that answers a request; None where no operation does."""
        found = self._find(scope)
        return None if found is None else found[0].get(scope["method"])

    def web_socket(self, scope: Scope) -> Endpoint | None:
        """Return the endpoint that answers messages at a WebSocket's path; None where there is none."""
        found = self._find(scope)
        return None if found is None else _of_web_socket(found[0])

    def refusal(self, problem: Problem, scope: Scope) -> Response:
        """Return the answer that refuses a request before any operation, in the form of its
        path's contract.
        """
        return _answer(self._owner(scope), problem, scope)

    def _owner(self, scope: Scope) -> Contract | None:
        """Return the contract whose errors a path gets that belongs to no operation."""
        segment = _first_segment(path_of(scope))
        owners = self._contracts.get(f"/{segment}"), self._families.get(segment), self._contracts.get("")
        return next(filter(None, owners), None)

    def _serve_document(self, contract: Contract, prefix: str) -> None:
        document = self._document(contract)
        served = ServedDocument(lambda: document)
        self._shell.add_route(f"{prefix}/openapi.json", served.answer, include_in_schema=False)
        self._reference.add(self._shell, contract, prefix)


def path_of(scope: Scope) -> str:
    """Return the path without the prefix that a proxy in front adds (ASGI: `path` includes `root_path`)."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def _of_web_socket(methods: Methods) -> Endpoint | None:
    return next((one for one in methods.values() if one.operation.web_socket is not None), None)


def _first_segment(path: str) -> str:
    """Return the text between the first two slashes; empty where there is none, as in `*` (RFC
    9112, 3.2.4).
    """
    return path.partition("/")[2].partition("/")[0]


def _answer(contract: Contract | None, problem: Problem, scope: Scope) -> Response:
    """Return the answer for an error outside any operation, in the contract's form if there is one."""
    call = RequestCall(scope, None)
    call.answers_with(problem)
    if contract is None:
        return PlainTextResponse(problem.message, problem.status, problem.headers)
    headers = {**contract.headers(call), **problem.headers}
    content = contract.error_body(problem, None, call).model_dump_json(by_alias=True)
    return Response(content, problem.status, headers, "application/json")


def _as_problem(request: Request, error: HTTPException) -> Problem:
    if error.status_code == 405:
        return MethodNotAllowed(request.method, (error.headers or {}).get("Allow", ""))
    return Problem(error.status_code, str(error.detail), headers=dict(error.headers or {}))
