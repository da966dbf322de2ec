"""vLLM's token-in, token-out API (`POST /inference/v1/generate`); no torch."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, final

import msgspec
from typing_extensions import override

from engine.port.events import PromptToken, TokenLogprob
from engine.port.info.capabilities import Capabilities
from engine.port.media_item import unexpanded
from engine.port.request import GenerationRequest, GrammarKind, MediaKind, SamplingParams
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import (
    AnswerReader,
    Malformed,
    NewToken,
    UpstreamError,
    in_one_line,
)
from engine.remote.wire.sampling import common_params, ending_token_ids, salt_digest, seed_of
from engine.remote.wire.token_api import ApiFacts, TokenApi
from generated.tokens import structs as m

_CACHE: Final = re.compile(r"^vllm:cache_config_info\{(?P<labels>[^}]*)\}", re.MULTILINE)
_LABEL: Final = re.compile(r'(?P<name>\w+)="(?P<value>\d+)"')
_STRUCTURED_OUTPUTS: Final[Mapping[GrammarKind, Callable[[str], m.StructuredOutputs]]] = {
    GrammarKind.JSON_SCHEMA: lambda source: m.StructuredOutputs(json=source),
    GrammarKind.JSON_OBJECT: lambda source: m.StructuredOutputs(json_object=True),
    GrammarKind.REGEX: lambda source: m.StructuredOutputs(regex=source),
    GrammarKind.EBNF: lambda source: m.StructuredOutputs(grammar=source),
    GrammarKind.STRUCTURAL_TAG: lambda source: m.StructuredOutputs(structural_tag=source),
}
_prompt_decoder: Final = msgspec.json.Decoder(dict[int, m.PromptLogprob] | None)


class _Chunk(m.GenerateStreamResponse):
    """A whole answer, or an event of a stream, which may be an error.

    prompt_logprobs: not decoded yet; each is read by itself, since a decoder holds all threads up.
    prompt_token_id_logprobs: only vLLM's.
    """

    prompt_logprobs: Sequence[msgspec.Raw] | None = None  # type: ignore[assignment]  # is only read
    prompt_token_id_logprobs: object = None
    error: m.Error | None = None


_chunk_decoder: Final = msgspec.json.Decoder(_Chunk)


@final
class VllmApi(TokenApi):
    """The API of vLLM 0.32, whose server is started with --enable-scale-out."""

    name: ClassVar[str] = "vllm"
    path: ClassVar[str] = "/inference/v1/generate"
    facts_path: ClassVar[str] = "/metrics"
    tokenize_path: ClassVar[str | None] = "/tokenize"
    start_hint: ClassVar[str] = "start vLLM with --enable-scale-out"
    capabilities: Capabilities = Capabilities(
        typical_p=False,
        watermark=False,
        beams=False,
        logprob_token_ids=False,
        # The drawn one counts too, and a server lists 20 by default.
        max_logprob_token_ids=19,
        thinking_budget=False,
        priority=False,
        embeddings=False,
        # It chooses the frames of a video by options of its own.
        media=frozenset({MediaKind.IMAGE, MediaKind.AUDIO}),
    )
    decodes_alike: ClassVar[bool] = False

    def __init__(self, facts: ApiFacts | None = None) -> None:
        """Begin with the capabilities that facts show; None for servers that are started without options."""
        facts = facts or ApiFacts()
        self._counts_cached_tokens = facts.counts_cached_tokens
        self.capabilities = msgspec.structs.replace(
            VllmApi.capabilities,
            priority=facts.priorities is not None,
            logprob_token_ids=facts.lists_named_logprobs,
            thinking_budget=facts.bounds_thoughts,
        )

    @override
    def fitted(self, facts: ApiFacts) -> TokenApi:
        return VllmApi(facts)

    @override
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        body = request_body(request, model, sampling_params(request, index, tokenizer))
        body.request_id = f"{request.request_id}-{index}"
        body.stream = self.is_streamed(request)
        if self._awaits_count(request):
            body.stream_options = m.StreamOptions(include_usage=True)
        return msgspec.json.encode(body)

    @override
    def encode_probe(self, model: str, token_id: int) -> bytes:
        params = m.SamplingParams(max_tokens=1, temperature=0.0, detokenize=False)
        return msgspec.json.encode(
            m.GenerateRequest(model=model, token_ids=[token_id], sampling_params=params)
        )

    @override
    def encode_trials(self, model: str, token_id: int) -> tuple[bytes, ...]:
        """Ask for the scores of named tokens in the prompt, and for a thinking budget.

        vLLM's second model runner alone can give such scores. The first one, which computes on CPUs and where
        a model or Triton requires it, loses the likeliest tokens of all other requests while one names the
        tokens whose log-probabilities it wants. A budget is refused where vLLM was started without
        --reasoning-parser or --reasoning-config.
        """
        options = ({"prompt_logprob_token_ids": [[token_id]]}, {"thinking_token_budget": 1})
        return tuple(
            msgspec.json.encode(
                {
                    "model": model,
                    "token_ids": [token_id, token_id],
                    "sampling_params": {"max_tokens": 1, "temperature": 0.0, **option},
                }
            )
            for option in options
        )

    @override
    def learn(self, facts: ApiFacts, probe: bytes, trials: Sequence[bytes | None]) -> ApiFacts:
        usage, (scores, bounded) = _shown(probe).usage, trials
        return msgspec.structs.replace(
            facts,
            counts_cached_tokens=usage is not None and usage.prompt_tokens_details is not None,
            lists_named_logprobs=scores is not None and _shown(scores).prompt_token_id_logprobs is not None,
            bounds_thoughts=bounded is not None,
        )

    @override
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer, index: int = 0) -> AnswerReader:
        return VllmReader(request, tokenizer, awaits_count=self._awaits_count(request))

    def _awaits_count(self, request: GenerationRequest) -> bool:
        """Return whether a last event with the count of cached tokens is asked for."""
        return self._counts_cached_tokens and self.is_streamed(request)

    @override
    def read_facts(self, body: bytes) -> ApiFacts:
        if not (match := _CACHE.search(body.decode("utf-8", "replace"))):
            return ApiFacts()
        labels = {label["name"]: int(label["value"]) for label in _LABEL.finditer(match["labels"])}
        return ApiFacts(labels.get("num_gpu_blocks"), labels.get("block_size"))


def request_body(request: GenerationRequest, model: str, params: m.SamplingParams) -> m.GenerateRequest:
    """Return what a body has for any server. `TokenApi.body` puts the files where their `url` is empty.

    A prompt with files is sent before its expansion, which the server makes too. The answer then begins with
    the prompt's tokens.
    """
    sent = unexpanded(request.prompt)
    return m.GenerateRequest(
        model=request.adapter or model,
        token_ids=sent.placeholder_token_ids,
        content_parts=[m.ContentPart(type=f"{each.kind.value}_url", url="") for each in sent.media] or None,
        return_token_ids=True if sent.media else None,
        sampling_params=params,
        priority=request.priority or None,
        cache_salt=None if request.cache_salt is None else salt_digest(request.cache_salt),
    )


def sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> m.SamplingParams:
    """Return the object. End tokens are named, and stop strings kept back, so that only our rule ends it."""
    sampling, stopping = request.sampling, request.stopping
    params = common_params(sampling)
    params.max_tokens = stopping.max_tokens
    params.min_tokens = stopping.min_tokens
    params.stop_token_ids = ending_token_ids(request, tokenizer)
    params.ignore_eos = True
    # Grammars' own end, and words in place of ids, need the server's tokenizer; nothing else does.
    params.detokenize = False
    params.seed = seed_of(request, index)
    params.allowed_token_ids = sampling.allowed_token_ids
    params.bad_words = sampling.bad_words or None
    if sampling.thinking_budget is not None:  # the server knows its model's markers of thoughts
        params.thinking_token_budget = sampling.thinking_budget.max_tokens
    if (grammar := sampling.grammar) is not None:
        params.structured_outputs = _STRUCTURED_OUTPUTS[grammar.kind](grammar.source)
    if named := sampling.logprob_token_ids:
        # The list has the drawn token first, and is cut to its length; a token that is named twice is listed
        # once.
        params.logprobs, params.logprob_token_ids = len(named) + 1, [*named, named[-1]]
    elif sampling.num_logprobs is not None:
        params.logprobs = sampling.num_logprobs + (
            sampling.num_logprobs > 0 and not _draws_the_most_likely(request)
        )
    params.prompt_logprobs = sampling.num_prompt_logprobs if index == 0 else None
    return params


def _draws_the_most_likely(request: GenerationRequest) -> bool:
    """Return whether each token is the model's most likely one, so that the list of the best has it.

    The server's list has the drawn token first and is cut to its length. So one more must be asked for where
    another token may be drawn, and a server by default lists 20 at most.
    """
    sampling = request.sampling
    plain = SamplingParams(
        temperature=0.0,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        seed=sampling.seed,
        num_logprobs=sampling.num_logprobs,
        num_prompt_logprobs=sampling.num_prompt_logprobs,
    )
    return sampling == plain and request.stopping.min_tokens == 0


class VllmReader(AnswerReader):
    """The tokens in vLLM's answer."""

    chunk_decoder: ClassVar[msgspec.json.Decoder[Any]] = _chunk_decoder

    def __init__(
        self, request: GenerationRequest, tokenizer: Tokenizer, *, awaits_count: bool = False
    ) -> None:
        """Begin an answer.

        awaits_count: whether an event with the count of cached tokens follows the last token, which is held
        back until then.
        """
        super().__init__(request, tokenizer)
        self._awaits_count = awaits_count
        self._held: list[NewToken] = []
        self._is_prompt_awaited = bool(request.prompt.media)

    @override
    def _read_chunk(self, chunk: _Chunk) -> list[NewToken]:
        if (failure := chunk.error) is not None:
            raise UpstreamError(failure.code or 500, in_one_line(failure.message or ""), failure.param)
        if chunk.prompt_logprobs is not None:
            self.prompt = self._read_prompt(chunk.prompt_logprobs)
        if self._is_prompt_awaited and chunk.choices:
            self._check_prompt(chunk.prompt_token_ids)
        tokens = [token for choice in chunk.choices or () for token in self._tokens(choice)]
        if (usage := chunk.usage) is not None:
            if usage.prompt_tokens_details is not None:
                self.num_cached_tokens = usage.prompt_tokens_details.cached_tokens or 0
            return [*self.rest(), *tokens]
        if self._awaits_count and self.finish_reason is not None and tokens:
            self._held.append(tokens.pop())
        return tokens

    @override
    def rest(self) -> list[NewToken]:
        held, self._held = self._held, []
        return held

    def _check_prompt(self, token_ids: Sequence[int] | None) -> None:
        """Check that files have become the same tokens here and there.

        Raises Malformed; UpstreamError for a prompt with a video, of which only the server has decoded what
        its parts promise here.
        """
        prompt = self._request.prompt
        if token_ids is None or tuple(token_ids) != prompt.token_ids:
            if token_ids and any(media.kind is MediaKind.VIDEO for media in prompt.media):
                reason = "a video holds other frames than it has parts: it is broken or cut off"
                raise UpstreamError(400, reason, "content_parts")
            num_tokens = "none" if token_ids is None else len(token_ids)
            raise Malformed(
                f"the server makes {num_tokens} tokens of a prompt with files, of "
                f"{len(prompt.token_ids)}, or others"
            )
        self._is_prompt_awaited = False

    def _tokens(self, choice: m.GenerateStreamChoice) -> list[NewToken]:
        if (start := choice.start) is not None:
            self.queue_s, self.num_cached_tokens = start.queue_s or 0.0, start.cached_tokens or 0
        token_ids = choice.token_ids or []
        for token_id in token_ids:
            self._check(token_id)
        if self._num_logprobs is None:
            tokens = [NewToken(token_id) for token_id in token_ids]
        else:
            tokens = self._scored(token_ids, choice.logprobs)
        if choice.finish_reason is not None:
            self.finish_reason = choice.finish_reason
            if tokens:
                is_complete, is_at_limit = choice.finish_reason == "stop", choice.finish_reason == "length"
                tokens[-1] = msgspec.structs.replace(
                    tokens[-1], is_complete=is_complete, is_at_limit=is_at_limit
                )
        return tokens

    def _scored(self, token_ids: Sequence[int], logprobs: m.TokenLogprobs | None) -> list[NewToken]:
        """Return the tokens with their log-probabilities. Raises Malformed."""
        found = (logprobs.content if logprobs else None) or ()
        own = _scores(found)
        if [token_id for token_id, _ in own] != token_ids:
            raise Malformed("the tokens lack their log-probabilities")
        return [
            NewToken(token_id, logprob, self._listed(_scores(one.top_logprobs or ())))
            for (token_id, logprob), one in zip(own, found, strict=True)
        ]

    def _listed(self, scores: list[tuple[int, float]]) -> tuple[TokenLogprob, ...]:
        """Return those of the tokens whose log-probabilities the request asks for."""
        if not (named := self._request.sampling.logprob_token_ids):
            return self._ranked(scores, self._num_logprobs or 0)
        listed = dict(scores)
        return tuple(self._logprob(token_id, listed[token_id]) for token_id in named if token_id in listed)

    def _read_prompt(self, found: Sequence[msgspec.Raw]) -> tuple[PromptToken, ...]:
        token_ids = self._request.prompt.token_ids
        try:
            places = [_prompt_decoder.decode(place) for place in found]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Malformed(f"no log-probabilities of a prompt: {error}") from error
        scores = [
            None if place is None else dict(_score(other, one.logprob) for other, one in place.items())
            for place in places
        ]
        of_tokens = list(zip(token_ids, scores, strict=False))
        if any(each is not None and token_id not in each for token_id, each in of_tokens):
            raise Malformed("the log-probabilities of the prompt are another prompt's")
        return self._prompt_tokens(
            [None if each is None else each[token_id] for token_id, each in of_tokens],
            [() if each is None else each.items() for each in scores],
        )


def _shown(body: bytes) -> _Chunk:
    """Return a whole answer; an empty one where it cannot be read."""
    try:
        return _chunk_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Chunk()


def _scores(found: Sequence[m.ScoredToken | m.TopLogprob]) -> list[tuple[int, float]]:
    return [_score(one.token_id, one.logprob) for one in found]


def _score(token_id: int | None, logprob: float | None) -> tuple[int, float]:
    if token_id is None or logprob is None:
        raise Malformed("a token lacks its id or its log-probability")
    return token_id, logprob
