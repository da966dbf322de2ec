"""Texts as tokens and back. No special tokens are added, so that each undoes the other."""

from engine.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.aleph_alpha.prompts import check_ids


def tokenize(body: m.TokenizationRequest, tokenizer: Tokenizer) -> m.TokenizationResponse:
    """Tokens as the vocabulary writes them, such as `Ġworld`."""
    token_ids = tokenizer.encode(body.prompt, add_special_tokens=False)
    told = m.TokenizationResponse()
    if body.tokens:
        told.tokens = [str(token) for token in tokenizer.hf.convert_ids_to_tokens(token_ids)]
    if body.token_ids:
        told.token_ids = token_ids
    return told


def detokenize(body: m.DetokenizationRequest, tokenizer: Tokenizer) -> m.DetokenizationResponse:
    """Raises Refused for an id outside of the vocabulary."""
    check_ids(body.token_ids, "token_ids", tokenizer)
    return m.DetokenizationResponse(result=tokenizer.decode(body.token_ids, skip_special_tokens=False))
