"""An engine core without a model: each step generates the same word for all requests."""

import asyncio
import time
from typing import Final, NoReturn

import torch

from engine.core.job_table import Output
from engine.grammar.compiler import CompiledGrammar
from engine.port.errors import ModelNotSupported
from engine.port.events import FinishReason, TokenEvent
from engine.port.info.adapter import Adapter, UsedAdapters
from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import Counters, EngineStats
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.sampling.request_tables import RequestTables

WORD: Final = " word"

_STEP_S: Final = 0.001

MODEL_INFO: Final = ModelInfo(
    model_id="scripted",
    revision=None,
    architecture="Scripted",
    dtype="float32",
    device="cpu",
    num_parameters=0,
    max_total_tokens=1 << 20,
    vocab_size=1536,
    hidden_size=4,
    num_blocks=1 << 16,
    block_size=16,
    kv_cache_bytes=0,
    max_batch_tokens=2048,
    max_num_sequences=1024,
)


class ScriptedCore:
    """A core with steps of a millisecond, which implements the parts of `EngineCore` that benchmarks use.

    A step waits until the event loop has read the previous step, so that no queue grows if the loop is slow.
    The loop does not wake the step's thread for that, as with a real engine: the call would cost the loop
    more than ten events.
    """

    is_failing = False
    device = torch.device("cpu")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._requests: dict[int, tuple[GenerationRequest, int]] = {}
        self._num_steps = 0
        self._num_read = 0  # number of steps read; written by the loop's thread

    @property
    def has_work(self) -> bool:
        return bool(self._requests)

    def stats(self) -> EngineStats:
        return EngineStats(
            num_running=len(self._requests),
            num_waiting=0,
            num_blocks=MODEL_INFO.num_blocks,
            num_free_blocks=MODEL_INFO.num_blocks,
            counters=Counters(),
        )

    def used_adapters(self) -> UsedAdapters:
        return UsedAdapters((), ())

    def add(
        self,
        arrival: int,
        request: GenerationRequest,
        grammar: CompiledGrammar | None = None,
        *,
        submitted_at: float = 0.0,
        tables: RequestTables | None = None,
        adapter: Adapter | None = None,
    ) -> None:
        self._requests[arrival] = request, 0

    def embed(
        self,
        arrival: int,
        request: EmbeddingRequest,
        *,
        submitted_at: float = 0.0,
        adapter: Adapter | None = None,
    ) -> NoReturn:
        raise ModelNotSupported("the scripted core has no embeddings")

    def abort(self, arrival: int) -> None:
        self._requests.pop(arrival, None)

    def step(self) -> list[Output]:
        self._wait_for_loop()
        outputs = []
        for arrival, (request, position) in list(self._requests.items()):
            is_last = position + 1 == request.stopping.max_tokens
            outputs.append(Output(arrival, _event(request, position, is_last=is_last)))
            self._requests[arrival] = request, position + 1
            if is_last:
                del self._requests[arrival]
        return outputs

    def close(self) -> None:
        """Do nothing, since there are no threads."""

    def _wait_for_loop(self) -> None:
        self._num_steps += 1
        self._loop.call_soon_threadsafe(self._loop.call_soon, self._read_step)
        time.sleep(_STEP_S)
        while self._num_read < self._num_steps:
            time.sleep(_STEP_S)

    def _read_step(self) -> None:
        self._num_read += 1


def _event(request: GenerationRequest, position: int, *, is_last: bool) -> TokenEvent:
    return TokenEvent(
        request_id=request.request_id,
        index=0,
        position=position,
        token_id=100,
        token_text=WORD,
        is_special=False,
        text=WORD,
        finish=FinishReason.LENGTH if is_last else None,
        num_prompt_tokens=len(request.prompt.token_ids),
    )
