"""The pages that the server shows, with the headers for a browser's cache and security policy."""

from collections.abc import Mapping
from os import PathLike, stat_result
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from typing_extensions import override

# Nothing but what this server sends: no inline script or style, no other host, no frame around the page.
# Images may also be data URLs, by which pages show those that they are given.
# `form-action`, `frame-ancestors` and `base-uri` do not fall back to `default-src` (CSP 3, 6.1.3).
_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cache-control": "no-cache",  # the browser asks each time whether the ETag still holds
        "content-security-policy": _POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
)

# Written down, since the table of the operating system may call a script text/plain, which browsers refuse.
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


def page_response(content: str, suffix: str = ".html") -> Response:
    """Return a page that the server writes itself, or a part of one, with the headers of all pages."""
    return Response(content, headers={**HEADERS, "content-type": _MEDIA_TYPES[suffix]})


class PageFiles(StaticFiles):
    """The files of a page in a folder of a package, with the headers of all pages."""

    def __init__(self, package: str, folder: str) -> None:
        super().__init__(packages=[(package, folder)])

    @override
    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers.update(HEADERS)
        response.headers["content-type"] = _MEDIA_TYPES[PurePath(full_path).suffix]
        return response
