"""The description of a loaded model; no torch."""

import msgspec

from engine.info.kernels import Kernel
from engine.info.speech_info import SpeechInfo
from engine.request import MediaKind, Pooling


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The model that an engine serves.

    model_id: as it was asked for. revision: the hub commit, None for a plain directory.
    architecture: the transformers class. num_parameters: tied ones counted once.
    dtype: torch's name for the type it computes in. linear_dtype: that of linear layers' weights, if it is
        another type of 16 bits.
    bfloat16_products: how linear layers of bfloat16 are multiplied, "pairs" or "widened", where there is a
        choice.
    max_total_tokens: most tokens of a prompt and its output together; never more than the KV cache holds.
    quantization: as of EngineConfig's `quantize`. num_int8_layers, num_int4_layers: linear
        layers that have 8 and 4 bits by it.
    stored_layers: by their bits, how many linear layers keep the integers that a checkpoint has in groups.
    kernels: compiled code that serves the model, and what of it does not; () of an engine that has none.
    instructions: the best set of a CPU that is used, as `VERBATIM_ISA` names it.
    vocab_size: rows of the model's head; may exceed the tokenizer's.
    hidden_size: entries of an embedding.
    pooling: what the model was trained to be embedded by, where its directory says so and the engine can.
    paged_obstacle: why it does not attend over pages, so that the fallback path runs it; None if it does.
    num_blocks, block_size: the KV cache holds num_blocks * block_size tokens. kv_cache_bytes: its size in
        memory.
    num_state_slots: recurrent states that are held, one for each sequence that runs and others for the prefix
        cache; 0 of a model without such layers. state_bytes: their size in memory.
    max_draft_tokens: as of EngineConfig.
    weight_bytes: memory of the weights as they are loaded, before `quantization`; 0 where others have them.
    stored_format: the format of a quantized checkpoint, in words, and stored_bytes: what its tensors take in
        files; None and 0 of plain weights.
    attention: which tokens the layers see, in words, such as "full in 24 layers".
    media: the kinds of files that it reads among a text. speech: the facts about a model that transcribes,
        which continues no texts; None of others.
    recommended_sampling: what generation_config.json sets, which no request gets by itself: each contract has
        defaults of its own.
    """

    model_id: str
    revision: str | None
    architecture: str
    dtype: str
    device: str
    num_parameters: int
    max_total_tokens: int
    vocab_size: int
    hidden_size: int
    pooling: Pooling | None = None
    quantization: str | None = None
    num_int8_layers: int = 0
    num_int4_layers: int = 0
    stored_layers: dict[int, int] = {}
    linear_dtype: str | None = None
    bfloat16_products: str | None = None
    instructions: str | None = None
    kernels: tuple[Kernel, ...] = ()
    num_blocks: int
    block_size: int
    kv_cache_bytes: int
    num_state_slots: int = 0
    state_bytes: int = 0
    max_batch_tokens: int
    max_num_sequences: int
    max_draft_tokens: int = 0
    weight_bytes: int = 0
    stored_format: str | None = None
    stored_bytes: int = 0
    attention: tuple[str, ...] = ()
    paged_obstacle: str | None = None
    media: frozenset[MediaKind] = frozenset()
    speech: SpeechInfo | None = None
    recommended_sampling: dict[str, float] = {}
