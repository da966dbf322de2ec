"""The tensors of a described GGUF file by the names that transformers' model has for them."""

from collections.abc import Mapping
from pathlib import Path

from transformers import PreTrainedConfig

from engine.model.loading.gguf.description import tensors_of
from engine.model.loading.gguf.named_file import LINK
from engine.model.loading.gguf.stored_weights import map_file, num_heads
from engine.model.loading.gguf.tensor_names import Source, find_sources
from engine.model.loading.gguf.unread_blocks import UnreadBlocks, has_groups
from engine.model.loading.skeleton import skeleton_of
from engine.weights.unread_weight import UnreadWeight


def sources_of(directory: Path, model_config: PreTrainedConfig) -> Mapping[str, Source]:
    """Return where each of the model's tensors is stored. directory: of the file's description.

    Raises ModelNotSupported for a file with tensors that the model has no place for.
    """
    model = skeleton_of(model_config)
    num_layers = int(model_config.num_hidden_layers)
    file = (directory / LINK).readlink()
    return find_sources(
        file, tensors_of(directory), model_config.model_type, num_layers, list(model.state_dict())
    )


def unread_groups(directory: Path, model_config: PreTrainedConfig) -> dict[str, UnreadWeight]:
    """Return the matrices whose blocks may stay as they are, by the model's names."""
    file = (directory / LINK).readlink()
    content = map_file(file)
    return {
        name: UnreadBlocks(file, content, source, num_heads(name, model_config))
        for name, source in sources_of(directory, model_config).items()
        if has_groups(source)
    }
