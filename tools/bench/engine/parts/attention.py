"""Compare the CPU time of attention in torch and in compiled code, in milliseconds, by turns."""

import argparse
import time
from random import Random
from typing import Any

import torch
from torch import nn

from engine.attention.batch import Batch, Span
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.native.instructions import usable_label
from tools.bench.table import Row, print_table

# The shape of a layer of Qwen2.5-0.5B.
NUM_HEADS, NUM_KV_HEADS, DIM = 14, 2, 64
BLOCK_SIZE = 16
CPU = torch.device("cpu")


class Step:
    """A layer's attention in a step. decodes: sequence lengths. chunks: numbers of past and new tokens."""

    def __init__(self, decodes: list[int], chunks: list[tuple[int, int]], dtype: torch.dtype) -> None:
        spans = [(length - 1, 1) for length in decodes] + chunks
        num_blocks = [-(-(start + num_tokens) // BLOCK_SIZE) for start, num_tokens in spans]
        free = Random(1).sample(range(sum(num_blocks)), sum(num_blocks))
        geometry = KVGeometry((LayerGeometry(0, NUM_KV_HEADS, DIM, DIM),), dtype)
        self._pages = KVPages(geometry, len(free), BLOCK_SIZE, CPU)
        for tensor in self._pages.layer(0):
            tensor.copy_(torch.randn(tensor.shape))
        placed: list[Span] = []
        slots: list[int] = []
        for (start, num_tokens), num in zip(spans, num_blocks, strict=True):
            blocks = [free.pop() for _ in range(num)]
            placed.append(Span(len(slots), start, num_tokens, blocks))
            places = range(start, start + num_tokens)
            slots += [blocks[place // BLOCK_SIZE] * BLOCK_SIZE + place % BLOCK_SIZE for place in places]
        ids = torch.zeros(len(slots), dtype=torch.int64)
        num_decodes = len(decodes)
        self._batch = Batch([], ids, ids, torch.tensor(slots), placed[:num_decodes], placed[num_decodes:])
        # As in models: transposed from rows that contain all heads.
        self._query, self._key, self._value = (
            torch.randn(1, len(slots), num_heads, DIM).to(dtype).transpose(1, 2)
            for num_heads in (NUM_HEADS, NUM_KV_HEADS, NUM_KV_HEADS)
        )
        module: Any = nn.Identity()
        module.layer_idx = 0
        self._module = module

    def milliseconds(self, *, is_native: bool) -> float:
        """Return the CPU time of the second layer of a step, since the first one also creates the plan."""
        attention = PagedAttention(self._batch, self._pages, is_native=is_native)
        self._attend(attention)
        started = time.process_time()
        self._attend(attention)
        return 1e3 * (time.process_time() - started)

    def _attend(self, attention: PagedAttention) -> None:
        scores = Scores(DIM**-0.5, None, None)
        attention.attend(self._module, self._query, self._key, self._value, None, scores)


async def run(arguments: argparse.Namespace) -> list[Row]:
    print(
        f"{usable_label()}, {NUM_HEADS} heads over {NUM_KV_HEADS} of dimension {DIM}; minimum of the rounds"
    )
    steps: list[tuple[str, list[int], list[tuple[int, int]]]] = [
        *((f"decode {num} x {length}", [length] * num, []) for num, length in arguments.decode),
        *((f"chunk of {length}", [], [(0, length)]) for length in arguments.chunks),
    ]
    rows = [
        _measure(name, Step(decodes, chunks, dtype), dtype, arguments.rounds)
        for dtype in (torch.bfloat16, torch.float32)
        for name, decodes, chunks in steps
    ]
    print_table(rows)
    return rows


def _measure(name: str, step: Step, dtype: torch.dtype, rounds: int) -> Row:
    times = [[step.milliseconds(is_native=is_native) for is_native in (False, True)] for _ in range(rounds)]
    by_torch, compiled = (min(column) for column in zip(*times, strict=True))
    return {
        "step": name,
        "dtype": str(dtype).removeprefix("torch."),
        "torch": by_torch,
        "compiled": compiled,
        "ratio": by_torch / compiled,
    }


def _decode(text: str) -> tuple[int, int]:
    num, length = map(int, text.split("x"))
    return num, length


def add_arguments(parser: argparse.ArgumentParser) -> None:
    default = [(num, length) for length in (128, 1024) for num in (1, 8, 32)]
    parser.add_argument(
        "--decode", type=_decode, nargs="*", default=default, help="sequences x tokens, such as 8x128"
    )
    parser.add_argument(
        "--chunks", type=int, nargs="*", default=[128, 512], help="tokens of each prompt chunk"
    )
    parser.add_argument("--rounds", type=int, default=10)
