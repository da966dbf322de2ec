"""Assembly of an engine: the model, its KV cache, scheduler and sampler."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from msgspec.structs import replace

from engine.assembly.built_engine import BuiltEngine
from engine.assembly.engine_parts import EngineParts
from engine.assembly.fallback_parts import fallback_parts
from engine.assembly.paged_parts import PagedParts, paged_parts
from engine.assembly.prepared_model import PreparedModel, prepare_model
from engine.assembly.step_memory import cuda_peak
from engine.attention.varlen.library import torch_varlen
from engine.config import EngineConfig, KVEventsConfig
from engine.core.core import EngineCore
from engine.extras import how_to_install
from engine.lora.opening import open_adapters
from engine.model.recorded_steps import cuda_graphs
from engine.port.errors import CannotPublish, NoPagedAttention

if TYPE_CHECKING:
    from engine.kv_events.publisher import KVEventPublisher


def build_core(config: EngineConfig, on_progress: Callable[[str], None]) -> BuiltEngine[EngineCore]:
    """Load the model, allocate its cache, and load the adapters.

    on_progress: called with a line of text about the progress. Raises ModelNotSupported; KernelsMissing with
    `config.require_native`; CannotPublish with `config.kv_events`; CannotLoadAdapter with `config.adapters`
    or `adapter_root`.
    """
    publisher = None if config.kv_events is None else _open_publisher(config.kv_events)
    try:
        parts = choose_parts(config, on_progress)
        opened = open_adapters(parts.runner, config, on_progress)
    except BaseException:
        if publisher is not None:
            publisher.close()
        raise
    if publisher is not None:
        on_progress(f"KV events are published at {publisher.endpoint}")
    core = parts.core(publisher=publisher)
    info = replace(parts.info, kernels=(*parts.info.kernels, *opened.kernels))
    return BuiltEngine(core, parts.tokenizer, info, opened.registry, parts.media, parts.speech)


def choose_parts(config: EngineConfig, on_progress: Callable[[str], None]) -> EngineParts:
    """Load the parts of `build_core`, with paged attention if possible, otherwise on the fallback path."""
    prepared = prepare_model(config, on_progress)
    obstacle = prepared.paged_obstacle
    if obstacle is None:
        try:
            return _on_pages(prepared, on_progress)
        except NoPagedAttention as error:
            obstacle = str(error)
        if prepared.loaded.plan.device.type == "cuda":
            torch.cuda.empty_cache()  # return the memory of the pages, which the fallback's caches need
    return fallback_parts(prepared, obstacle, on_progress)


def build_parts(config: EngineConfig, on_progress: Callable[[str], None]) -> PagedParts:
    """Load the parts of a model with paged attention. Raises NoPagedAttention for other models."""
    prepared = prepare_model(config, on_progress)
    if prepared.paged_obstacle is not None:
        raise NoPagedAttention(prepared.paged_obstacle)
    return _on_pages(prepared, on_progress)


def _on_pages(prepared: PreparedModel, on_progress: Callable[[str], None]) -> PagedParts:
    device = prepared.loaded.plan.device
    return paged_parts(prepared, torch_varlen(device), cuda_graphs(device), cuda_peak(device), on_progress)


def _open_publisher(config: KVEventsConfig) -> "KVEventPublisher":
    try:
        from engine.kv_events.publisher import KVEventPublisher
    except ModuleNotFoundError as error:
        reason = f"{error.name} is not installed; {how_to_install('kv-events')} installs it"
        raise CannotPublish(config.endpoint, reason) from error
    return KVEventPublisher(config)
