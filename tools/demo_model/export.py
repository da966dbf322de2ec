"""Exported models: what the server loads, made of a checkpoint or of the weighted mean of other models."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import GenerationConfig, PreTrainedModel

from engine.demo_model import DEMO_MODEL
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN
from tools.demo_model.training import new_model

WEIGHTS_FILE: Final = "model.safetensors"
_TOKENIZER_FILES: Final = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
_MAX_BYTES: Final = 16 * 2**20


def export(checkpoint: Path, directory: Path) -> None:
    """Write config.json, generation_config.json and model.safetensors next to the tokenizer or its copy."""
    if directory != DEMO_MODEL:
        directory.mkdir(parents=True, exist_ok=True)
        for name in _TOKENIZER_FILES:
            shutil.copy(DEMO_MODEL / name, directory)
    model = new_model()
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    write_model(model, directory)


def write_model(model: PreTrainedModel, directory: Path) -> None:
    """Write a model in bfloat16 and its configuration next to the tokenizer."""
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
    (directory / WEIGHTS_FILE).chmod(0o644)
    size = (directory / WEIGHTS_FILE).stat().st_size
    assert size <= _MAX_BYTES, f"{size} bytes of weights do not fit the package"


class Part(NamedTuple):
    """A model of a mean: its directory and its share."""

    directory: Path
    share: float


def average(parts: Sequence[Part], to: Path) -> None:
    """Write the mean of the parts' weights into the exported model in `to`, whose other files stay.

    Models that were trained on from the same weights lie near enough to one another for their mean to work,
    and often better than each of them (Wortsman et al. 2022, arXiv 2203.05482), where no refresh alone keeps
    all that the others know.

    parts: their shares sum to 1. Sums are in float32. Raises ValueError if the shares do not, or if the
    models differ in shape.
    """
    if abs(sum(part.share for part in parts) - 1) > 1e-6:
        raise ValueError("the shares must sum to 1")
    models = [load_file(part.directory / WEIGHTS_FILE) for part in parts]
    shapes = [{name: weight.shape for name, weight in model.items()} for model in models]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("the models differ in their weights' names or shapes")
    means = {}
    for name, weight in models[0].items():
        mean = torch.zeros(weight.shape)
        for part, model in zip(parts, models, strict=True):
            mean += part.share * model[name].float()
        means[name] = mean.to(weight.dtype)
    with safe_open(parts[0].directory / WEIGHTS_FILE, "pt") as file:
        metadata = file.metadata()
    save_file(means, to / WEIGHTS_FILE, metadata=metadata)
