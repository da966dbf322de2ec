"""vLLM's token-in, token-out API (`POST /inference/v1/generate`); no torch."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import msgspec
from typing_extensions import override

from engine.port.events import PromptToken, TokenLogprob
from engine.port.info.capabilities import Capabilities
from engine.port.request import GenerationRequest, MediaKind, Prompt, SamplingParams
from engine.port.text.tokenizer import Tokenizer
from engine.port.token_form import sent_token_ids, structured_outputs
from engine.remote.wire.answer_reader import (
    AnswerReader,
    Malformed,
    NewToken,
    UpstreamError,
    in_one_line,
)
from engine.remote.wire.files import FILES
from engine.remote.wire.sampling import common_params, ending_token_ids, salt_digest, seed_of
from engine.remote.wire.token_api import ApiFacts, TokenApi

_CACHE: Final = re.compile(r"^vllm:cache_config_info\{(?P<labels>[^}]*)\}", re.MULTILINE)
_LABEL: Final = re.compile(r'(?P<name>\w+)="(?P<value>\d+)"')


class _Logprob(msgspec.Struct):
    token_id: int
    logprob: float


class _ScoredToken(_Logprob):
    top_logprobs: list[_Logprob] = []


class _Logprobs(msgspec.Struct):
    content: list[_ScoredToken] | None = None


class Choice(msgspec.Struct):
    """New tokens of the sequence. finish_reason: "stop", "length", "abort" or another, with the last ones."""

    token_ids: list[int] | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _PromptLogprob(msgspec.Struct):
    logprob: float


_prompt_decoder: Final = msgspec.json.Decoder(dict[int, _PromptLogprob] | None)


class _Error(msgspec.Struct):
    message: str = ""
    param: str | None = None
    code: int | str | None = None


class _PromptDetails(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    """The counts of tokens. prompt_tokens_details: needs vLLM's option --enable-prompt-tokens-details."""

    prompt_tokens_details: _PromptDetails | None = None


class Chunk(msgspec.Struct):
    choices: list[Choice] = []
    error: _Error | None = None
    usage: _Usage | None = None
    prompt_logprobs: list[msgspec.Raw] | None = None  # each is read by itself: a decoder holds all threads up
    prompt_token_ids: list[int] | None = None
    prompt_token_id_logprobs: object = None


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
        )

    @override
    def fitted(self, facts: ApiFacts) -> TokenApi:
        return VllmApi(facts)

    @override
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        body: dict[str, Any] = {
            "request_id": f"{request.request_id}-{index}",
            "model": request.adapter or model,
            **prompt_fields(request.prompt),
            "stream": self.is_streamed(request),
            "sampling_params": sampling_params(request, index, tokenizer),
        }
        if self._awaits_count(request):
            body["stream_options"] = {"include_usage": True}
        if request.priority:
            body["priority"] = request.priority
        if request.cache_salt is not None:
            # The API bounds a salt's length and characters.
            body["cache_salt"] = salt_digest(request.cache_salt)
        return msgspec.json.encode(body)

    @override
    def encode_probe(self, model: str, token_id: int) -> bytes:
        params = {"max_tokens": 1, "temperature": 0.0, "detokenize": False}
        return msgspec.json.encode({"model": model, "token_ids": [token_id], "sampling_params": params})

    @override
    def encode_trials(self, model: str, token_id: int) -> tuple[bytes, ...]:
        """Ask for the scores of named tokens in the prompt, which vLLM's second model runner alone can give.

        The first runner, which computes on CPUs and where a model or Triton requires it, loses the likeliest
        tokens of all other requests while one names the tokens whose log-probabilities it wants.
        """
        params = {"max_tokens": 1, "temperature": 0.0, "prompt_logprob_token_ids": [[token_id]]}
        body = {"model": model, "token_ids": [token_id, token_id], "sampling_params": params}
        return (msgspec.json.encode(body),)

    @override
    def learn(self, facts: ApiFacts, probe: bytes, trials: Sequence[bytes | None]) -> ApiFacts:
        usage, (scores,) = _shown(probe).usage, trials
        return msgspec.structs.replace(
            facts,
            counts_cached_tokens=usage is not None and usage.prompt_tokens_details is not None,
            lists_named_logprobs=scores is not None and _shown(scores).prompt_token_id_logprobs is not None,
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


def prompt_fields(prompt: Prompt) -> dict[str, Any]:
    """Return the fields of a prompt but its files (`TokenApi.body`).

    A prompt with files is sent before its expansion, which the server makes too. The answer then begins with
    the prompt's tokens.
    """
    fields: dict[str, Any] = {"token_ids": sent_token_ids(prompt)}
    return fields | {"return_token_ids": True} if prompt.media else fields


def sampling_params(request: GenerationRequest, index: int, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the object. End tokens are named, and stop strings kept back, so that our rule alone ends it."""
    sampling, stopping = request.sampling, request.stopping
    params: dict[str, Any] = {
        "max_tokens": stopping.max_tokens,
        "min_tokens": stopping.min_tokens,
        "stop_token_ids": ending_token_ids(request, tokenizer),
        "ignore_eos": True,
        # Grammars' own end, and words in place of ids, need the server's tokenizer; nothing else does.
        "detokenize": False,
        **common_params(sampling),
    }
    if (seed := seed_of(request, index)) is not None:
        params["seed"] = seed
    if sampling.allowed_token_ids is not None:
        params["allowed_token_ids"] = sampling.allowed_token_ids
    if sampling.bad_words:
        params["bad_words"] = sampling.bad_words
    if sampling.grammar is not None:
        params["structured_outputs"] = structured_outputs(sampling.grammar)
    if named := sampling.logprob_token_ids:
        # The list has the drawn token first, and is cut to its length; a token that is named twice is listed
        # once.
        params |= {"logprobs": len(named) + 1, "logprob_token_ids": [*named, named[-1]]}
    elif sampling.num_logprobs is not None:
        params["logprobs"] = sampling.num_logprobs + (
            sampling.num_logprobs > 0 and not _draws_the_most_likely(request)
        )
    if sampling.num_prompt_logprobs is not None and index == 0:
        params["prompt_logprobs"] = sampling.num_prompt_logprobs
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

    chunk_decoder: ClassVar[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(Chunk)

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
    def _read_chunk(self, chunk: Chunk) -> list[NewToken]:
        if (failure := chunk.error) is not None:
            status = failure.code if isinstance(failure.code, int) else 500
            raise UpstreamError(status, in_one_line(failure.message), failure.param)
        if chunk.prompt_logprobs is not None:
            self.prompt = self._read_prompt(chunk.prompt_logprobs)
        if self._is_prompt_awaited and chunk.choices:
            self._check_prompt(chunk.prompt_token_ids)
        tokens = [token for choice in chunk.choices for token in self._tokens(choice)]
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

    def _check_prompt(self, token_ids: list[int] | None) -> None:
        """Check that files have become the same tokens here and there.

        Raises Malformed; UpstreamError for a prompt with a video, of which the server alone has decoded what
        its parts promise here.
        """
        prompt = self._request.prompt
        if token_ids is None or tuple(token_ids) != prompt.token_ids:
            if token_ids and any(media.kind is MediaKind.VIDEO for media in prompt.media):
                reason = "a video holds other frames than it has parts: it is broken or cut off"
                raise UpstreamError(400, reason, FILES)
            num_tokens = "none" if token_ids is None else len(token_ids)
            raise Malformed(
                f"the server makes {num_tokens} tokens of a prompt with files, of "
                f"{len(prompt.token_ids)}, or others"
            )
        self._is_prompt_awaited = False

    def _tokens(self, choice: Choice) -> list[NewToken]:
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

    def _scored(self, token_ids: list[int], logprobs: _Logprobs | None) -> list[NewToken]:
        """Return the tokens with their log-probabilities. Raises Malformed."""
        found = (logprobs.content if logprobs else None) or []
        if [one.token_id for one in found] != token_ids:
            raise Malformed("the tokens lack their log-probabilities")
        return [NewToken(one.token_id, one.logprob, self._listed(_scores(one.top_logprobs))) for one in found]

    def _listed(self, scores: list[tuple[int, float]]) -> tuple[TokenLogprob, ...]:
        """Return those of the tokens whose log-probabilities the request asks for."""
        if not (named := self._request.sampling.logprob_token_ids):
            return self._ranked(scores, self._num_logprobs or 0)
        listed = dict(scores)
        return tuple(self._logprob(token_id, listed[token_id]) for token_id in named if token_id in listed)

    def _read_prompt(self, found: list[msgspec.Raw]) -> tuple[PromptToken, ...]:
        token_ids = self._request.prompt.token_ids
        try:
            places = [_prompt_decoder.decode(place) for place in found]
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Malformed(f"no log-probabilities of a prompt: {error}") from error
        if any(
            scores is not None and token_id not in scores
            for token_id, scores in zip(token_ids, places, strict=False)
        ):
            raise Malformed("the log-probabilities of the prompt are another prompt's")
        return self._prompt_tokens(
            [
                None if scores is None else scores[token_id].logprob
                for token_id, scores in zip(token_ids, places, strict=False)
            ],
            [
                () if scores is None else [(other, one.logprob) for other, one in scores.items()]
                for scores in places
            ],
        )


def _shown(body: bytes) -> Chunk:
    """Return a whole answer; an empty one where it cannot be read."""
    try:
        found: Chunk = VllmReader.chunk_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Chunk()
    return found


def _scores(found: list[_Logprob]) -> list[tuple[int, float]]:
    return [(one.token_id, one.logprob) for one in found]
