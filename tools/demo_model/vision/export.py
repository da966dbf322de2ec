"""A checkpoint turned into the directory that the server loads."""

from pathlib import Path
from typing import Final

import torch

from tools.demo_model.export import ARTEFACT as TEXT_MODEL
from tools.demo_model.export import write_model
from tools.demo_model.vision.model import new_model
from tools.demo_model.vision.processor import save_processor

ARTEFACT: Final = TEXT_MODEL.with_name("demo_vision")


def export(checkpoint: Path, directory: Path) -> None:
    """Write weights in bfloat16, configuration, tokenizer and processor."""
    directory.mkdir(parents=True, exist_ok=True)
    save_processor(TEXT_MODEL, directory)
    model = new_model(TEXT_MODEL)
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    write_model(model, directory)
