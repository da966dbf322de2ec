"""The description of a model, for an engine that has loaded it and for a dry run alike."""

from collections.abc import Mapping
from typing import Final

from transformers import PreTrainedModel

from engine.attention.kv_cache.budget import CacheSizes
from engine.attention.kv_cache.geometry import KVGeometry
from engine.config import INT4_GROUPS, EngineConfig
from engine.model.loading.checkpoint.generation_config import read_recommended_sampling
from engine.model.loading.memory import stored_bytes
from engine.model.loading.planning.plan import PlannedModel
from engine.native.instructions import usable_label
from engine.port.info.kernels import Kernel
from engine.port.info.model_info import ModelInfo
from engine.port.request import MediaKind, Pooling
from engine.state.probe import has_recurrent_layers

# Said where drafts are asked for, of a model with recurrent layers.
NO_DRAFTS: Final = "no tokens are drafted: a recurrent state cannot be taken back"


def describe_model(
    config: EngineConfig,
    plan: PlannedModel,
    model: PreTrainedModel,
    geometry: KVGeometry,
    sizes: CacheSizes,
    *,
    num_parameters: int,
    hidden_size: int,
    pooling: Pooling | None,
    num_rounded_layers: Mapping[str, int],
    stored_layers: Mapping[int, int],
    linear_dtype: str | None,
    bfloat16_products: str | None,
    kernels: tuple[Kernel, ...],
    paged_obstacle: str | None = None,
    media: frozenset[MediaKind] = frozenset(),
) -> ModelInfo:
    """Return the description of a model. The arguments by name are those fields of `ModelInfo`.
    num_rounded_layers: by the name of their rounding.

    model: may have no data. geometry: without layers where none attends over pages. sizes: of a dry run,
    without blocks where memory for them is missing.
    """
    takes_back = paged_obstacle is None and not has_recurrent_layers(model)
    num_cached = sizes.num_blocks * config.block_size
    return ModelInfo(
        model_id=config.model,
        revision=plan.revision,
        architecture=type(model).__name__,
        dtype=str(geometry.dtype).removeprefix("torch."),
        device=str(plan.device),
        num_parameters=num_parameters,
        max_total_tokens=min(plan.max_total_tokens, num_cached or plan.max_total_tokens),
        vocab_size=plan.vocab_size,
        hidden_size=hidden_size,
        pooling=pooling,
        quantization=config.quantize,
        num_int8_layers=num_rounded_layers.get("int8", 0),
        num_int4_layers=sum(num_rounded_layers.get(name, 0) for name in INT4_GROUPS),
        stored_layers=dict(stored_layers),
        linear_dtype=linear_dtype,
        bfloat16_products=bfloat16_products,
        kernels=kernels,
        instructions=usable_label() if plan.device.type == "cpu" else None,
        num_blocks=sizes.num_blocks,
        block_size=config.block_size,
        kv_cache_bytes=sizes.kv_bytes,
        num_state_slots=sizes.num_state_slots,
        state_bytes=sizes.state_bytes,
        max_draft_tokens=config.max_draft_tokens if takes_back else 0,
        max_batch_tokens=config.max_batch_tokens,
        max_num_sequences=sizes.max_num_sequences,
        weight_bytes=plan.weight_bytes,
        stored_format=None if plan.quantized is None else plan.quantized.label,
        stored_bytes=0 if plan.quantized is None else stored_bytes(plan.quantized.stored),
        attention=geometry.in_words(),
        paged_obstacle=paged_obstacle,
        media=media,
        speech=plan.speech,
        recommended_sampling=read_recommended_sampling(plan.directory),
    )
