"""The inputs of a language model that the whole model, with its media, would make.

They are rows that the first layers add to their outputs (DeepStack, Meng et al. 2024, arXiv 2406.04334),
which a hook gives to the decoder, the embeddings that each layer of Gemma 3n and 4 has of its own, padding in
the places of placeholders that Gemma 4 generates, and the embeddings of the tokens that Gemma 3n has for its
media alone.
"""

from contextvars import ContextVar
from inspect import signature
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel

from engine.media.encoder import MediaEncoder, PlacedRows
from engine.media.families import FAMILIES

current_deeper_rows: ContextVar[PlacedRows | None] = ContextVar("current_deeper_rows", default=None)
"""The encoder's rows for the batch that is being computed; None for a batch of text only."""

_MASK: Final = "visual_pos_masks"
_ROWS: Final = "deepstack_visual_embeds"
_PLACEHOLDERS: Final = ("image_token_id", "audio_token_id", "video_token_id")
_EMBEDDINGS: Final = ("embed_tokens", "embed_tokens_per_layer")


def add_deeper_rows(model: PreTrainedModel) -> None:
    """Let the decoder of a model get the rows that its first layers add, if it has a use for them."""
    decoder: Any = model
    decoder = decoder.get_decoder()
    if _ROWS in signature(decoder.forward).parameters:
        decoder.register_forward_pre_hook(_pass_on, with_kwargs=True)


def _pass_on(
    module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    placed = current_deeper_rows.get()
    if placed is None or not placed.encoded.deeper:
        return None
    embeddings = named["inputs_embeds"]
    mask = torch.zeros(embeddings.shape[:2], dtype=torch.bool, device=embeddings.device)
    mask[0, placed.indices] = True
    # The code picks rows by the mask, in the batch's order.
    order = placed.indices.argsort()
    rows = [layer[order] for layer in placed.encoded.deeper]
    return given, {**named, _MASK: mask, _ROWS: rows}


def layer_embeddings(
    model: PreTrainedModel, config: PreTrainedConfig, input_ids: Tensor, embedded_rows: Tensor
) -> dict[str, Tensor]:
    """Return the argument with each layer's own embeddings of a batch; none for a model without these.

    config: the whole model's. input_ids: [num_tokens]. embedded_rows: those that the encoder's rows take, for
    which padding stands in some models.
    """
    text: Any = model.config.get_text_config()
    if not getattr(text, "hidden_size_per_layer_input", None):
        return {}
    decoder: Any = model
    decoder = decoder.get_decoder()
    ids = input_ids
    if FAMILIES[config.model_type].pads_placeholders:
        ids = ids.clone()
        ids[embedded_rows] = text.pad_token_id
    return {"per_layer_inputs": decoder.get_per_layer_inputs(ids[None])}


def pad_placeholders(model: PreTrainedModel, config: PreTrainedConfig) -> None:
    """Let the placeholders of media be embedded as padding, if the whole model does so.

    The encoder's rows take the places of those that a prompt has; the others are generated ones.
    config: the whole model's.
    """
    if not FAMILIES[config.model_type].pads_placeholders:
        return
    padding: int = config.get_text_config().pad_token_id
    found = [getattr(config, name) for name in _PLACEHOLDERS]
    placeholders = torch.tensor([one for one in found if one is not None], device=model.device)

    def pad(module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        (ids,) = given
        return (ids.masked_fill(torch.isin(ids, placeholders), padding),)

    decoder: Any = model
    decoder = decoder.get_decoder()
    for name, embedding in decoder.named_children():
        if name in _EMBEDDINGS:
            embedding.register_forward_pre_hook(pad)


def embed_media_tokens(model: PreTrainedModel, encoder: MediaEncoder) -> None:
    """Let the ids that a model has only for its media be embedded by its encoder's tables, if it has any.

    Ends of images and audio are among them, which are no places of rows.
    """
    if (known := encoder.token_embeddings()) is None:
        return
    first, table = known

    def embed(module: nn.Module, given: tuple[Tensor, ...], embeddings: Tensor) -> Tensor:
        (ids,) = given
        rows = table[(ids - first).clamp(min=0, max=len(table) - 1)]
        return torch.where((ids >= first)[..., None], rows, embeddings)

    decoder: Any = model
    decoder.get_decoder().get_input_embeddings().register_forward_hook(embed)
