"""Put an engine together: the model, its KV cache, scheduler and sampler."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from engine.assembly.engine_parts import EngineParts
from engine.assembly.fallback_parts import fallback_parts
from engine.assembly.paged_parts import PagedParts, paged_parts
from engine.assembly.prepared_model import prepare_model
from engine.config import EngineConfig, KVEventsConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.errors import CannotPublish, NoPagedAttention
from engine.info.model_info import ModelInfo
from engine.info.stats import MediaStats
from engine.media_item import MediaProcessor
from engine.model.fallback.runner import FallbackRunner
from engine.model.runner import ModelRunner
from engine.native.huge_pages import end_reserve
from engine.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.kv_events.publisher import KVEventPublisher


def build_core(
    config: EngineConfig, on_progress: Callable[[str], None]
) -> tuple[EngineCore, Tokenizer, ModelInfo]:
    """Load the model and size its cache.

    Raises ModelNotSupported where it cannot be served, KernelsMissing by `config.require_native`, and
    CannotPublish by `config.kv_events`.
    """
    publisher = None if config.kv_events is None else _open_publisher(config.kv_events)
    try:
        parts = choose_parts(config, on_progress)
    except BaseException:
        if publisher is not None:
            publisher.close()
        raise
    finally:
        end_reserve()
    if publisher is not None:
        on_progress(f"KV events are published at {publisher.endpoint}")
    return parts.core(publisher=publisher), parts.tokenizer, parts.info


def media_processor_of(runner: Runner) -> MediaProcessor | None:
    """Return what reads files for a core's model; None if it reads text alone."""
    return runner.media.processor if isinstance(runner, ModelRunner) and runner.media is not None else None


def media_stats_of(runner: Runner) -> MediaStats | None:
    """Return the numbers of what reads files for a core's model; None if it reads text alone."""
    return runner.media.stats() if isinstance(runner, ModelRunner) and runner.media is not None else None


def speech_runner_of(runner: Runner) -> FallbackRunner | None:
    """Return a core's runner if its model transcribes; None for any other."""
    return runner if isinstance(runner, FallbackRunner) and runner.speech is not None else None


def choose_parts(config: EngineConfig, on_progress: Callable[[str], None]) -> EngineParts:
    """Load the parts of `build_core` without joining them: over pages, or else on the fallback path."""
    prepared = prepare_model(config, on_progress)
    obstacle = prepared.paged_obstacle
    if obstacle is None:
        try:
            return paged_parts(prepared, on_progress)
        except NoPagedAttention as error:
            obstacle = str(error)
        if prepared.loaded.plan.device.type == "cuda":
            torch.cuda.empty_cache()  # of the pages, whose memory would not be free for the caches
    return fallback_parts(prepared, obstacle, on_progress)


def build_parts(config: EngineConfig, on_progress: Callable[[str], None]) -> PagedParts:
    """Load the parts of a model that attends over pages. Raises NoPagedAttention for another."""
    prepared = prepare_model(config, on_progress)
    if prepared.paged_obstacle is not None:
        raise NoPagedAttention(prepared.paged_obstacle)
    return paged_parts(prepared, on_progress)


def _open_publisher(config: KVEventsConfig) -> "KVEventPublisher":
    try:
        from engine.kv_events.publisher import KVEventPublisher
    except ModuleNotFoundError as error:
        reason = f"{error.name} is not installed; pip install 'verbatim-server[kv-events]' installs it"
        raise CannotPublish(config.endpoint, reason) from error
    return KVEventPublisher(config)
