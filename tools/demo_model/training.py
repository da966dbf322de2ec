"""The training of a model on packed rows, and the export of what it gives as a model to load."""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import AdamW, Muon, Optimizer
from transformers import GenerationConfig, PreTrainedModel, Qwen3ForCausalLM

from engine.demo_model import DEMO_MODEL
from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model import recipe
from tools.demo_model.corpus import Batch, batches, documents
from tools.demo_model.recipe import Schedule
from tools.demo_model.tokenizer import END_OF_TEXT, END_OF_TURN

AnyBatch = TypeVar("AnyBatch")


def new_model() -> Qwen3ForCausalLM:
    """Return fresh weights in float32, always the same ones."""
    torch.manual_seed(0)
    return Qwen3ForCausalLM(recipe.shape())


def trained_model(directory: Path) -> Qwen3ForCausalLM:
    """Return an exported model's weights, widened to float32."""
    model: Qwen3ForCausalLM = Qwen3ForCausalLM.from_pretrained(directory, dtype=torch.float32)
    return model


def autocast() -> torch.autocast:
    """Return what computes products in bfloat16 where the processor multiplies it natively."""
    return torch.autocast("cpu", torch.bfloat16, enabled=has_fast_bfloat16())


def mean_loss(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted mean loss of predicting the targets.

    logits: [num_rows, row_length, vocabulary_size]. targets, weights: [num_rows, row_length].
    """
    each = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
    return (each * weights.flatten()).sum() / weights.sum()


def _loss_of(model: Qwen3ForCausalLM) -> Callable[[Batch], Tensor]:
    """Return what computes a batch's loss, compiled: on a CPU that is three times as fast."""

    def loss(tokens: Tensor, positions: Tensor, mask: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        with autocast():
            # [num_rows, row_length, hidden_size]
            hidden = model.model(
                input_ids=tokens, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            logits = model.lm_head(hidden)
        return mean_loss(logits, targets, weights)

    compiled: Callable[..., Tensor] = torch.compile(loss, dynamic=False)
    return lambda batch: compiled(batch.tokens, batch.positions, batch.mask(), batch.targets, batch.weights)


def train(model: Qwen3ForCausalLM, directory: Path, schedule: Schedule, resume: Path | None) -> Path:
    """Train a text model in place and return the last checkpoint; `step-N.pt` are left in the directory."""
    tokenizer = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))

    def batches_of(seed: int) -> Iterator[Batch]:
        blend = schedule.blend_at((seed - schedule.first_seed) / schedule.num_steps)
        return batches(documents(tokenizer, seed, blend), blend.num_rows, blend.row_length)

    return fit(model, _loss_of(model), batches_of, directory, schedule, resume, recipe.NUM_THREADS)


def fit(
    model: nn.Module,
    loss_of: Callable[[AnyBatch], Tensor],
    batches_of: Callable[[int], Iterator[AnyBatch]],
    directory: Path,
    schedule: Schedule,
    resume: Path | None,
    num_threads: int,
) -> Path:
    """Train a model in place and return the last checkpoint; `step-N.pt` are left in the directory.

    batches_of: returns batches without end that a seed fixes; each chunk of steps has a seed of its own.
    num_threads: more or fewer of them sum in another order, and so give slightly other weights.
    """
    torch.set_num_threads(num_threads)
    directory.mkdir(parents=True, exist_ok=True)
    optimizers = _optimizers(model)
    step = 0 if resume is None else _restore(resume, model, optimizers)
    started, mean = time.monotonic(), 0.0
    while step < schedule.num_steps:
        num_steps = min(recipe.CHUNK, schedule.num_steps - step)
        for batch in islice(batches_of(schedule.first_seed + step), num_steps):
            loss = loss_of(batch)
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            _update(optimizers, schedule.rate_at(step))
            step += 1
            mean += loss.item() / recipe.LOG_EVERY
            if step % recipe.LOG_EVERY == 0:
                print(f"step {step} loss {mean:.4f} seconds {time.monotonic() - started:.0f}", flush=True)
                mean = 0.0
        if step % schedule.save_every == 0 or step == schedule.num_steps:
            _save(model, optimizers, step, directory)
    return directory / f"step-{schedule.num_steps}.pt"


def _optimizers(model: nn.Module) -> tuple[Optimizer, ...]:
    """Return Muon for the matrices of layers and AdamW for the rest."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".layers." in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or ".layers." not in name]
    return (
        Muon(matrices, lr=recipe.MUON_RATE, weight_decay=0.02),
        AdamW(others, lr=recipe.ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.0),
    )


def _update(optimizers: tuple[Optimizer, ...], factor: float) -> None:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group.setdefault("peak", group["lr"])
            group["lr"] = group["peak"] * factor
        optimizer.step()
        optimizer.zero_grad()


def _save(model: nn.Module, optimizers: tuple[Optimizer, ...], step: int, directory: Path) -> None:
    state = {"model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers], "step": step}
    torch.save(state, directory / f"step-{step}.pt")


def _restore(path: Path, model: nn.Module, optimizers: tuple[Optimizer, ...]) -> int:
    """Load a checkpoint; returns the number of steps already made."""
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(saved)
    return int(state["step"])


WEIGHTS_FILE: Final = "model.safetensors"
_TOKENIZER_FILES: Final = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
_MAX_BYTES: Final = 16 * 2**20


def export(checkpoint: Path, directory: Path) -> None:
    """Write config.json, generation_config.json and model.safetensors next to the tokenizer or its copy."""
    if directory != DEMO_MODEL:
        directory.mkdir(parents=True, exist_ok=True)
        for name in _TOKENIZER_FILES:
            shutil.copy(DEMO_MODEL / name, directory)
    write_model(new_model(), checkpoint, directory)


def write_model(model: PreTrainedModel, checkpoint: Path, directory: Path) -> None:
    """Write a checkpoint's weights in bfloat16 and the configuration next to the tokenizer."""
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    vocabulary = json.loads((directory / "tokenizer.json").read_text(encoding="utf-8"))
    ids = {token["content"]: token["id"] for token in vocabulary["added_tokens"]}
    stops: Any = [ids[END_OF_TURN], ids[END_OF_TEXT]]
    config = model.config.get_text_config()
    config.eos_token_id, config.pad_token_id = stops
    # transformers leaves the constructor untyped.
    settings = GenerationConfig(eos_token_id=stops, pad_token_id=stops[1])  # type: ignore[no-untyped-call]
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
