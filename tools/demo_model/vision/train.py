"""The second stage of training: the text model reads packed dialogues, most of them about drawings."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import LlavaForConditionalGeneration

from engine.native.bfloat16 import has_fast_bfloat16
from tools.demo_model.corpus import Batch, batches
from tools.demo_model.recipe import Schedule
from tools.demo_model.training import by_chunk, fit, mean_loss
from tools.demo_model.vision.corpus import picture_documents
from tools.demo_model.vision.model import PictureReader, tokenizer_with_images
from tools.demo_model.vision.recipe import NUM_PATCHES, NUM_THREADS

Loss = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def _max_pictures(batch: Batch) -> int:
    """Return how many pictures the rows of a batch have room for."""
    num_rows, row_length = batch.tokens.shape
    return num_rows * (row_length // NUM_PATCHES)


def embedded(embeddings: Tensor, is_image: Tensor, rows: Tensor) -> Tensor:
    """Return embeddings in which the tokens of images have the rows of pictures, in order.

    embeddings: [num_rows, row_length, hidden_size]. is_image: [num_rows, row_length]. rows: at least as many
    as there are such tokens, [num_pictures, NUM_PATCHES, hidden_size].
    """
    places = (is_image.flatten().cumsum(0) - 1).clamp(min=0)
    placed = rows.flatten(0, 1)[places].view_as(embeddings)
    return torch.where(is_image[..., None], placed.to(embeddings.dtype), embeddings)


def _loss_of(model: LlavaForConditionalGeneration) -> Callable[[Batch], Tensor]:
    """The weighted mean loss of a batch; what follows the tower is compiled, for as many rows as may come."""
    is_bfloat16 = has_fast_bfloat16()
    reader, text, head = PictureReader(model), model.model.language_model, model.lm_head
    image_token_id = model.config.image_token_index

    def loss_of_text(
        tokens: Tensor, rows: Tensor, positions: Tensor, mask: Tensor, targets: Tensor, weights: Tensor
    ) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=is_bfloat16):
            inputs = embedded(text.embed_tokens(tokens), tokens == image_token_id, rows)
            # [num_rows, row_length, hidden_size]
            hidden = text(
                inputs_embeds=inputs, position_ids=positions, attention_mask=mask, use_cache=False
            ).last_hidden_state
            logits = head(hidden)
        return mean_loss(logits, targets, weights)

    compiled = cast(Loss, torch.compile(loss_of_text, dynamic=False))

    def loss(batch: Batch) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=is_bfloat16):
            rows = reader(torch.stack(batch.pictures))
        rows = pad(rows.float(), (0, 0, 0, 0, 0, _max_pictures(batch) - len(rows)))
        return compiled(batch.tokens, rows, batch.positions, batch.mask(), batch.targets, batch.weights)

    return loss


def train_text(
    model: LlavaForConditionalGeneration, directory: Path, schedule: Schedule, resume: Path | None
) -> Path:
    """Train a model's text part in place and return the last checkpoint, which is of the whole model."""
    (blend,) = schedule.curriculum
    tokenizer = tokenizer_with_images()
    # Muon's steps are of one size whatever the gradient's is. Before the text model heeds the rows, they undo
    # what the tower has learnt: in a trial it named 72% of the kinds of figures, and 50 steps later 10%.
    PictureReader(model).requires_grad_(False)

    def batches_of(seed: int) -> Iterator[Batch]:
        return batches(picture_documents(tokenizer, seed, blend), blend.num_rows, blend.row_length)

    def data_from(first_step: int) -> Iterator[Batch]:
        return by_chunk(batches_of, first_step, schedule)

    return fit(model, _loss_of(model), data_from, directory, schedule, resume, NUM_THREADS)
