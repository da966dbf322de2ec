"""The description of a loaded model; no torch."""

import msgspec

from engine.port.info.kernels import Kernel
from engine.port.info.speech_info import SpeechInfo
from engine.port.request import MediaKind, Pooling


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The model that an engine serves."""

    model_id: str
    """The model's name, as it was asked for."""

    revision: str | None
    """The commit on the Hugging Face hub; None for a plain directory."""

    architecture: str
    """The name of the transformers class."""

    dtype: str
    """The type that the model computes in, by torch's name."""

    device: str
    """The device that computes, by torch's name."""

    num_parameters: int
    """The number of parameters, tied ones counted once."""

    max_total_tokens: int
    """The most tokens of a prompt and its output together; never more than the KV cache holds."""

    vocab_size: int
    """The number of rows of the model's head, which may exceed the tokenizer's."""

    hidden_size: int
    """The number of entries of an embedding."""

    pooling: Pooling | None = None
    """The pooling that the model was trained to be embedded by, where its directory names one and the engine
    has it."""

    quantization: str | None = None
    """The value of `EngineConfig.quantize`."""

    num_int8_layers: int = 0
    """The number of linear layers that have 8 bits by `quantization`."""

    num_int4_layers: int = 0
    """The number of linear layers that have 4 bits by `quantization`."""

    stored_layers: dict[int, int] = {}
    """The number of linear layers that keep the integers which a checkpoint has in groups, by their bits."""

    linear_dtype: str | None = None
    """The type of linear layers' weights, if it is another type of 16 bits than `dtype`."""

    bfloat16_products: str | None = None
    """The way in which linear layers multiply bfloat16, "pairs" or "widened", where there is a choice."""

    instructions: str | None = None
    """The best instruction set of the CPU that is used, as `VERBATIM_ISA` names it."""

    kernels: tuple[Kernel, ...] = ()
    """The compiled code that serves the model, and what of it does not; () of an engine that has none."""

    num_blocks: int
    """The number of blocks of the KV cache, which holds num_blocks * block_size tokens."""

    block_size: int
    """The number of tokens in a block."""

    kv_cache_bytes: int
    """The bytes that the KV cache takes in memory."""

    num_state_slots: int = 0
    """The number of recurrent states that are held, one for each sequence that runs and others for the prefix
    cache; 0 for a model without such layers."""

    state_bytes: int = 0
    """The bytes that these states take in memory."""

    max_batch_tokens: int
    """The most tokens computed in one step."""

    max_num_sequences: int
    """The most sequences that run at the same time."""

    max_draft_tokens: int = 0
    """The value of `EngineConfig.max_draft_tokens`."""

    weight_bytes: int = 0
    """The bytes of the weights as they are loaded, before `quantization`; 0 where other servers have them."""

    stored_format: str | None = None
    """The format of a quantized checkpoint, in words; None for plain weights."""

    stored_bytes: int = 0
    """The bytes that a quantized checkpoint's tensors take in files; 0 for plain weights."""

    attention: tuple[str, ...] = ()
    """The tokens that the layers see, in words, such as "full in 24 layers"."""

    paged_obstacle: str | None = None
    """The reason why the model does not attend over pages, so that the fallback path runs it; None if it
    does."""

    media: frozenset[MediaKind] = frozenset()
    """The kinds of files that the model reads among a text."""

    speech: SpeechInfo | None = None
    """The facts about a model that transcribes, which continues no texts; None for other models."""

    recommended_sampling: dict[str, float] = {}
    """The sampling parameters of generation_config.json, which no request gets by itself: each contract has
    defaults of its own."""
