"""Files of a LoRA adapter with one changed layer, written without PEFT.

`python -m tests.support.tiny_models.adapter_files FOLDER` writes one for the embedded model, for tests in
other environments.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import save_file

# A layer of the embedded model.
DEMO_LAYER = "model.layers.0.self_attn.q_proj"


def save_adapter_of_ones(folder: Path, layer: str, num_inputs: int = 256, num_outputs: int = 256) -> None:
    """Write an adapter of rank 1 for the linear layer at this path."""
    folder.mkdir()
    config = {
        "peft_type": "LORA",
        "r": 1,
        "target_modules": [layer.rpartition(".")[2]],
        "layers_to_transform": [0],
    }
    (folder / "adapter_config.json").write_text(json.dumps(config))
    tensors = {"A": torch.ones(1, num_inputs), "B": torch.ones(num_outputs, 1)}
    stored = {f"base_model.model.{layer}.lora_{name}.weight": tensor for name, tensor in tensors.items()}
    save_file(stored, folder / "adapter_model.safetensors")


@contextmanager
def adapters_of_examples() -> Iterator[str]:
    """Yield a folder with the adapter that the examples of OpenAI's document load, for the embedded model."""
    with TemporaryDirectory() as folder:
        save_adapter_of_ones(Path(folder, "poet-v1"), DEMO_LAYER)
        yield folder


if __name__ == "__main__":
    save_adapter_of_ones(Path(sys.argv[1]), DEMO_LAYER)
