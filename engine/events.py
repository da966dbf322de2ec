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
    """A token and its natural-log probability; `text` is the token decoded alone, special tokens kept."""

    token_id: int
    text: str
    logprob: float
    is_special: bool


class PromptToken(msgspec.Struct, frozen=True):
    """A prompt token.

    logprob: given the tokens before it; None for the first.
    top_logprobs: the most likely tokens in its place, descending, ties by id; as many as were requested.
    """

    token_id: int
    text: str
    logprob: float | None
    top_logprobs: tuple[TokenLogprob, ...] = ()


class TokenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One token of one sequence. Exactly one event of each sequence has a `finish`, and none follows it.

    index: which of the request's sequences.
    position: 0 for the sequence's first generated token.
    token_text: the text that this token adds to the decoded text, special tokens kept; "" while a UTF-8
        character is incomplete. It ends where a stop string ends that is kept, so that the texts of tokens
        that are not special join to the output; where the stop string, or a stop token's text, is cut, it is
        whole.
    is_special: whether the tokenizer marks the token as special.
    text: output text that is now certain: special tokens left out if so asked, the possible start of a stop
        string held back, the stop string cut or kept as asked. The events' `text` joined is the
        sequence's output.
    logprob: of this token, natural log of softmax over the model's raw logits (before penalties, bias,
        grammar and temperature); None unless asked.
    top_logprobs: the most likely tokens, same measure, descending, ties by id; or the tokens that the request
        named, in its order.
    prompt: on a request's first event, when prompt log-probabilities were asked.
    stop_match: the stop string that ended the sequence, if one did.
    beam_score: on the last event of a sequence that beam search found: the sum of its tokens'
        log-probabilities after bias, penalties and exclusions, over (number of tokens) ** length_penalty.
    num_prompt_tokens, num_cached_tokens: of the request; cached ones were not computed again.
    num_preemptions: how often this sequence lost its cache and was computed again.
    batch_size: sequences in the step that made this token.
    queue_s: seconds from submission to the first step that ran the request.
    wait_s: seconds that the sequence waited for the step that made this token to begin: since its previous
        token, or, for the first, as `queue_s`.
    step_s: seconds since the sequence's previous token; for the first, since the request began to run (its
        prefill).
    """

    request_id: str
    index: int
    position: int
    token_id: int
    token_text: str
    is_special: bool
    text: str
    logprob: float | None = None
    top_logprobs: tuple[TokenLogprob, ...] = ()
    prompt: tuple[PromptToken, ...] | None = None
    finish: FinishReason | None = None
    stop_match: str | None = None
    beam_score: float | None = None
    num_prompt_tokens: int
    num_cached_tokens: int = 0
    num_preemptions: int = 0
    batch_size: int = 1
    queue_s: float = 0.0
    wait_s: float = 0.0
    step_s: float = 0.0


class Embedding(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A text's vector, the one answer to an EmbeddingRequest.

    vector: float32 [hidden_size], pooled over the hidden states after the model's final norm, which are what
        its head gets.
    num_prompt_tokens, num_cached_tokens: cached ones were not computed again.
    queue_s: seconds from submission to the first step that ran the request.
    """

    request_id: str
    vector: NDArray[np.float32]
    num_prompt_tokens: int
    num_cached_tokens: int = 0
    queue_s: float = 0.0

    def normalized(self) -> "Embedding":
        """Return the same with a vector of an L2 norm of 1; a vector of zeros stays as it is."""
        norm = np.linalg.norm(self.vector)
        return replace(self, vector=self.vector / norm) if norm > 0 else self

    def truncated(self, dimensions: int) -> "Embedding":
        """Return the same with a vector of the first entries, [dimensions], normalized again."""
        return replace(self, vector=self.vector[:dimensions]).normalized()
