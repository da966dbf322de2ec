"""The check that token ids in requests are in the vocabulary."""

from collections.abc import Iterable, Mapping, Sequence

from handlers.errors.refused import Refused


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
