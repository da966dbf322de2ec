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
    source: str = ""


class Watermark(msgspec.Struct, frozen=True):
    """The green-list watermark (Kirchenbauer et al. 2023, arXiv 2301.10226, algorithm 2).

    gamma: share of the vocabulary that is green, in (0, 1). delta: the number added to green logits.
    """

    gamma: float = 0.5
    delta: float = 2.0


class TimestampRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules by which timestamps stand among the tokens of a transcript (Whisper, Radford et al. 2022,
    arXiv 2212.04356, section 2.3).

    Tokens from `first_timestamp_id` on are timestamps, one for each step of time. The first token is one,
    of at most `max_initial_timestamp_id` where that is given. They come in pairs, the end of a part of the
    text and the start of the next, but for the first and the last, and never go back. Where all timestamps
    together are likelier than any other token, one of them comes. text_end_id: tokens before it are text.
    """

    first_timestamp_id: int
    text_end_id: int
    max_initial_timestamp_id: int | None = None


class SamplingParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters by which the next token is drawn from its logits.

    They apply in this order: watermark, logit_bias, repetition, presence and frequency penalties, tokens
    excluded by name, timestamp rules, grammar mask, temperature, top_k, top_p, typical_p, min_p, draw. Every
    neutral value (the defaults here) leaves the logits untouched.

    temperature: 0 is greedy; then the truncating fields have no effect.
    top_k: None keeps all. top_p, typical_p: 1 keeps all. min_p: 0 keeps all; relative to the largest
        probability.
    repetition_penalty: over prompt and output; a logit is divided by it when positive, else multiplied
        (Keskar et al. 2019, arXiv 1909.05858).
    presence_penalty, frequency_penalty: over the output alone, as OpenAI defines them: logit -= presence *
        [count > 0] + frequency * count.
    seed: 64 bits; the noise of a draw is hash(seed + sequence index, position, token id), so it does not
        depend on other requests. None where nobody asks for one: whatever computes draws as it likes, and
        differently for equal requests.
    logit_bias: token id -> the number added to its logit.
    allowed_token_ids: the only tokens that may come, end tokens too; None allows all.
    banned_token_ids: tokens that never come. first_banned_token_ids: tokens that do not come first.
    bad_words: strings whose token sequence, with or without a space before it, is never completed, even if it
        begins in the prompt (transformers' `bad_words_ids`). Another spelling in tokens is not caught.
    timestamps: the rules of a transcript's timestamps; None for other texts.
    num_logprobs: None: no log-probabilities. 0: the sampled token's. k: also those of the k most likely
        tokens.
    adjusted_logprobs: whether they are of the logits after all that applies before the temperature.
    logprob_token_ids: tokens whose log-probabilities to list instead of the most likely ones'; they need
        num_logprobs. Not with a beam search.
    num_prompt_logprobs: as num_logprobs, for each prompt token given those before it.
    prompt_logprob_token_ids: as logprob_token_ids, in each place of the prompt; they need
        num_prompt_logprobs.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    typical_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    seed: int | None = 0
    logit_bias: Mapping[int, float] = {}
    allowed_token_ids: tuple[int, ...] | None = None
    banned_token_ids: tuple[int, ...] = ()
    first_banned_token_ids: tuple[int, ...] = ()
    bad_words: tuple[str, ...] = ()
    watermark: Watermark | None = None
    timestamps: TimestampRules | None = None
    grammar: Grammar | None = None
    num_logprobs: int | None = None
    logprob_token_ids: tuple[int, ...] = ()
    adjusted_logprobs: bool = False
    num_prompt_logprobs: int | None = None
    prompt_logprob_token_ids: tuple[int, ...] = ()

    @property
    def num_listed_logprobs(self) -> int:
        """The most tokens that are listed beside a sampled one."""
        return len(self.logprob_token_ids) or self.num_logprobs or 0

    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0.0


class StopConditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions under which a sequence ends.

    max_tokens: tokens to generate at most, the end token counted. At least 1.
    min_tokens: end tokens and stop strings before this count do not end the sequence (end tokens are masked).
    stop: strings matched on the decoded text, across and inside tokens.
    stop_free: pairs of markers between which `stop` is not searched for, as in a tool call; "" as the second
        is the end of the text.
    stop_free_until: the text begins between such markers, as in thoughts that the prompt has opened, and this
        is the second; None: it begins outside.
    include_stop: whether the matched stop string, or the text of the token of `stop_token_ids` that ended the
        sequence, stays in the output text; text after a stop string in the same token never does.
    ignore_eos: the model's end tokens are tokens like others.
    length_first: a sequence that reaches `max_tokens` ends by its length, though its last token may be an end
        token or complete a stop string.
    """

    max_tokens: int
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    stop_free: tuple[tuple[str, str], ...] = ()
    stop_free_until: str | None = None
    stop_token_ids: tuple[int, ...] = ()
    include_stop: bool = False
    ignore_eos: bool = False
    length_first: bool = False


class BeamParams(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a beam search like that of transformers' `generate(num_beams=..., do_sample=False)`.

    num_beams: hypotheses that are searched at the same time, at least 2.
    length_penalty: a hypothesis's score is the sum of its tokens' log-probabilities over
        (its number of tokens) ** length_penalty; above 0 favours long ones. Within -50 and 50.
    early_stopping: True: the search ends once num_beams hypotheses are complete. False: once the best that
        runs has, at its present length, no higher score than the worst complete one. "never": as False, but
        at the length max_tokens where length_penalty is above 0, so that nothing better can be missed.
    """

    num_beams: int
    length_penalty: float = 1.0
    early_stopping: bool | Literal["never"] = False


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
    """The positions of a medium's tokens in a rotary embedding of several axes.

    offsets: one tuple for each axis, with the offset of each token from the position of the first one.
    extent: the offset of the token that follows the medium, on every axis.
    """

    offsets: tuple[tuple[int, ...], ...]
    extent: int


class Media(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An image or the like in a prompt, where tokens that stand for nothing else keep its place.

    digest: a cryptographic hash of the content as the model gets it. position: of the first such token.
    num_tokens: how many there are, at least one. kind: of the content, for those who count tokens.
    features: what the engine's encoder reads, by name; only the engine's own media processor makes and reads
    it.
    seen_together: half-open ranges of positions, counted from the first token, whose tokens see each other in
    both directions, so that each range must be computed in one step; if `together_in_windows`, they do so in
    layers with a sliding window alone. Of a model whose whole prompt sees itself, the first medium has a
    range that reaches over all of the prompt. rope: None where positions count tokens.
    """

    digest: bytes
    position: int
    num_tokens: int
    kind: MediaKind = MediaKind.IMAGE
    features: Mapping[str, object] = {}
    seen_together: tuple[tuple[int, int], ...] = ()
    together_in_windows: bool = False
    rope: RopeAxes | None = None

    @property
    def end(self) -> int:
        """The position after its last token."""
        return self.position + self.num_tokens


class Prompt(msgspec.Struct, frozen=True):
    """The tokens that a request gives the model, and the media among them.

    token_ids: at least one. media: by position; none of them overlap.
    """

    token_ids: tuple[int, ...]
    media: tuple[Media, ...] = ()

    @property
    def sees_itself(self) -> bool:
        """True if tokens of text see later ones, so that keys and values depend on the whole prompt."""
        return any(
            first < 0 or last > one.num_tokens for one in self.media for first, last in one.seen_together
        )


class GenerationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt, and `num_sequences` continuations of it.

    request_id: unique among the requests that run.
    prompt: its media are those of the engine's own media processor (`engine/media_item.py`).
    num_sequences: continuations; sequence i draws with seed + i.
    num_parallel: how many of them run at once at most; as one ends, the next begins. None: all. The beams of
        a search always run together.
    beams: None draws tokens. Else sequence i is the i-th best hypothesis of a beam search, at most num_beams.
        Nothing is drawn, so temperature must be 0. Bias, penalties, min_tokens and excluded tokens bear on
        the log-probabilities (after log-softmax, as in transformers); grammars are refused. All events come
        at the end of the search, best sequence first.
    skip_special_tokens: whether special tokens are left out of the output text (`TokenEvent.text`).
    priority: lower runs first; ties by arrival. A level outweighs a bounded number of steps of waiting, so
        that nobody starves (`scheduler.py`).
    waits_for_room: whether it is part of an answer that has begun, so that an engine over servers that have
        no room asks them again, instead of failing.
    cache_salt: requests share cached prefixes only with those of the same salt, so that the time that an
        answer takes reveals nothing of another client's prompt.
    """

    request_id: str
    prompt: Prompt
    sampling: SamplingParams
    stopping: StopConditions
    num_sequences: int = 1
    num_parallel: int | None = None
    skip_special_tokens: bool = True
    adapter: str | None = None
    priority: int = 0
    waits_for_room: bool = False
    cache_salt: str | None = None
    beams: BeamParams | None = None


class Pooling(Enum):
    """The way in which the hidden states of a prompt's tokens become one vector."""

    MEAN = "mean"
    LAST = "last"  # the last token's, which alone has seen all others


class EmbeddingRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for the vector of one text: no token is generated.

    request_id, prompt, adapter, priority, cache_salt: as in GenerationRequest.
    pooling: the mean needs every token's hidden state, so it computes cached tokens once more.
    normalize: whether the vector is scaled to unit length (L2).
    """

    request_id: str
    prompt: Prompt
    pooling: Pooling
    normalize: bool = True
    adapter: str | None = None
    priority: int = 0
    cache_salt: str | None = None
