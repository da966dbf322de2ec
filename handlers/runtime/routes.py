"""Finds the endpoint of a path and a method: a dictionary for plain paths, patterns for templates."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.convertors import Convertor
from starlette.routing import compile_path

from .endpoint import Endpoint

Methods = dict[str, Endpoint]


class Routes:
    """Paths and their endpoints by method. A path belongs to the contract that claimed it first."""

    def __init__(self) -> None:
        self._plain: dict[str, Methods] = {}
        self._templates: dict[str, tuple[re.Pattern[str], Mapping[str, Convertor[Any]], Methods]] = {}

    def claims(self, path: str) -> bool:
        """Whether a path, or a template of the same shape, is taken."""
        return path in self._plain or _shape(path) in self._templates

    def add(self, path: str, method: str, endpoint: Endpoint) -> None:
        """Adds an operation; HEAD is answered wherever GET is."""
        if "{" in path:
            pattern, _, convertors = compile_path(path)
            methods = self._templates.setdefault(_shape(path), (pattern, convertors, {}))[2]
        else:
            methods = self._plain.setdefault(path, {})
        methods[method] = endpoint
        if method == "GET":
            methods.setdefault("HEAD", endpoint)

    def find(self, path: str) -> tuple[Methods, dict[str, Any]] | None:
        """The endpoints of a path by method, and its template's values; a plain path wins over a template."""
        if methods := self._plain.get(path):
            return methods, {}
        for pattern, convertors, methods in self._templates.values():
            if match := pattern.match(path):
                values = {key: convertors[key].convert(text) for key, text in match.groupdict().items()}
                return methods, values
        return None


def _shape(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)
