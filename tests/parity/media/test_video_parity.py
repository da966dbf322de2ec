"""Prompts with videos give the tokens of transformers' whole model.

Its processors of videos need torchvision, so what they make of frames is written down here, once more and by
torch; frames have the sizes that the models read, as far as a family lets them.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor
from transformers.models.qwen3_vl.video_processing_qwen3_vl import Qwen3VLVideoProcessor
from transformers.video_utils import VideoMetadata

from engine.media.readers.whole_processor import with_parts
from engine.port.media_item import MediaItem, MediaProcessor
from engine.port.request import MediaKind, Prompt
from engine.port.text.tokenizer import Tokenizer
from tests.parity.media.test_media_parity import (
    Expected,
    add,
    assert_as_expected,
    continued,
    load,
    processor_class,
    run,
)
from tests.support.samples.videos import video_bytes
from tests.support.selection.effort import usually
from tests.support.tiny_models.media import MEDIA_FAMILIES, image_bytes, media_tokenizer
from tests.support.tiny_models.video import VIDEO_SETTINGS, save_tiny_video_model

# Those that `make test` tries: one of each way in which videos are described.
USUAL = ("qwen2_vl", "qwen3_vl", "glm4v", "gemma4", "internvl", "smolvlm")
SIDE = {"internvl": 28, "llava_onevision": 28, "smolvlm": 28}
GLM_MARKERS = (
    "<|begin_of_video|><|video|><|end_of_video|>",
    "<|begin_of_image|><|image|><|end_of_image|>",
)
GEMMA_MARKERS = ("<|video|>", "<image_soft_token>")
PLACEHOLDERS = {
    "glm4v": GLM_MARKERS,
    "glm_ocr": GLM_MARKERS,
    "gemma4": GEMMA_MARKERS,
    "gemma4_both_ways": GEMMA_MARKERS,
    "internvl": ("<video>", "<IMG_CONTEXT>"),
    "llava_onevision": ("<video>", "<image>"),
    "smolvlm": ("<video>", "<image>"),
}
QWEN_PLACEHOLDERS = (
    "<|vision_start|><|video_pad|><|vision_end|>",
    "<|vision_start|><|image_pad|><|vision_end|>",
)
# Those whose videos and images have the same tokens.
EITHER = ("smolvlm", "glm4v", "glm_ocr")
# Of 8 frames, 4 a second, those that the settings choose; of 5 likewise. GLM repeats the last of an odd
# number.
_ALL: dict[int, list[int]] = {8: [0, 1, 2, 3, 4, 5, 6, 7], 5: [0, 1, 2, 3, 4, 4]}
CHOSEN: dict[str, dict[int, list[int]]] = {
    "qwen2_vl": {8: [0, 2, 4, 6], 5: [0, 1, 2, 3]},
    "qwen2_5_vl": {8: [0, 1, 2, 3, 4, 5, 6, 7], 5: [0, 1, 2, 3]},
    "qwen3_vl": {8: [0, 2, 5, 7], 5: [0, 1, 3, 4]},
    "qwen3_5": {8: [0, 2, 5, 7], 5: [0, 1, 3, 4]},
    "glm4v": _ALL,
    "glm_ocr": _ALL,
    "gemma4": {8: [0, 4], 5: [0, 2]},
    "gemma4_both_ways": {8: [0, 4], 5: [0, 2]},
    "internvl": {8: [1, 4, 6], 5: [0, 2, 4]},
    "llava_onevision": {8: [0, 2, 5], 5: [0, 1, 3]},
    "smolvlm": {8: [0, 7], 5: [0, 4]},
}
RATE = 4
# Texts with a place for each video, "%", and each image, "#".
TEXTS: tuple[tuple[str, tuple[int, ...], int], ...] = (
    ("the %", (8,), 0),
    ("one % and\n% end", (5, 8), 0),
    ("Nothing to see here.", (), 0),
    ("an image # and %", (5,), 1),
)


@dataclass(frozen=True)
class Case:
    family: str
    directory: Path
    expected: list[Expected]


def video_of(family: str, num_frames: int) -> bytes:
    side = SIDE.get(family, 32)
    return video_bytes(num_frames, side, side, rate=RATE, codec="mjpeg", format="matroska", seed=num_frames)


def picture_of(family: str) -> bytes:
    return image_bytes(SIDE.get(family, 32), SIDE.get(family, 32))


def frames_of(data: bytes) -> list[Image.Image]:
    with av.open(BytesIO(data), "r") as container:
        frames: list[Any] = list(container.decode(video=0))
        return [frame.to_image() for frame in frames]


class Published:
    """The results of transformers' processor of videos for frames that need no scaling, or SmolVLM's two."""

    merge_size = 2
    temporal_patch_size = 2

    def __init__(self, family: str, mean: Sequence[float], deviation: Sequence[float]) -> None:
        self._family = family
        self._mean = torch.tensor(mean)[:, None, None]
        self._deviation = torch.tensor(deviation)[:, None, None]

    def __call__(self, videos: Sequence[Sequence[Image.Image]], **options: Any) -> dict[str, Any]:
        made: list[list[Image.Image]] = []
        metadata: list[VideoMetadata] = []
        for frames in videos:
            total = len(frames)
            chosen = CHOSEN[self._family][total]
            made.append([frames[place] for place in chosen])
            metadata.append(VideoMetadata(total, fps=RATE, duration=total / RATE, frames_indices=chosen[:]))
        if self._family.startswith("gemma4"):
            return {**self._tensors_of_images(made), "video_metadata": metadata}
        normalized = [torch.stack([self._normalized(frame) for frame in frames]) for frames in made]
        return {**self._tensors(normalized), "video_metadata": metadata}

    def _tensors_of_images(self, made: list[list[Image.Image]]) -> dict[str, Any]:
        """Return what transformers' processor of images makes of the frames of Gemma 4."""
        images = MEDIA_FAMILIES[self._family].images()
        found = images([frame for frames in made for frame in frames], return_tensors="pt")
        num_frames = torch.tensor([len(frames) for frames in made])
        firsts = num_frames.cumsum(0) - num_frames
        return {
            "pixel_values_videos": found["pixel_values"],
            "video_position_ids": found["image_position_ids"],
            "num_frames_per_video": num_frames,
            "num_soft_tokens_per_video": [int(found["num_soft_tokens_per_image"][first]) for first in firsts],
        }

    def _normalized(self, frame: Image.Image) -> Tensor:
        if self._family == "smolvlm":
            for side in (56, 28):
                frame = frame.resize((side, side), Image.Resampling.LANCZOS)
        values = torch.from_numpy(np.array(frame)).permute(2, 0, 1).float() / 255
        return (values - self._mean) / self._deviation

    def _tensors(self, made: list[Tensor]) -> dict[str, Any]:
        if self._family.startswith(("qwen", "glm")):
            patchify: Any = Qwen3VLVideoProcessor.patchify  # Qwen2-VL's is the same
            parts = [patchify(None, video[None], 4, 2, 2) for video in made]
            return {
                "pixel_values_videos": torch.cat([part[0][0] for part in parts]),
                "video_grid_thw": torch.tensor([part[1:] for part in parts]),
            }
        if self._family == "smolvlm":
            most = max(map(len, made))
            padded = torch.stack(
                [torch.cat([video, video.new_zeros(most - len(video), *video.shape[1:])]) for video in made]
            )
            return {"pixel_values": padded, "pixel_attention_mask": torch.ones_like(padded[:, :, 0]).long()}
        return {"pixel_values_videos": made}


def hf_inputs(family: str, text: str, videos: Sequence[bytes], images: Sequence[bytes]) -> Any:
    """Return what transformers' own processor makes of a text, its videos and its images."""
    tiny, tokenizer = MEDIA_FAMILIES[family], media_tokenizer(family)
    if not videos and not images:
        return {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    options = {key: value for key, value in tiny.settings.items() if key != "processor_class"}
    parts = tiny.images()
    published = processor_class(family, tiny.settings["processor_class"])
    processor = with_parts(published, tokenizer, images=parts, **options)
    processor.video_processor = Published(family, parts.image_mean, parts.image_std)
    pictures = [Image.open(BytesIO(data)) for data in images]
    with warnings.catch_warnings():  # some make arrays of tensors in a way that NumPy gives up
        warnings.simplefilter("ignore", DeprecationWarning)
        return processor(
            text=[text],
            videos=[frames_of(data) for data in videos] or None,
            images=[pictures] if pictures and family == "llava_onevision" else pictures or None,
            return_tensors="pt",
        )


def texts_of(family: str) -> list[tuple[str, list[bytes], list[bytes]]]:
    """Return the texts that transformers takes, which has either videos or images for some families."""
    return [
        (text, [video_of(family, number) for number in lengths], [picture_of(family)] * num_images)
        for text, lengths, num_images in TEXTS
        if not (family in EITHER and num_images)
    ]


def placeholders_of(family: str) -> tuple[str, str]:
    """Return what stands for a video, and for an image."""
    return PLACEHOLDERS.get(family, QWEN_PLACEHOLDERS)


def expect(family: str, whole: Any, text: str, videos: list[bytes], images: list[bytes]) -> Expected:
    video, image = placeholders_of(family)
    return continued(whole, hf_inputs(family, text.replace("%", video).replace("#", image), videos, images))


@pytest.fixture(scope="module", params=usually(VIDEO_SETTINGS, USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    family = request.param
    directory = tmp_path_factory.mktemp(family)
    whole = save_tiny_video_model(directory, family)
    return Case(family, directory, [expect(family, whole, *texts) for texts in texts_of(family)])


def prompts_of(case: Case, tokenizer: Tokenizer, media: MediaProcessor) -> list[Prompt]:
    prompts = []
    for text, videos, images in texts_of(case.family):
        kinds = {"%": MediaKind.VIDEO, "#": MediaKind.IMAGE}
        files = {"%": iter(videos), "#": iter(images)}
        items = [MediaItem(kinds[sign], next(files[sign])) for sign in text if sign in kinds]
        for sign, kind in kinds.items():
            text = text.replace(sign, media.placeholder(kind))
        prompts.append(media.expand(tokenizer.encode(text), items))
    return prompts


@pytest.mark.takes_turns("case")
def test_the_tokens_that_keep_the_place_of_a_video_are_those_of_transformers(case: Case) -> None:
    _, tokenizer, media = load(case.directory)
    assert media.kinds == {MediaKind.IMAGE, MediaKind.VIDEO}
    prompts = prompts_of(case, tokenizer, media)
    assert [prompt.token_ids for prompt in prompts] == [expected.prompt_ids for expected in case.expected]


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "shape")
@pytest.mark.parametrize("shape", [{}, {"max_batch_tokens": 7}, {"max_media_tokens": 512}])
def test_prompts_with_videos_give_the_tokens_of_transformers(case: Case, shape: dict[str, Any]) -> None:
    core, tokenizer, media = load(case.directory, **shape)
    prompts = prompts_of(case, tokenizer, media)
    for number, prompt in enumerate(prompts):
        add(core, number, prompt)
    events = run(core)
    for number, expected in enumerate(case.expected):
        assert_as_expected(events[number], expected)
    # Again, with what the prefix cache has of them, and one that shares nothing but its text.
    for number, prompt in enumerate(prompts):
        add(core, number, prompt)
        assert_as_expected(run(core)[number], case.expected[number])
    assert core.counters.num_cache_hit_tokens > 0
