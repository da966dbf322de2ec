"""The texts that stand in a template's source."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec
from jinja2 import nodes

from handlers.chat.prompt.sandbox import sandboxed

_FORMATS = re.compile(r"%[sdr]|\{[^{}]*\}")  # where str.format and the operator % put their arguments


class TemplateLiterals(msgspec.Struct, frozen=True):
    """The texts that a template writes, and those that it looks for in its values.

    written: each piece between two values, and the texts that it looks for.
    """

    written: frozenset[str]
    sought: frozenset[str]


def literals_of(sources: Iterable[str]) -> TemplateLiterals:
    """Return the literals of the templates; one that cannot be parsed has none, since it renders nothing."""
    written: set[str] = set()
    sought: set[str] = set()
    for source in sources:
        literals = _literals_of(source)
        written |= literals.written
        sought |= literals.sought
    return TemplateLiterals(frozenset(written), frozenset(sought))


@lru_cache(maxsize=16)
def _literals_of(source: str) -> TemplateLiterals:
    try:
        tree = sandboxed(source).environment.parse(source)
    except Exception:  # whatever it is, rendering reports it
        return TemplateLiterals(frozenset(), frozenset())
    return TemplateLiterals(frozenset(_written(tree)), frozenset(_sought(tree)))


def _written(tree: nodes.Node) -> Iterator[str]:
    for data in tree.find_all(nodes.TemplateData):
        yield data.data
    for text in _constants(tree):
        yield text
        yield from _FORMATS.split(text)


def _sought(tree: nodes.Node) -> Iterator[str]:
    """Yield the constants that are compared with something, or given to a method, a filter or a test."""
    for compare in tree.find_all(nodes.Compare):
        yield from _constants(compare)
    for argument in _arguments(tree):
        yield from _constants(argument)


def _arguments(tree: nodes.Node) -> Iterator[nodes.Node]:
    for call in tree.find_all(nodes.Call):
        yield from call.args
    for filtered in tree.find_all(nodes.Filter):
        yield from filtered.args
    for test in tree.find_all(nodes.Test):
        yield from test.args


def _constants(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Const):
        if isinstance(node.value, str):
            yield node.value
        return
    for constant in node.find_all(nodes.Const):
        if isinstance(constant.value, str):
            yield constant.value
