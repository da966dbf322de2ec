"""The start of the engine that the settings name."""

import os
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine.config import EngineConfig, KVEventsConfig
from engine.extras import how_to_install, missing
from engine.model.loading.checkpoint.directory import own_directory
from engine.native.instructions import limit_libraries
from engine.packed_cache.early_reading import begin_reading
from engine.packed_cache.place import packed_cache
from engine.port.errors import LibrariesMissing, ModelNotSupported
from engine.port.info.model_info import ModelInfo
from engine.remote.config import RemoteConfig
from handlers.settings.settings import Settings

if TYPE_CHECKING:
    from engine.port.engine import Engine  # it needs NumPy, which `verbatim --help` does not

_LEAST_SILENCE_S: Final = 60.0  # of the engine's own process, four times as long as between its comments
_BLOCK_SIZE: Final = EngineConfig(model="").block_size
_MAX_NUM_SEQUENCES: Final = EngineConfig(model="").max_num_sequences


def engine_config(settings: Settings) -> EngineConfig:
    """Return the engine's part of the settings; the engine chooses what they leave open."""
    given: dict[str, Any] = {
        "quantize": settings.quantize,
        "num_threads": settings.num_threads,
        "max_total_tokens": settings.max_total_tokens,
        "max_batch_tokens": settings.max_batch_prefill_tokens,
        # More than are let in cannot run, and the cache is sized for as many.
        "max_num_sequences": min(
            settings.max_batch_size or _MAX_NUM_SEQUENCES, settings.max_concurrent_requests
        ),
    }
    if settings.max_batch_total_tokens is not None:
        given["num_kv_blocks"] = -(-settings.max_batch_total_tokens // _BLOCK_SIZE)
    return EngineConfig(
        model=settings.model_source,
        revision=settings.revision,
        dtype=settings.dtype,
        device=settings.device,
        trust_remote_code=settings.trust_remote_code,
        bfloat16_products=settings.bfloat16_products,
        packed_cache=packed_cache(settings.packed_cache),
        require_native=settings.require_native,
        prefix_caching=settings.prefix_caching,
        media=settings.media,
        media_limits=settings.media_limits,
        max_draft_tokens=settings.speculate,
        max_unread_bytes=settings.max_unread_bytes,
        kv_events=_kv_events_config(settings),
        adapters=settings.adapter_sources,
        adapter_root=settings.lora_root,
        adapter_limits=settings.adapter_limits,
        **{name: value for name, value in given.items() if value is not None},
    )


def _kv_events_config(settings: Settings) -> KVEventsConfig | None:
    if settings.kv_events is None:
        return None
    return KVEventsConfig(
        endpoint=settings.kv_events,
        replay_endpoint=settings.kv_events_replay,
        topic=settings.kv_events_topic,
        buffer_steps=settings.kv_events_buffer,
    )


def remote_config(
    settings: Settings,
    *,
    urls: tuple[str, ...] | None = None,
    socket: str | None = None,
    model_info: ModelInfo | None = None,
) -> RemoteConfig:
    """Return the part of the settings for an engine that other servers compute for.

    urls: in place of the settings'. socket, model_info: as of RemoteConfig. The process at a socket, which
    says that it lives every 15 seconds at least, may be silent for a minute whatever the settings say.
    """
    timeout_s = settings.engine_timeout
    return RemoteConfig(
        model=settings.model_source,
        api=settings.engine,
        urls=settings.engine_url if urls is None else urls,
        revision=settings.revision,
        served_name=settings.served_model_name,
        api_key=settings.engine_api_key,
        max_total_tokens=settings.max_total_tokens,
        max_num_sequences=settings.max_concurrent_requests,
        media=settings.media,
        media_limits=settings.media_limits,
        priorities=settings.engine_priorities,
        trust_remote_code=settings.trust_remote_code,
        max_unread_bytes=settings.max_unread_bytes,
        timeout_s=timeout_s if socket is None else max(timeout_s, _LEAST_SILENCE_S),
        start_timeout_s=settings.engine_start_timeout,
        command=tuple(shlex.split(settings.engine_command or "")),
        socket=socket,
        model_info=model_info,
    )


def set_environment(settings: Settings) -> None:
    """Set the variables that libraries read when they are imported."""
    limit_libraries(settings.isa)
    if settings.kernel_cache is not None:
        os.environ["VERBATIM_KERNEL_CACHE"] = settings.kernel_cache
    if settings.huggingface_hub_cache is not None:
        os.environ["HF_HUB_CACHE"] = settings.huggingface_hub_cache


def check_own_engine() -> None:
    """Raise LibrariesMissing if Verbatim's own engine lacks libraries; nothing is imported."""
    if lacking := missing("engine"):
        raise LibrariesMissing(
            f"Verbatim's own engine needs {', '.join(lacking)}, which an installation for fronts lacks; "
            f"{how_to_install('engine')} adds them, and --engine vllm or sglang does without (docs/vllm.md)"
        )


StartEngine: TypeAlias = Callable[[Callable[[str], None]], "Awaitable[Engine]"]
"""Starts an engine, given a function that is called with lines on the progress."""


def engine_starter(settings: Settings) -> StartEngine:
    """Import the engine that the settings name, which may take seconds, and return what starts it.

    A process over another server's engine imports no torch, then or later. Raises LibrariesMissing where
    Verbatim's own engine is not installed.
    """
    if settings.is_over_servers:
        from engine.remote.without_torch import import_without_torch

        import_without_torch()
        from engine.remote.remote_engine import RemoteEngine

        remote = remote_config(settings)
        return lambda on_progress: RemoteEngine.start(remote, on_progress=on_progress)
    check_own_engine()
    own = engine_config(settings)
    with suppress(ModelNotSupported):  # which the start raises
        begin_reading(own, own_directory(own.model, own.revision))
    from engine.async_engine import AsyncEngine

    return lambda on_progress: AsyncEngine.start(own, on_progress=on_progress)
