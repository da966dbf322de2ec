"""Ids and log-probabilities of tokens in the form of vLLM's answers."""

from collections.abc import Sequence
from typing import TypeAlias

from engine.port.events import PromptToken
from engine.port.text.tokenizer import Tokenizer
from generated.openai import models as m
from handlers.chat.reading.logprobs import bounded

Entry: TypeAlias = dict[str, m.PromptLogprob]


def id_text(token_id: int) -> str:
    """Return a token as `return_tokens_as_token_ids` asks for it."""
    return f"token_id:{token_id}"


def prompt_logprobs(prompt: Sequence[PromptToken], tokenizer: Tokenizer) -> list[Entry | None]:
    """Return an entry a token, by token id; None for the first, which nothing precedes."""
    return [_entry(token, tokenizer) for token in prompt]


def _entry(token: PromptToken, tokenizer: Tokenizer) -> Entry | None:
    if token.logprob is None:
        return None
    entry = {
        str(top.token_id): _logprob(top.token_id, top.logprob, rank, tokenizer)
        for rank, top in enumerate(token.top_logprobs, 1)
    }
    own = str(token.token_id)
    if own not in entry:
        entry[own] = _logprob(token.token_id, token.logprob, None, tokenizer)
    return entry


def _logprob(token_id: int, logprob: float, rank: int | None, tokenizer: Tokenizer) -> m.PromptLogprob:
    text = tokenizer.token_bytes(token_id).decode(errors="replace")
    return m.PromptLogprob(logprob=bounded(logprob), rank=rank, decoded_token=text)
