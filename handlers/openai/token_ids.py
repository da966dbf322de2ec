"""Token ids that requests name, which must be in the vocabulary."""

from collections.abc import Sequence

from handlers.openai.sampling import Body
from handlers.served_model.token_ids import check_bias_ids, check_token_ids

WirePrompt = str | Sequence[str] | Sequence[int] | Sequence[Sequence[int]]


def check_named_ids(body: Body, vocab_size: int) -> None:
    """Raise Refused for the first id in any option that the vocabulary lacks."""
    check_bias_ids(body.logit_bias, "logit_bias", vocab_size)
    for field in ("stop_token_ids", "allowed_token_ids", "logprob_token_ids"):
        check_token_ids(getattr(body, field) or (), field, vocab_size)


def check_prompt_ids(prompt: WirePrompt, field: str, vocab_size: int) -> None:
    """Raise Refused for the first id of a prompt that is not in the vocabulary."""
    if isinstance(prompt, str):
        return
    check_token_ids([part for part in prompt if isinstance(part, int)], field, vocab_size)
    for place, part in enumerate(prompt):
        if isinstance(part, list):
            check_token_ids(part, f"{field}[{place}]", vocab_size)
