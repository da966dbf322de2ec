"""The choice of the layers that torch's varlen attention serves, by calling it and comparing the results.

Each kind of layer is tried on pages of its own, before the cache is there: prompts, chunks that continue,
rows that decode, and all of these in one step, over several pages. What raises or differs is left to our own
code.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor, nn

from engine.attention.batch import Batch, Span
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.attention.varlen.attention import ServedLayers
from engine.attention.varlen.library import FORMS, PageForm, VarlenLibrary
from engine.attention.window import Window
from engine.host.transfers import upload
from engine.native.obstacles import name_of
from engine.port.errors import one_line
from engine.port.info.kernels import Kernel, Obstacle, kernel_of_layers

_LARGEST_DIM: Final = 256
# Of the norm of a row of outputs. A wrong key or a missing one changes rows of random values by far more.
_TOLERANCES: Final = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}

# The keys that each of three sequences has before each step, and after it: two prompts; one of them continues
# while another begins; all decode but one, which has a chunk of more rows than a kernel's tile; all decode.
_STEPS: Final = (
    ((0, 300), (0, 21)),
    ((300, 301), (21, 40), (0, 5)),
    ((301, 302), (40, 41), (5, 205)),
    ((302, 303), (41, 42), (205, 206)),
)
_NUM_SEQUENCES: Final = 3
_MOST_KEYS: Final = 303
_LARGEST_WINDOW: Final = 64  # so that it hides some of them


class VarlenChoice(NamedTuple):
    """The layers that are served, if any, and the report.

    block_size: the number of tokens of a block of the KV cache.
    """

    served: ServedLayers | None
    block_size: int
    kernel: Kernel


def choose_layers(
    geometry: KVGeometry, library: VarlenLibrary, block_size: int, device: torch.device
) -> VarlenChoice:
    """Choose the form of calling that serves most layers. block_size: the one that is asked for."""
    best: list[int] = []
    form, obstacles = FORMS[0], list[Obstacle]()
    for tried in FORMS:
        found = _obstacles(geometry, library, tried, tried.block_size(block_size), device)
        served = [layer.index for layer in geometry.layers if found[_kind(layer)] is None]
        if len(served) > len(best) or not best:
            best, form, obstacles = served, tried, [why for why in found.values() if why is not None]
        if len(served) == len(geometry.layers):
            break
    report = kernel_of_layers(
        "varlen_attention", len(best), len(geometry.layers), next(iter(obstacles), None)
    )
    if not best:
        return VarlenChoice(None, block_size, report)
    return VarlenChoice(ServedLayers(library, form, frozenset(best)), form.block_size(block_size), report)


def _kind(layer: LayerGeometry) -> LayerGeometry:
    """Return a layer as all that are tried together have it."""
    return replace(layer, index=0)


def _obstacles(
    geometry: KVGeometry, library: VarlenLibrary, form: PageForm, block_size: int, device: torch.device
) -> dict[LayerGeometry, Obstacle | None]:
    """Return for each kind of layer why it is not served in this form, if it is not."""
    found: dict[LayerGeometry, Obstacle | None] = {}
    for kind in dict.fromkeys(map(_kind, geometry.layers)):
        reason = refusal(kind, geometry, library)
        if reason is not None:
            found[kind] = Obstacle(reason)
            continue
        try:
            difference = _difference(kind, geometry.dtype, library, form, block_size, device)
        except Exception as error:  # whatever a kernel raises that does not take this
            found[kind] = Obstacle(f"{form.kernel} raises: {one_line(error)}")
            continue
        is_same = difference < _TOLERANCES[geometry.dtype]  # not if it is NaN
        why = f"{form.kernel} gives other results than torch's own operations, by {difference:.1%}"
        found[kind] = None if is_same else Obstacle(why, is_lack=True)
    return found


def refusal(layer: LayerGeometry, geometry: KVGeometry, library: VarlenLibrary) -> str | None:
    """Return why torch's varlen attention has no parameters for a layer, if it has not."""
    if geometry.dtype not in library.dtypes:
        return f"takes {' and '.join(map(name_of, library.dtypes))}, not {name_of(geometry.dtype)}"
    if layer.queries is None or geometry.is_by_call:
        return "takes layers that attend once in a pass"
    if layer.top_k is not None:
        return "has no choice of keys by an index"
    if layer.queries.has_softcap:
        return "has no soft cap of scores"
    if layer.window is not None and layer.window.is_aligned:
        return "has no windows that begin at multiples of their size"
    if layer.key_dim != layer.value_dim:
        return f"takes keys and values of one size, not of {layer.key_dim} and {layer.value_dim}"
    if layer.key_dim > _LARGEST_DIM or layer.key_dim % 8:
        return f"takes heads of up to {_LARGEST_DIM} numbers, a multiple of 8, not of {layer.key_dim}"
    return None


@torch.inference_mode()
def _difference(
    layer: LayerGeometry,
    dtype: torch.dtype,
    library: VarlenLibrary,
    form: PageForm,
    block_size: int,
    device: torch.device,
) -> float:
    """Return the largest relative difference of a head's output from that of our own attention."""
    assert layer.queries is not None
    num_heads, dim = layer.queries.num_heads, layer.key_dim
    generator = torch.Generator().manual_seed(0)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator).to(device, dtype)

    scores = Scores(dim**-0.5, None, random(num_heads) if layer.queries.has_sinks else None)
    window = None if layer.window is None else Window(min(layer.window.size, _LARGEST_WINDOW))
    served = ServedLayers(library, form, frozenset({0}))
    pages = [_trial_pages(layer, dtype, block_size, device) for _ in range(2)]
    differences = []
    for step in _STEPS:
        batch = _batch(step, block_size, device)
        num_rows = len(batch.slots)
        query = random(1, num_heads, num_rows, dim)
        key, value = (random(1, layer.num_kv_heads, num_rows, dim) for _ in range(2))
        tried, own = (
            attention.attend(_TriedLayer(), query, key, value, window, scores).float()
            for attention in (served.attention(batch, pages[0]), PagedAttention(batch, pages[1]))
        )
        differences.append(((tried - own).norm(dim=-1) / own.norm(dim=-1)).max())
    return float(torch.stack(differences).max())


class _TriedLayer(nn.Module):
    """A module of the only layer that the pages of a trial have."""

    layer_idx = 0


def _trial_pages(layer: LayerGeometry, dtype: torch.dtype, block_size: int, device: torch.device) -> KVPages:
    num_blocks = 1 + _NUM_SEQUENCES * -(-_MOST_KEYS // block_size)
    pages = KVPages(KVGeometry((layer,), dtype), num_blocks, block_size, device)
    for tensor in pages.layer(0):
        tensor[0] = torch.nan  # which no sequence owns, and which fills up tables
    return pages


def _batch(step: Sequence[tuple[int, int]], block_size: int, device: torch.device) -> Batch:
    """Return a batch of the sequences of `_STEPS`, whose blocks lie between one another."""
    spans: list[Span] = []
    positions: list[int] = []
    slots: list[int] = []
    for number, (start, end) in sorted(enumerate(step), key=lambda part: part[1][1] - part[1][0] > 1):
        blocks = [1 + number + _NUM_SEQUENCES * index for index in range(-(-end // block_size))]
        spans.append(Span(len(positions), start, end - start, blocks))
        positions += range(start, end)
        slots += [
            blocks[place // block_size] * block_size + place % block_size for place in range(start, end)
        ]
    rows = upload([positions, slots], device, torch.int64)
    decodes = [span for span in spans if span.num_tokens == 1]
    return Batch([], torch.zeros_like(rows[0]), rows[0], rows[1], decodes, spans[len(decodes) :])
