"""The site's navigation, by the pages that there are."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from typing import Any, Final

from tools.docs.contract import Contract

# In mkdocs.yml it stands for the pages of every contract.
_CONTRACTS: Final = "contracts"


def fill_navigation(nav: Any, pages: Sequence[str], contracts: Iterable[Contract]) -> list[Any]:
    """The entries of mkdocs.yml whose pages exist, patterns as what they match, at the end what has no entry.

    pages: paths of the Markdown files.
    """
    entries = [_CONTRACTS_INDEX, *(contract.nav() for contract in contracts)]
    filled = [_fill(section, pages, entries) for section in nav]
    named = set(_paths(filled))
    rest: list[Any] = [page for page in pages if page not in named]
    return filled + ([{"More": rest}] if rest else [])


_CONTRACTS_INDEX: Final = "contracts/index.md"


def _fill(section: dict[str, Any], pages: Sequence[str], contracts: list[Any]) -> dict[str, Any]:
    [(title, items)] = section.items()
    if items == _CONTRACTS:
        return {title: contracts}
    return {title: [entry for item in items for entry in _existing(item, pages)]}


def _existing(item: Any, pages: Sequence[str]) -> list[Any]:
    """An entry is a path, a pattern of paths, or a title with a path."""
    if isinstance(item, dict):
        [path] = item.values()
        return [item] if path in pages else []
    return [page for page in pages if fnmatch(page, item)]


def _paths(node: Any) -> Iterable[str]:
    if isinstance(node, str):
        yield node
    else:
        for member in node.values() if isinstance(node, dict) else node:
            yield from _paths(member)
