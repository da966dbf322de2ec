"""The training of a model on packed rows: Muon for the matrices of layers, AdamW for the rest."""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar, cast

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import AdamW, Muon, Optimizer
from transformers import Qwen3ForCausalLM

from engine.demo_model import DEMO_MODEL
from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model import recipe
from tools.demo_model.corpus import Batch, batches, documents
from tools.demo_model.recipe import Schedule

AnyBatch = TypeVar("AnyBatch")


def new_model() -> Qwen3ForCausalLM:
    """Return fresh weights in float32, always the same ones."""
    torch.manual_seed(0)
    return Qwen3ForCausalLM(recipe.shape())


def trained_model(directory: Path) -> Qwen3ForCausalLM:
    """Return an exported model's weights, widened to float32."""
    model: Qwen3ForCausalLM = Qwen3ForCausalLM.from_pretrained(directory, dtype=torch.float32)
    return model


def mean_loss(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted mean loss of predicting the targets.

    logits: [num_rows, row_length, vocabulary_size]. targets, weights: [num_rows, row_length].
    """
    each = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
    return (each * weights.flatten()).sum() / weights.sum()


def _loss_of(model: Qwen3ForCausalLM) -> Callable[[Batch], Tensor]:
    """The weighted mean loss of a batch, compiled: on a CPU that is three times as fast.

    Products are in bfloat16 where the processor multiplies it natively, in float32 elsewhere.
    """
    is_bfloat16 = has_fast_bfloat16()

    def loss(tokens: Tensor, positions: Tensor, mask: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=is_bfloat16):
            # [num_rows, row_length, hidden_size]
            hidden = model.model(
                input_ids=tokens, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            logits = model.lm_head(hidden)
        return mean_loss(logits, targets, weights)

    compiled = cast(Callable[..., Tensor], torch.compile(loss, dynamic=False))
    return lambda batch: compiled(batch.tokens, batch.positions, batch.mask(), batch.targets, batch.weights)


def train(model: Qwen3ForCausalLM, directory: Path, schedule: Schedule, resume: Path | None) -> Path:
    """Train a text model in place and return the last checkpoint; `step-N.pt` are left in the directory."""
    tokenizer = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))

    def batches_of(seed: int) -> Iterator[Batch]:
        blend = schedule.blend_at((seed - schedule.first_seed) / schedule.num_steps)
        return batches(documents(tokenizer, seed, blend), blend.num_rows, blend.row_length)

    def data_from(first_step: int) -> Iterator[Batch]:
        return by_chunk(batches_of, first_step, schedule)

    return fit(model, _loss_of(model), data_from, directory, schedule, resume, recipe.NUM_THREADS)


def fit(
    model: nn.Module,
    loss_of: Callable[[AnyBatch], Tensor],
    data_from: Callable[[int], Iterator[AnyBatch]],
    directory: Path,
    schedule: Schedule,
    resume: Path | None,
    num_threads: int,
) -> Path:
    """Train a model in place and return the last checkpoint; `step-N.pt` are left in the directory.

    data_from: returns the batches from a step on, of which the schedule's last is the end. num_threads: more
    or fewer of them sum in another order, and so give slightly other weights.
    """
    torch.set_num_threads(num_threads)
    directory.mkdir(parents=True, exist_ok=True)
    optimizers = _optimizers(model)
    first_step = 0 if resume is None else _restore(resume, model, optimizers)
    started, mean = time.monotonic(), 0.0
    for step, batch in enumerate(data_from(first_step), first_step):
        loss = loss_of(batch)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        _update(optimizers, schedule.rate_at(step))
        mean += loss.item() / recipe.LOG_EVERY
        if (step + 1) % recipe.LOG_EVERY == 0:
            print(f"step {step + 1} loss {mean:.4f} seconds {time.monotonic() - started:.0f}", flush=True)
            mean = 0.0
        if (step + 1) % schedule.save_every == 0 or step + 1 == schedule.num_steps:
            _save(model, optimizers, step + 1, directory)
    return directory / f"step-{schedule.num_steps}.pt"


def by_chunk(
    batches_of: Callable[[int], Iterator[AnyBatch]], first_step: int, schedule: Schedule
) -> Iterator[AnyBatch]:
    """Return a schedule's batches from a step on, those of each chunk of steps from a seed of its own."""
    for start in range(first_step, schedule.num_steps, recipe.CHUNK):
        num_steps = min(recipe.CHUNK, schedule.num_steps - start)
        yield from islice(batches_of(schedule.first_seed + start), num_steps)


def _optimizers(model: nn.Module) -> tuple[Optimizer, ...]:
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".layers." in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or ".layers." not in name]
    return (
        Muon(matrices, lr=recipe.MUON_RATE, weight_decay=0.02),
        AdamW(others, lr=recipe.ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.0),
    )


def _restore(path: Path, model: nn.Module, optimizers: tuple[Optimizer, ...]) -> int:
    """Load a checkpoint; returns the number of steps already made."""
    state = torch.load(path, weights_only=True)
    model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(saved)
    return int(state["step"])


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
