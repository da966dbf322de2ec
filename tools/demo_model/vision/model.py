"""The vision model: the text model's weights behind a new tower, what the tower gives, and its export."""

from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import LlavaForConditionalGeneration
from typing_extensions import override

from tools.demo_model.export import ARTEFACT as TEXT_MODEL
from tools.demo_model.export import write_model
from tools.demo_model.training import trained_model
from tools.demo_model.vision.processor import image_token_id, save_processor, tokenizer_with_images
from tools.demo_model.vision.recipe import WORDS, shape

ARTEFACT: Final = TEXT_MODEL.with_name("demo_vision")


class PictureReader(nn.Module):
    """The tower and the projector of a model, which a batch of pictures goes through without the rest.

    Called, it returns the rows that replace image tokens, as the model's `get_image_features` does.
    pixels: [num_pictures, 3, EDGE, EDGE]. Returns [num_pictures, NUM_PATCHES, hidden_size].
    """

    def __init__(self, model: LlavaForConditionalGeneration) -> None:
        super().__init__()
        self.tower = model.model.vision_tower
        self.projector = model.model.multi_modal_projector

    @override
    def forward(self, pixels: Tensor) -> Tensor:
        """Return the rows of each picture."""
        # Not by the tower's forward, which adds a norm that LLaVA leaves out, and which cannot be compiled.
        states = self.tower.encoder(inputs_embeds=self.tower.embeddings(pixels)).last_hidden_state
        rows: Tensor = self.projector(states)
        return rows


def new_model(text_model: Path) -> LlavaForConditionalGeneration:
    """Return a model in float32 with the text model's weights and a fresh tower, always the same one."""
    tokenizer = tokenizer_with_images(text_model)
    torch.manual_seed(0)
    config = shape(tokenizer.get_vocab_size(), image_token_id(tokenizer))
    model: LlavaForConditionalGeneration = LlavaForConditionalGeneration(config)
    weights = trained_model(text_model).model.state_dict()
    embeddings = torch.zeros_like(model.model.language_model.embed_tokens.weight)
    known = weights["embed_tokens.weight"]
    embeddings[: len(known)] = known
    pieces = Tokenizer.from_file(str(text_model / "tokenizer.json"))
    for word in WORDS:
        embeddings[tokenizer.token_to_id(word)] = _embedding_of(word, pieces, known)
    model.model.language_model.load_state_dict(weights | {"embed_tokens.weight": embeddings})
    return model


def trained_picture_model(directory: Path) -> LlavaForConditionalGeneration:
    """Return an exported model's weights, widened to float32."""
    model: LlavaForConditionalGeneration = LlavaForConditionalGeneration.from_pretrained(
        directory, dtype=torch.float32
    )
    return model


def _embedding_of(word: str, pieces: Tokenizer, known: Tensor) -> Tensor:
    """Return a word's first embedding: the mean of its pieces', as long as embeddings are.

    A plural's pieces are those of the singular and an "s", however the text model's tokenizer cuts it.
    """
    singular = word.removesuffix("s")
    ids = pieces.encode(singular).ids + pieces.encode(word.removeprefix(singular)).ids
    mean = known[ids].mean(0)
    embedding: Tensor = mean * (known.norm(dim=1).mean() / mean.norm())
    return embedding


def export(checkpoint: Path, directory: Path) -> None:
    """Write weights in bfloat16, configuration, tokenizer and processor."""
    directory.mkdir(parents=True, exist_ok=True)
    save_processor(TEXT_MODEL, directory)
    model = new_model(TEXT_MODEL)
    model.load_state_dict(torch.load(checkpoint, weights_only=True)["model"])
    write_model(model, directory)
