"""A model in memory with its linear layers merged, quantized and packed, before it has a cache."""

from collections.abc import Callable
from typing import Final, NamedTuple

import torch

from engine.assembly.model_facts import ModelFacts
from engine.attention.kv_cache.budget import CacheSizes
from engine.config import EngineConfig
from engine.linear.linear_facts import LinearFacts, linear_facts
from engine.linear.merged_linear import merge_linears
from engine.linear.packed_linear import can_pack, convert_float16, pack_linears
from engine.linear.products import choose_products
from engine.linear.rounded.fp8_linear import check_can_round, round_to_fp8
from engine.linear.rounded.quantization import Quantized, check_can_quantize, quantize_linears
from engine.linear.rounded.stored_groups import pack_unread_linears
from engine.linear.stored_linears import DoesNotFit, describe_linears, restore_linears
from engine.linear.unread_linear import put_unread_linears, read_plain_linears
from engine.model.adaptation.adapted_modules import adapt_modules
from engine.model.adaptation.rope_by_row import install_rope_by_row
from engine.model.fallback.runner import FallbackRunner
from engine.model.loading.checkpoint.complete import check_finite
from engine.model.loading.loader import LoadedModel, load_model
from engine.model.loading.planning.plan import choose_device
from engine.model.runner import ModelRunner
from engine.native.cpus import choose_num_threads
from engine.native.obstacles import lacks_library
from engine.port.errors import NoPagedAttention
from engine.port.info.kernels import check_none_is_missing, kernel
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.cache_changes import CacheChanges
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence_states import SequenceStates

_MAX_STEPWISE_TOKENS: Final = 64


class PreparedModel(NamedTuple):
    """A model in memory with its linear layers packed, and the configuration that asks for it.

    paged_obstacle: as in `ModelInfo`, as far as it is known before the model has a cache.
    """

    config: EngineConfig
    loaded: LoadedModel
    linears: LinearFacts
    paged_obstacle: str | None

    @property
    def facts(self) -> ModelFacts:
        """The facts from which the model is described."""
        loaded = self.loaded
        return ModelFacts(
            config=self.config,
            plan=loaded.plan,
            model=loaded.model,
            num_parameters=loaded.num_parameters,
            pooling=loaded.pooling,
            media=frozenset() if loaded.media is None else loaded.media.processor.kinds,
            linears=self.linears,
        )

    def scheduler(
        self,
        sizes: CacheSizes,
        runner: ModelRunner | FallbackRunner,
        states: SequenceStates | None,
        *,
        shares_blocks: bool = True,
    ) -> Scheduler:
        """Return a scheduler of these sizes for this model's runner.

        states, shares_blocks: as of `Scheduler`.
        """
        config, max_tokens = self.config, self.config.max_batch_tokens
        if runner.is_stepwise:  # each token may be a pass of its own, and nothing stops a step
            max_tokens = min(max_tokens, _MAX_STEPWISE_TOKENS)
        return Scheduler(
            BlockPool(sizes.num_blocks, config.block_size, CacheChanges() if config.kv_events else None),
            max_batch_tokens=max_tokens,
            max_num_sequences=sizes.max_num_sequences,
            prefix_caching=config.prefix_caching,
            shares_blocks=shares_blocks,
            states=states,
            original_context=self.loaded.plan.original_context,
            max_media_tokens=config.max_media_tokens
            or (1 if self.loaded.model.device.type == "cpu" else None),
        )


def prepare_model(config: EngineConfig, on_progress: Callable[[str], None]) -> PreparedModel:
    """Load a model, and hasten its linear layers as far as it helps.

    Raises ModelNotSupported where it cannot be served, and KernelsMissing by `config.require_native`.
    """
    check_compiled_code(config)
    torch.set_num_threads(config.num_threads or choose_num_threads())
    loaded = load_model(config, on_progress)
    obstacle = loaded.plan.paged_obstacle
    if obstacle is None:
        try:
            adapt_modules(loaded.model)
        except NoPagedAttention as error:
            obstacle = str(error)
    put_unread_linears(loaded.model, loaded.plan.unread)
    packed = _put_packed_linears(loaded, on_progress)
    quantized = packed.quantized if packed else _hasten_linears(loaded, config.quantize, on_progress)
    if loaded.plan.dtype != torch.float16:
        convert_float16(loaded.model, loaded.plan.dtype)
    if loaded.plan.original_context is not None:
        install_rope_by_row(loaded.model, loaded.plan.original_context)
    products = choose_products(loaded.model, config.bfloat16_products)
    if config.bfloat16_products not in ("auto", products):
        on_progress(
            f"note: no products of bfloat16 are {config.bfloat16_products} here, whatever is asked for"
        )
    num_rounded = {} if quantized is None else quantized.num_layers
    linears = linear_facts(loaded.model, num_rounded, products, quantize=config.quantize)
    return PreparedModel(config, loaded, linears, obstacle)


def check_compiled_code(config: EngineConfig) -> None:
    """Check for the compiled code that a configuration needs, whatever the model.

    Raises KernelsMissing by `config.require_native`, and ModelNotSupported by `config.quantize`.
    """
    device = choose_device(config.device)
    if config.require_native and device.type == "cpu":
        check_none_is_missing([kernel("ranking", lacks_library())])
    if config.quantize == "fp8":
        check_can_round(device)
    elif config.quantize:
        check_can_quantize(config.quantize, device)


class _PackedLinears(NamedTuple):
    """The linear layers that an earlier start packed. quantized: as of `_hasten_linears`."""

    quantized: Quantized | None


def _put_packed_linears(loaded: LoadedModel, on_progress: Callable[[str], None]) -> _PackedLinears | None:
    """Put linear layers of an earlier start in their place, and return what they are; None without any."""
    if loaded.search is None or loaded.packed is None:
        return None
    path, description, tensors = loaded.packed
    try:
        quantized = restore_linears(loaded.model, description, tensors)
    except DoesNotFit as error:
        on_progress(f"{path} does not fit the model, and is removed: {error}")
        loaded.search.forget()
        check_finite(loaded.plan.directory, loaded.model.named_parameters())
        return None
    read_plain_linears(loaded.model)  # those that an earlier start left plain
    on_progress(f"weights of linear layers as packed before, from {path}")
    if quantized is not None:
        _say_quantized(loaded, quantized, on_progress)
    return _PackedLinears(quantized)


def _hasten_linears(
    loaded: LoadedModel, quantize: str | None, on_progress: Callable[[str], None]
) -> Quantized | None:
    """Merge, quantize and pack linear layers as far as it helps.

    Returns the result of quantizing, if asked to. Packed weights are kept for the next start.
    """
    model = loaded.model
    quantized = None
    if model.device.type == "cpu":
        merge_linears(model, lazily=quantize is not None)
    for name, reason in pack_unread_linears(model).items():
        on_progress(f"{name} has a plain weight: {reason}")
    if quantize:
        quantized = round_to_fp8(model) if quantize == "fp8" else quantize_linears(model, quantize)
        _say_quantized(loaded, quantized, on_progress)
    if can_pack(model, loaded.plan.dtype):
        pack_linears(model)
    if loaded.search is not None and (stored := describe_linears(model, quantized)) is not None:
        loaded.search.keep_soon(*stored)
    return quantized


def _say_quantized(loaded: LoadedModel, quantized: Quantized, on_progress: Callable[[str], None]) -> None:
    shares = f"{quantized}, {quantized.num_weights:,} of {loaded.num_parameters:,} weights,"
    on_progress(f"quantized {shares} to {quantized.kinds()}")
    for name, why in quantized.wider.items():
        on_progress(f"{name} {why}")
    for name, difference in quantized.refused.items():
        kind = "fp8" if "fp8" in quantized.num_layers else "int8"
        on_progress(f"{name} stays as it is: in {kind} its outputs differ by {difference:.1%}")
