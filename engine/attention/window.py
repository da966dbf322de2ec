"""The part of a sequence that a token sees in layers that do not attend to all of it."""

import inspect
from typing import NamedTuple, TypeVar

from torch import Tensor, nn
from transformers import PreTrainedModel

# One position, or a tensor of them.
_Positions = TypeVar("_Positions", int, Tensor)

_HELD = "held_window"
# The function by which a model makes masks of sliding windows.
_MASK_MAKER = "create_sliding_window_causal_mask"


class Window(NamedTuple):
    """A token sees the last `size` tokens, its own included, or those of its own run of `size` positions.

    is_aligned: whether it is the latter: runs begin at multiples of `size`, and a token sees none before its
    own. transformers calls this chunked attention (Llama 4).
    """

    size: int
    is_aligned: bool = False

    def first_key(self, position: _Positions) -> _Positions:
        """Return the first position that the token at this one sees; below 0 where it sees all of them."""
        return position // self.size * self.size if self.is_aligned else position + 1 - self.size

    def in_words(self) -> str:
        """Return which tokens are seen, such as "a window of 512 tokens"."""
        return f"{'runs' if self.is_aligned else 'a window'} of {self.size:,} tokens"


def hold_windows(model: PreTrainedModel) -> None:
    """Let attention modules hold a window that transformers gives only to masks.

    These are layers of chunked attention, and all layers of a model that has one sliding window and does not
    name the types of its layers (Phi-3.5-MoE). Calls of attention that tell their window go by that.
    """
    config = model.config.get_text_config()
    layer_types = getattr(config, "layer_types", None) or []
    chunked = {index for index, kind in enumerate(layer_types) if kind == "chunked_attention"}
    size = None if layer_types else _size_of_masks(model)
    for module in model.modules():
        index = getattr(module, "layer_idx", None)
        if index in chunked:
            setattr(module, _HELD, Window(config.attention_chunk_size, is_aligned=True))
        elif index is not None and size is not None:
            setattr(module, _HELD, Window(size))


def _size_of_masks(model: PreTrainedModel) -> int | None:
    """Return the size of the window of a model's masks; None if it makes no masks of windows."""
    size = getattr(model.config.get_text_config(), "sliding_window", None)
    return size if hasattr(inspect.getmodule(type(model)), _MASK_MAKER) else None


def window_of(module: nn.Module, sliding_window: int | None) -> Window | None:
    """Return the window of a call of attention; None if the module sees all tokens before.

    sliding_window: the one that the call gives, if any.
    """
    if sliding_window is not None:
        return Window(sliding_window)
    window: Window | None = vars(module).get(_HELD)  # without a detour by nn.Module's own look-up
    return window
