"""Values of requests: the bounds of texts and token ids, and the seed of a request without one."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from engine.port.request import MAX_TEXT_CHARACTERS
from verbatim_kit.errors import Refused, Violation

_SEED_BITS: Final = 53  # so that clients that read numbers as doubles keep the reported seed exactly


def bounded_texts(texts: str | Sequence[str], field: str, *, subject: str | None = None) -> tuple[str, ...]:
    """Return the texts of a field, which is a list or a single text, as a tuple.

    They are texts, such as stop strings, that are searched for after each token.

    subject: the beginning of the error message; the field's name by default.
    Raises Refused if the texts together have too many characters.
    """
    listed = (texts,) if isinstance(texts, str) else tuple(texts)
    if (given := sum(map(len, listed))) > MAX_TEXT_CHARACTERS:
        subject = f"`{field}` " if subject is None else subject
        raise Refused(
            f"{subject}must have at most {MAX_TEXT_CHARACTERS} characters. Given: {given}",
            field,
            Violation.TOO_LONG,
        )
    return listed


def check_token_ids(token_ids: Sequence[int], field: str, vocab_size: int) -> None:
    """Raise Refused for the first id in the list `field` that is not in the vocabulary."""
    if token_ids and max(token_ids) >= vocab_size:
        _check(((token_id, f"{field}[{at}]") for at, token_id in enumerate(token_ids)), vocab_size)


def check_bias_ids(biases: Mapping[str, float] | None, field: str, vocab_size: int) -> None:
    """Raise Refused for the first id among the keys of the map `field` that is not in the vocabulary."""
    if biases:
        _check(((int(token), f"{field}.{token}") for token in biases), vocab_size)


def _check(named: Iterable[tuple[int, str]], vocab_size: int) -> None:
    for token_id, field in named:
        if token_id >= vocab_size:
            raise Refused(f"Token id {token_id} is not in the vocabulary of {vocab_size} tokens.", field)


def draw_seed() -> int:
    """Return a random seed, for an answer that reports it."""
    return random.getrandbits(_SEED_BITS)
