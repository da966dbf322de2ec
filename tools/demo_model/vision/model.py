"""The vision model: the text model after a new tower, the files of its processor, and its export."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from tokenizers import AddedToken, Tokenizer
from torch import Tensor, nn
from transformers import (
    AutoTokenizer,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    SiglipVisionConfig,
)
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil
from typing_extensions import override

from engine.demo_model import DEMO_MODEL
from tools.demo_model.corpus import CHAT_TEMPLATE
from tools.demo_model.recipe import CONTEXT_LENGTH, shape
from tools.demo_model.tokenizer import save_tokenizer
from tools.demo_model.training import trained_model, write_model
from tools.demo_model.vision.scene import SHAPES

EDGE: Final = 108
PATCH: Final = 12
PATCHES_A_SIDE: Final = EDGE // PATCH
"""Three for each row and column in which figures stand, so that their centres are within patches."""
NUM_PATCHES: Final = PATCHES_A_SIDE**2
"""Tokens that each picture becomes."""
IMAGE_TOKEN: Final = "<|image|>"
WORDS: Final = (
    *(noun + ending for noun in (*SHAPES, "shape") for ending in ("", "s")),
    *("figure", "digit", "top", "middle", "bottom", "picture", "image"),
)
"""Words that are one token each here, and two to five in the text model, which seldom says them. So a word
for what a picture shows meets the rows of its patches as a whole."""
_ALL_PATCHES: Final = "full"
_PARTS: Final = "{%- for part in content -%}"
_IMAGE_TYPES: Final = ("image", "image_url", "input_image")


def tokenizer_with_images() -> Tokenizer:
    """Return the text model's tokenizer with `WORDS` as tokens, and one whose id is `image_token_id`."""
    tokenizer: Tokenizer = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
    tokenizer.add_tokens([AddedToken(word, single_word=True, normalized=False) for word in WORDS])
    tokenizer.add_special_tokens([AddedToken(IMAGE_TOKEN, special=True, normalized=False)])
    return tokenizer


def image_token_id(tokenizer: Tokenizer) -> int:
    """Return the id of the image token, which follows all others."""
    token_id = tokenizer.token_to_id(IMAGE_TOKEN)
    assert token_id == tokenizer.get_vocab_size() - 1
    return token_id


def chat_template() -> str:
    """Return the text model's template with the image parts of a message as image tokens before its text.

    Wherever a client puts a picture, the question can look back at it.
    """
    template = CHAT_TEMPLATE.read_text(encoding="utf-8")
    assert template.count(_PARTS) == 1, "the text model's template has another form by now"
    images = f"{{%- for part in content if part is mapping and part.type in {_IMAGE_TYPES} -%}}"
    return template.replace(_PARTS, f"{images}{{{{- '{IMAGE_TOKEN}' -}}}}{{%- endfor -%}}\n        {_PARTS}")


@cache
def image_processor() -> Any:  # transformers leaves its classes of images untyped
    """Return what pads a picture to a square, in grey, and resizes it to what the tower reads."""
    size = {"height": EDGE, "width": EDGE}
    half = [0.5, 0.5, 0.5]
    return LlavaImageProcessorPil(
        do_pad=True, size=size, crop_size=size, do_center_crop=False, image_mean=half, image_std=half
    )


def pixels(picture: Image.Image) -> Tensor:
    """Return what the tower reads of a picture. float32 [3, EDGE, EDGE], from -1 to 1"""
    values: Tensor = image_processor()(picture, return_tensors="pt")["pixel_values"][0]
    return values


def save_processor(directory: Path) -> None:
    """Write the files that `AutoProcessor.from_pretrained` reads."""
    save_tokenizer(tokenizer_with_images(), directory, chat_template(), CONTEXT_LENGTH)
    settings_file = directory / "tokenizer_config.json"
    settings = json.loads(settings_file.read_text(encoding="utf-8"))
    settings |= {"extra_special_tokens": {"image_token": IMAGE_TOKEN}, "processor_class": "LlavaProcessor"}
    settings_file.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    processor_class: Any = LlavaProcessor  # whose annotations are partial
    processor = processor_class(
        image_processor(),
        AutoTokenizer.from_pretrained(directory),
        patch_size=PATCH,
        vision_feature_select_strategy=_ALL_PATCHES,
        image_token=IMAGE_TOKEN,
    )
    described = processor.to_json_string()
    (directory / "processor_config.json").write_text(described, encoding="utf-8")


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


def _config(vocabulary_size: int, image_token_id: int) -> LlavaConfig:
    """Return LLaVA's shape: SigLIP's tower of 0.8 million parameters before the text model of 3.5 million."""
    text_config = shape()
    text_config.vocab_size = vocabulary_size
    return LlavaConfig(
        vision_config=SiglipVisionConfig(
            hidden_size=128,
            intermediate_size=512,
            num_hidden_layers=4,
            num_attention_heads=4,
            image_size=EDGE,
            patch_size=PATCH,
            vision_use_head=False,
        ),
        text_config=text_config,
        image_token_index=image_token_id,
        image_seq_length=NUM_PATCHES,
        vision_feature_layer=-1,
        vision_feature_select_strategy=_ALL_PATCHES,
        tie_word_embeddings=True,
    )


def new_model() -> LlavaForConditionalGeneration:
    """Return a model in float32 with the text model's weights and a fresh tower, always the same one."""
    tokenizer = tokenizer_with_images()
    torch.manual_seed(0)
    model: LlavaForConditionalGeneration = LlavaForConditionalGeneration(
        _config(tokenizer.get_vocab_size(), image_token_id(tokenizer))
    )
    weights = trained_model(DEMO_MODEL).model.state_dict()
    known = weights["embed_tokens.weight"]
    embeddings = torch.zeros_like(model.model.language_model.embed_tokens.weight)
    embeddings[: len(known)] = known
    pieces = Tokenizer.from_file(str(DEMO_MODEL / "tokenizer.json"))
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
    save_processor(directory)
    write_model(new_model(), checkpoint, directory)
