"""The loading of a model: its plan, its weights, its tokenizer, and what reads its media."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from transformers import PreTrainedModel

from engine.config import EngineConfig
from engine.extras import how_to_install, missing
from engine.media.encoder import LoadedMedia, MediaEncoder
from engine.media.families import kinds_in_words
from engine.media.loading import load_processor
from engine.media.process.client import SHARED as DECODING
from engine.model.loading.checkpoint.complete import check_finite
from engine.model.loading.checkpoint.end_tokens import ends_note
from engine.model.loading.checkpoint.json_files import json_object
from engine.model.loading.fetching import fetch
from engine.model.loading.gguf.description import is_described
from engine.model.loading.linear_share import is_mostly_linear
from engine.model.loading.memory import check_room, size_in_words, stored_bytes
from engine.model.loading.planning.context import context_note
from engine.model.loading.planning.plan import PlannedModel, plan_model
from engine.model.loading.pooling_config import find_own_pooling
from engine.model.loading.skeleton import forget_skeleton
from engine.model.loading.weights import read_weights
from engine.native.bfloat16 import has_compiled_bfloat16
from engine.packed_cache.entry import PackedEntry
from engine.packed_cache.search import Search, search_for
from engine.port.errors import LibrariesMissing, ModelNotSupported
from engine.port.request import Pooling
from engine.port.text.tokenizer import Tokenizer
from engine.speech.encoder import AudioEncoder, LoadedSpeech
from engine.speech.reader import WindowReader

if TYPE_CHECKING:
    from engine.media.processor import PromptMediaProcessor


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory.

    plan: what was known of it before. pooling, num_parameters: as in `ModelInfo`. search: for weights that an
    earlier start packed, and packed: what it found, whose content need not be checked again; None: nothing.
    media: what reads images, audio and videos; None for a model of text only. speech: what reads audio for
    a model that transcribes; None for others.
    Weights that the plan has as unread are zeros.
    A model of float16 whose plan has another type keeps it in linear layers, until they are quantized if they
    are; the rest is to be converted.
    """

    model: PreTrainedModel
    tokenizer: Tokenizer
    plan: PlannedModel
    pooling: Pooling | None
    num_parameters: int
    search: Search | None = None
    packed: PackedEntry | None = None
    media: LoadedMedia | None = None
    speech: LoadedSpeech | None = None


def load_model(config: EngineConfig, on_progress: Callable[[str], None]) -> LoadedModel:
    """Load the weights and the tokenizer. Raises ModelNotSupported if the model cannot be served,
    and LibrariesMissing where it needs an extra.
    """
    plan = plan_model(fetch(config, on_progress), config)
    check_room(plan.directory, plan.weight_bytes, plan.device)
    if plan.device.type == "cuda" and missing("gpu"):
        raise LibrariesMissing(
            f"weights cannot be read onto {plan.device} without {', '.join(missing('gpu'))}: "
            f"{how_to_install('gpu')}"
        )
    dtype = torch.float16 if _reads_float16(plan, config) else plan.dtype
    dtype_name = str(dtype).removeprefix("torch.")
    stored = plan.tensors if plan.quantized is None else plan.quantized.stored
    size = size_in_words(stored_bytes(stored))
    format = "weights" if plan.quantized is None else plan.quantized.label
    if note := context_note(plan.config.get_text_config(), plan.max_total_tokens):
        on_progress(f"note: {note}")
    on_progress(f"loading {size} of {format} as {dtype_name} onto {plan.device}")
    search = search_for(config, plan.directory) if plan.device.type == "cpu" else None
    tokenizer = read_tokenizer(plan, config)
    if note := ends_note(plan.ends, tokenizer):
        on_progress(f"note: {note}")
    processor = media_processor(plan, config, tokenizer, on_progress)
    if plan.speech is not None and (lacking := missing("media")):
        raise LibrariesMissing(
            f"audio cannot be read without {', '.join(lacking)}: {how_to_install('media')}"
        )
    reader = None if plan.speech is None else WindowReader(plan.directory, plan.speech)
    if processor is not None or reader is not None:
        DECODING.start(on_progress)  # while the weights are read
    read = read_weights(
        plan.directory,
        plan.config,
        dtype,
        config,
        on_progress,
        device=plan.device,
        attends_paged=plan.paged_obstacle is None,
        keeps_media=processor is not None,
        quantized=plan.quantized,
        unread=plan.unread,
    )
    forget_skeleton()
    model, num_parameters = read.text, read.num_parameters
    packed = None if search is None else search.entry()
    if packed is None:
        in_memory = (each for each in model.named_parameters() if each[0] not in plan.unread)
        check_finite(plan.directory, in_memory)
    media = None
    if processor is not None and read.media is not None:
        check_finite(plan.directory, read.media.named_parameters())
        encoder = MediaEncoder(read.media, processor.kinds, max_cached_bytes=config.media_cache_bytes)
        encoder.to(plan.device, plan.dtype)
        kinds = kinds_in_words(processor.kinds)
        on_progress(f"reads {kinds}, by an encoder of {encoder.num_parameters / 1e6:,.1f} million parameters")
        media = LoadedMedia(processor, encoder)
    return LoadedModel(
        model,
        tokenizer,
        plan,
        pooling=find_own_pooling(plan.directory, on_progress),
        num_parameters=num_parameters,
        search=search,
        packed=packed,
        media=media,
        speech=None if reader is None else _speech(reader, model, config),
    )


def _speech(reader: WindowReader, model: PreTrainedModel, config: EngineConfig) -> LoadedSpeech:
    from engine.speech.speech_model import SpeechModel  # of which no other model has need

    assert isinstance(model, SpeechModel), "a model that transcribes is read by that class"
    return LoadedSpeech(reader, AudioEncoder(model, max_cached_bytes=config.media_cache_bytes))


def media_processor(
    plan: PlannedModel, config: EngineConfig, tokenizer: Tokenizer, on_progress: Callable[[str], None]
) -> "PromptMediaProcessor | None":
    """Return what reads the model's media; None if they are not wanted, or cannot be read."""
    if not config.media or plan.paged_obstacle is not None or plan.quantized is not None:
        return None
    if is_described(plan.directory):  # a GGUF file, which has the weights for text only
        return None
    return load_processor(
        plan.directory,
        plan.config,
        tokenizer,
        max_cached_bytes=config.media_cache_bytes,
        limits=config.media_limits,
        on_progress=on_progress,
    )


def keeps_float16(plan: PlannedModel, config: EngineConfig) -> bool:
    """Return whether linear layers keep weights of float16, of whose 11 bits bfloat16 would drop 3."""
    return config.quantize is None and _reads_float16(plan, config)


def _reads_float16(plan: PlannedModel, config: EngineConfig) -> bool:
    """Return whether weights stay float16 until linear layers are packed or quantized.

    So none are converted first, which would be a copy of them all.
    """
    if config.dtype != "auto" or plan.device.type != "cpu" or plan.all_unread:
        return False
    if plan.config.get_text_config().dtype != torch.float16 or not has_compiled_bfloat16():
        return False
    matrices = [tensor for tensor in (plan.tensors or {}).values() if len(tensor.shape) > 1]
    # Other types could be too large for it, or be rounded by it.
    are_float16 = bool(matrices) and all(
        tensor.dtype == "F16" or (tensor.block or (1,))[0] > 1 for tensor in matrices
    )
    return are_float16 and is_mostly_linear(plan.config)


def read_tokenizer(plan: PlannedModel, config: EngineConfig) -> Tokenizer:
    """Return the model's tokenizer. Raises ModelNotSupported."""
    try:
        return Tokenizer.from_directory(
            plan.directory,
            vocab_size=plan.vocab_size,
            end_token_ids=plan.ends.ids,
            doubtful_end_token_ids=plan.ends.others,
            trust_remote_code=config.trust_remote_code,
            as_written=is_described(plan.directory),
        )
    except ModelNotSupported:
        if (path := plan.directory / "tokenizer.json").is_file():
            json_object(path)  # the more telling error; the file is large, so it is read only here
        raise
