"""The files that transformers' processor reads: tokenizer, chat template, and how a picture is resized."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from PIL import Image
from tokenizers import AddedToken, Tokenizer
from torch import Tensor
from transformers import AutoTokenizer, LlavaProcessor
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

from tools.demo_model.corpus import CHAT_TEMPLATE
from tools.demo_model.recipe import CONTEXT_LENGTH
from tools.demo_model.tokenizer import save_tokenizer
from tools.demo_model.vision.recipe import ALL_PATCHES, EDGE, IMAGE_TOKEN, PATCH, WORDS

_PARTS: Final = "{%- for part in content -%}"
_IMAGE_TYPES: Final = ("image", "image_url", "input_image")


def tokenizer_with_images(text_model: Path) -> Tokenizer:
    """Return the text model's tokenizer with `WORDS` as tokens, and one whose id is `image_token_id`."""
    tokenizer: Tokenizer = Tokenizer.from_file(str(text_model / "tokenizer.json"))
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


def save_processor(text_model: Path, directory: Path) -> None:
    """Write the files that `AutoProcessor.from_pretrained` reads."""
    save_tokenizer(tokenizer_with_images(text_model), directory, chat_template(), CONTEXT_LENGTH)
    settings_file = directory / "tokenizer_config.json"
    settings = json.loads(settings_file.read_text(encoding="utf-8"))
    settings |= {"extra_special_tokens": {"image_token": IMAGE_TOKEN}, "processor_class": "LlavaProcessor"}
    settings_file.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    processor_class: Any = LlavaProcessor  # whose annotations are partial
    processor = processor_class(
        image_processor(),
        AutoTokenizer.from_pretrained(directory),
        patch_size=PATCH,
        vision_feature_select_strategy=ALL_PATCHES,
        image_token=IMAGE_TOKEN,
    )
    described = processor.to_json_string()
    (directory / "processor_config.json").write_text(described, encoding="utf-8")
