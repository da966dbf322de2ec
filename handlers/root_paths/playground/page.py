"""The pages, and their requests to the server in addition to the contracts' own operations.

Links are relative, so that they work behind a proxy that adds a prefix.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from engine.port.engine import Engine
from handlers.root_paths.playground.home import Home
from handlers.root_paths.playground.state import State
from handlers.shared_settings.shared_settings import EMBEDDED_MODEL
from handlers.version import VERSION
from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.documents.pages import PageFiles
from verbatim_kit.runtime.documents.reference import Entry

PATH: Final = "/playground"
LINK: Final = (PATH[1:], "Playground: try any operation by hand, and watch the engine")


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The data that the pages load at their start.

    model: the model's name in requests. example_model: its name in the documents' examples.
    contracts: in the order to show, each with its document at <name>/openapi.json.
    """

    version: str
    model: str
    example_model: str
    device: str
    asks_for_key: bool
    generates_text: bool
    contracts: Sequence[Entry]


class Playground:
    """The page at `/playground`, under which are its files, `about` and `state`; and the page at `/`.

    model: the model's name in requests. contracts: all, in the order to show.
    asks_for_key: True if generating operations require a key.
    """

    def __init__(
        self, model: str, engine: Engine, contracts: Sequence[Contract], *, asks_for_key: bool
    ) -> None:
        info = engine.model_info
        self._engine = engine
        self._block_size = info.block_size
        self._assets = PageFiles("handlers.root_paths.playground", "assets")
        self._about = About(
            version=VERSION,
            model=model,
            example_model=EMBEDDED_MODEL,
            device=f"{info.device}, {info.dtype}",
            asks_for_key=asks_for_key,
            generates_text=engine.capabilities.generates_text,
            contracts=[Entry.of(contract) for contract in contracts],
        )

    def mount(self, shell: FastAPI) -> None:
        """Add the page to the shell, after the contracts' operations."""
        shell.add_route(PATH, self._page, include_in_schema=False)
        shell.add_route(f"{PATH}/", self._redirect, include_in_schema=False)
        shell.add_route(f"{PATH}/about", self._send_about, include_in_schema=False)
        shell.add_route(f"{PATH}/state", self._send_state, include_in_schema=False)
        shell.mount(PATH, self._assets)

    def with_home(self, app: ASGIApp) -> ASGIApp:
        """Return an application with the page at `/` in front, for browsers."""
        return Home(app, self._assets)

    async def _page(self, request: Request) -> Response:
        return await self._assets.get_response("index.html", request.scope)

    async def _redirect(self, request: Request) -> Response:
        """Redirect a path with a slash at its end, for which the page's relative links would not work."""
        return Response(status_code=307, headers={"location": "../playground"})

    async def _send_about(self, request: Request) -> Response:
        return _json(self._about)

    async def _send_state(self, request: Request) -> Response:
        return _json(State.of(self._engine.stats(), self._block_size))


def _json(value: msgspec.Struct) -> Response:
    return Response(
        msgspec.json.encode(value), media_type="application/json", headers={"cache-control": "no-store"}
    )
