"""A model as its weights would be loaded, but without their contents: the headers of its files suffice.

transformers itself maps stored tensors to the model's, renames and converts them; here they are tensors
without data (on torch's meta device), of the shapes and types that the headers state. So what is missing,
surplus or of another shape is found in seconds, whatever the size of the model.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.modeling_utils import LoadStateDictConfig
from transformers.quantizers.auto import get_hf_quantizer

from engine.attention.paged_attention import ATTENTION_NAME, EAGER
from engine.config import EngineConfig
from engine.model.loading.checkpoint.complete import check_complete
from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.gguf.description import is_described
from engine.model.loading.gguf.model_tensors import sources_of
from engine.model.loading.progress import progress_lines
from engine.model.loading.refusals import CannotConvert, NeedsWeights, refusals, silent
from engine.model.loading.text_part import new_model
from engine.model.loading.weights import ReadModel

_META: Final = torch.device("meta")
_DTYPES: Final[Mapping[str, torch.dtype]] = {
    "BOOL": torch.bool,
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E8M0": torch.float8_e8m0fnu,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
}


def model_without_weights(
    directory: Path,
    model_config: PreTrainedConfig,
    dtype: torch.dtype,
    tensors: Mapping[str, StoredTensor],
    config: EngineConfig,
    on_progress: Callable[[str], None],
    *,
    attends_paged: bool,
    keeps_media: bool = False,
) -> ReadModel:
    """Return the model without data, after the checks that `read_weights` makes, but for those of contents.

    attends_paged, keeps_media: as of `read_weights`.
    Raises ModelNotSupported as `read_weights` does, and NeedsWeights for a checkpoint whose conversion
    depends on the data, as that of some quantized ones.
    """
    if is_described(directory):
        sources = sources_of(directory, model_config)
        tensors = {name: StoredTensor("F16", source.shape) for name, source in sources.items()}
    with refusals(directory), progress_lines(lambda _: None), silent():
        model, found = _mapped(
            directory,
            model_config,
            dtype,
            tensors,
            config,
            attends_paged=attends_paged,
            keeps_media=keeps_media,
        )
    check_complete(directory, model, found, on_progress)
    return ReadModel.of(model, keeps_media=keeps_media)


def _mapped(
    directory: Path,
    model_config: PreTrainedConfig,
    dtype: torch.dtype,
    tensors: Mapping[str, StoredTensor],
    config: EngineConfig,
    *,
    attends_paged: bool,
    keeps_media: bool,
) -> tuple[PreTrainedModel, dict[str, Any]]:
    """Return the model and transformers' loading info, by the steps of its `from_pretrained`."""
    find_quantizer: Any = get_hf_quantizer  # transformers does not annotate it
    quantizer, model_config, _ = find_quantizer(deepcopy(model_config), None, None, True, {})
    with _META:
        model: Any = new_model(
            model_config,
            dtype=dtype,
            attn_implementation=ATTENTION_NAME if attends_paged else EAGER,
            trust_remote_code=config.trust_remote_code,
            keeps_media=keeps_media,
        )
    if quantizer is not None:
        quantizer.preprocess_model(
            model=model, dtype=dtype, device_map=None, checkpoint_files=[], use_kernels=False
        )
    conversions: Any = get_model_conversion_mapping(model, None, quantizer)  # annotated more widely
    load_config = LoadStateDictConfig(
        pretrained_model_name_or_path=str(directory),
        ignore_mismatched_sizes=True,
        device_map={"": _META},
        dtype=dtype,
        dtype_plan=model._get_dtype_plan(dtype),
        hf_quantizer=quantizer,
        weight_mapping=conversions,
    )
    state = {name: _without_data(tensor) for name, tensor in tensors.items()}
    try:
        found, _ = type(model)._load_pretrained_model(model, state, None, load_config)
    except Exception as error:
        if quantizer is None:
            raise
        raise NeedsWeights("how its quantized weights are converted") from error
    model.mark_tied_weights_as_initialized(found)
    model.tie_weights(missing_keys=found.missing_keys, recompute_mapping=False)
    model._adjust_missing_and_unexpected_keys(found)
    if found.conversion_errors:
        raise CannotConvert
    if model.can_generate() and hasattr(model, "adjust_generation_fn"):
        files = {"cache_dir": None, "force_download": False, "proxies": None, "local_files_only": True}
        model.adjust_generation_fn(
            None,
            True,
            None,
            directory,
            **files,
            token=None,
            revision=None,
            subfolder="",
            trust_remote_code=config.trust_remote_code,
        )
    return model.eval(), found.to_dict()


def _without_data(tensor: StoredTensor) -> Tensor:
    return torch.empty(tensor.shape, dtype=_DTYPES.get(tensor.dtype, torch.uint8), device=_META)
