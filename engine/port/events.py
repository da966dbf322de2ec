"""The events that the engine emits for a running request; no torch."""

import math
from enum import Enum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:  # a front of texts has no NumPy
    import numpy as np
    from numpy.typing import NDArray


class FinishReason(Enum):
    """The reason a sequence has ended."""

    END_TOKEN = "end_token"  # one of the model's end tokens
    STOP = "stop"  # a stop string or stop token id of the request, or the grammar is complete
    LENGTH = "length"  # max_tokens was reached, or the context is full


class TokenLogprob(msgspec.Struct, frozen=True):
    """A token and its natural-log probability."""

    token_id: int
    """The token id."""

    text: str
    """The token decoded by itself; special tokens are kept."""

    logprob: float
    """The natural logarithm of its probability."""

    is_special: bool
    """True if the tokenizer marks the token as special."""


class PromptToken(msgspec.Struct, frozen=True):
    """A prompt token and its log-probability."""

    token_id: int
    """The token id."""

    text: str
    """The token decoded by itself; special tokens are kept."""

    logprob: float | None
    """The natural logarithm of its probability, given the tokens before it; None for the first token."""

    top_logprobs: tuple[TokenLogprob, ...] = ()
    """The most likely tokens at its position, as many as requested: descending, ties by token id."""


class TokenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A generated token of a sequence. Exactly the last event of each sequence has a `finish`."""

    request_id: str
    """The id of the request."""

    index: int
    """The index of the sequence in the request, from 0."""

    position: int
    """The index of the token in the generated tokens of the sequence, from 0."""

    token_id: int
    """The token id."""

    token_text: str
    """The text that this token adds to the decoded text, with special tokens; "" while a UTF-8 character is
    incomplete. If a stop string is kept in the output, the text is cut after it, so that the texts of
    non-special tokens join to the output. If the stop string or stop token is removed from the output, the
    text is complete."""

    is_special: bool
    """True if the tokenizer marks the token as special."""

    text: str
    """The output text that has become final. A possible beginning of a stop string is held back. Special
    tokens and the stop string are kept or removed as requested. The joined texts of all events are the output
    of the sequence."""

    logprob: float | None = None
    """The token's log-probability: the natural logarithm of the softmax of the model's raw logits (before
    penalties, bias, grammar and temperature); None unless requested."""

    top_logprobs: tuple[TokenLogprob, ...] = ()
    """The most likely tokens with the same kind of log-probability, descending, ties by token id; or the
    tokens that the request named, in its order."""

    prompt: tuple[PromptToken, ...] | None = None
    """The tokens of the prompt, in the first event of a request, if prompt log-probabilities were
    requested."""

    finish: FinishReason | None = None
    """The reason the sequence has ended, in its last event."""

    stop_match: str | None = None
    """The stop string that ended the sequence; None if none did."""

    beam_score: float | None = None
    """The score of a sequence of a beam search, in its last event: the sum of the log-probabilities of its
    tokens (after bias, penalties and exclusions) divided by (number of tokens) ** length_penalty."""

    num_prompt_tokens: int
    """The number of prompt tokens of the request."""

    num_cached_tokens: int = 0
    """The number of prompt tokens that were found in the prefix cache and not computed again."""

    num_preemptions: int = 0
    """The number of times that the sequence was preempted: it lost its KV cache and was recomputed."""

    batch_size: int = 1
    """The number of sequences in the step that generated this token."""

    queue_s: float = 0.0
    """Seconds from submission to the first step that ran the request."""

    wait_s: float = 0.0
    """Seconds from the previous token to the start of the step that generated this one; `queue_s` for the
    first token."""

    step_s: float = 0.0
    """Seconds since the previous token of the sequence; for the first token, since the start of its
    prefill."""


class Embedding(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The embedding of a text, the result of an EmbeddingRequest."""

    request_id: str
    """The id of the request."""

    vector: "NDArray[np.float32]"
    """float32 [hidden_size], pooled over the hidden states after the model's final norm (the input of its
    head)."""

    num_prompt_tokens: int
    """The number of tokens in the text."""

    num_cached_tokens: int = 0
    """The number of tokens that were found in the prefix cache and not computed again."""

    queue_s: float = 0.0
    """Seconds from submission to the first step that ran the request."""

    def normalized(self) -> "Embedding":
        """Return a copy with the vector scaled to an L2 norm of 1; a zero vector is unchanged."""
        norm = math.sqrt(self.vector @ self.vector)
        return replace(self, vector=self.vector / norm) if norm > 0 else self

    def truncated(self, dimensions: int) -> "Embedding":
        """Return a copy with only the first entries of the vector, [dimensions], normalized."""
        return replace(self, vector=self.vector[:dimensions]).normalized()
