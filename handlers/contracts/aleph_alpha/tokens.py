"""Texts as tokens and back. No special tokens are added, so that each undoes the other."""

import orjson

from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.prompts import check_ids
from verbatim_kit.runtime.operation import EncodedAnswer


def tokenize(body: m.TokenizationRequest, tokenizer: Tokenizer) -> EncodedAnswer:
    """Tokens as the vocabulary writes them, such as `Ġworld`; written here, as there may be a million."""
    token_ids = tokenizer.encode(body.prompt, add_special_tokens=False)
    answer: dict[str, list[str] | list[int]] = {}
    if body.tokens:
        answer["tokens"] = tokenizer.token_names(token_ids)
    if body.token_ids:
        answer["token_ids"] = token_ids
    return EncodedAnswer(orjson.dumps(answer))


def detokenize(body: m.DetokenizationRequest, tokenizer: Tokenizer) -> m.DetokenizationResponse:
    """Return the text of ids. Raises Refused for an id outside of the vocabulary."""
    check_ids(body.token_ids, "token_ids", tokenizer)
    return m.DetokenizationResponse(result=tokenizer.decode(body.token_ids, skip_special_tokens=False))
