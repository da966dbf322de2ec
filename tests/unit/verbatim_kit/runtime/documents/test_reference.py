"""Pages that show a contract's document: whole without network, and never in an operation's way."""

import re

from fastapi import FastAPI

from tests.unit.verbatim_kit.runtime.client import send
from tests.unit.verbatim_kit.runtime.notes import NoteHandlers, NotesContract
from verbatim_kit.runtime.documents.pages import HEADERS
from verbatim_kit.runtime.server import ContractServer

LINK = re.compile(r'(?:href|src|url)(?:=|: )"([^"]+)"')


def server() -> ContractServer:
    one = ContractServer(FastAPI(openapi_url=None, docs_url=None, redoc_url=None))
    one.mount(NotesContract(), NoteHandlers(), "/notes")
    return one


async def test_the_list_links_to_each_contracts_page() -> None:
    page = await send(server(), "GET", "/docs")
    links = LINK.findall(page.text)
    assert links == ["docs/assets/favicon.png", "docs/list.css", "notes/docs", "notes/openapi.json"]
    for link in links:
        assert (await send(server(), "GET", f"/{link}")).status_code == 200


async def test_all_that_a_page_needs_is_served_here() -> None:
    app = server()
    page = await send(app, "GET", "/notes/docs")
    script = await send(app, "GET", "/docs/contract.js")
    links = LINK.findall(page.text + script.text)
    assert "openapi.json" in links
    assert len(links) >= 4
    for link in links:
        assert "//" not in link
        path = link.replace("..", "", 1) if link.startswith("..") else f"/notes/{link}"
        served = await send(app, "GET", path)
        assert served.status_code == 200
        assert path.endswith("openapi.json") or served.headers.items() >= HEADERS.items()
