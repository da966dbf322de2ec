"""The facts about a model that transcribes, as its config.json and generation_config.json have them."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
from transformers import PreTrainedConfig

from engine.port.errors import ModelNotSupported
from engine.port.info.speech_info import ENGLISH, SECONDS_PER_TIMESTAMP, SPEECH_MODEL_TYPES, SpeechInfo

_GENERATION: Final = "generation_config.json"
_PREPROCESSOR: Final = "preprocessor_config.json"
_LANGUAGE: Final = re.compile(r"<\|([a-z]{2,3})\|>")


def transcribes(config: PreTrainedConfig) -> bool:
    """Return whether models of this configuration write down speech."""
    return config.model_type in SPEECH_MODEL_TYPES


def describe_speech(directory: Path, config: PreTrainedConfig) -> SpeechInfo:
    """Return the facts about a model. Raises ModelNotSupported where its files leave one out."""
    generation = _object(directory, _GENERATION)
    audio = _object(directory, _PREPROCESSOR)
    known: Any = config
    try:
        no_timestamps: int = generation["no_timestamps_token_id"]
        sampling_rate, hop = audio["sampling_rate"], audio["hop_length"]
        tasks: dict[str, int] = generation.get("task_to_id") or {}
        languages: dict[str, int] = generation.get("lang_to_id") or {}
        info = SpeechInfo(
            sampling_rate=sampling_rate,
            frames_per_second=sampling_rate // hop,
            num_bands=known.num_mel_bins,
            window_frames=2 * known.max_source_positions,  # the encoder's second convolution halves them
            num_positions=known.max_target_positions,
            end_id=generation["eos_token_id"],
            start_id=generation["decoder_start_token_id"],
            previous_id=generation.get("prev_sot_token_id", _previous_id(generation)),
            no_speech_id=no_timestamps - 1,
            no_timestamps_id=no_timestamps,
            languages=_by_code(languages),
            language_names=_names(_by_code(languages) or (ENGLISH,)),
            transcribe_id=tasks.get("transcribe"),
            translate_id=tasks.get("translate"),
            banned_ids=tuple(generation.get("suppress_tokens") or ()),
            first_banned_ids=tuple(generation.get("begin_suppress_tokens") or ()),
            max_initial_timestamp=generation.get("max_initial_timestamp_index"),
            alignment_heads=_pairs(generation.get("alignment_heads") or ()),
            median_width=known.median_filter_width,
        )
        # Of a file, so that nothing says that the types are these.
        info = msgspec.convert(msgspec.to_builtins(info), SpeechInfo)
    except (
        KeyError,
        TypeError,
        ValueError,
        ZeroDivisionError,
        AttributeError,
        msgspec.ValidationError,
    ) as error:
        raise ModelNotSupported(
            f"{directory} does not say how its model transcribes: {type(error).__name__}: {error}"
        ) from error
    _check(directory, info, known)
    return info


def _check(directory: Path, info: SpeechInfo, config: Any) -> None:
    if (info.translate_id is None or info.transcribe_id is None) and info.languages:
        raise ModelNotSupported(f"{directory / _GENERATION}: there are lang_to_id and not both of task_to_id")
    ids = (info.end_id, info.start_id, info.no_speech_id, *info.languages.values(), *info.banned_ids)
    if any(not 0 <= token_id < config.vocab_size for token_id in (*ids, *info.first_banned_ids)):
        raise ModelNotSupported(f"{directory / _GENERATION} names tokens that the model does not have")
    if info.frames_per_timestamp < 1:
        raise ModelNotSupported(
            f"{directory / _PREPROCESSOR}: {info.frames_per_second} frames a second are too few for "
            f"timestamps of {SECONDS_PER_TIMESTAMP} s"
        )
    num_steps = info.window_frames // info.frames_per_timestamp
    if info.first_timestamp_id + num_steps >= config.vocab_size + 1:
        raise ModelNotSupported(
            f"{directory}: the model has {config.vocab_size - info.first_timestamp_id} timestamps of "
            f"{SECONDS_PER_TIMESTAMP} s, and hears {info.window_s:g} s at once"
        )
    if info.median_width < 1 or info.median_width % 2 == 0:
        raise ModelNotSupported(f"{directory}: median_filter_width must be odd, and is {info.median_width}")
    layers, heads = config.decoder_layers, config.decoder_attention_heads
    if any(not (0 <= layer < layers and 0 <= head < heads) for layer, head in info.alignment_heads):
        raise ModelNotSupported(f"{directory / _GENERATION}: alignment_heads names heads that are not there")


def _previous_id(generation: dict[str, Any]) -> int | None:
    """Return the token before an earlier text, which old files list as the last but one of those
    suppressed."""
    suppressed: list[int] = generation.get("suppress_tokens") or []
    return suppressed[-2] if len(suppressed) >= 2 else None


def _pairs(listed: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple((first, second) for first, second in listed)


def _by_code(languages: dict[str, int]) -> dict[str, int]:
    matches = ((_LANGUAGE.fullmatch(name), token_id) for name, token_id in languages.items())
    return {match[1]: token_id for match, token_id in matches if match is not None}


def _names(codes: Collection[str]) -> dict[str, str]:
    """Return the codes by their names. transformers' list is imported where it is needed."""
    from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

    return {name: code for name, code in TO_LANGUAGE_CODE.items() if code in codes}


def _object(directory: Path, name: str) -> dict[str, Any]:
    path = directory / name
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError as error:
        raise ModelNotSupported(f"{directory} has no {name}, which says how its model transcribes") from error
    except (msgspec.DecodeError, OSError) as error:
        raise ModelNotSupported(f"{path} holds no JSON object: {error}") from error
    return found
