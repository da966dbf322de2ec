"""Pages to browse the contracts' documents and to try their operations, without network: Swagger UI.

Links are relative, so that they hold behind a proxy that adds a prefix.
"""

from html import escape

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

_ASSETS = "docs/assets"


class Reference:
    """`/docs` lists the contracts, `/<contract>/docs` is the page of one."""

    def __init__(self, shell: FastAPI) -> None:
        self._names: list[str] = []
        shell.mount(f"/{_ASSETS}", StaticFiles(packages=[("fastapi_offline", "static")]))
        shell.add_route("/docs", self._list, include_in_schema=False)

    def add(self, shell: FastAPI, name: str, prefix: str) -> None:
        """The page of a contract, whose document is `openapi.json` under the same prefix."""
        self._names.append(name)
        page = get_swagger_ui_html(
            openapi_url="openapi.json",
            title=name,
            swagger_js_url=f"../{_ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"../{_ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"../{_ASSETS}/favicon.png",
        )

        async def answer(request: Request) -> Response:
            return page

        shell.add_route(f"{prefix}/docs", answer, include_in_schema=False)

    async def _list(self, request: Request) -> Response:
        links = "".join(f'<li><a href="{escape(name)}/docs">{escape(name)}</a></li>' for name in self._names)
        title = "<title>Contracts</title><h1>Contracts</h1>"
        return HTMLResponse(f'<!doctype html><html lang="en">{title}<ul>{links}</ul></html>')
