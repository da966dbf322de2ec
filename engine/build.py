"""Put an engine together: the model, its KV cache, scheduler and sampler."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from transformers import PreTrainedModel

from engine.attention.kv_budget import choose_num_blocks
from engine.attention.kv_geometry import KVGeometry
from engine.attention.kv_pages import KVPages
from engine.attention.native_chunks import chunk_obstacle
from engine.attention.native_decode import decode_obstacle
from engine.attention.paged_backend import PagedBackend
from engine.config import EngineConfig
from engine.core.core import EngineCore
from engine.core.runner import Runner
from engine.fusion.install_fast_path import install_fast_path
from engine.fusion.layer_fusion import fuse_layers
from engine.fusion.layer_stacking import stack_layers
from engine.kernels import Kernel, check_none_is_missing, kernel
from engine.linear.int8_linear import check_can_quantize, quantize_linears
from engine.linear.merged_linear import merge_linears
from engine.linear.packed_linear import can_pack, linear_kernel, pack_linears
from engine.linear.vnni_weight import vnni_obstacle
from engine.model.checks.self_check import check_attention, decoded_logits, paged_logits
from engine.model.geometry_probe import observe_geometry
from engine.model.loading.loader import LoadedModel, choose_device, load_model
from engine.model.runner import ModelRunner
from engine.model_info import ModelInfo
from engine.native.cpus import choose_num_threads
from engine.native.instructions import usable_label
from engine.native.obstacles import find_obstacle, lacks_library
from engine.sampling.sampler import Sampler
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.scheduler import Scheduler
from engine.speculation.ngram_proposer import NgramProposer
from engine.speculation.speculator import Speculator
from engine.text.tokenizer import Tokenizer


class EngineParts(NamedTuple):
    """A loaded model, and the parts from which its core is built."""

    config: EngineConfig
    runner: ModelRunner
    attention: PagedBackend
    scheduler: Scheduler
    tokenizer: Tokenizer
    info: ModelInfo

    def core(self, runner: Runner | None = None, speculator: Speculator | None = None) -> EngineCore:
        """Join the parts, once. runner: takes the place of the model's own, speculator that of `config`."""
        if speculator is None and self.config.max_draft_tokens:
            speculator = Speculator(NgramProposer(), self.config.max_draft_tokens)
        return EngineCore(
            runner or self.runner,
            self.scheduler,
            Sampler(self.tokenizer),
            self.tokenizer,
            cache_tags=(("model", self.info.model_id), ("revision", self.info.revision or "")),
            jump_forward=self.config.jump_forward,
            speculator=speculator,
        )


def build_core(
    config: EngineConfig, on_progress: Callable[[str], None]
) -> tuple[EngineCore, Tokenizer, ModelInfo]:
    """Load the model and size its cache.

    Raises ModelNotSupported where it cannot be served, and KernelsMissing by `config.require_native`.
    """
    parts = build_parts(config, on_progress)
    return parts.core(), parts.tokenizer, parts.info


def build_parts(config: EngineConfig, on_progress: Callable[[str], None]) -> EngineParts:
    """Load the parts of `build_core` without joining them."""
    if config.require_native and choose_device(config.device).type == "cpu":
        check_none_is_missing([kernel("ranking", lacks_library())])  # before the model is loaded
    torch.set_num_threads(config.num_threads or choose_num_threads())
    if config.quantize:
        check_can_quantize(choose_device(config.device))
    loaded = load_model(config, on_progress)
    geometry = observe_geometry(loaded.model)
    num_blocks = choose_num_blocks(config, geometry, loaded.max_total_tokens, loaded.model.device)
    num_int8_layers = _hasten_linears(loaded, config.quantize, on_progress)
    attention = PagedBackend(KVPages(geometry, num_blocks, config.block_size, loaded.model.device))
    scheduler = Scheduler(
        BlockPool(num_blocks, config.block_size),
        max_batch_tokens=config.max_batch_tokens,
        max_num_sequences=config.max_num_sequences,
        prefix_caching=config.prefix_caching,
    )
    runner = ModelRunner(loaded.model, attention)
    check_attention(loaded.model, runner, is_quantized=config.quantize is not None)
    kernels = tuple(_install_kernels(loaded.model, runner, geometry.dtype, config.quantize))
    if config.require_native:
        check_none_is_missing(kernels)
    info = _describe(
        config,
        loaded,
        geometry,
        num_blocks,
        hidden_size=runner.hidden_states.shape[1],
        num_int8_layers=num_int8_layers,
        kernels=kernels,
    )
    return EngineParts(config, runner, attention, scheduler, loaded.tokenizer, info)


def _hasten_linears(loaded: LoadedModel, quantize: str | None, on_progress: Callable[[str], None]) -> int:
    """Merge, quantize and pack linear layers as far as it helps; return the number of those with 8 bits."""
    model = loaded.model
    num_int8_layers = 0
    if model.device.type == "cpu":
        merge_linears(model)
    if quantize:
        quantized = quantize_linears(model)
        num_int8_layers = quantized.num_layers
        shares = f"{quantized}, {quantized.num_weights:,} of {loaded.num_parameters:,} weights,"
        on_progress(f"quantized {shares} to {quantize}")
        for name, difference in quantized.refused.items():
            on_progress(f"{name} stays as it is: in {quantize} its outputs differ by {difference:.1%}")
    if can_pack(model):
        pack_linears(model)
    return num_int8_layers


def _install_kernels(
    model: PreTrainedModel, runner: ModelRunner, kv_dtype: torch.dtype, quantize: str | None
) -> Iterator[Kernel]:
    """Replace layers and passes by compiled code, and report on all compiled code that the model can use."""
    yield kernel("decode_attention", decode_obstacle(model.device, kv_dtype))
    yield kernel("chunk_attention", chunk_obstacle(model.device, kv_dtype))
    yield linear_kernel(model)
    if quantize:
        yield kernel("int8", vnni_obstacle())
    # Each of these needs the result of the one before it.
    yield fuse_layers(model, lambda: paged_logits(runner), is_quantized=quantize is not None)
    yield stack_layers(model, lambda: decoded_logits(runner))
    yield install_fast_path(model, runner, lambda: decoded_logits(runner))
    yield kernel("ranking", find_obstacle(model.device, model.dtype))


def _describe(
    config: EngineConfig,
    loaded: LoadedModel,
    geometry: KVGeometry,
    num_blocks: int,
    *,
    hidden_size: int,
    num_int8_layers: int,
    kernels: tuple[Kernel, ...],
) -> ModelInfo:
    model = loaded.model
    return ModelInfo(
        model_id=config.model,
        revision=loaded.revision,
        architecture=type(model).__name__,
        dtype=str(model.dtype).removeprefix("torch."),
        device=str(model.device),
        num_parameters=loaded.num_parameters,
        max_total_tokens=min(loaded.max_total_tokens, num_blocks * config.block_size),
        vocab_size=loaded.vocab_size,
        hidden_size=hidden_size,
        pooling=loaded.pooling,
        quantization=config.quantize,
        num_int8_layers=num_int8_layers,
        kernels=kernels,
        instructions=usable_label() if model.device.type == "cpu" else None,
        num_blocks=num_blocks,
        block_size=config.block_size,
        kv_cache_bytes=num_blocks * geometry.block_bytes(config.block_size),
        max_draft_tokens=config.max_draft_tokens,
        max_batch_tokens=config.max_batch_tokens,
        max_num_sequences=config.max_num_sequences,
    )
