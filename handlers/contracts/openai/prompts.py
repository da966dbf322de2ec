"""Prompts of the wire: one or several, as text or as token ids."""

from collections.abc import Sequence

from handlers.served_model.request_values import check_token_ids

WirePrompt = str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]


def prompts_of(given: WirePrompt) -> Sequence[str | Sequence[int]]:
    """Return the prompts of a request, each a text or token ids."""
    if isinstance(given, str):
        return (given,)
    token_ids = [part for part in given if isinstance(part, int)]
    return (token_ids,) if token_ids else [part for part in given if not isinstance(part, int)]


def check_prompt_ids(prompt: WirePrompt, field: str, vocab_size: int) -> None:
    """Raise Refused for the first id of a prompt that is not in the vocabulary."""
    if isinstance(prompt, str):
        return
    check_token_ids([part for part in prompt if isinstance(part, int)], field, vocab_size)
    for place, part in enumerate(prompt):
        if isinstance(part, list):
            check_token_ids(part, f"{field}[{place}]", vocab_size)
