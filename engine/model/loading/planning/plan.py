"""The plan of a model, by its configuration and the headers of its weights, before these are read."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from huggingface_hub.errors import StrictDataclassError
from transformers import AutoConfig, PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from engine.config import EngineConfig
from engine.model.loading.checkpoint.complete import check_plausible
from engine.model.loading.checkpoint.config_numbers import check_config, check_layers
from engine.model.loading.checkpoint.described_files import check_described_files
from engine.model.loading.checkpoint.end_tokens import NamedEnds, read_end_token_ids
from engine.model.loading.checkpoint.formats import check_dtypes, check_files
from engine.model.loading.checkpoint.json_files import json_object
from engine.model.loading.checkpoint.stored_tensors import StoredTensor, read_headers
from engine.model.loading.fetching import ModelDirectory
from engine.model.loading.gguf.description import is_described
from engine.model.loading.gguf.model_tensors import unread_groups
from engine.model.loading.linear_share import is_mostly_linear
from engine.model.loading.memory import memory_of
from engine.model.loading.planning.context import choose_max_total_tokens, original_context
from engine.model.loading.quantized.checkpoint import QuantizedCheckpoint
from engine.model.loading.quantized.formats.known_formats import find_format
from engine.model.loading.quantized.quantized_weight import Format
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.model.loading.text_part import is_readable, serving_class
from engine.model.loading.unread_linears import UnreadLinears, unread_linears
from engine.native.bfloat16 import has_compiled_bfloat16, has_fast_bfloat16
from engine.native.obstacles import lacks_library
from engine.port.errors import ModelNotSupported, one_line
from engine.port.info.speech_info import SPEECH_MODEL_TYPES, SpeechInfo
from engine.speech.description import describe_speech, transcribes
from engine.weights.unread_weight import UnreadWeight

# The types of layers whose mask paged attention knows, that keep a recurrent state, or that do neither. A
# class may support the interface and have others too.
_RECURRENT_LAYER_TYPES = {"linear_attention", "conv", "hybrid"}
_ATTENTION_LAYER_TYPES = {"full_attention", "sliding_attention", "chunked_attention", "indexed_attention"}
# The words of safetensors for the types that a config.json gives to plain weights.
_WORDS = {torch.float16: "F16", torch.bfloat16: "BF16"}
# The types of models that also speak, and the part of their configuration for what reads and writes text.
_SPEAKING_TYPES = {"qwen2_5_omni": "thinker_config"}
_SUPPORTED_LAYER_TYPES = _RECURRENT_LAYER_TYPES | _ATTENTION_LAYER_TYPES | {"mlp", "moe"}


class _Description(NamedTuple):
    """A model's configuration, and the headers of its weights. The fields are those of `PlannedModel`.

    raw: config.json.
    """

    raw: dict[str, Any]
    config: PreTrainedConfig
    tensors: Mapping[str, StoredTensor] | None
    quantized: QuantizedCheckpoint | None
    paged_obstacle: str | None


class PlannedModel(NamedTuple):
    """A model as its configuration and the headers of its weights describe it.

    config: transformers' configuration. tensors: the stored ones by name, or the plain ones that quantized
    ones become; None if nothing lists them. quantized: the checkpoint, if it is.
    dtype, device: of the model in memory. weight_bytes: memory of the weights as they are loaded, in bytes.
    max_total_tokens: the context length, or less if the engine's config says so. vocab_size: of the head.
    ends: the end tokens that its configurations name. original_context: as of that function.
    unread: by name, weights of linear layers that stay in groups of integers, and are not read with the
    others. all_unread: whether no linear layer has another weight.
    paged_obstacle: why it cannot attend over pages, as far as its class and configuration say; None if
    nothing speaks against it. speech: the facts about a model that transcribes; None for others.
    """

    directory: Path
    revision: str | None
    config: PreTrainedConfig
    tensors: Mapping[str, StoredTensor] | None
    quantized: QuantizedCheckpoint | None
    device: torch.device
    dtype: torch.dtype
    weight_bytes: int
    vocab_size: int
    max_total_tokens: int
    ends: NamedEnds
    original_context: int | None
    unread: Mapping[str, UnreadWeight]
    all_unread: bool
    paged_obstacle: str | None
    speech: SpeechInfo | None


def plan_model(
    found: ModelDirectory, config: EngineConfig, tensors: Mapping[str, StoredTensor] | None = None
) -> PlannedModel:
    """Return what is known of a model before its weights are read.

    tensors: the headers of weights that are not in the directory. Raises ModelNotSupported if the model
    cannot be served, as far as its configuration and these headers say.
    """
    described = _read_description(found.path, config, tensors)
    text_config = described.config.get_text_config()
    device = choose_device(config.device)
    dtype = _choose_dtype(config.dtype, described.config, device)
    unread = _find_unread(found.path, described, config, device)
    vocab_size = text_config.vocab_size
    return PlannedModel(
        found.path,
        found.revision,
        described.config,
        described.tensors,
        described.quantized,
        device,
        dtype,
        memory_of(described.tensors, dtype, unread),
        vocab_size,
        choose_max_total_tokens(config, text_config),
        read_end_token_ids(found.path, described.raw, getattr(text_config, "eos_token_id", None), vocab_size),
        original_context(text_config),
        unread.weights,
        unread.are_all,
        described.paged_obstacle,
        describe_speech(found.path, described.config) if transcribes(described.config) else None,
    )


def _read_description(
    directory: Path, config: EngineConfig, tensors: Mapping[str, StoredTensor] | None
) -> _Description:
    """Return the description of a model that can be served as far as it says. Raises ModelNotSupported."""
    raw = json_object(directory / "config.json")
    format = find_format(directory, raw)
    model_config = _parse_config(directory, raw, config)
    paged_obstacle = _find_paged_obstacle(model_config, directory)
    text_config = model_config.get_text_config()
    check_config(directory, text_config)
    are_here = False
    if tensors is None:
        check_files(directory)
        tensors = read_headers(directory)
        are_here = True
    quantized = None
    if format is not None:
        quantized = _unpacked(directory, format, model_config, tensors or {}, are_here=are_here)
        tensors = quantized.tensors
    if tensors is not None:
        check_dtypes(directory, tensors)
        check_plausible(directory, text_config, tensors)
    return _Description(raw, model_config, tensors, quantized, paged_obstacle)


def _unpacked(
    directory: Path,
    format: Format,
    model_config: PreTrainedConfig,
    tensors: Mapping[str, StoredTensor],
    *,
    are_here: bool,
) -> QuantizedCheckpoint:
    """Return a quantized checkpoint, of which transformers is to see only the plain weights.

    model_config: loses what it says of the quantization. are_here: whether the weights are in the directory.
    """
    text_config = model_config.get_text_config()
    for part in (model_config, text_config):
        if hasattr(part, "quantization_config"):
            del part.quantization_config
    files = TensorFiles(directory) if are_here else None
    if files is not None and not files:
        raise ModelNotSupported(
            f"the weights in {directory} are quantized ({format.label}) and in PyTorch's own files; such are "
            "unpacked from safetensors only"
        )
    stored: Any = text_config.dtype  # which may be a name that torch does not have
    return QuantizedCheckpoint(directory, format, tensors, files, _WORDS.get(stored, "F32"))


def _find_unread(
    directory: Path, described: _Description, config: EngineConfig, device: torch.device
) -> UnreadLinears:
    """Return the weights of linear layers that stay in groups of integers."""
    keeps_groups = config.dtype == "auto" and config.quantize != "int8"
    if not keeps_groups or device.type != "cpu" or lacks_library():
        return UnreadLinears({}, 0)
    found: Mapping[str, UnreadWeight] = {}
    if described.quantized is not None:
        found = described.quantized.unread_groups()
    elif is_described(directory):
        found = unread_groups(directory, described.config)
    return unread_linears(found, described.config)


def _parse_config(directory: Path, raw: dict[str, Any], config: EngineConfig) -> PreTrainedConfig:
    """Return the model's configuration. raw: config.json."""
    place, model_type = directory / "config.json", raw.get("model_type")
    own_code = "auto_map" in raw
    if not own_code and (not isinstance(model_type, str) or not model_type):
        raise ModelNotSupported(f"{place} must name a model_type, and names {model_type!r}")
    if not own_code and model_type not in CONFIG_MAPPING:
        raise ModelNotSupported(
            f"{place} names the model_type `{model_type}`, which transformers {transformers.__version__} "
            "does not know; a newer release of it may"
        )
    check_layers(directory, raw)
    try:
        found = AutoConfig.from_pretrained(directory, trust_remote_code=config.trust_remote_code)
    except StrictDataclassError as error:
        lines = str(error).split("\n")
        raise ModelNotSupported(f"{place} describes no model: {' '.join(lines[-1].split())}") from error
    except Exception as error:  # whatever the checks of a model's configuration raise
        raise ModelNotSupported(f"{place} describes no model: {one_line(error)}") from error
    check_described_files(directory)
    if not isinstance(found, PreTrainedConfig):
        raise ModelNotSupported(f"{directory} holds a {type(found).__name__}, which describes no model")
    if (part := _SPEAKING_TYPES.get(found.model_type)) is not None:
        thinker: PreTrainedConfig = getattr(found, part)
        thinker.dtype = thinker.dtype or found.dtype
        found = thinker
    if found.model_type == "paligemma":
        # The whole model lets prompts with images see themselves, as their media do here; its layers do not.
        text: Any = found.get_text_config()
        text.use_bidirectional_attention = False
    return found


def _find_paged_obstacle(model_config: PreTrainedConfig, directory: Path) -> str | None:
    """Return why a model cannot attend over pages; None if nothing is known that speaks against it.

    Raises ModelNotSupported for what is no decoder of text.
    """
    name = f"{directory.name} ({model_config.model_type})"
    if transcribes(model_config):
        return f"{name} attends to a sound besides its own tokens"
    if model_config.is_encoder_decoder:
        raise ModelNotSupported(
            f"{name} is an encoder-decoder; of these only models that transcribe are served "
            f"({', '.join(SPEECH_MODEL_TYPES)})"
        )
    model_class: Any = serving_class(model_config)
    if "auto_map" not in model_config.to_dict():
        if model_class is None:
            raise ModelNotSupported(f"{name} is not a causal language model")
        if not is_readable(model_config):
            raise ModelNotSupported(
                f"{name} reads more than text, in a way that is not known here, and transformers does not "
                "read only its text"
            )
    layer_types = set(getattr(model_config.get_text_config(), "layer_types", None) or ())
    if unknown := layer_types - _SUPPORTED_LAYER_TYPES:
        return f"{name} has layers of {', '.join(sorted(unknown))}, which paged attention lacks"
    # transformers' flag is not set for all classes that go through the interface, and Mamba does not attend.
    if model_class is None or model_class.is_backend_compatible() or layer_types & _RECURRENT_LAYER_TYPES:
        return None
    if not model_class._can_set_attn_implementation() or _has_table_of_attention(model_class):
        return f"{model_class.__name__} does not support transformers' attention interface"
    return None


def _has_table_of_attention(model_class: type) -> bool:
    """Return whether attention is chosen by a table in the class's module, as in transformers' older code.

    GIT has one in addition to an encoder that does go through the interface.
    """
    return any(name.endswith("_ATTENTION_CLASSES") for name in vars(sys.modules[model_class.__module__]))


def choose_device(name: str) -> torch.device:
    """Return the device that EngineConfig's `device` names. Raises ModelNotSupported for a missing GPU."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device(name)
    num_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cuda" and (device.index or 0) >= num_devices:
        has_cuda = torch.version.cuda is not None
        found = f"torch finds {num_devices} GPUs" if has_cuda else "this torch is built without CUDA"
        raise ModelNotSupported(f"device {name} cannot be used: {found}")
    return device


def _choose_dtype(name: str, model_config: PreTrainedConfig, device: torch.device) -> torch.dtype:
    if name != "auto":
        dtype = getattr(torch, name, None)
        if not isinstance(dtype, torch.dtype):
            raise ModelNotSupported(f"{name} is not a torch dtype")
        return dtype
    stored = model_config.get_text_config().dtype or torch.float32
    if not isinstance(stored, torch.dtype):
        raise ModelNotSupported(f"the model's config.json names a dtype that torch does not have: {stored}")
    if device.type != "cpu" or stored == torch.float32:
        return stored
    is_fast = has_fast_bfloat16() or (has_compiled_bfloat16() and is_mostly_linear(model_config))
    return torch.bfloat16 if is_fast else torch.float32
