"""Prompts of the wire as tokens."""

from collections.abc import Sequence

from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from verbatim_kit.errors import Refused, Violation

Item = m.TextItem | m.TokensItem | m.ImageItem
WirePrompt = str | Sequence[Item]


def encode_prompt(prompt: WirePrompt, tokenizer: Tokenizer, max_total_tokens: int) -> tuple[int, ...]:
    """Return the token ids of a prompt, at least one: an empty prompt gives the token that begins all texts.

    A text that comes first is preceded by the tokenizer's special tokens. Raises Refused for an image or a
    token id outside the vocabulary, PromptTooLong for a text that cannot fit.
    """
    if isinstance(prompt, str):
        tokenizer.check_length(prompt, max_total_tokens)
        token_ids = tokenizer.encode(prompt)
    else:
        token_ids = []
        for place, item in enumerate(prompt):
            token_ids += _encode_item(item, place, tokenizer, max_total_tokens)
    return tuple(token_ids) or _beginning(tokenizer)


def num_characters(prompt: WirePrompt) -> int:
    """Return how many characters there are to encode."""
    if isinstance(prompt, str):
        return len(prompt)
    return sum(len(item.data) for item in prompt)


def _encode_item(item: Item, place: int, tokenizer: Tokenizer, max_total_tokens: int) -> Sequence[int]:
    field = f"prompt[{place}]"
    match item:
        case m.TextItem():
            tokenizer.check_length(item.data, max_total_tokens)
            return tokenizer.encode(item.data, add_special_tokens=place == 0)
        case m.TokensItem():
            check_ids(item.data, f"{field}.data", tokenizer)
            return item.data
        case m.ImageItem():
            raise Refused("the model reads only text", field, Violation.UNSUPPORTED_VALUE)


def check_ids(token_ids: Sequence[int], field: str, tokenizer: Tokenizer) -> None:
    """Raise Refused for the first id that is outside of the vocabulary."""
    for place, token_id in enumerate(token_ids):
        if token_id >= tokenizer.vocab_size:
            raise Refused(f"the vocabulary has {tokenizer.vocab_size} tokens", f"{field}[{place}]")


def _beginning(tokenizer: Tokenizer) -> tuple[int, ...]:
    """The token that begins a text; where the model has none, the one that ends the text before it."""
    begin = tokenizer.hf.bos_token_id
    candidates = (*([begin] if isinstance(begin, int) else []), *tokenizer.end_token_ids)
    if not candidates:
        raise Refused("the model has no token that could stand before a text", "prompt")
    return candidates[:1]
