"""Token ids that requests name, which must be in the vocabulary."""

from collections.abc import Iterable, Mapping, Sequence

from handlers.errors.refused import Refused
from handlers.openai.sampling import Body

WirePrompt = str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]


def check_named_ids(body: Body, vocab_size: int) -> None:
    """Raise Refused for the first id in any option that is not in the vocabulary."""
    check_bias_ids(body.logit_bias, vocab_size)
    for field in ("stop_token_ids", "allowed_token_ids", "logprob_token_ids"):
        _check_list(getattr(body, field) or (), field, vocab_size)


def check_bias_ids(biases: Mapping[str, float] | None, vocab_size: int) -> None:
    """Raise Refused for the first id that is not in the vocabulary."""
    _check(((int(token), f"logit_bias.{token}") for token in biases or ()), vocab_size)


def check_prompt_ids(prompt: WirePrompt, field: str, vocab_size: int) -> None:
    """Raise Refused for the first id of a prompt that is not in the vocabulary."""
    if isinstance(prompt, str):
        return
    _check_list([part for part in prompt if isinstance(part, int)], field, vocab_size)
    for place, part in enumerate(prompt):
        if isinstance(part, list):
            _check_list(part, f"{field}[{place}]", vocab_size)


def _check_list(token_ids: Sequence[int], field: str, vocab_size: int) -> None:
    if token_ids and max(token_ids) >= vocab_size:
        _check(((token_id, f"{field}[{at}]") for at, token_id in enumerate(token_ids)), vocab_size)


def _check(named: Iterable[tuple[int, str]], vocab_size: int) -> None:
    for token_id, field in named:
        if token_id >= vocab_size:
            raise Refused(f"Token id {token_id} is not in the vocabulary of {vocab_size} tokens.", field)
