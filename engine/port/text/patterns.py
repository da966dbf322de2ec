"""Regular expressions for sets of texts."""

import re
from collections.abc import Collection


def any_of(texts: Collection[str]) -> str:
    """Return the source of a pattern that matches the longest of the texts; a common prefix is read once.

    A plain alternation would try a thousand tokens one by one wherever a text begins like one. No texts give
    "".
    """
    tails: dict[str, list[str]] = {}
    for text in texts:
        if text:
            tails.setdefault(text[0], []).append(text[1:])
    branches = [re.escape(first) + any_of(rest) for first, rest in tails.items()]
    if not branches:
        return ""
    is_optional = "" in texts
    if len(branches) == 1 and not is_optional:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if is_optional else ''}"


def first_of(texts: Collection[str]) -> str:
    """Return the source of a pattern that matches each text's first character, where the rest follows; ""
    for no texts.
    """
    tails: dict[str, list[str]] = {}
    for text in texts:
        tails.setdefault(text[0], []).append(text[1:])
    return "|".join(f"{re.escape(first)}(?={any_of(rest)})" for first, rest in tails.items())
