"""The start of the engine that the settings name."""

import shlex
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from handlers.active_requests.engine import Engine
from handlers.settings.settings import Settings

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
        model=settings.model or str(DEMO_MODEL),
        revision=settings.revision,
        dtype=settings.dtype,
        device=settings.device,
        trust_remote_code=settings.trust_remote_code,
        require_native=settings.require_native,
        prefix_caching=settings.prefix_caching,
        max_draft_tokens=settings.speculate,
        max_unread_bytes=settings.max_unread_bytes,
        **{name: value for name, value in given.items() if value is not None},
    )


def remote_config(settings: Settings) -> RemoteConfig:
    """Return the part of the settings for an engine that other servers compute for."""
    return RemoteConfig(
        model=settings.model or str(DEMO_MODEL),
        api=settings.engine,
        urls=settings.engine_url,
        revision=settings.revision,
        served_name=settings.served_model_name,
        api_key=settings.engine_api_key,
        max_total_tokens=settings.max_total_tokens,
        max_num_sequences=settings.max_concurrent_requests,
        trust_remote_code=settings.trust_remote_code,
        max_unread_bytes=settings.max_unread_bytes,
        timeout_s=settings.engine_timeout,
        start_timeout_s=settings.engine_start_timeout,
        command=tuple(shlex.split(settings.engine_command or "")),
    )


StartEngine: TypeAlias = Callable[[Callable[[str], None]], Awaitable[Engine]]
"""Starts an engine, given a function that is called with lines on the progress."""


def engine_starter(settings: Settings) -> StartEngine:
    """Import the engine that the settings name, which may take seconds, and return what starts it.

    A process over another server's engine imports no torch, then or later.
    """
    if settings.engine != "verbatim":
        from engine.remote.without_torch import hide_torch

        hide_torch()
        from engine.remote.remote_engine import RemoteEngine

        remote = remote_config(settings)
        return lambda on_progress: RemoteEngine.start(remote, on_progress=on_progress)
    from engine.model.loading.without_compiler import leave_out_compiler

    leave_out_compiler()
    from engine.async_engine import AsyncEngine

    own = engine_config(settings)
    return lambda on_progress: AsyncEngine.start(own, on_progress=on_progress)
