"""Prompts of the wire: one or several, as text or as token ids."""

from collections.abc import Sequence


def prompts_of(
    given: str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]],
) -> Sequence[str | Sequence[int]]:
    """Return the prompts of a request, each a text or token ids."""
    if isinstance(given, str):
        return (given,)
    token_ids = [part for part in given if isinstance(part, int)]
    return (token_ids,) if token_ids else [part for part in given if not isinstance(part, int)]
