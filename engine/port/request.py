"""The engine's requests, independent of API contracts; no torch.

The contracts validate the ranges of values. The engine only checks what depends on the model: context length,
token ids, adapter names, and that a grammar compiles (`errors.InvalidRequest`).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Literal

import msgspec
from msgspec.structs import replace

# The maximum characters of all stop strings of a request, and of all its bad words, which are searched for
# after each token.
MAX_TEXT_CHARACTERS = 65_536


class GrammarKind(Enum):
    """The language of `Grammar.source`."""

    JSON_SCHEMA = "json_schema"  # a JSON Schema as JSON text
    JSON_OBJECT = "json_object"  # any JSON object; source is empty
    REGEX = "regex"
    EBNF = "ebnf"  # xgrammar's GBNF dialect
    STRUCTURAL_TAG = "structural_tag"  # xgrammar's structural tag as JSON text


class Grammar(msgspec.Struct, frozen=True):
    """A constraint on the generated text."""

    kind: GrammarKind
    """The language of `source`."""

    source: str = ""
    """The text of the grammar."""


class Watermark(msgspec.Struct, frozen=True):
    """The green-list watermark (Kirchenbauer et al. 2023, arXiv 2301.10226, algorithm 2)."""

    gamma: float = 0.5
    """The fraction of the vocabulary that is green, in (0, 1)."""

    delta: float = 2.0
    """The value that is added to the logits of green tokens."""


class TimestampRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules for timestamp tokens in a transcript (Whisper, Radford et al. 2022, arXiv 2212.04356,
        section 2.3).

    The first token is a timestamp. Except for the first and the last, timestamps occur in pairs, the end of
    one segment and the start of the next, and never decrease. If all timestamps together are more likely than
    every other token, a timestamp is generated.
    """

    first_timestamp_id: int
    """The first timestamp token; all token ids from here on are timestamps, in equal steps of time."""

    text_end_id: int
    """The end of the text tokens; all token ids below it are text."""

    max_initial_timestamp_id: int | None = None
    """The highest timestamp that may be the first token; None allows all."""


class ThinkingBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A bound on the tokens of thoughts. When it is spent, the tokens of `closing` follow, whatever the
    logits and the other parameters are, and the answer after them.
    """

    max_tokens: int
    """The maximum number of tokens after the marker that begins a thought, in all thoughts together; at least
    0. The closing is not counted, nor the rest of a character that has begun, which has at most three tokens.
    """

    begin: str
    """The marker that begins a thought."""

    end: str
    """The marker that ends a thought."""

    closing: str
    """The text that closes a thought: `end`, with what the model writes around it."""

    is_open: bool = False
    """True if the prompt has begun a thought."""

    is_single: bool = True
    """True if there is at most one thought, at the start of the output. Otherwise several may begin anywhere,
    and once the budget is spent no other begins."""


class SamplingParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters for sampling the next token from its logits.

    They are applied in this order: watermark, logit_bias, repetition, presence and frequency penalties,
    excluded tokens, timestamp rules, grammar mask, thinking budget, temperature, top_k, top_p, typical_p,
    min_p, sampling. The defaults leave the logits unchanged.
    """

    temperature: float = 1.0
    """The divisor of the logits. 0 is greedy decoding, for which top_k, top_p, typical_p and min_p have no
    effect."""

    top_k: int | None = None
    """The number of most likely tokens to keep; None keeps all."""

    top_p: float = 1.0
    """The cumulative probability of the most likely tokens to keep; 1 keeps all."""

    typical_p: float = 1.0
    """The cumulative probability of the most typical tokens to keep; 1 keeps all."""

    min_p: float = 0.0
    """The minimum probability of tokens to keep, relative to the most likely token's; 0 keeps all."""

    repetition_penalty: float = 1.0
    """The penalty for tokens that occur in the prompt or output: a positive logit is divided by it, a
    negative one multiplied (Keskar et al. 2019, arXiv 1909.05858)."""

    presence_penalty: float = 0.0
    """The penalty for tokens that occur in the output, as in OpenAI's API: logit -= presence_penalty * [count
    > 0]."""

    frequency_penalty: float = 0.0
    """The penalty for tokens that occur in the output, as in OpenAI's API: logit -= frequency_penalty *
    count."""

    seed: int | None = 0
    """A 64-bit integer. The noise for sampling is hash(seed + sequence index, position, token id), which does
    not depend on other requests. None lets the engine choose, so that equal requests get different
    outputs."""

    logit_bias: Mapping[int, float] = {}
    """The values that are added to the logits, by token id."""

    allowed_token_ids: tuple[int, ...] | None = None
    """The only tokens that may be generated, end tokens included; None allows all."""

    banned_token_ids: tuple[int, ...] = ()
    """The tokens that are never generated."""

    first_banned_token_ids: tuple[int, ...] = ()
    """The tokens that are not generated as the first token."""

    bad_words: tuple[str, ...] = ()
    """Strings whose token sequence, with or without a leading space, is never completed, even if it begins in
    the prompt (transformers' `bad_words_ids`). Other tokenizations of the string are not prevented."""

    watermark: Watermark | None = None
    """The watermark of the output; None for no watermark."""

    timestamps: TimestampRules | None = None
    """The timestamp rules of a transcript; None for other outputs."""

    grammar: Grammar | None = None
    """The constraint on the output; None for free text."""

    thinking_budget: ThinkingBudget | None = None
    """The bound of thoughts; None for no bound."""

    num_logprobs: int | None = None
    """The number of most likely tokens whose log-probabilities are returned in addition to the sampled
    token's. 0 returns only that of the sampled token, None returns none."""

    logprob_token_ids: tuple[int, ...] = ()
    """The tokens whose log-probabilities are returned instead of those of the most likely ones. Requires
    num_logprobs; not supported in a beam search."""

    adjusted_logprobs: bool = False
    """Computes log-probabilities from the logits as they are before the temperature is applied, instead of
    the model's raw logits."""

    num_prompt_logprobs: int | None = None
    """Like num_logprobs, for each prompt token given the tokens before it."""

    prompt_logprob_token_ids: tuple[int, ...] = ()
    """Like logprob_token_ids, at each position of the prompt; requires num_prompt_logprobs."""

    @property
    def num_listed_logprobs(self) -> int:
        """The maximum number of tokens that are listed in addition to the sampled one."""
        return len(self.logprob_token_ids) or self.num_logprobs or 0

    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0.0


class StopConditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions that end a sequence."""

    max_tokens: int
    """The maximum number of tokens to generate, including the end token; at least 1."""

    min_tokens: int = 0
    """The minimum number of tokens: before it, end tokens are masked and stop strings do not end the
    sequence."""

    stop: tuple[str, ...] = ()
    """The strings that end the sequence. They are matched in the decoded text, across and inside tokens."""

    stop_free: tuple[tuple[str, str], ...] = ()
    """Pairs of markers between which `stop` is not searched for, such as those of a tool call; "" as the
    second marker means the end of the text."""

    stop_free_until: str | None = None
    """The second marker of a pair that is already open at the beginning of the output, such as reasoning that
    the prompt has opened; None if there is none."""

    stop_token_ids: tuple[int, ...] = ()
    """The tokens that end the sequence, in addition to the model's end tokens."""

    include_stop: bool = False
    """Keeps the matched stop string, or the text of the stop token, in the output text. Text after a stop
    string in the same token is always removed."""

    ignore_eos: bool = False
    """Treats the model's end tokens like any other tokens."""

    length_first: bool = False
    """Uses the finish reason LENGTH for a sequence that reaches `max_tokens`, even if its last token is an
    end token or completes a stop string."""


class BeamParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a beam search like transformers' `generate(num_beams=..., do_sample=False)`."""

    num_beams: int
    """The number of beams; at least 2."""

    length_penalty: float = 1.0
    """The exponent of the length in the score of a hypothesis: the sum of its log-probabilities / (number of
    tokens) ** length_penalty. Values above 0 favour long hypotheses. Between -50 and 50."""

    early_stopping: bool | Literal["never"] = False
    """With True, the search ends when num_beams hypotheses are complete. With False, it ends when the score
    of the best running hypothesis, at its current length, is not above that of the worst complete one.
    "never" is like False, but uses the length max_tokens if length_penalty is above 0, so that no better
    hypothesis can be missed."""


class MediaKind(Enum):
    """The kind of non-text content in a prompt."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"

    @property
    def plural(self) -> str:
        """The plural of the kind's name, for messages."""
        return "audio" if self is MediaKind.AUDIO else f"{self.value}s"


class RopeAxes(msgspec.Struct, frozen=True, eq=False):
    """The positions of a media item's tokens in a rotary embedding with several axes."""

    offsets: tuple[tuple[int, ...], ...]
    """The offsets of the tokens from the position of the first one, a tuple for each axis."""

    extent: int
    """The offset of the token that follows the media item, on every axis."""


class Media(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An image, audio or video in a prompt, where placeholder tokens reserve its positions."""

    digest: bytes
    """A cryptographic hash of the preprocessed content."""

    position: int
    """The position of its first token in the prompt."""

    num_tokens: int
    """The number of its tokens; at least 1."""

    kind: MediaKind = MediaKind.IMAGE
    """The kind of content, for counts of files and tokens."""

    features: Mapping[str, object] = {}
    """The inputs of the engine's encoder, by name; only used by the engine's own media processor."""

    seen_together: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of positions, relative to the first token, with bidirectional attention, each of which
    must be computed in one step. If the whole prompt has bidirectional attention, the first media item has a
    range that covers the prompt."""

    together_in_windows: bool = False
    """Limits `seen_together` to layers with a sliding window."""

    rope: RopeAxes | None = None
    """The positions in a rotary embedding with several axes; None for ordinary positions."""

    @property
    def end(self) -> int:
        """The position after the last token."""
        return self.position + self.num_tokens


class Prompt(msgspec.Struct, frozen=True):
    """The tokens of a prompt and the media in it."""

    token_ids: tuple[int, ...]
    """The token ids; at least one."""

    media: tuple[Media, ...] = ()
    """The media in order of position, without overlaps."""

    @property
    def sees_itself(self) -> bool:
        """True if text tokens attend to later tokens, so that keys and values depend on the whole prompt."""
        return any(
            first < 0 or last > item.num_tokens for item in self.media for first, last in item.seen_together
        )


class GenerationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to generate `num_sequences` continuations of a prompt."""

    request_id: str
    """An id that is unique among the running requests."""

    prompt: Prompt
    """The prompt; its media are created by the engine's own media processor (`engine/port/media_item.py`)."""

    sampling: SamplingParams
    """The sampling parameters."""

    stopping: StopConditions
    """The conditions that end each sequence."""

    num_sequences: int = 1
    """The number of continuations; sequence i uses seed + i."""

    num_parallel: int | None = None
    """The maximum number of sequences that run in parallel; None runs all. The beams of a search always run
    in parallel."""

    skip_special_tokens: bool = True
    """Removes special tokens from the output text (`TokenEvent.text`)."""

    adapter: str | None = None
    """The name of the adapter to use; None uses the base model."""

    priority: int = 0
    """The priority; lower values run first, equal values in order of arrival. It outweighs a bounded number
    of steps of waiting, so that no request starves (`scheduler.py`)."""

    waits_for_room: bool = False
    """Marks a continuation of an answer that has already begun, so that an engine on other servers retries
    instead of failing if they have no capacity."""

    cache_salt: str | None = None
    """The salt of the prefix cache: requests only share cached prefixes if their salts are equal, so that the
    time of an answer does not reveal other clients' prompts."""

    beams: BeamParams | None = None
    """The parameters of a beam search; None samples tokens. Sequence i is the i-th best hypothesis, and
    num_sequences is at most num_beams. The temperature must be 0. Bias, penalties, min_tokens and excluded
    tokens apply to the log-probabilities (after log-softmax, as in transformers); grammars are not supported.
    All events are emitted at the end of the search, best sequence first."""

    def clamped(self, max_total_tokens: int) -> "GenerationRequest":
        """Return the request with no more tokens than the context leaves after its prompt, but at least one.

        max_total_tokens: the context, for prompt and output together.
        """
        room = max(max_total_tokens - len(self.prompt.token_ids), 1)
        if self.stopping.max_tokens <= room:
            return self
        return replace(self, stopping=replace(self.stopping, max_tokens=room))


class Pooling(Enum):
    """The method that combines the hidden states of a prompt into one vector."""

    MEAN = "mean"
    LAST = "last"  # the last token, the only one that attends to all others


class EmbeddingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for the embedding of a text; no token is generated."""

    request_id: str
    """An id that is unique among the running requests."""

    prompt: Prompt
    """The text to embed, as in GenerationRequest."""

    pooling: Pooling
    """The pooling method. MEAN needs the hidden states of all tokens, so cached tokens are computed again."""

    normalize: bool = True
    """Scales the vector to unit length (L2)."""

    adapter: str | None = None
    """The name of the adapter to use; None uses the base model."""

    priority: int = 0
    """The priority, as in GenerationRequest."""

    cache_salt: str | None = None
    """The salt of the prefix cache, as in GenerationRequest."""
