"""The facts from which a model is described, by an engine that has loaded it and by a dry run alike."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from transformers import PreTrainedModel

from engine.assembly.sequence_memory import SequenceMemory
from engine.attention.kv_cache.budget import CacheSizes
from engine.config import INT4_GROUPS, EngineConfig
from engine.linear.linear_facts import LinearFacts
from engine.model.loading.checkpoint.json_files import json_object
from engine.model.loading.memory import stored_bytes
from engine.model.loading.planning.plan import PlannedModel
from engine.native.instructions import usable_label
from engine.port.info.kernels import Kernel
from engine.port.info.model_info import ModelInfo
from engine.port.request import MediaKind, Pooling
from engine.state.probe import has_recurrent_layers

_SAMPLING: Final = (
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "repetition_penalty",
)


def read_recommended_sampling(directory: Path) -> dict[str, float]:
    """Return the sampling parameters that the file sets, by name; {} without a file.

    Raises ModelNotSupported for a file that holds no JSON object.
    """
    path = directory / "generation_config.json"
    found = json_object(path) if path.is_file() else {}
    return {name: found[name] for name in _SAMPLING if isinstance(found.get(name), int | float)}


# Said where drafts are asked for, of a model with recurrent layers.
NO_DRAFTS: Final = "no tokens are drafted: a recurrent state cannot be taken back"


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """The facts about a model before it has a cache.

    model: may have no data. num_parameters, pooling: as of `ModelInfo`. media: the kinds of files that can be
    read for it.
    """

    config: EngineConfig
    plan: PlannedModel
    model: PreTrainedModel
    num_parameters: int
    pooling: Pooling | None
    media: frozenset[MediaKind]
    linears: LinearFacts

    def describe(
        self, memory: SequenceMemory, sizes: CacheSizes, hidden_size: int, kernels: tuple[Kernel, ...]
    ) -> ModelInfo:
        """Return the description of the model with its cache.

        sizes: of the memory; those of a dry run are without blocks where there is no room for them.
        hidden_size, kernels: as of `ModelInfo`.
        """
        config, plan, linears = self.config, self.plan, self.linears
        is_paged = memory.paged_obstacle is None
        num_cached = sizes.num_blocks * config.block_size
        takes_back = is_paged and not has_recurrent_layers(self.model)
        return ModelInfo(
            model_id=config.model,
            revision=plan.revision,
            architecture=type(self.model).__name__,
            dtype=str(memory.geometry.dtype).removeprefix("torch."),
            device=str(plan.device),
            num_parameters=self.num_parameters,
            max_total_tokens=min(plan.max_total_tokens, num_cached or plan.max_total_tokens),
            vocab_size=plan.vocab_size,
            hidden_size=hidden_size,
            pooling=self.pooling,
            quantization=config.quantize,
            num_int8_layers=sum(linears.num_rounded.get(name, 0) for name in ("int8", "fp8")),
            num_int4_layers=sum(linears.num_rounded.get(name, 0) for name in INT4_GROUPS),
            stored_layers=dict(linears.num_stored),
            linear_dtype=linears.dtype,
            bfloat16_products=linears.products,
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
            attention=memory.geometry.in_words(),
            paged_obstacle=memory.paged_obstacle,
            media=self.media if is_paged else frozenset(),  # the fallback path reads only text
            speech=plan.speech,
            recommended_sampling=read_recommended_sampling(plan.directory),
        )
