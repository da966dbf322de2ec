"""The engine's events of a request while it runs; no torch."""

from enum import Enum

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray


class FinishReason(Enum):
    """The reason for the end of a sequence."""

    END_TOKEN = "end_token"  # one of the model's end tokens
    STOP = "stop"  # a stop string or a stop token id of the request; a complete grammar, without an end token
    LENGTH = "length"  # max_tokens, or the context is full


class TokenLogprob(msgspec.Struct, frozen=True):
    """A token and its natural-log probability."""

    token_id: int
    """The token."""

    text: str
    """The token decoded alone, special tokens kept."""

    logprob: float
    """The natural logarithm of its probability."""

    is_special: bool
    """True if the tokenizer marks the token as special."""


class PromptToken(msgspec.Struct, frozen=True):
    """A prompt token, with its log-probability."""

    token_id: int
    """The token."""

    text: str
    """The token decoded alone, special tokens kept."""

    logprob: float | None
    """Its natural-log probability given the tokens before it; None for the first."""

    top_logprobs: tuple[TokenLogprob, ...] = ()
    """The most likely tokens in its place, descending, ties by id; as many as were requested."""


class TokenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One token of one sequence. Exactly one event of each sequence has a `finish`, and none follows it."""

    request_id: str
    """The request's own id."""

    index: int
    """The number of the sequence among the request's sequences, from 0."""

    position: int
    """The number of the token among the sequence's generated tokens, from 0."""

    token_id: int
    """The token."""

    token_text: str
    """The text that this token adds to the decoded text, special tokens kept; "" while a UTF-8 character is
    incomplete. It ends where a stop string ends that is kept, so that the texts of tokens that are not
    special join to the output; where the stop string, or a stop token's text, is cut, it is whole."""

    is_special: bool
    """True if the tokenizer marks the token as special."""

    text: str
    """The output text that is now certain: special tokens left out if so asked, the possible start of a stop
    string held back, the stop string cut or kept as asked. The events' `text` joined is the sequence's
    output."""

    logprob: float | None = None
    """This token's log-probability: the natural logarithm of softmax over the model's raw logits (before
    penalties, bias, grammar and temperature); None unless asked."""

    top_logprobs: tuple[TokenLogprob, ...] = ()
    """The most likely tokens by the same measure, descending, ties by id; or the tokens that the request
    named, in its order."""

    prompt: tuple[PromptToken, ...] | None = None
    """The prompt's tokens, on a request's first event, if prompt log-probabilities were asked."""

    finish: FinishReason | None = None
    """The reason for the sequence's end, on its last event."""

    stop_match: str | None = None
    """The stop string that ended the sequence, if one did."""

    beam_score: float | None = None
    """The score on the last event of a sequence that beam search found: the sum of its tokens'
    log-probabilities after bias, penalties and exclusions, over (number of tokens) ** length_penalty."""

    num_prompt_tokens: int
    """The number of tokens of the request's prompt."""

    num_cached_tokens: int = 0
    """The number of its prompt tokens that were cached, and so were not computed again."""

    num_preemptions: int = 0
    """The number of times that this sequence lost its cache and was computed again."""

    batch_size: int = 1
    """The number of sequences in the step that made this token."""

    queue_s: float = 0.0
    """Seconds from submission to the first step that ran the request."""

    wait_s: float = 0.0
    """Seconds that the sequence waited for the step that made this token to begin: since its previous token,
    or, for the first, the same as `queue_s`."""

    step_s: float = 0.0
    """Seconds since the sequence's previous token; for the first, since the request began to run (its
    prefill)."""


class Embedding(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A text's vector, the one answer to an EmbeddingRequest."""

    request_id: str
    """The request's own id."""

    vector: NDArray[np.float32]
    """A float32 [hidden_size], pooled over the hidden states after the model's final norm, which are what its
    head gets."""

    num_prompt_tokens: int
    """The number of tokens of the text."""

    num_cached_tokens: int = 0
    """The number of them that were cached, and so were not computed again."""

    queue_s: float = 0.0
    """Seconds from submission to the first step that ran the request."""

    def normalized(self) -> "Embedding":
        """Return the same with a vector of an L2 norm of 1; a vector of zeros stays as it is."""
        norm = np.linalg.norm(self.vector)
        return replace(self, vector=self.vector / norm) if norm > 0 else self

    def truncated(self, dimensions: int) -> "Embedding":
        """Return the same with a vector of the first entries, [dimensions], normalized again."""
        return replace(self, vector=self.vector[:dimensions]).normalized()
