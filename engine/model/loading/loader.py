"""The loading of a model: finding its files, checking that it can be served, and reading its weights."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
from transformers import AutoConfig, PreTrainedConfig, PreTrainedModel
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from engine.config import EngineConfig
from engine.errors import ModelNotSupported
from engine.model.loading.directory import own_directory
from engine.model.loading.linear_share import is_mostly_linear
from engine.model.loading.pooling_config import find_own_pooling
from engine.model.loading.progress import line_bar
from engine.model.loading.weights import one_line, read_weights
from engine.native.bfloat16 import has_compiled_bfloat16, has_fast_bfloat16
from engine.request import Pooling
from engine.text.tokenizer import Tokenizer

# The layer types whose mask the attention interface describes; a class may support it and have others too.
_SUPPORTED_LAYER_TYPES = {"full_attention", "sliding_attention"}
# These rotary embeddings change with the longest sequence of the batch if it exceeds the original context.
_LENGTH_DEPENDENT_ROPE = {"dynamic", "longrope"}
_NEEDED_FILES = ["*.json", "*.safetensors", "*.jinja", "*.txt", "*.model", "*.py"]


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory.

    revision: the hub commit; None for a plain directory. max_total_tokens: the context length, or less if the
    config says so. pooling, num_parameters: as in `ModelInfo`.
    """

    model: PreTrainedModel
    tokenizer: Tokenizer
    directory: Path
    revision: str | None
    max_total_tokens: int
    vocab_size: int
    pooling: Pooling | None
    num_parameters: int


def load_model(config: EngineConfig, on_progress: Callable[[str], None]) -> LoadedModel:
    """Load the weights and the tokenizer. Raises ModelNotSupported if the model cannot be served."""
    directory, revision = _find_directory(config, on_progress)
    model_config = _read_config(directory, config)
    _check_supported(model_config, directory)
    device = choose_device(config.device)
    dtype = _choose_dtype(config.dtype, model_config, device)
    dtype_name = str(dtype).removeprefix("torch.")
    on_progress(f"loading {_size(_num_weight_bytes(directory))} of weights as {dtype_name} onto {device}")
    model = read_weights(directory, model_config, dtype, config, on_progress)
    torch.nn.Module.to(model, device)
    vocab_size = model_config.get_text_config().vocab_size
    on_progress("loading tokenizer")
    tokenizer = Tokenizer.from_directory(
        directory,
        vocab_size=vocab_size,
        end_token_ids=_end_token_ids(model),
        trust_remote_code=config.trust_remote_code,
    )
    max_total_tokens = _max_total_tokens(config, model_config.get_text_config())
    return LoadedModel(
        model,
        tokenizer,
        directory,
        revision,
        max_total_tokens,
        vocab_size,
        pooling=find_own_pooling(directory, on_progress),
        num_parameters=model.num_parameters(),
    )


def _find_directory(config: EngineConfig, on_progress: Callable[[str], None]) -> tuple[Path, str | None]:
    if (directory := own_directory(config.model, config.revision)) is not None:
        return directory, None
    on_progress(f"fetching {config.model} from the Hugging Face hub")
    try:
        path = snapshot_download(
            config.model,
            revision=config.revision,
            allow_patterns=_NEEDED_FILES,
            tqdm_class=line_bar(on_progress),
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        raise ModelNotSupported(
            f"{config.model} is neither a directory nor a model that the Hugging Face hub gives: {error}"
        ) from error
    return Path(path), Path(path).name  # snapshots are named after their commit


def _read_config(directory: Path, config: EngineConfig) -> PreTrainedConfig:
    try:
        found = AutoConfig.from_pretrained(directory, trust_remote_code=config.trust_remote_code)
    except Exception as error:  # whatever the checks of a model's configuration raise
        raise ModelNotSupported(
            f"{directory} holds no model that transformers knows: {one_line(error)}"
        ) from error
    _check_generation_config(directory / "generation_config.json")
    if not isinstance(found, PreTrainedConfig):
        raise ModelNotSupported(f"{directory} holds a {type(found).__name__}, which describes no model")
    return found


def _check_generation_config(path: Path) -> None:
    """Check that the file is JSON: transformers ignores it otherwise, and the end tokens would be lost."""
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise ModelNotSupported(f"{path} is no JSON: {one_line(error)}") from error


def _check_supported(model_config: PreTrainedConfig, directory: Path) -> None:
    name = f"{directory.name} ({model_config.model_type})"
    if model_config.is_encoder_decoder:
        raise ModelNotSupported(f"{name} is an encoder-decoder; only decoder-only models are served")
    model_class: Any = MODEL_FOR_CAUSAL_LM_MAPPING.get(type(model_config), None)
    if model_class is None and "auto_map" not in model_config.to_dict():
        raise ModelNotSupported(f"{name} is not a causal language model")
    if model_class is not None and not model_class.is_backend_compatible():
        raise ModelNotSupported(f"{model_class.__name__} does not support transformers' attention interface")
    layer_types = set(getattr(model_config.get_text_config(), "layer_types", None) or ())
    if unknown := layer_types - _SUPPORTED_LAYER_TYPES:
        raise ModelNotSupported(
            f"{name} has layers of {', '.join(sorted(unknown))}, which paged attention lacks"
        )


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


def _size(num_bytes: int) -> str:
    """Return the size as a text for people, such as "7.1 MB" or "1.24 GB"."""
    return f"{num_bytes / 1e9:.2f} GB" if num_bytes >= 1e9 else f"{num_bytes / 1e6:.1f} MB"


def _num_weight_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob("*.safetensors"))


def _end_token_ids(model: PreTrainedModel) -> tuple[int, ...]:
    """Return the end tokens of the generation config if it has any, else those of the model config."""
    for config in (model.generation_config, model.config.get_text_config()):
        end: int | list[int] | None = config.eos_token_id
        if end is not None:
            return (end,) if isinstance(end, int) else tuple(end)
    return ()


def _max_total_tokens(config: EngineConfig, text_config: PreTrainedConfig) -> int:
    limit: int | None = getattr(text_config, "max_position_embeddings", None)
    rope: dict[str, Any] = getattr(text_config, "rope_parameters", None) or {}
    if rope.get("rope_type") in _LENGTH_DEPENDENT_ROPE:
        limit = rope.get("original_max_position_embeddings", limit)
    wanted = config.max_total_tokens or limit
    if wanted is None:
        raise ModelNotSupported("the model's config names no context length: max_total_tokens must be given")
    if limit is not None and wanted > limit:
        raise ModelNotSupported(f"max_total_tokens {wanted} exceeds the model's {limit}")
    return wanted
