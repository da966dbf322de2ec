"""The protocol of an engine core that runs step by step in the engine's thread."""

from typing import Protocol

import torch

from engine.core.job_table import Output
from engine.grammar.compiler import CompiledGrammar
from engine.port.info.adapter import Adapter, UsedAdapters
from engine.port.info.stats import EngineStats
from engine.port.request import EmbeddingRequest, GenerationRequest
from engine.sampling.request_tables import RequestTables


class SteppedCore(Protocol):
    """A core that runs requests step by step; the methods are those of EngineCore.

    All methods are called by one thread, except `stats`, `used_adapters`, `device` and `is_failing`, which
    are thread-safe.
    """

    @property
    def device(self) -> torch.device: ...

    @property
    def is_failing(self) -> bool: ...

    @property
    def has_work(self) -> bool: ...

    def stats(self) -> EngineStats: ...

    def used_adapters(self) -> UsedAdapters: ...

    def add(
        self,
        arrival: int,
        request: GenerationRequest,
        grammar: CompiledGrammar | None = None,
        *,
        submitted_at: float = 0.0,
        tables: RequestTables | None = None,
        adapter: Adapter | None = None,
    ) -> None: ...

    def embed(
        self,
        arrival: int,
        request: EmbeddingRequest,
        *,
        submitted_at: float = 0.0,
        adapter: Adapter | None = None,
    ) -> None: ...

    def abort(self, arrival: int) -> None: ...

    def step(self) -> list[Output]: ...

    def close(self) -> None: ...
