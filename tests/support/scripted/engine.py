"""An engine that says what a test tells it to, through the same protocol as the one that computes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.port.errors import NotCapable, RequestAborted
from engine.port.events import Embedding, FinishReason, PromptToken, TokenEvent, TokenLogprob
from engine.port.info.adapter import NO_ADAPTERS, Adapters
from engine.port.info.capabilities import Capabilities
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechReader
from engine.port.info.stats import Counters, EngineStats, Health
from engine.port.media_item import MediaProcessor
from engine.port.request import EmbeddingRequest, GenerationRequest, Media
from engine.port.text.tokenizer import Tokenizer
from tests.unit.handlers.chat.models import chat_tokenizer

HIDDEN_SIZE = 4

Script = Callable[[GenerationRequest], Iterable[TokenEvent | Exception]]


def says(
    *pieces: str, finish: FinishReason = FinishReason.END_TOKEN, logprobs: tuple[float, ...] = ()
) -> Script:
    """Every sequence says these pieces, a token each, and ends; an end token is a token more.

    logprobs: of the tokens of sequence 0, 1, ...; -0.5 for all if not given.
    """
    texts = [*pieces, ""] if finish is FinishReason.END_TOKEN else list(pieces)

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        for position, text in enumerate(texts):
            for index in range(request.num_sequences):
                logprob = logprobs[index] if logprobs else -0.5
                is_last = position == len(texts) - 1
                yield token(
                    request, position, text, index=index, logprob=logprob, finish=finish if is_last else None
                )

    return script


def spells(text: str, tokenizer: Tokenizer) -> Script:
    """Every sequence says this text by the tokenizer's own tokens, and ends.

    So does an engine over a server of this one, which gets the tokens alone.
    """
    ends = tokenizer.end_token_ids[0]
    token_ids = tokenizer.encode(text)
    pieces, told = list[tuple[int, str]](), ""
    for number, token_id in enumerate(token_ids, start=1):
        so_far = tokenizer.decode(token_ids[:number], skip_special_tokens=False)
        is_whole = not so_far.endswith("\ufffd")  # else a character's last bytes are still to come
        pieces.append((token_id, so_far[len(told) :] if is_whole else ""))
        told = so_far if is_whole else told

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        for position, (token_id, piece) in enumerate((*pieces, (ends, ""))):
            finish = FinishReason.END_TOKEN if token_id == ends else None
            for index in range(request.num_sequences):
                yield replace(token(request, position, piece, index=index, finish=finish), token_id=token_id)

    return script


def token(
    request: GenerationRequest,
    position: int,
    text: str,
    *,
    index: int = 0,
    logprob: float = -0.5,
    finish: FinishReason | None = None,
) -> TokenEvent:
    """One event as the request asked for it: with log-probabilities and the prompt, or without."""
    is_end = finish is FinishReason.END_TOKEN
    num_logprobs = request.sampling.num_logprobs
    is_first = position == 0 and index == 0
    return TokenEvent(
        request_id=request.request_id,
        index=index,
        position=position,
        token_id=100 + position,
        token_text="<|im_end|>" if is_end else text,
        is_special=is_end,
        text=text,
        logprob=None if num_logprobs is None else logprob,
        top_logprobs=_listed(request, position, text, logprob),
        prompt=_prompt(request) if is_first and request.sampling.num_prompt_logprobs is not None else None,
        finish=finish,
        num_prompt_tokens=len(request.prompt.token_ids),
        queue_s=0.25,
    )


def _listed(request: GenerationRequest, position: int, text: str, logprob: float) -> tuple[TokenLogprob, ...]:
    """Return the tokens that the request names, each less likely than the one before it, or else the best."""
    num_ranked = request.sampling.num_logprobs or 0
    own = 100 + position
    token_ids = request.sampling.logprob_token_ids or tuple(range(own, own + num_ranked))
    return tuple(
        TokenLogprob(token_id, f"{text}{rank}", logprob - rank, False)
        for rank, token_id in enumerate(token_ids)
    )


def _prompt(request: GenerationRequest) -> tuple[PromptToken, ...]:
    return tuple(
        PromptToken(token_id, f"<{token_id}>", None if place == 0 else -1.0)
        for place, token_id in enumerate(request.prompt.token_ids)
    )


def fails_after(error: Exception, *pieces: str) -> Script:
    """Says the pieces, and then fails."""

    def script(request: GenerationRequest) -> Iterator[TokenEvent | Exception]:
        for position, text in enumerate(pieces):
            yield token(request, position, text)
        yield error

    return script


def embedding(request: EmbeddingRequest) -> Embedding:
    """A vector that its text's tokens decide."""
    vector = np.random.default_rng(request.prompt.token_ids).standard_normal(HIDDEN_SIZE, dtype=np.float32)
    made = Embedding(
        request_id=request.request_id,
        vector=vector,
        num_prompt_tokens=len(request.prompt.token_ids),
        num_cached_tokens=1,
        queue_s=0.25,
    )
    return made.normalized() if request.normalize else made


class ScriptedEngine:
    """Implements `engine.port.engine.Engine`.

    requests: all that were submitted. texts: all whose vectors were asked for. embeds: gives or raises them.
    num_running: those whose events are still being read, and texts that wait for their vector.
    gate: if given, no event and no vector comes before it is set.
    """

    def __init__(
        self,
        script: Script,
        *,
        tokenizer: Tokenizer | None = None,
        max_total_tokens: int = 200,
        gate: asyncio.Event | None = None,
        embeds: Callable[[EmbeddingRequest], Embedding] = embedding,
    ) -> None:
        self.tokenizer = tokenizer or chat_tokenizer()
        self.model_info = _model_info(max_total_tokens)
        self.capabilities = Capabilities()
        self.shares_interpreter = True
        self.adapters: Adapters = NO_ADAPTERS
        self.media: MediaProcessor | None = None
        self.speech: SpeechReader | None = None
        self.requests: list[GenerationRequest] = []
        self.texts: list[EmbeddingRequest] = []
        self.num_running = 0
        self.condition = Health(True)
        self.died = asyncio.Event()
        self._script = script
        self._embeds = embeds
        self._gate = gate
        self._aborted: set[str] = set()

    async def submit(
        self, request: GenerationRequest, on_end: Callable[[int], object] | None = None
    ) -> AsyncGenerator[TokenEvent, None]:
        self.requests.append(request)
        self.num_running += 1
        try:
            if self._gate is not None:
                await self._gate.wait()
            for item in self._script(request):
                await asyncio.sleep(0)
                if request.request_id in self._aborted:
                    raise RequestAborted(f"request {request.request_id} was aborted")
                if isinstance(item, Exception):
                    raise item
                if item.finish is not None and on_end is not None:
                    on_end(1)
                yield item
        finally:
            self.num_running -= 1

    async def embed(self, request: EmbeddingRequest) -> Embedding:
        self.texts.append(request)
        self.num_running += 1
        try:
            if self._gate is not None:
                await self._gate.wait()
            await asyncio.sleep(0)
            return self._embeds(request)
        finally:
            self.num_running -= 1

    async def align(self, window: Media, token_ids: Sequence[int]) -> NDArray[np.float32]:
        raise NotCapable("words")

    @property
    def request(self) -> GenerationRequest:
        """The only one that was submitted."""
        (request,) = self.requests
        return request

    async def abort(self, request_id: str) -> None:
        self._aborted.add(request_id)

    async def health(self) -> Health:
        return self.condition

    async def death(self) -> None:
        await self.died.wait()

    def stats(self) -> EngineStats:
        return EngineStats(
            num_running=self.num_running, num_waiting=0, num_blocks=8, num_free_blocks=8, counters=Counters()
        )

    async def drain(self, timeout_s: float) -> None:
        pass

    async def stop(self) -> None:
        pass


def _model_info(max_total_tokens: int) -> ModelInfo:
    return ModelInfo(
        model_id="scripted",
        revision=None,
        architecture="Scripted",
        dtype="float32",
        device="cpu",
        num_parameters=0,
        max_total_tokens=max_total_tokens,
        vocab_size=300,
        hidden_size=HIDDEN_SIZE,
        num_blocks=8,
        block_size=16,
        kv_cache_bytes=0,
        max_batch_tokens=64,
        max_num_sequences=4,
    )
