"""A checkpoint turned into the directory that the server loads: bfloat16 weights and configuration."""

import json
import shutil
from pathlib import Path
from typing import Final

import torch
from transformers import GenerationConfig, PreTrainedModel

from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN
from tools.demo_model.train import new_model

ARTEFACT: Final = Path(__file__).parents[2] / "engine" / "demo_model"
_TOKENIZER_FILES: Final = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
_MAX_BYTES: Final = 16 * 2**20


def export(checkpoint: Path, directory: Path) -> None:
    """Write config.json, generation_config.json and model.safetensors beside the tokenizer or its copy."""
    if directory != ARTEFACT:
        directory.mkdir(parents=True, exist_ok=True)
        for name in _TOKENIZER_FILES:
            shutil.copy(ARTEFACT / name, directory)
    model = new_model()
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    write_model(model, directory)


def write_model(model: PreTrainedModel, directory: Path) -> None:
    """Write a model in bfloat16 and its configuration beside the tokenizer."""
    vocabulary = json.loads((directory / "tokenizer.json").read_text(encoding="utf-8"))
    ids = {token["content"]: token["id"] for token in vocabulary["added_tokens"]}
    end_of_turn, end_of_text = ids[END_OF_TURN], ids[END_OF_TEXT]
    config = model.config.get_text_config()
    config.eos_token_id, config.pad_token_id = end_of_turn, end_of_text
    stops = [end_of_turn, end_of_text]
    # transformers leaves the constructor untyped.
    settings = GenerationConfig(eos_token_id=stops, pad_token_id=end_of_text)  # type: ignore[no-untyped-call]
    model.generation_config = settings
    model.bfloat16().save_pretrained(directory)
    (directory / "model.safetensors").chmod(0o644)
    size = (directory / "model.safetensors").stat().st_size
    assert size <= _MAX_BYTES, f"{size} bytes of weights do not fit the package"
