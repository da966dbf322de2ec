"""Transcripts of the engine and of transformers' `generate`, on tiny Whisper models in float32."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration

from engine.async_engine import AsyncEngine
from engine.media.process.client import SHARED as DECODING
from engine.port.info.speech_info import SpeechInfo
from handlers.transcription.transcript import Transcript
from handlers.transcription.words import split_words
from tests.support.samples.sounds import RATE, sound_bytes
from tests.support.selection.effort import IS_WHOLE, trials
from tests.support.tiny_models.speech import (
    LANGUAGES,
    TEXT_TOKENS,
    WINDOW_S,
    save_tiny_speech,
    speech_tokenizer,
)
from tests.support.transcripts import started, transcribe


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_speech(tmp_path_factory.mktemp("speech"))


def features_of(directory: Path, data: bytes) -> dict[str, Any]:
    extractor: Any = WhisperFeatureExtractor
    made: dict[str, Any] = extractor.from_pretrained(directory)(
        DECODING.read_audio(data, RATE, 60),
        sampling_rate=RATE,
        truncation=False,
        padding="longest",
        return_attention_mask=True,
        return_tensors="pt",
    )
    return made


def reference(directory: Path, data: bytes, **options: Any) -> Any:
    """Return what transformers' `generate` makes of a sound, greedily."""
    model: Any = WhisperForConditionalGeneration.from_pretrained(directory, dtype=torch.float32)
    return model.generate(**features_of(directory, data), temperature=0.0, **options)


def reference_segments(
    directory: Path, data: bytes, info: SpeechInfo, **options: Any
) -> list[tuple[float, float, list[int]]]:
    """Return times and tokens of transformers' segments that have a text, without the start of the next."""
    found = reference(
        directory,
        data,
        return_timestamps=True,
        return_segments=True,
        condition_on_prev_tokens=True,
        **options,
    )
    segments = []
    for each in found["segments"][0]:
        ids = each["tokens"].tolist()
        if len(ids) > 2 and ids[-2] >= info.first_timestamp_id:
            ids = ids[:-1]
        if any(token_id < info.end_id for token_id in ids):
            segments.append((round(float(each["start"]), 2), round(float(each["end"]), 2), ids))
    return segments


def segments_of(transcript: Transcript) -> list[tuple[float, float, list[int]]]:
    return [(each.start, each.end, list(each.token_ids)) for each in transcript.segments]


def info_of(engine: AsyncEngine) -> SpeechInfo:
    assert engine.model_info.speech is not None
    return engine.model_info.speech


async def test_several_sounds_at_once_have_the_segments_of_transformers(directory: Path) -> None:
    # Of one window and of several, in several languages, one of them translated.
    lengths = (0.4, 2.9, WINDOW_S, 6.5, 8.3, 13.0)
    places = range(len(lengths)) if IS_WHOLE else (2, 4, 5)
    sounds = {place: sound_bytes(lengths[place], seed=place) for place in places}
    async with started(directory) as engine:
        found = await asyncio.gather(
            *(
                transcribe(engine, data, segments=True, language=LANGUAGES[place % 3], translate=place == 4)
                for place, data in sounds.items()
            )
        )
        info = info_of(engine)
        for (place, data), transcript in zip(sounds.items(), found, strict=True):
            task = "translate" if place == 4 else "transcribe"
            expected = reference_segments(directory, data, info, language=LANGUAGES[place % 3], task=task)
            assert segments_of(transcript) == expected
        assert max(len(transcript.segments) for transcript in found) > 4
        # All of them ran together, and what they kept is free again.
        stats = engine.stats()
        assert (stats.num_running, stats.num_free_blocks) == (0, stats.num_blocks)


async def test_a_prompt_conditions_the_first_window(directory: Path) -> None:
    data = sound_bytes(7.0, seed=9)
    prompt = "the tall €uro"
    tokenizer = speech_tokenizer()
    async with started(directory) as engine:
        info = info_of(engine)
        found = await transcribe(engine, data, segments=True, language="en", prompt=prompt)
        without = await transcribe(engine, data, segments=True, language="en")
    ids = [info.previous_id, *tokenizer.encode(" " + prompt, add_special_tokens=False)]
    expected = reference_segments(
        directory, data, info, language="en", task="transcribe", prompt_ids=torch.tensor(ids)
    )
    assert segments_of(found) == expected
    assert segments_of(without) != expected


async def test_a_short_sound_without_segments_is_asked_for_no_timestamps(tmp_path: Path) -> None:
    ids = speech_tokenizer().get_vocab()
    suppressed = [each for token, each in ids.items() if token not in TEXT_TOKENS]
    directory = save_tiny_speech(tmp_path, suppress_tokens=suppressed)
    data = sound_bytes(2.0, seed=3)
    async with started(directory) as engine:
        info = info_of(engine)
        found = await transcribe(engine, data, language="fr")
        expected = reference(directory, data, return_timestamps=False, language="fr", task="transcribe")
        text = engine.tokenizer.decode(
            [each for each in expected[0].tolist() if each < info.end_id], skip_special_tokens=True
        )
    assert found.text == text.strip()
    assert found.text
    assert found.segments == ()


async def test_the_language_is_the_one_that_transformers_detects(tmp_path: Path) -> None:
    detected = set()
    for seed in range(trials(2, whole=3)):
        directory = save_tiny_speech(tmp_path / str(seed), seed=seed)
        model: Any = WhisperForConditionalGeneration.from_pretrained(directory)
        async with started(directory) as engine:
            for place in range(3):
                data = sound_bytes(2.5, seed=place)
                features = features_of(directory, data)["input_features"]
                padded = torch.nn.functional.pad(features, (0, WINDOW_S * 100 - features.shape[-1]))
                expected = int(model.detect_language(padded)[0])
                found = await transcribe(engine, data)
                assert info_of(engine).languages[found.language] == expected
                detected.add(found.language)
    assert len(detected) > 1


async def test_a_model_of_english_alone_has_the_segments_of_transformers(tmp_path: Path) -> None:
    directory = save_tiny_speech(tmp_path, is_multilingual=False, seed=4)
    data = sound_bytes(7.5, seed=5)
    async with started(directory) as engine:
        found = await transcribe(engine, data, segments=True)
        assert segments_of(found) == reference_segments(directory, data, info_of(engine))
        assert found.language == "en"
        assert found.segments


async def test_measures_of_a_window_are_those_of_its_logits(tmp_path: Path) -> None:
    for is_multilingual in (True, False):
        directory = save_tiny_speech(tmp_path / str(is_multilingual), is_multilingual=is_multilingual)
        data = sound_bytes(2.0, seed=6)
        language: dict[str, Any] = {"language": "en"} if is_multilingual else {}
        async with started(directory) as engine:
            info = info_of(engine)
            found = await transcribe(engine, data, segments=True, **language)
        model: Any = WhisperForConditionalGeneration.from_pretrained(directory)
        result = reference(
            directory,
            data,
            return_timestamps=True,
            return_segments=True,
            return_dict_in_generate=True,
            output_scores=True,
            **language,
        )["segments"][0][0]["result"]
        ids = result["sequences"][-len(result["scores"]) :]
        logprobs = torch.stack(list(result["scores"])).log_softmax(-1)
        scores = logprobs.gather(1, ids[:, None])[:, 0]
        assert found.segments[0].avg_logprob == pytest.approx(float(scores.mean()), abs=1e-4)
        window = torch.nn.functional.pad(features_of(directory, data)["input_features"], (0, 100))
        with torch.no_grad():
            logits = model(window, decoder_input_ids=torch.tensor([[info.start_id]])).logits
        no_speech = logits[0, 0].softmax(-1)[info.no_speech_id]
        assert found.segments[0].no_speech_prob == pytest.approx(float(no_speech), rel=1e-4)


async def test_log_probabilities_of_tokens_are_those_of_the_models_logits(tmp_path: Path) -> None:
    vocabulary = speech_tokenizer().get_vocab()
    suppressed = [each for token, each in vocabulary.items() if token not in TEXT_TOKENS]
    for is_multilingual in (True, False):
        directory = save_tiny_speech(
            tmp_path / str(is_multilingual), is_multilingual=is_multilingual, suppress_tokens=suppressed
        )
        data = sound_bytes(2.0, seed=6)
        async with started(directory) as engine:
            info, spell = info_of(engine), engine.tokenizer.token_bytes
            options: dict[str, Any] = {"temperature": 0.7, "seed": 1}  # which they are taken before
            found = await transcribe(engine, data, language="en", logprobs=True, **options)
        ids_by_bytes = {spell(token_id): token_id for token_id in range(info.end_id)}
        ids = [ids_by_bytes[token.bytes] for token in found.tokens]
        task = [info.languages["en"], info.transcribe_id] if is_multilingual else []
        prompt = [info.start_id, *task, info.no_timestamps_id]
        model: Any = WhisperForConditionalGeneration.from_pretrained(directory)
        window = torch.nn.functional.pad(features_of(directory, data)["input_features"], (0, 100))
        with torch.no_grad():
            logits = model(window, decoder_input_ids=torch.tensor([[*prompt, *ids]])).logits[0]
        logits = logits[len(prompt) - 1 : -1]
        logits[:, list(info.banned_ids)] = -torch.inf
        logits[0, list(info.first_banned_ids)] = -torch.inf
        expected = logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
        assert len(set(ids)) > 3
        assert [token.logprob for token in found.tokens] == pytest.approx(expected.tolist(), abs=1e-4)
        assert b"".join(token.bytes for token in found.tokens).decode(errors="replace").strip() == found.text


async def test_times_of_tokens_are_those_of_transformers(tmp_path: Path) -> None:
    directory = save_tiny_speech(tmp_path, seed=10)
    data = sound_bytes(2.0, seed=3)
    found = reference(
        directory,
        data,
        return_timestamps=True,
        return_token_timestamps=True,
        return_segments=True,
        language="en",
        task="transcribe",
    )
    segments = found["segments"][0]
    result = segments[0]["result"]
    num_prompt = segments[0]["idxs"][0]
    ids = result["sequences"].tolist()
    expected = result["token_timestamps"].tolist()
    async with started(directory) as engine:
        reader = engine.speech
        assert reader is not None
        sound = reader.read(data, 60)
        weights = await engine.align(sound.window(0, sound.num_frames), ids[:-1])
        times = reader.token_times(weights[:, num_prompt:, : sound.num_frames // 2])
        assert len(set(times)) > 5
        assert [*times, times[-1]] == pytest.approx(expected[num_prompt:], abs=1e-6)
        # Words begin with their first token, and end with the token behind their last.
        tokenizer, info = engine.tokenizer, info_of(engine)
        tokens = segments[0]["tokens"].tolist()
        places = [place for place, each in enumerate(tokens) if each < info.end_id]
        text_ids = [tokens[place] for place in places]
        transcript = await transcribe(engine, data, language="en", words=True, segments=True)
    words = split_words([tokenizer.token_bytes(each) for each in text_ids], "en")
    expected_words = [
        (word.text.strip(), round(times[places[word.first]], 2), round(times[places[word.end - 1] + 1], 2))
        for word in words
        if word.text.strip()
    ]
    found_words = [(word.text, word.start, word.end) for word in transcript.words]
    assert expected_words
    assert found_words[: len(expected_words)] == expected_words
    spelled = "".join("".join(word.text.split()) for word in transcript.words)
    assert spelled == "".join("".join(each.text.split()) for each in transcript.segments)


async def test_features_of_a_long_sound_are_those_of_the_extractor(directory: Path) -> None:
    async with started(directory) as engine:
        reader: Any = engine.speech
        for seconds in (0.03, 1.005, 47.77):
            data = sound_bytes(seconds, seed=8)
            expected = features_of(directory, data)["input_features"][0]
            ours = reader.read(data, 60).features
            assert ours.shape[1] == len(DECODING.read_audio(data, RATE, 60)) // 160
            np.testing.assert_allclose(ours, expected[:, : ours.shape[1]], atol=2e-5)
