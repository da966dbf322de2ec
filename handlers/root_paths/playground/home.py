"""The page at `/` for people: what is served, and a chat. Programs get the answer that they got before."""

import re
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from verbatim_kit.runtime.documents.pages import PageFiles
from verbatim_kit.runtime.server import path_of

HOME_LINK: Final = ("./", "Chat with the model, and the addresses of all contracts")

_WEIGHT: Final = re.compile(r"[01](\.[0-9]{0,3})?")


class Home:
    """ASGI middleware that answers `GET /` with the page if the client prefers HTML, as browsers do."""

    def __init__(self, app: ASGIApp, assets: PageFiles) -> None:
        self._app = app
        self._assets = assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_for_the_page(scope):
            await self._app(scope, receive, send)
            return
        response = await self._assets.get_response("home.html", scope)
        response.headers["vary"] = "accept"
        await response(scope, receive, send)


def is_for_the_page(scope: Scope) -> bool:
    """Return whether a request is for the page, and not for what programs get at `/`."""
    if scope["type"] != "http" or scope["method"] != "GET" or path_of(scope) != "/":
        return False
    return prefers_html(Request(scope).headers.get("accept", ""))


def prefers_html(accept: str) -> bool:
    """Return whether text/html is the first of the types that the header weighs most (RFC 9110, 12.5.1)."""
    best, heaviest = "", 0.0
    for item in accept.lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        if _WEIGHT.fullmatch(weight) and float(weight) > heaviest:
            best, heaviest = name, float(weight)
    return best == "text/html"
