"""Measure perplexity with 8-bit and 4-bit weights, and with llama.cpp's rounding, on texts from packages.

The texts are descriptions of installed packages. The divergence is the Kullback-Leibler divergence from the
probabilities with unquantized weights, in nats, averaged over tokens. It is more meaningful than the
perplexity for a model that was not trained on such texts.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import metadata
from math import exp
from typing import Any, Final
from unittest.mock import patch

import gguf
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.linear.group_rounding import round_to_groups
from engine.linear.rounded import quantization
from engine.linear.rounded.quantization import QUANTIZATIONS, quantize_linears
from engine.model.checks.reference_pass import reference_logits
from engine.model.loading.loader import load_model
from tools.bench.table import Row, print_table

PACKAGES: Final = ("transformers", "fastapi", "torch", "httpx")
_WINDOW: Final = 512  # tokens, each predicted from those before it in the window


def _as_it_is(model: PreTrainedModel) -> None:
    pass


def _with_its_head(model: PreTrainedModel) -> None:
    with patch.object(quantization, "HEAD", QUANTIZATIONS["int4"]):
        quantize_linears(model, "int4")


def _rounded_weights(model: PreTrainedModel, round_weight: Callable[[Tensor], Tensor]) -> None:
    """Replace the weights of linear layers, except the head, by rounded ones.

    The order of rows is unchanged.
    """
    get_head: Any = model.get_output_embeddings  # transformers does not annotate it
    head = get_head()
    for module in model.modules():
        if isinstance(module, nn.Linear) and module is not head:
            module.weight.data = round_weight(module.weight.data.float()).to(module.weight.dtype)


def _of_llama_cpp(weight: Tensor, kind: gguf.GGMLQuantizationType) -> Tensor:
    return torch.from_numpy(gguf.dequantize(gguf.quantize(weight.numpy(), kind), kind))


def _of_ours(weight: Tensor, *, symmetric: bool = True) -> Tensor:
    return round_to_groups(weight, 4, 32, symmetric=symmetric).plain()


VARIANTS: Final[dict[str, Callable[[PreTrainedModel], object]]] = {
    "as it is": _as_it_is,
    **{name: partial(quantize_linears, quantize=name) for name in QUANTIZATIONS},
    "int4, the head too": _with_its_head,
    **{
        f"{kind.name}'s weights": partial(_rounded_weights, round_weight=partial(_of_llama_cpp, kind=kind))
        for kind in (gguf.GGMLQuantizationType.Q4_0, gguf.GGMLQuantizationType.Q4_1)
    },
    "int4's weights": partial(_rounded_weights, round_weight=_of_ours),
    "int4-asym's weights": partial(_rounded_weights, round_weight=partial(_of_ours, symmetric=False)),
}


@torch.inference_mode()
async def run(arguments: argparse.Namespace) -> list[Row]:
    config = EngineConfig(model=arguments.model, device="cpu", dtype=arguments.dtype)
    windows: list[list[int]] = []
    expected: list[Tensor] = []
    rows: list[Row] = []
    for name in VARIANTS:
        loaded = load_model(config, lambda line: None)
        VARIANTS[name](loaded.model)
        if not windows:
            windows = list(windows_of(loaded.tokenizer.encode, arguments.windows))
        logits = [reference_logits(loaded.model, window).log_softmax(-1) for window in windows]
        expected = expected or logits
        rows.append(_row(name, windows, logits, expected))
    print(f"{sum(map(len, windows)):,} tokens of the descriptions of {', '.join(PACKAGES)}")
    print_table(rows)
    return rows


def windows_of(encode: Callable[[str], list[int]], most: int) -> Iterator[list[int]]:
    """Yield the tokens of the packages' descriptions in windows, at most `most` windows of each."""
    for package in PACKAGES:
        tokens = encode(str(metadata(package)["Description"]))
        for first in range(0, min(len(tokens) - 1, most * _WINDOW), _WINDOW):
            yield tokens[first : first + _WINDOW]


def _row(name: str, windows: list[list[int]], logits: list[Tensor], expected: list[Tensor]) -> Row:
    """Return the row of a method. logits, expected: logprobs [num_tokens, vocab_size] of each window."""
    losses, divergences = [], []
    for window, actual, plain in zip(windows, logits, expected, strict=True):
        following = torch.tensor(window[1:])
        losses.append(-actual[:-1].gather(1, following[:, None]).flatten())
        divergences.append((plain.exp() * (plain - actual)).sum(-1))
    return {
        "weights": name,
        "perplexity": round(exp(float(torch.cat(losses).mean())), 3),
        "divergence": round(float(torch.cat(divergences).mean()), 5),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", default=str(DEMO_MODEL), help="model directory (default: the embedded model)"
    )
    parser.add_argument("--dtype", default="float32")
    parser.add_argument(
        "--windows", type=int, default=8, help=f"windows of at most {_WINDOW} tokens in each text"
    )
