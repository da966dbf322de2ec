"""A contract that a server is checked against."""

from typing import Any, NamedTuple

from verbatim_kit.conform.rules import Rules


class Contract(NamedTuple):
    """A contract. document: its effective OpenAPI 3.1 document. rules: what the document cannot express."""

    name: str
    document: dict[str, Any]
    rules: Rules = Rules()
