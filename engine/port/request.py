"""The engine's requests: neutral, already valid against their contract, no torch.

Bounds live in the contracts. The engine checks only what depends on the model: context length, token ids,
adapter names, and whether a grammar compiles (`errors.InvalidRequest`).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Literal

import msgspec

# The most characters in all stop strings of a request, and in all its bad words: each token is checked for
# them.
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
    """The grammar itself, in that language."""


class Watermark(msgspec.Struct, frozen=True):
    """The green-list watermark (Kirchenbauer et al. 2023, arXiv 2301.10226, algorithm 2)."""

    gamma: float = 0.5
    """The share of the vocabulary that is green, in (0, 1)."""

    delta: float = 2.0
    """The number that is added to the logits of green tokens."""


class TimestampRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules by which timestamps stand among the tokens of a transcript (Whisper, Radford et al. 2022,
    arXiv 2212.04356, section 2.3).

    The first token is a timestamp. Timestamps come in pairs, the end of a part of the text and the start of
    the next, but for the first and the last, and never go back. Where all timestamps together are likelier
    than any other token, one of them comes.
    """

    first_timestamp_id: int
    """The tokens from this one on are timestamps, one for each step of time."""

    text_end_id: int
    """The tokens before this one are text."""

    max_initial_timestamp_id: int | None = None
    """The highest timestamp that may come first; None allows every timestamp."""


class SamplingParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters by which the next token is drawn from its logits.

    They apply in this order: watermark, logit_bias, repetition, presence and frequency penalties, tokens
    excluded by name, timestamp rules, grammar mask, temperature, top_k, top_p, typical_p, min_p, draw. Every
    neutral value (the defaults here) leaves the logits untouched.
    """

    temperature: float = 1.0
    """The number that divides the logits. 0 is greedy; then the fields that cut off tokens have no effect."""

    top_k: int | None = None
    """The number of most likely tokens that are kept; None keeps all."""

    top_p: float = 1.0
    """The probability that the most likely tokens which are kept have together; 1 keeps all."""

    typical_p: float = 1.0
    """The probability that the most typical tokens which are kept have together; 1 keeps all."""

    min_p: float = 0.0
    """The least probability of a kept token, as a share of the largest one; 0 keeps all."""

    repetition_penalty: float = 1.0
    """A penalty for tokens of the prompt and the output: a logit is divided by it when positive, else
    multiplied (Keskar et al. 2019, arXiv 1909.05858)."""

    presence_penalty: float = 0.0
    """A penalty for tokens of the output alone: logit -= presence_penalty * [count > 0], as OpenAI has it."""

    frequency_penalty: float = 0.0
    """A penalty for tokens of the output alone: logit -= frequency_penalty * count, as OpenAI has it."""

    seed: int | None = 0
    """A number of 64 bits. The noise of a draw is hash(seed + sequence index, position, token id), so it does
    not depend on other requests. With None, which means that nobody asks for a seed, the engine draws as it
    likes, and differently for equal requests."""

    logit_bias: Mapping[int, float] = {}
    """The number that is added to the logit of each of these token ids."""

    allowed_token_ids: tuple[int, ...] | None = None
    """The only tokens that may come, end tokens included; None allows all."""

    banned_token_ids: tuple[int, ...] = ()
    """Tokens that never come."""

    first_banned_token_ids: tuple[int, ...] = ()
    """Tokens that do not come first."""

    bad_words: tuple[str, ...] = ()
    """Strings whose token sequence, with or without a space before it, is never completed, even if it begins
    in the prompt (transformers' `bad_words_ids`). Another spelling in tokens is not caught."""

    watermark: Watermark | None = None
    """The watermark of the output; None for an output without one."""

    timestamps: TimestampRules | None = None
    """The rules of a transcript's timestamps; None for other texts."""

    grammar: Grammar | None = None
    """The constraint on the output; None for free text."""

    num_logprobs: int | None = None
    """The number of most likely tokens whose log-probabilities are listed beside the sampled token's. 0 gives
    the sampled token's alone, None gives none."""

    logprob_token_ids: tuple[int, ...] = ()
    """Tokens whose log-probabilities are listed instead of the most likely ones'. They need num_logprobs, and
    are refused in a beam search."""

    adjusted_logprobs: bool = False
    """Takes log-probabilities from the logits after all that applies before the temperature, instead of the
    model's raw logits."""

    num_prompt_logprobs: int | None = None
    """The same as num_logprobs, for each prompt token given those before it."""

    prompt_logprob_token_ids: tuple[int, ...] = ()
    """The same as logprob_token_ids, in each place of the prompt; they need num_prompt_logprobs."""

    @property
    def num_listed_logprobs(self) -> int:
        """The most tokens that are listed beside a sampled one."""
        return len(self.logprob_token_ids) or self.num_logprobs or 0

    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0.0


class StopConditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions under which a sequence ends."""

    max_tokens: int
    """The most tokens to generate, the end token counted; at least 1."""

    min_tokens: int = 0
    """End tokens and stop strings before this number of tokens do not end the sequence (end tokens are
    masked)."""

    stop: tuple[str, ...] = ()
    """Strings that end the sequence. They are matched on the decoded text, across and inside tokens."""

    stop_free: tuple[tuple[str, str], ...] = ()
    """Pairs of markers between which `stop` is not searched for, as in a tool call; "" as the second marker
    is the end of the text."""

    stop_free_until: str | None = None
    """The second marker of a pair that is already open when the text begins, as in thoughts that the prompt
    has opened; None if the text begins outside of such markers."""

    stop_token_ids: tuple[int, ...] = ()
    """Tokens that end the sequence, besides the model's end tokens."""

    include_stop: bool = False
    """Keeps the matched stop string, or the text of the token of `stop_token_ids` that ended the sequence, in
    the output text. Text after a stop string in the same token never stays."""

    ignore_eos: bool = False
    """Treats the model's end tokens like any other tokens."""

    length_first: bool = False
    """Ends a sequence that reaches `max_tokens` by its length, though its last token may be an end token or
    complete a stop string."""


class BeamParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a beam search like transformers' `generate(num_beams=..., do_sample=False)`."""

    num_beams: int
    """The number of hypotheses that are searched at the same time, at least 2."""

    length_penalty: float = 1.0
    """A hypothesis's score is the sum of its tokens' log-probabilities over (its number of tokens) **
    length_penalty, so that a number above 0 favours long ones. Within -50 and 50."""

    early_stopping: bool | Literal["never"] = False
    """With True the search ends once num_beams hypotheses are complete. With False it ends once the best that
    runs has, at its present length, no higher score than the worst complete one. "never" is like False, but
    scores at the length max_tokens where length_penalty is above 0, so that nothing better can be missed."""


class MediaKind(Enum):
    """The kind of content in a prompt that is not text."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"

    @property
    def plural(self) -> str:
        """The kind's name for people, of several."""
        return "sounds" if self is MediaKind.AUDIO else f"{self.value}s"


class RopeAxes(msgspec.Struct, frozen=True, eq=False):
    """The positions of a medium's tokens in a rotary embedding of several axes."""

    offsets: tuple[tuple[int, ...], ...]
    """One tuple for each axis, with the offset of each token from the position of the first one."""

    extent: int
    """The offset of the token that follows the medium, on every axis."""


class Media(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An image, a sound or a video in a prompt, where tokens that stand for nothing else keep its place."""

    digest: bytes
    """A cryptographic hash of the content as the model gets it."""

    position: int
    """The position of the medium's first token in the prompt."""

    num_tokens: int
    """The number of the medium's tokens, at least one."""

    kind: MediaKind = MediaKind.IMAGE
    """The kind of content, by which files and their tokens are counted."""

    features: Mapping[str, object] = {}
    """The inputs of the engine's encoder, by name; only the engine's own media processor makes and reads
    them."""

    seen_together: tuple[tuple[int, int], ...] = ()
    """Half-open ranges of positions, counted from the first token, whose tokens see each other in both
    directions, so that each range must be computed in one step. Where a model's whole prompt sees itself, the
    first medium has a range that reaches over all of the prompt."""

    together_in_windows: bool = False
    """Limits `seen_together` to layers with a sliding window."""

    rope: RopeAxes | None = None
    """The positions in a rotary embedding of several axes; None where positions count tokens."""

    @property
    def end(self) -> int:
        """The position after its last token."""
        return self.position + self.num_tokens


class Prompt(msgspec.Struct, frozen=True):
    """The tokens that a request gives the model, and the media among them."""

    token_ids: tuple[int, ...]
    """The tokens, at least one."""

    media: tuple[Media, ...] = ()
    """The media by position; none of them overlap."""

    @property
    def sees_itself(self) -> bool:
        """True if tokens of text see later ones, so that keys and values depend on the whole prompt."""
        return any(
            first < 0 or last > one.num_tokens for one in self.media for first, last in one.seen_together
        )


class GenerationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt, and `num_sequences` continuations of it."""

    request_id: str
    """A name that is unique among the requests that run."""

    prompt: Prompt
    """The prompt, whose media come from the engine's own media processor (`engine/port/media_item.py`)."""

    sampling: SamplingParams
    """The parameters by which tokens are drawn."""

    stopping: StopConditions
    """The conditions under which each sequence ends."""

    num_sequences: int = 1
    """The number of continuations; sequence i draws with seed + i."""

    num_parallel: int | None = None
    """The most of them that run at once; as one ends, the next begins. None runs all. The beams of a search
    always run together."""

    skip_special_tokens: bool = True
    """Leaves special tokens out of the output text (`TokenEvent.text`)."""

    adapter: str | None = None
    """The name of the adapter to use; None uses the model alone."""

    priority: int = 0
    """A level, of which lower ones run first, and equal ones by arrival. It outweighs a bounded number of
    steps of waiting, so that nobody starves (`scheduler.py`)."""

    waits_for_room: bool = False
    """Marks a part of an answer that has begun, so that an engine over servers that have no room asks them
    again instead of failing."""

    cache_salt: str | None = None
    """Requests share cached prefixes only with those of the same salt, so that the time that an answer takes
    reveals nothing of another client's prompt."""

    beams: BeamParams | None = None
    """The parameters of a beam search; None draws tokens. Sequence i is then the i-th best hypothesis, and
    num_sequences is at most num_beams. Nothing is drawn, so temperature must be 0. Bias, penalties,
    min_tokens and excluded tokens bear on the log-probabilities (after log-softmax, as in transformers);
    grammars are refused. All events come at the end of the search, best sequence first."""


class Pooling(Enum):
    """The way in which the hidden states of a prompt's tokens become one vector."""

    MEAN = "mean"
    LAST = "last"  # the last token's, which alone has seen all others


class EmbeddingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for the vector of one text: no token is generated."""

    request_id: str
    """A name that is unique among the requests that run."""

    prompt: Prompt
    """The text to embed, as in GenerationRequest."""

    pooling: Pooling
    """The way to one vector; the mean needs every token's hidden state, so it computes cached tokens once
    more."""

    normalize: bool = True
    """Scales the vector to unit length (L2)."""

    adapter: str | None = None
    """The name of the adapter to use; None uses the model alone."""

    priority: int = 0
    """The level, as in GenerationRequest."""

    cache_salt: str | None = None
    """The salt of cached prefixes, as in GenerationRequest."""
