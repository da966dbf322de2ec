"""The routing of a path and a method to an endpoint: a dictionary for plain paths, patterns for templates."""

import re
from functools import lru_cache

from verbatim_kit.runtime.endpoint import Endpoint

Methods = dict[str, Endpoint]


class Routes:
    """The endpoints by path and method. A path belongs to the contract that claimed it first."""

    def __init__(self) -> None:
        self._plain: dict[str, Methods] = {}
        self._templates: dict[str, tuple[re.Pattern[str], Methods]] = {}

    def claims(self, path: str) -> bool:
        """Return whether a path, or a template of the same shape, is taken."""
        return path in self._plain or shape(path) in self._templates

    def add(self, path: str, method: str, endpoint: Endpoint) -> None:
        """Add an operation; HEAD is answered wherever GET is."""
        if "{" in path:
            methods = self._templates.setdefault(shape(path), (_pattern(path), {}))[1]
        else:
            methods = self._plain.setdefault(path, {})
        methods[method] = endpoint
        if method == "GET":
            methods.setdefault("HEAD", endpoint)

    def find(self, path: str) -> tuple[Methods, dict[str, str]] | None:
        """Return a path's endpoints by method, and its template's values; a plain path wins over
        a template. A slash at the end is left out, where the path with it is not one of its own.
        """
        if methods := self._plain.get(path):
            return methods, {}
        if path.endswith("/") and not path.endswith("//") and path != "/":
            path = path[:-1]
            if methods := self._plain.get(path):
                return methods, {}
        for pattern, methods in self._templates.values():
            if match := pattern.fullmatch(path):
                return methods, match.groupdict()
        return None


@lru_cache(maxsize=1024)  # contracts have some 120 paths, each of which is compared with the others
def shape(path: str) -> str:
    """Return the text of a path without its parameters' names: equal for paths that match the
    same requests.
    """
    return re.sub(r"\{[^}]*\}", "{}", path)


def _pattern(path: str) -> re.Pattern[str]:
    """Return a template's pattern: `{name}` is one segment, `{name:path}` may have slashes;
    neither is empty.
    """
    parts = re.split(r"\{(\w+)(:path)?\}", path)
    text, names, slashes = parts[::3], parts[1::3], parts[2::3]
    groups = [f"(?P<{name}>{'.' if many else '[^/]'}+)" for name, many in zip(names, slashes, strict=True)]
    return re.compile("".join(re.escape(a) + b for a, b in zip(text, [*groups, ""], strict=True)), re.DOTALL)
