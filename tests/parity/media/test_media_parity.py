"""Prompts with images give the tokens of transformers' whole model, however they are batched and cut."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from engine.build import build_core
from engine.core.core import EngineCore
from engine.media.encoder import MediaEncoder
from engine.media.readers.whole_processor import with_parts
from engine.model.runner import ModelRunner
from engine.port.events import TokenEvent
from engine.port.media_item import MediaItem, MediaProcessor
from engine.port.request import (
    BeamParams,
    GenerationRequest,
    MediaKind,
    Prompt,
    SamplingParams,
    StopConditions,
)
from engine.port.text.tokenizer import Tokenizer
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.media import (
    MEDIA_FAMILIES,
    image_bytes,
    media_tokenizer,
    save_tiny_media_model,
)

MAX_TOKENS = 16
TOLERANCE = 2e-4
WIDE, TALL, SMALL = image_bytes(60, 30), image_bytes(20, 50, seed=1), image_bytes(24, 24, seed=2)

# Texts with a place for each image, "#", and the images.
PROMPTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("Hello there", ()),
    ("the #", (WIDE,)),
    ("#\nWhat is this in the picture?", (TALL,)),
    ("one: # and two: #\n\n and the end", (WIDE, TALL)),
    ("one: # and two: #\n\n and the end", (SMALL, TALL)),
    ("Nothing to see, only a text of some length that goes on and on.", ()),
    ("##\n#", (SMALL, SMALL, WIDE)),
)

SHAPES: dict[str, dict[str, Any]] = {
    "one at a time": {"max_num_sequences": 1},
    "whole prompts": {},
    "images together": {"max_media_tokens": 512},
    "chunks of 7 tokens": {"max_batch_tokens": 7},
    "chunks and preemption": {"block_size": 4, "max_batch_tokens": 19},
    "nothing remembered": {"media_cache_bytes": 1, "prefix_caching": False, "max_batch_tokens": 11},
}


@dataclass(frozen=True)
class Expected:
    """A prompt, and the greedy tokens that transformers continues it with, and their log-probabilities."""

    prompt_ids: tuple[int, ...]
    tokens: list[int]
    logprobs: list[float]


@dataclass(frozen=True)
class Case:
    family: str
    directory: Path
    whole: Any
    expected: list[Expected]


def hf_inputs(directory: Path, family: str, text: str, images: Sequence[bytes]) -> Any:
    """Return what transformers' own processor makes of a text and its images."""
    tiny, tokenizer = MEDIA_FAMILIES[family], media_tokenizer(family)
    if not images:
        return {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    if MEDIA_FAMILIES[family].tokens == "pixtral":
        return pixtral_inputs(family, text, images)
    name = tiny.settings["processor_class"]
    options = {key: value for key, value in tiny.settings.items() if key != "processor_class"}
    parts = {"images": tiny.images(), "audio": None if tiny.sounds is None else tiny.sounds()}
    processor = with_parts(processor_class(family, name), tokenizer, **parts, **options)
    pictures = [Image.open(BytesIO(data)) for data in images]
    if family == "perception_lm":  # whose processor joins no images of different numbers of tiles
        lists = processor(text=[text], images=pictures, return_tensors=None)
        ids, tiles = torch.tensor(lists["input_ids"]), torch.cat(lists["pixel_values"])[None]
        return {"input_ids": ids, "pixel_values": tiles}
    nested = MEDIA_FAMILIES[family].tokens in ("tiles", "paligemma") or family == "llava_onevision"
    with warnings.catch_warnings():  # some make arrays of tensors in a way that NumPy gives up
        warnings.simplefilter("ignore", DeprecationWarning)
        inputs = processor(text=[text], images=[pictures] if nested else pictures, return_tensors="pt")
    inputs.pop("labels", None)  # PaliGemma's, for training
    if family == "llama4":  # whose processor rounds to bfloat16
        inputs["pixel_values"] = inputs["pixel_values"].float()
    return inputs


def processor_class(family: str, name: str) -> Any:
    """Return transformers' processor of this name, which is that of an earlier family for some."""
    folder = FOLDERS.get(family, family)
    return getattr(import_module(f"transformers.models.{folder}.processing_{folder}"), name)


def pixtral_inputs(family: str, text: str, images: Sequence[bytes]) -> Any:
    """Return the inputs of a model whose processor cannot be imported without torchvision."""
    tiny, tokenizer = MEDIA_FAMILIES[family], media_tokenizer(family)
    size = tiny.settings["patch_size"] * tiny.settings.get("spatial_merge_size", 1)
    pictures = [Image.open(BytesIO(data)) for data in images]
    found = tiny.images()(pictures, patch_size=size, return_tensors="pt")
    parts = text.split("[IMG]")
    whole = parts[0]
    for (height, width), part in zip(found["image_sizes"], parts[1:], strict=True):
        rows = ["[IMG]" * (int(width) // size)] * (int(height) // size)
        whole += "[IMG_BREAK]".join(rows) + "[IMG_END]" + part
    return {"input_ids": torch.tensor([tokenizer(whole)["input_ids"]]), **found}


def expect(
    case_directory: Path, family: str, whole: Any, placeholder: str, text: str, images: Any
) -> Expected:
    return continued(whole, hf_inputs(case_directory, family, text.replace("#", placeholder), images))


def continued(whole: Any, inputs: Any, **options: Any) -> Expected:
    """Return how transformers' whole model continues a prompt. options: of its `generate`."""
    with torch.inference_mode():
        output = whole.generate(
            **inputs,
            max_new_tokens=MAX_TOKENS,
            do_sample=False,
            return_dict_in_generate=True,
            output_logits=True,
            **options,
        )
    ids = inputs["input_ids"]
    tokens = output.sequences[0, ids.shape[1] :]
    logprobs = torch.cat(output.logits).float().log_softmax(dim=-1).gather(1, tokens[:, None])[:, 0]
    return Expected(tuple(ids[0].tolist()), tokens.tolist(), logprobs.tolist())


# The folders of transformers' processors, where they are not those of the families.
FOLDERS = {
    "gemma4_both_ways": "gemma4",
    "paligemma2": "paligemma",
    "fast_vlm": "llava",
    "glm4v_moe": "glm4v",
    "glm_ocr": "glm46v",
    "qwen3_vl_moe": "qwen3_vl",
    "qwen3_5": "qwen3_vl",
    "qwen3_5_moe": "qwen3_vl",
}
PLACEHOLDERS = {
    "gemma4": "<image_soft_token>",
    "gemma4_both_ways": "<image_soft_token>",
    "gemma3": "<start_of_image>",
    "gemma3n": "<image_soft_token>",
    "llama4": "<|image|>",
    "cohere2_vision": "<|IMG_PATCH|>",
    "internvl": "<IMG_CONTEXT>",
    "kimi_k25": "<|media_begin|>image<|media_content|><|media_pad|><|media_end|>",
    "mistral3": "[IMG]",
    "pixtral": "[IMG]",
    "lighton_ocr": "<|image_pad|>",
    "paddleocr_vl": "<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>",
}
PLACEHOLDERS_BY_TOKENS = {
    "qwen": "<|vision_start|><|image_pad|><|vision_end|>",
    "glm4v": "<|begin_of_image|><|image|><|end_of_image|>",
}


def placeholder_of(family: str) -> str:
    return PLACEHOLDERS_BY_TOKENS.get(MEDIA_FAMILIES[family].tokens) or PLACEHOLDERS.get(family, "<image>")


# Those that `make test` tries: most ways in which images stand in prompts.
USUAL = ("smolvlm", "internvl", "llava", "gemma3", "qwen2_vl", "mistral3", "paligemma")


@pytest.fixture(scope="module", params=usually(MEDIA_FAMILIES, USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    family = request.param
    directory = tmp_path_factory.mktemp(family)
    whole = save_tiny_media_model(directory, family)
    expected = [
        expect(directory, family, whole, placeholder_of(family), text, images) for text, images in PROMPTS
    ]
    return Case(family, directory, whole, expected)


def load(directory: Path, **shape: Any) -> tuple[EngineCore, Tokenizer, MediaProcessor]:
    config = tiny_config(directory, **{"dtype": "float32", **shape})
    lines: list[str] = []
    built = build_core(config, lines.append)
    core, tokenizer, info = built.core, built.tokenizer, built.info
    assert MediaKind.IMAGE in info.media, lines
    media = built.media_processor
    assert media is not None
    return core, tokenizer, media


def prompt_of(tokenizer: Tokenizer, media: MediaProcessor, text: str, images: Sequence[bytes]) -> Prompt:
    ids = tokenizer.encode(text.replace("#", media.placeholder(MediaKind.IMAGE)))
    return media.expand(ids, [MediaItem(MediaKind.IMAGE, data) for data in images])


def add(
    core: EngineCore, number: int, prompt: Prompt, *, allowed: tuple[int, ...] | None = None, **fields: Any
) -> None:
    core.add(
        number,
        GenerationRequest(
            request_id=str(number),
            prompt=prompt,
            sampling=SamplingParams(temperature=0.0, num_logprobs=0, allowed_token_ids=allowed),
            stopping=StopConditions(max_tokens=MAX_TOKENS),
            **fields,
        ),
    )


def run(core: EngineCore) -> dict[int, list[TokenEvent]]:
    events: dict[int, list[TokenEvent]] = {}
    while core.has_work:
        for number, event in core.step():
            assert isinstance(event, TokenEvent), event
            events.setdefault(number, []).append(event)
    return events


def assert_as_expected(events: Sequence[TokenEvent], expected: Expected) -> None:
    assert [event.token_id for event in events] == expected.tokens
    assert [event.logprob for event in events] == pytest.approx(expected.logprobs, abs=TOLERANCE)


def test_the_images_of_a_prompt_decide_its_continuation(case: Case) -> None:
    assert case.expected[3].tokens != case.expected[4].tokens


@pytest.mark.by_turns("case", "shape")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_requests_alone_and_in_batches_give_the_tokens_of_transformers(
    case: Case, shape: dict[str, Any]
) -> None:
    is_scarce = "block_size" in shape
    if is_scarce:
        longest = max(len(expected.prompt_ids) for expected in case.expected)
        shape = {**shape, "num_kv_blocks": -(-(longest + MAX_TOKENS) // 4)}
    core, tokenizer, media = load(case.directory, **shape)
    places = [*range(len(PROMPTS)), *([0] * 8 if is_scarce else [])]  # short ones, which grow most
    for number, place in enumerate(places):
        prompt = prompt_of(tokenizer, media, *PROMPTS[place])
        assert prompt.token_ids == case.expected[place].prompt_ids
        add(core, number, prompt)
    events = run(core)
    for number, place in enumerate(places):
        assert_as_expected(events[number], case.expected[place])
    assert (core.counters.num_preemptions > 0) == is_scarce


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "block_size")
@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_a_prompt_that_is_cached_gives_the_same_tokens_and_other_images_share_nothing(
    case: Case, block_size: int
) -> None:
    core, tokenizer, media = load(case.directory, block_size=block_size, num_kv_blocks=800 // block_size)
    for number, place in enumerate([3, 3, 4, 3, 4, 6]):
        add(core, number, prompt_of(tokenizer, media, *PROMPTS[place]))
        assert_as_expected(run(core)[number], case.expected[place])
    assert core.counters.num_cache_hit_tokens > 0


@pytest.mark.takes_turns("case")
def test_prompts_that_begin_alike_share_what_their_ends_do_not_change(case: Case) -> None:
    core, tokenizer, media = load(case.directory, block_size=2)
    texts = ("# a picture of something, in words", "# a picture of something, in letters")
    for number, text in enumerate(texts):
        expected = expect(
            case.directory, case.family, case.whole, placeholder_of(case.family), text, (SMALL,)
        )
        num_hits = core.counters.num_cache_hit_tokens
        add(core, number, prompt_of(tokenizer, media, text, (SMALL,)))
        assert_as_expected(run(core)[number], expected)
    sees_itself = case.family.startswith("paligemma")
    assert (core.counters.num_cache_hit_tokens > num_hits) != sees_itself


@pytest.mark.takes_turns("case")
def test_a_picture_is_encoded_once_for_all_prompts_that_show_it(case: Case) -> None:
    core, tokenizer, media = load(case.directory, block_size=1)
    encoder = encoder_of(core)
    prompts = (("a #", 1), ("a #", 0), ("in another place: #", 0), ("a # and #", 1))
    for number, (text, num_computed) in enumerate(prompts):
        images = (WIDE, TALL)[: text.count("#")]
        known = encoder.num_encoded
        add(core, number, prompt_of(tokenizer, media, text, images))
        run(core)
        # LLaVA-OneVision's processor makes something else of a picture that is not alone.
        num_others = case.family == "llava_onevision" and len(images) > 1
        assert encoder.num_encoded - known == num_computed + num_others


@pytest.mark.takes_turns("case")
def test_images_of_few_pixels_are_encoded(case: Case) -> None:
    core, tokenizer, media = load(case.directory)
    encoder = encoder_of(core)
    for width, height in ((1, 1), (3, 3), (1, 3), (3, 1), (4, 1)):
        (medium,) = prompt_of(tokenizer, media, "#", (image_bytes(width, height),)).media
        assert medium.digest in encoder.encode([medium]), (width, height)


@pytest.mark.parametrize("case", ["mistral3"], indirect=True)
def test_an_image_of_one_row_is_encoded_as_beside_others(case: Case) -> None:
    core, tokenizer, media = load(case.directory)
    (dot,) = prompt_of(tokenizer, media, "#", (image_bytes(1, 1),)).media
    other = prompt_of(tokenizer, media, "#", (WIDE,)).media[0]
    encoder = encoder_of(core)
    alone = encoder.encode([dot])[dot.digest].rows
    arrays = [encoder._arrays(one) for one in (dot, other)]
    height, width = (max(array["pixel_values"].shape[axis] for array in arrays) for axis in (2, 3))
    pixels = torch.zeros(2, 3, height, width)
    for place, array in enumerate(arrays):
        picture = torch.from_numpy(array["pixel_values"][0])
        pixels[place, :, : picture.shape[1], : picture.shape[2]] = picture
    sizes = torch.cat([torch.as_tensor(array["image_sizes"]) for array in arrays])
    with torch.inference_mode():
        rows = case.whole.model.get_image_features(pixels, sizes, return_dict=True).pooler_output
    assert len(alone) == len(rows[0]) == 1
    assert torch.allclose(alone, rows[0], atol=1e-5)


def encoder_of(core: EngineCore) -> MediaEncoder:
    assert isinstance(core.runner, ModelRunner) and core.runner.media is not None
    return core.runner.media.encoder


# Those whose layers are compiled as one stack.
COMPILED = ("smolvlm", "internvl", "qwen2_5_vl", "qwen3_vl", "mistral3")


@needs_compiled_bfloat16
@pytest.mark.parametrize("case", COMPILED, indirect=True)
def test_rows_that_decode_behind_an_image_take_the_path_of_compiled_code(case: Case) -> None:
    """In bfloat16, where each product is the same whichever path takes it."""
    results = []
    for is_compiled in (True, False):
        core, tokenizer, media = load(case.directory, dtype="bfloat16")
        assert isinstance(core.runner, ModelRunner)
        assert core.runner.decode_path is not None
        if not is_compiled:
            core.runner.decode_path = None
        for number, (text, images) in enumerate(PROMPTS):
            add(core, number, prompt_of(tokenizer, media, text, images))
        results.append(
            {
                number: [(event.token_id, event.logprob) for event in events]
                for number, events in run(core).items()
            }
        )
    assert results[0] == results[1]


@pytest.mark.takes_turns("case")
def test_forks_and_beams_continue_from_images(case: Case) -> None:
    core, tokenizer, media = load(case.directory, block_size=4)
    add(core, 0, prompt_of(tokenizer, media, *PROMPTS[3]), num_sequences=3)
    add(core, 1, prompt_of(tokenizer, media, *PROMPTS[2]), beams=BeamParams(num_beams=2))
    events = run(core)
    for index in range(3):
        assert_as_expected([event for event in events[0] if event.index == index], case.expected[3])
    if case.family == "llama4":  # whose images transformers does not repeat for each beam, and so raises
        return
    inputs = hf_inputs(
        case.directory, case.family, PROMPTS[2][0].replace("#", placeholder_of(case.family)), (TALL,)
    )
    with torch.inference_mode():
        found = case.whole.generate(**inputs, max_new_tokens=MAX_TOKENS, do_sample=False, num_beams=2)
    tokens = found[0, inputs["input_ids"].shape[1] :].tolist()
    assert [event.token_id for event in events[1]] == tokens
