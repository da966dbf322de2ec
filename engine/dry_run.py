"""A description of the engine that would start, from configuration and headers of weights alone."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import torch
from transformers import PreTrainedModel

from engine.attention.kv_cache.budget import CacheSizes, choose_cache_sizes
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.native_chunks import chunk_obstacle
from engine.attention.native_decode import decode_obstacle
from engine.config import EngineConfig
from engine.fusion.layer_fusion import expected_fusion
from engine.linear.merged_linear import Mergeable, find_mergeable
from engine.linear.packed_linear import NO_PLAIN_LINEARS, linear_obstacle
from engine.linear.panel_linear import Bfloat16Products
from engine.linear.plain_linear import is_plain
from engine.linear.products import products_of
from engine.linear.rounded.quantization import check_can_quantize, expected_num_layers
from engine.linear.rounded.stored_groups import expected_stored_layers
from engine.linear.unread_linear import UnreadLinear, put_unread_linears
from engine.model.adaptation.adapted_modules import adapt_modules
from engine.model.description import NO_DRAFTS, describe_model
from engine.model.fallback.kernels import fallback_kernels
from engine.model.fallback.own_cache import CachedModel
from engine.model.fallback.trial import cannot_fall_back, observe_cost
from engine.model.geometry_probe import observe_geometry
from engine.model.hidden_states import HiddenStates
from engine.model.loading.checkpoint.stored_tensors import read_headers
from engine.model.loading.fetching import fetch_descriptions, fetch_headers
from engine.model.loading.loader import keeps_float16, media_processor, read_tokenizer
from engine.model.loading.memory import check_room
from engine.model.loading.planning.context import context_note
from engine.model.loading.planning.plan import PlannedModel, choose_device, plan_model
from engine.model.loading.pooling_config import find_own_pooling
from engine.model.loading.refusals import NeedsWeights
from engine.model.loading.without_weights import model_without_weights
from engine.native.obstacles import lacks_library
from engine.port.errors import EngineError, ModelNotSupported, NoPagedAttention
from engine.port.info.kernels import Kernel, check_none_is_missing, kernel, quantized_kernels
from engine.port.info.model_info import ModelInfo
from engine.port.text.tokenizer import Tokenizer
from engine.state.probe import has_recurrent_layers, observe_states


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a dry run.

    refusal: why the engine would not start, in the words that it would use; None if it would.
    info: the model as the engine would describe it, its memory by what is free now; None if too little is
    known. kernels are those that would be tried: each is compared with what it replaces once weights are
    there. notes: what will not be used or is not known, a sentence without its end each.
    """

    refusal: str | None
    info: ModelInfo | None
    notes: tuple[str, ...]
    tokenizer: Tokenizer | None


def dry_run(config: EngineConfig, on_progress: Callable[[str], None]) -> DryRun:
    """Find out whether an engine of this configuration would start, without reading the model's weights.

    A model on the hub is described by its small files and the headers of its weights, which are fetched.
    What depends on contents is not found: weights that are not finite, or results that differ.
    """
    notes: list[str] = []
    tokenizer = None
    try:
        device = choose_device(config.device)
        if config.require_native and device.type == "cpu":
            check_none_is_missing([kernel("ranking", lacks_library())])
        if config.quantize:
            check_can_quantize(config.quantize, device)
        plan = _plan(config, on_progress)
        room = _refusal(lambda: check_room(plan.directory, plan.weight_bytes, plan.device))
        try:
            model = model_without_weights(
                plan.directory,
                plan.config,
                plan.dtype,
                plan.tensors or {},
                config,
                notes.append,
                attends_paged=plan.paged_obstacle is None,
            )
        except NeedsWeights as error:
            notes.append(f"not known without its weights: {error}")
            return DryRun(refusal=room, info=None, notes=tuple(notes), tokenizer=read_tokenizer(plan, config))
        tokenizer = read_tokenizer(plan, config)
        info, lack = _describe(config, plan, model, notes)
        processor = media_processor(plan, config, tokenizer, lambda line: notes.append(_without_mark(line)))
        if processor is not None and info.paged_obstacle is None:
            info = msgspec.structs.replace(info, media=processor.kinds)
        if config.require_native:
            check_none_is_missing(info.kernels)
    except EngineError as error:
        return DryRun(refusal=str(error), info=None, notes=tuple(notes), tokenizer=tokenizer)
    return DryRun(refusal=room or lack, info=info, notes=tuple(notes), tokenizer=tokenizer)


def _without_mark(line: str) -> str:
    """Return a line of the progress as a note."""
    return line.removeprefix("note: ")


def _plan(config: EngineConfig, on_progress: Callable[[str], None]) -> PlannedModel:
    found = fetch_descriptions(config, on_progress)
    if found.revision is None:
        return plan_model(found, config)
    try:
        tensors = read_headers(found.path)
    except ModelNotSupported:  # not all of it is on this machine
        tensors = None
    return plan_model(found, config, fetch_headers(config) if tensors is None else tensors)


def _refusal(check: Callable[[], None]) -> str | None:
    try:
        check()
    except ModelNotSupported as error:
        return str(error)
    return None


def _describe(
    config: EngineConfig, plan: PlannedModel, model: PreTrainedModel, notes: list[str]
) -> tuple[ModelInfo, str | None]:
    """Return the model as the engine would describe it, and the refusal for want of memory, if any."""
    text_config = plan.config.get_text_config()
    if note := context_note(text_config, plan.max_total_tokens):
        notes.append(note)
    num_parameters = model.num_parameters()
    put_unread_linears(model, plan.unread)
    shapes = _observe(plan, model, config.block_size)
    mergeable: Mergeable = {}
    if shapes is None:
        notes.append("its layers were not tried, which needs its weights: the cache is as config.json says")
        shapes = _configured_shapes(plan, model.dtype, config.block_size)
    elif shapes.paged_obstacle is None:
        mergeable = find_mergeable(model, lambda: observe_geometry(model))
    geometry = shapes.geometry
    lack = None
    try:
        sizes = choose_cache_sizes(
            config,
            shapes.block_bytes,
            shapes.slot_bytes,
            plan.max_total_tokens,
            plan.device,
            reserved_bytes=plan.weight_bytes,
            keeps_snapshots=shapes.paged_obstacle is None,
        )
    except ModelNotSupported as error:
        sizes, lack = CacheSizes(0, 0, 0, 0, config.max_num_sequences), str(error)
    if config.max_draft_tokens and shapes.paged_obstacle is None and has_recurrent_layers(model):
        notes.append(NO_DRAFTS)
    info = describe_model(
        config,
        plan,
        model,
        geometry,
        sizes,
        num_parameters=num_parameters,
        hidden_size=shapes.hidden_size,
        pooling=find_own_pooling(plan.directory, notes.append),
        num_rounded_layers=expected_num_layers(model, mergeable, config.quantize) if config.quantize else {},
        stored_layers=expected_stored_layers(model, mergeable),
        linear_dtype="float16" if keeps_float16(plan, config) and _has_plain_linears(model) else None,
        bfloat16_products=_expected_products(config, plan) if _has_plain_linears(model) else None,
        kernels=_expected_kernels(config, plan, model, shapes, mergeable),
        paged_obstacle=shapes.paged_obstacle,
    )
    return info, lack


class _Shapes(NamedTuple):
    """The shapes of what a model keeps of a sequence, and of a hidden state.

    block_bytes: of the keys and values of a block. slot_bytes: of a sequence's recurrent state; None without
    such layers. paged_obstacle: as of `PlannedModel`; geometry has no layers then.
    """

    geometry: KVGeometry
    block_bytes: int
    slot_bytes: int | None
    hidden_size: int
    paged_obstacle: str | None


def _observe(plan: PlannedModel, model: PreTrainedModel, block_size: int) -> _Shapes | None:
    """Return what a pass of a few tokens shows; None if the model looks at data.

    Raises ModelNotSupported if the model can neither attend over pages nor run on the fallback path.
    """
    # Experts are chosen without looking at which tokens chose them, so that no data is needed.
    model.set_experts_implementation("batched_mm")
    obstacle = plan.paged_obstacle
    try:
        if obstacle is None:
            try:
                adapt_modules(model)
                return _on_pages(model, block_size)
            except NoPagedAttention as error:
                if _wants_data(error.__cause__):
                    return None
                obstacle = str(error)
        return _on_fallback(model, block_size, obstacle)
    except ModelNotSupported as error:
        if obstacle is None:
            raise
        raise ModelNotSupported(cannot_fall_back(obstacle, error)) from error
    except Exception:  # modelling code raises all kinds, for want of data or for a chunk
        return None


def _on_pages(model: PreTrainedModel, block_size: int) -> _Shapes:
    states = HiddenStates(model)
    geometry = observe_geometry(model)
    slot_bytes = observe_states(model).geometry.slot_bytes if has_recurrent_layers(model) else None
    return _Shapes(geometry, geometry.block_bytes(block_size), slot_bytes, states.rows.shape[-1], None)


def _on_fallback(model: PreTrainedModel, block_size: int, obstacle: str) -> _Shapes:
    states = HiddenStates(model)
    cost = observe_cost(CachedModel(model)).with_audio_of(model)
    return _Shapes(
        KVGeometry((), model.dtype),
        cost.token_bytes * block_size,
        cost.sequence_bytes or None,
        states.rows.shape[-1],
        obstacle,
    )


def _wants_data(error: BaseException | None) -> bool:
    """Return whether an exception is one of torch's about tensors without data."""
    return isinstance(error, NotImplementedError | RuntimeError) and "meta" in str(error).lower()


def _configured_shapes(plan: PlannedModel, dtype: torch.dtype, block_size: int) -> _Shapes:
    config = plan.config.get_text_config()
    num_heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    layers = (LayerGeometry(index, num_heads, dim, dim) for index in range(config.num_hidden_layers))
    geometry = KVGeometry(tuple(layers), dtype)
    shown = geometry if plan.paged_obstacle is None else KVGeometry((), dtype)
    block_bytes = geometry.block_bytes(block_size)
    return _Shapes(shown, block_bytes, None, config.hidden_size, plan.paged_obstacle)


def _has_plain_linears(model: PreTrainedModel) -> bool:
    """Return whether any linear layer's weight is plain once it is read."""
    return any(is_plain(module) for module in model.modules())


def _expected_products(config: EngineConfig, plan: PlannedModel) -> Bfloat16Products | None:
    """Return how linear layers of bfloat16 would be multiplied; None where there are none, or no choice."""
    if config.quantize or linear_obstacle(plan.device, plan.dtype) or keeps_float16(plan, config):
        return None
    return products_of(config.bfloat16_products)


def _expected_kernels(
    config: EngineConfig, plan: PlannedModel, model: PreTrainedModel, shapes: _Shapes, mergeable: Mergeable
) -> tuple[Kernel, ...]:
    """Return the compiled code that would be tried. mergeable: as of `find_mergeable`."""
    device, dtype = plan.device, plan.dtype
    has_plain_linears = _has_plain_linears(model)
    has_stored_layers = any(isinstance(module, UnreadLinear) for module in model.modules())
    linear = kernel("linear", linear_obstacle(device, dtype) if has_plain_linears else NO_PLAIN_LINEARS)
    if shapes.paged_obstacle is not None:
        return tuple(
            fallback_kernels(
                device, dtype, linear, quantize=config.quantize, has_stored_layers=has_stored_layers
            )
        )
    return (
        kernel("decode_attention", decode_obstacle(device, shapes.geometry.dtype)),
        kernel("chunk_attention", chunk_obstacle(device, shapes.geometry.dtype)),
        linear,
        *quantized_kernels(config.quantize, lacks_library(), has_stored_layers=has_stored_layers),
        expected_fusion(model, device, mergeable),
        kernel("ranking", decode_obstacle(device, dtype)),
    )
