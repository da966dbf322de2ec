"""Prompts with sounds give the tokens of transformers' whole model, however they are batched and cut."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    AudioFlamingo3Processor,
    GlmAsrProcessor,
    Qwen2AudioProcessor,
    Qwen3ASRProcessor,
)
from transformers.models.gemma3n.processing_gemma3n import Gemma3nProcessor
from transformers.models.gemma4.processing_gemma4 import Gemma4Processor
from transformers.models.qwen2_5_omni.processing_qwen2_5_omni import Qwen2_5OmniProcessor

from engine.build import build_core
from engine.core.core import EngineCore
from engine.media.process.client import SHARED as DECODING
from engine.media.readers.whole_processor import with_parts
from engine.model.runner import ModelRunner
from engine.port.errors import InvalidMedia
from engine.port.media_item import MediaItem, MediaProcessor
from engine.port.request import BeamParams, MediaKind, Prompt
from engine.port.text.tokenizer import Tokenizer
from tests.parity.media.test_media_parity import (
    MAX_TOKENS,
    SHAPES,
    Expected,
    add,
    assert_as_expected,
    continued,
    encoder_of,
    run,
)
from tests.support.samples.sounds import sound_bytes
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.support.tiny_models.audio import (
    AUDIO_FAMILIES,
    WINDOW_SECONDS,
    audio_tokenizer,
    save_tiny_audio_model,
)
from tests.support.tiny_models.config import tiny_config
from tests.support.tiny_models.media import image_bytes

LONG, SHORT, OTHER = sound_bytes(1.7), sound_bytes(0.3, seed=1), sound_bytes(0.9, seed=2)
PICTURE = image_bytes(40, 24)
PICTURES = {PICTURE}

# Texts with a place for each sound, "#", and each image, "@", and these.
PROMPTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("Hello there", ()),
    ("the #", (LONG,)),
    ("#\nWhat is this in the recording?", (SHORT,)),
    ("one: # and two: #\n\n and the end", (LONG, SHORT)),
    ("one: # and two: #\n\n and the end", (OTHER, SHORT)),
    ("Nothing to hear, only a text of some length that goes on and on.", ()),
    ("##\n#", (SHORT, OTHER, SHORT)),
)
WITH_IMAGES: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("a # and @", (OTHER, PICTURE)),
    ("@\n# or #?", (PICTURE, LONG, SHORT)),
    ("only @", (PICTURE,)),
)
PLACEHOLDERS = {"#": (MediaKind.AUDIO, "<sound>"), "@": (MediaKind.IMAGE, "<image>")}
PROCESSORS: dict[str, Any] = {
    "qwen2_audio": Qwen2AudioProcessor,
    "audioflamingo3": AudioFlamingo3Processor,
    "glmasr": GlmAsrProcessor,
    "qwen3_asr": Qwen3ASRProcessor,
    "qwen2_5_omni": Qwen2_5OmniProcessor,
    "gemma3n": Gemma3nProcessor,
    "gemma4": Gemma4Processor,
}
# Their processors take one sound for a text, though the models read several.
ONE_SOUND_EACH = {"audioflamingo3", "glmasr", "qwen3_asr"}
# Those that `make test` tries.
USUAL = ("qwen2_audio", "voxtral", "gemma4")
# Those whose layers are compiled as one stack.
COMPILED = {"qwen2_audio", "voxtral", "audioflamingo3", "glmasr", "qwen2_5_omni", "qwen3_asr"}


@dataclass(frozen=True)
class Case:
    family: str
    directory: Path
    whole: Any
    prompts: Sequence[tuple[str, tuple[bytes, ...]]]
    expected: list[Expected]


def hf_inputs(family: str, text: str, files: Sequence[bytes]) -> Any:
    """Return what transformers' own processor makes of a text and its media."""
    tiny, tokenizer = AUDIO_FAMILIES[family], audio_tokenizer(family)
    for sign, (_, placeholder) in PLACEHOLDERS.items():
        text = text.replace(sign, placeholder)
    if not files:
        return {"input_ids": torch.tensor([tokenizer(text)["input_ids"]])}
    samples = [DECODING.read_audio(data, 16_000, 600) for data in files if data not in PICTURES]
    pictures = [Image.open(BytesIO(data)) for data in files if data in PICTURES]
    if family == "voxtral":
        return voxtral_inputs(text, samples)
    options = {key: value for key, value in tiny.settings.items() if key != "processor_class"}
    images = None if tiny.images is None else tiny.images()
    processor = with_parts(PROCESSORS[family], tokenizer, images=images, audio=tiny.sounds(), **options)
    if family in ONE_SOUND_EACH:
        processor.validate_inputs = lambda **given: None
    inputs = processor(
        text=[text],
        return_tensors="pt",
        **({"audio": samples} if samples else {}),
        **({"images": [pictures]} if pictures else {}),
    )
    return {**inputs, **features_alone(family, samples)} if samples and family in FILL_UP else inputs


# Processors that are given one sound alone here, and would fill the samples of several up to the longest's.
FILL_UP = {"qwen3_asr", "gemma3n"}


def features_alone(family: str, samples: Sequence[Any]) -> dict[str, Tensor]:
    """Return the features of sounds that know nothing of each other's lengths."""
    sounds = AUDIO_FAMILIES[family].sounds()
    options = {"padding": True, "sampling_rate": 16_000, "return_attention_mask": True}
    found = [dict(sounds([one], return_tensors="pt", **options)) for one in samples]
    for one in found:
        if "attention_mask" in one:
            one["input_features_mask"] = one.pop("attention_mask")
        if family == "gemma3n":  # [num_sounds, num_frames, num_bands]
            one["input_features"] = one["input_features"].mT
    length = max(one["input_features"].shape[-1] for one in found)
    filled = {
        name: torch.cat([functional.pad(one[name], (0, length - one[name].shape[-1])) for one in found])
        for name in found[0]
    }
    return filled | ({"input_features": filled["input_features"].mT} if family == "gemma3n" else {})


def encode_alone(model: Any) -> None:
    """Let Gemma 3n's model encode each sound as if it were alone: what fills one up would change its end."""
    encode = model.get_audio_features

    def get_audio_features(features: Tensor, is_filled: Tensor, **options: Any) -> Any:
        outputs = []
        for one, filled in zip(features, is_filled, strict=True):
            length = int((~filled).sum())
            outputs.append(encode(one[None, :length], filled[None, :length], **options))
        rows = pad_sequence([one.pooler_output[0] for one in outputs], batch_first=True)
        masks = [one.audio_mel_mask[0] for one in outputs]
        first = outputs[0]
        first.pooler_output = rows
        first.audio_mel_mask = pad_sequence(masks, batch_first=True, padding_value=True)
        return first

    model.get_audio_features = get_audio_features


def voxtral_inputs(text: str, samples: Sequence[Any]) -> Any:
    """Return the inputs of Voxtral, whose processor takes no text with sounds."""
    windows = []
    for one in samples:
        options = {"padding": True, "truncation": False, "pad_to_multiple_of": 480_000}
        sounds = AUDIO_FAMILIES["voxtral"].sounds()
        found = sounds(one, sampling_rate=16_000, return_tensors="pt", **options)["input_features"]
        windows += [found[..., start : start + 3_000] for start in range(0, found.shape[-1], 3_000)]
        text = text.replace("<sound>", "<one>" * (30 * (found.shape[-1] // 3_000)), 1)
    ids = audio_tokenizer("voxtral")(text.replace("<one>", "<sound>"))["input_ids"]
    return {"input_ids": torch.tensor([ids]), "input_features": torch.cat(windows)}


def expect(family: str, whole: Any, text: str, files: Sequence[bytes]) -> Expected:
    return continued(whole, hf_inputs(family, text, files))


def between_tokens(text: str) -> str:
    """Return a text whose media stand between tokens by which transformers counts them."""
    for sign, kind in (("#", "sound"), ("@", "image")):
        text = text.replace(sign, f"<begin_of_{kind}>{sign}<end_of_{kind}>")
    return text


@pytest.fixture(scope="module", params=usually(AUDIO_FAMILIES, USUAL))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    family = request.param
    directory = tmp_path_factory.mktemp(family)
    whole = save_tiny_audio_model(directory, family)
    if family == "gemma3n":
        encode_alone(whole.model)
    prompts = PROMPTS if AUDIO_FAMILIES[family].images is None else PROMPTS + WITH_IMAGES
    if family == "qwen2_5_omni":
        prompts = tuple((between_tokens(text), files) for text, files in prompts)
    return Case(family, directory, whole, prompts, [expect(family, whole, *prompt) for prompt in prompts])


def load(case: Case, **shape: Any) -> tuple[EngineCore, Tokenizer, MediaProcessor]:
    config = tiny_config(case.directory, **{"dtype": "float32", **shape})
    lines: list[str] = []
    built = build_core(config, lines.append)
    core, tokenizer, info = built.core, built.tokenizer, built.info
    sees = {MediaKind.IMAGE} if AUDIO_FAMILIES[case.family].images is not None else set()
    assert info.media == {MediaKind.AUDIO, *sees}, lines
    media = built.media_processor
    assert media is not None
    return core, tokenizer, media


def prompt_of(tokenizer: Tokenizer, media: MediaProcessor, text: str, files: Sequence[bytes]) -> Prompt:
    for sign, (_, placeholder) in PLACEHOLDERS.items():
        text = text.replace(sign, placeholder)
    kinds = [MediaKind.IMAGE if data in PICTURES else MediaKind.AUDIO for data in files]
    items = [MediaItem(kind, data) for kind, data in zip(kinds, files, strict=True)]
    return media.expand(tokenizer.encode(text), items)


def test_the_sounds_of_a_prompt_decide_its_continuation(case: Case) -> None:
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
    core, tokenizer, media = load(case, **shape)
    places = [*range(len(case.prompts)), *([0] * 8 if is_scarce else [])]  # short ones, which grow most
    for number, place in enumerate(places):
        prompt = prompt_of(tokenizer, media, *case.prompts[place])
        assert prompt.token_ids == case.expected[place].prompt_ids
        add(core, number, prompt)
    events = run(core)
    for number, place in enumerate(places):
        assert_as_expected(events[number], case.expected[place])
    assert (core.counters.num_preemptions > 0) == is_scarce


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "block_size")
@pytest.mark.parametrize("block_size", [1, 3, 16])
def test_a_prompt_that_is_cached_gives_the_same_tokens_and_other_sounds_share_nothing(
    case: Case, block_size: int
) -> None:
    core, tokenizer, media = load(case, block_size=block_size, num_kv_blocks=1_600 // block_size)
    for number, place in enumerate([3, 3, 4, 3, 4, 6]):
        add(core, number, prompt_of(tokenizer, media, *case.prompts[place]))
        assert_as_expected(run(core)[number], case.expected[place])
    assert core.counters.num_cache_hit_tokens > 0


@pytest.mark.takes_turns("case")
def test_a_sound_is_encoded_once_for_all_prompts_that_have_it(case: Case) -> None:
    core, tokenizer, media = load(case, block_size=1)
    encoder = encoder_of(core)
    for number, (text, num_computed) in enumerate(
        (("a #", 1), ("a #", 0), ("elsewhere: #", 0), ("# and #", 1))
    ):
        known = encoder.num_encoded
        add(core, number, prompt_of(tokenizer, media, text, (LONG, SHORT)[: text.count("#")]))
        run(core)
        assert encoder.num_encoded - known == num_computed


@pytest.mark.takes_turns("case")
def test_forks_and_beams_continue_from_sounds(case: Case) -> None:
    core, tokenizer, media = load(case, block_size=4)
    add(core, 0, prompt_of(tokenizer, media, *case.prompts[3]), num_sequences=3)
    add(core, 1, prompt_of(tokenizer, media, *case.prompts[2]), beams=BeamParams(num_beams=2))
    events = run(core)
    for index in range(3):
        assert_as_expected([event for event in events[0] if event.index == index], case.expected[3])
    inputs = hf_inputs(case.family, *case.prompts[2])
    with torch.inference_mode():
        found = case.whole.generate(**inputs, max_new_tokens=MAX_TOKENS, do_sample=False, num_beams=2)
    assert [event.token_id for event in events[1]] == found[0, inputs["input_ids"].shape[1] :].tolist()


@pytest.mark.takes_turns("case")
@pytest.mark.by_turns("case", "shape")
@pytest.mark.parametrize("shape", [{}, {"max_batch_tokens": 7}])
def test_placeholders_that_the_model_generates_are_embedded_as_by_transformers(
    case: Case, shape: dict[str, Any]
) -> None:
    core, tokenizer, media = load(case, **shape)
    text, files = case.prompts[-1]
    allowed = tuple(tokenizer.encode("<sound><image>", add_special_tokens=False))
    assert len(allowed) == 2
    expected = continued(
        case.whole,
        hf_inputs(case.family, text, files),
        prefix_allowed_tokens_fn=lambda batch, ids: list(allowed),
    )
    add(core, 0, prompt_of(tokenizer, media, text, files), allowed=allowed)
    assert_as_expected(run(core)[0], expected)


# Those that read no more than a window; the others are tried with several.
IN_ONE_WINDOW = {"qwen2_audio": WINDOW_SECONDS, "qwen2_5_omni": WINDOW_SECONDS, "gemma3n": 30, "gemma4": 30}


def test_a_sound_of_several_windows_gives_the_tokens_of_transformers_or_is_refused(case: Case) -> None:
    core, tokenizer, media = load(case)
    seconds = 31.0 if case.family in ("voxtral", "gemma3n", "gemma4") else 2 * WINDOW_SECONDS + 0.5
    text, files = "a # b", (sound_bytes(seconds, seed=3),)
    if (window := IN_ONE_WINDOW.get(case.family)) is not None:
        with pytest.raises(InvalidMedia, match=f"media item 0: the sound takes more than {window} seconds"):
            prompt_of(tokenizer, media, text, files)
        return
    expected = expect(case.family, case.whole, text, files)
    prompt = prompt_of(tokenizer, media, text, files)
    assert prompt.token_ids == expected.prompt_ids
    add(core, 0, prompt)
    assert_as_expected(run(core)[0], expected)


@pytest.mark.takes_turns("case")
@needs_compiled_bfloat16
def test_rows_that_decode_behind_a_sound_take_the_path_of_compiled_code(case: Case) -> None:
    """In bfloat16, where each product is the same whichever path takes it."""
    results = []
    for is_compiled in (True, False):
        core, tokenizer, media = load(case, dtype="bfloat16")
        assert isinstance(core.runner, ModelRunner)
        if case.family not in COMPILED:
            assert core.runner.decode_path is None
            return
        assert core.runner.decode_path is not None
        if not is_compiled:
            core.runner.decode_path = None
        for number, (text, files) in enumerate(case.prompts):
            add(core, number, prompt_of(tokenizer, media, text, files))
        events = run(core)
        results.append({number: [one.token_id for one in events[number]] for number in events})
    assert results[0] == results[1]


def test_the_thinker_of_a_model_that_also_speaks_is_served(tmp_path: Path) -> None:
    """A whole checkpoint of Qwen2.5-Omni, of which the weights of what speaks are left out."""
    whole = save_tiny_audio_model(tmp_path, "qwen2_5_omni")
    thinker = json.loads((tmp_path / "config.json").read_text())
    dtype = thinker.pop("dtype")
    described = {"model_type": "qwen2_5_omni", "dtype": dtype, "thinker_config": thinker}
    (tmp_path / "config.json").write_text(json.dumps(described))
    stored = load_file(tmp_path / "model.safetensors")
    stored = {f"thinker.{name}": tensor for name, tensor in stored.items()}
    save_file({**stored, "talker.codec_head.weight": torch.ones(4, 4)}, tmp_path / "model.safetensors")
    text, files = between_tokens("a # and @"), (OTHER, PICTURE)
    expected = expect("qwen2_5_omni", whole, text, files)
    core, tokenizer, media = load(Case("qwen2_5_omni", tmp_path, whole, (), []))
    add(core, 0, prompt_of(tokenizer, media, text, files))
    assert_as_expected(run(core)[0], expected)
