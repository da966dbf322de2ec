"""torch takes our calls of its varlen attention on cards of each kind, and chooses cuDNN where we expect it.

The tensors have shapes, types and a device, but no numbers (`FakeTensorMode`). A card is what torch says of
its compute capability; each has a number of its own, since torch remembers what it was told.
"""

from collections.abc import Iterator
from typing import Final

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.varlen import AuxRequest, varlen_attn_out

from engine.attention.batch import Batch
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.scores import Scores
from engine.attention.varlen.attention import ServedLayers, VarlenAttention
from engine.attention.varlen.library import FORMS, PageForm, VarlenLibrary
from engine.attention.varlen.plan import VarlenPlan
from engine.attention.window import Window

CUDNN_FORM, FLASH_FORM = FORMS
CUDNN, FLASH = SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION
CARDS: Final = ((8, 0), (9, 0), (10, 0))
LIBRARY = VarlenLibrary(varlen_attn_out, AuxRequest(lse=True), (torch.bfloat16,))
NUM_ROWS, NUM_SEQUENCES, NUM_HEADS, NUM_KV_HEADS = 6, 2, 8, 2

pytestmark = pytest.mark.skipif(
    torch.version.cuda is None, reason="this torch is made for CPUs (make test-fake-cuda)"
)


class Layer(nn.Module):
    layer_idx = 0


@pytest.fixture(autouse=True)
def cards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch.cuda, "get_device_capability", CARDS.__getitem__)
    with FakeTensorMode(), torch.inference_mode():
        yield


def attend(
    backend: SDPBackend,
    form: PageForm,
    card: tuple[int, int],
    *,
    dim: int = 64,
    window: int | None = None,
    sinks: bool = False,
    block_size: int = 16,
) -> Tensor:
    """Attend with the only backend that may answer."""
    device = torch.device("cuda", CARDS.index(card))
    geometry = KVGeometry((LayerGeometry(0, NUM_KV_HEADS, dim, dim),), torch.bfloat16)
    pages = KVPages(geometry, 8, form.block_size(block_size), device)
    starts = torch.zeros(NUM_SEQUENCES + 1, dtype=torch.int32, device=device)
    table = torch.zeros(NUM_SEQUENCES, 4, dtype=torch.int32, device=device)
    plan = VarlenPlan(starts, starts.clone(), starts[1:].clone(), table, 4, 4 * pages.block_size)
    slots = torch.zeros(NUM_ROWS, dtype=torch.int64, device=device)
    served = ServedLayers(LIBRARY, form, frozenset({0}))
    attention = VarlenAttention(Batch([], slots, slots, slots, [], []), pages, served, plan)

    def rows(num_heads: int) -> Tensor:
        return torch.zeros(1, num_heads, NUM_ROWS, dim, dtype=torch.bfloat16, device=device)

    scores = Scores(dim**-0.5, None, torch.zeros(NUM_HEADS, device=device) if sinks else None)
    with sdpa_kernel(backend):
        return attention.attend(
            Layer(),
            rows(NUM_HEADS),
            rows(NUM_KV_HEADS),
            rows(NUM_KV_HEADS),
            None if window is None else Window(window),
            scores,
        )


@pytest.mark.parametrize("sinks", [False, True])
@pytest.mark.parametrize("card", [(9, 0), (10, 0)])
def test_cudnn_takes_small_pages_of_new_cards(card: tuple[int, int], sinks: bool) -> None:
    output = attend(CUDNN, CUDNN_FORM, card, sinks=sinks)
    assert (output.shape, output.device.type) == ((1, NUM_ROWS, NUM_HEADS, 64), "cuda")


@pytest.mark.parametrize("sinks", [False, True])
@pytest.mark.parametrize("window", [None, 128])
@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("dim", [64, 128, 256])
def test_flash_attention_takes_all(dim: int, card: tuple[int, int], window: int | None, sinks: bool) -> None:
    output = attend(FLASH, FLASH_FORM, card, dim=dim, window=window, sinks=sinks)
    assert output.shape == (1, NUM_ROWS, NUM_HEADS, dim)


@pytest.mark.parametrize(
    ("form", "card", "shape", "reason"),
    [
        (CUDNN_FORM, (8, 0), {}, "SM90 or SM100 is required"),
        (CUDNN_FORM, (9, 0), {"window": 128}, "window_size must be"),
        (CUDNN_FORM, (9, 0), {"dim": 256}, "head dimensions"),
        (CUDNN_FORM, (9, 0), {"block_size": 48}, "power-of-two page size"),
        (FLASH_FORM, (9, 0), {}, "num_splits is not supported"),
    ],
)
def test_what_cudnn_does_not_take_is_left_to_flash_attention(
    form: PageForm, card: tuple[int, int], shape: dict[str, int], reason: str
) -> None:
    with pytest.raises(RuntimeError, match=reason):
        attend(CUDNN, form, card, **shape)  # type: ignore[arg-type]  # no sinks


def test_heads_of_256_are_cudnns_on_the_newest_cards() -> None:
    assert attend(CUDNN, CUDNN_FORM, (10, 0), dim=256).shape[-1] == 256
