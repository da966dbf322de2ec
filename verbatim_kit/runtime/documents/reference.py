"""The pages to browse the contracts' documents and to try their operations, offline: Swagger UI.

Links are relative, so that they work behind a proxy that adds a prefix.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Final

import msgspec
import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from verbatim_kit.runtime.contract import Contract
from verbatim_kit.runtime.documents.pages import PageFiles, page_response

_ASSETS = "docs/assets"

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contracts</title>
<link rel="icon" href="{assets}/favicon.png">
<link rel="stylesheet" href="docs/list.css">
</head>
<body>
<h1>Contracts</h1>
<p>Each is whole under its own prefix. Its page lists the operations and sends requests to this server.</p>
<table>
<tr><th>page</th><th>API</th><th>base URL</th><th>document</th></tr>
{rows}
</table>
{pages}
</body>
</html>
"""

_LIST_STYLE: Final = """:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#ffffff, #181a21); color: light-dark(#1b1c22, #e7e8ee); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .6rem .8rem .6rem 0; border-bottom: 1px solid #8884; }
td:last-child, th:last-child { text-align: right; padding-right: 0; }
code { white-space: nowrap; }
a { color: light-dark(#4f46e5, #9d99ff); }
@media (max-width: 40rem) {
  :is(th, td):last-child { display: none; }
  code { white-space: normal; overflow-wrap: anywhere; }
}
"""

# A script of its own: the pages' policy allows none in a page, as FastAPI writes it.
_CONTRACT_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="icon" href="../{assets}/favicon.png">
<link rel="stylesheet" href="../{assets}/swagger-ui.css">
<link rel="stylesheet" href="../docs/contract.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="../{assets}/swagger-ui-bundle.js"></script>
<script src="../docs/contract.js"></script>
</body>
</html>
"""

# In a narrow window, Swagger UI leaves the description of a tag one letter of room.
_CONTRACT_STYLE: Final = """:root { color-scheme: light dark; }
@media (max-width: 40rem) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; padding: 0; }
}
"""

# Swagger UI has colours for the dark, and leaves the choice to the page.
_CONTRACT_SCRIPT: Final = """const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  showExtensions: true,
  showCommonExtensions: true,
  validatorUrl: null,
});
"""


class Entry(msgspec.Struct, frozen=True):
    """One line of the list: a contract's name, its document's title, and the path of the base URL."""

    name: str
    title: str
    base_path: str

    @classmethod
    def of(cls, contract: Contract) -> "Entry":
        """Return the entry of a contract, which is mounted under its name."""
        return cls(contract.name, _title(contract.document()), f"/{contract.name}{contract.base_path}")

    def row(self) -> str:
        """Return the line of the list, as a row of a table."""
        name, title = escape(self.name), escape(self.title)
        cells = (
            f'<a href="{name}/docs">{name}</a>',
            title,
            f"<code>{escape(self.base_path)}</code>",
            f'<a href="{name}/openapi.json">openapi.json</a>',
        )
        return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


@lru_cache(maxsize=16)
def _title(document: bytes) -> str:
    return str(orjson.loads(document)["info"]["title"])


class Reference:
    """The pages: `/docs` lists the contracts, and `/<contract>/docs` is the page of one."""

    def __init__(self, shell: FastAPI, pages: Sequence[tuple[str, str]] = ()) -> None:
        """Mount the pages of documentation. pages: links to other pages, as in `RuntimeOptions`."""
        self._contracts: list[Contract] = []
        self._pages = "\n".join(f'<p><a href="{escape(link)}">{escape(what)}</a></p>' for link, what in pages)
        shell.mount(f"/{_ASSETS}", PageFiles("fastapi_offline", "static"))
        shell.add_route("/docs", self._list, include_in_schema=False)
        _add_page(shell, "/docs/list.css", _LIST_STYLE, ".css")
        _add_page(shell, "/docs/contract.css", _CONTRACT_STYLE, ".css")
        _add_page(shell, "/docs/contract.js", _CONTRACT_SCRIPT, ".js")

    def add(self, shell: FastAPI, contract: Contract, prefix: str) -> None:
        """Add the page of a contract, whose document is `openapi.json` under the same prefix."""
        self._contracts.append(contract)
        _add_page(shell, f"{prefix}/docs", _CONTRACT_PAGE.format(name=escape(contract.name), assets=_ASSETS))

    async def _list(self, request: Request) -> Response:
        rows = "\n".join(Entry.of(contract).row() for contract in self._contracts)
        return page_response(_PAGE.format(assets=_ASSETS, rows=rows, pages=self._pages))


def _add_page(shell: FastAPI, path: str, content: str, suffix: str = ".html") -> None:
    async def answer(request: Request) -> Response:
        return page_response(content, suffix)

    shell.add_route(path, answer, include_in_schema=False)
