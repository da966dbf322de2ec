"""The directory of a model: the one that is named, or the hub's files in the cache of this machine."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from huggingface_hub import get_safetensors_metadata, snapshot_download
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    NotASafetensorsRepoError,
    OfflineModeIsEnabled,
    SafetensorsParsingError,
)
from msgspec.structs import replace

from engine.config import EngineConfig
from engine.model.loading.checkpoint.directory import own_directory
from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.gguf.description import describe
from engine.model.loading.gguf.named_file import SUFFIX, hub_file, own_file
from engine.model.loading.progress import line_bar
from engine.port.errors import ModelNotSupported, one_line

_DESCRIPTIONS: Final = ("*.json", "*.jinja", "*.txt", "*.model", "*.py")
_SAFETENSORS: Final = ("*.safetensors",)
# PyTorch's own format, for repositories without safetensors; `training_args.bin` and others are no weights.
_PICKLES: Final = ("pytorch_model*.bin",)


class ModelDirectory(NamedTuple):
    """A model's files on this machine. revision: the hub's commit; None for a plain directory."""

    path: Path
    revision: str | None


def fetch(config: EngineConfig, on_progress: Callable[[str], None]) -> ModelDirectory:
    """Return the directory of a model with its weights, which are fetched from the hub if it is none here.

    Safetensors are fetched where there are any, and PyTorch's files otherwise. Of a GGUF file it is the
    directory of its description. Raises ModelNotSupported.
    """
    if (described := _described(config, on_progress)) is not None:
        return described
    if (directory := own_directory(config.model, config.revision)) is not None:
        return ModelDirectory(directory, None)
    on_progress(f"fetching {config.model} from the Hugging Face hub")
    path = _snapshot(config, (*_DESCRIPTIONS, *_SAFETENSORS), on_progress)
    if not any(path.glob(_SAFETENSORS[0])):
        path = _snapshot(config, _PICKLES, on_progress)
    return ModelDirectory(path, path.name)  # snapshots are named after their commit


def fetch_descriptions(config: EngineConfig, on_progress: Callable[[str], None]) -> ModelDirectory:
    """Return the directory of a model, which has its weights only if they are on this machine already.

    A GGUF file is fetched whole, since it is its own description. Raises ModelNotSupported.
    """
    if (described := _described(config, on_progress)) is not None:
        return described
    if (directory := own_directory(config.model, config.revision)) is not None:
        return ModelDirectory(directory, None)
    on_progress(f"fetching the description of {config.model} from the Hugging Face hub")
    path = _snapshot(config, _DESCRIPTIONS, on_progress)
    return ModelDirectory(path, path.name)


def fetch_headers(config: EngineConfig) -> dict[str, StoredTensor]:
    """Return the tensors of a model on the hub by name, for which the headers of its files are fetched.

    Raises ModelNotSupported, also for a repository without safetensors, whose headers cannot be.
    """
    try:
        found = get_safetensors_metadata(config.model, revision=config.revision)
    except NotASafetensorsRepoError as error:
        raise ModelNotSupported(
            f"{config.model} has no safetensors, whose headers could be read alone: fetch it, and check the "
            "directory"
        ) from error
    except (HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, SafetensorsParsingError) as error:
        raise ModelNotSupported(
            f"the headers of {config.model} cannot be fetched: {one_line(error)}"
        ) from error
    return {
        name: StoredTensor(tensor.dtype, tuple(tensor.shape))
        for file in found.files_metadata.values()
        for name, tensor in file.tensors.items()
    }


def _described(config: EngineConfig, on_progress: Callable[[str], None]) -> ModelDirectory | None:
    """Return the description of the GGUF file that a model's name stands for; None for other models."""
    if (file := own_file(config.model)) is not None:
        own_directory(config.model, config.revision)  # which refuses a revision
        return ModelDirectory(describe(file), None)
    if (named := hub_file(config.model)) is None or Path(config.model).exists():
        return None
    on_progress(f"fetching {named.wanted} of {named.repository} from the Hugging Face hub")
    words = (named.wanted, named.wanted.lower(), named.wanted.upper())
    patterns = (
        [named.wanted] if named.wanted.lower().endswith(SUFFIX) else [f"*{word}{SUFFIX}" for word in words]
    )
    path = _snapshot(replace(config, model=named.repository), patterns, on_progress)
    found = [each for each in path.rglob(f"*{SUFFIX}") if any(each.match(pattern) for pattern in patterns)]
    if len(found) != 1:
        shown = ", ".join(sorted(each.name for each in found)[:4]) or "none"
        raise ModelNotSupported(
            f"{config.model} must name one GGUF file of {named.repository}, by its name or by how weights "
            f"are stored, and names {shown}"
        )
    return ModelDirectory(describe(found[0]), path.name)


def _snapshot(config: EngineConfig, patterns: Sequence[str], on_progress: Callable[[str], None]) -> Path:
    try:
        path = snapshot_download(
            config.model,
            revision=config.revision,
            allow_patterns=list(patterns),
            tqdm_class=line_bar(on_progress),
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError) as error:
        raise ModelNotSupported(
            f"{config.model} is neither a directory nor a model that the Hugging Face hub gives: {error}"
        ) from error
    return Path(path)
