"""The description of a loaded model; no torch."""

import msgspec

from engine.kernels import Kernel
from engine.request import Pooling


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The model that an engine serves.

    model_id: as it was asked for. revision: the hub commit, None for a plain directory.
    architecture: the transformers class. dtype: torch's name for it. num_parameters: tied ones counted once.
    max_total_tokens: most tokens of a prompt and its output together; never more than the KV cache holds.
    quantization: as of EngineConfig's `quantize`. num_int8_layers: linear layers that have 8 bits by it.
    kernels: compiled code that serves the model, and what of it does not; () of an engine that has none.
    instructions: the best set of a CPU that is used, as `VERBATIM_ISA` names it.
    vocab_size: rows of the model's head; may exceed the tokenizer's.
    hidden_size: entries of an embedding.
    pooling: what the model was trained to be embedded by, where its directory says so and the engine can.
    num_blocks, block_size: the KV cache holds num_blocks * block_size tokens. kv_cache_bytes: its size in
        memory.
    max_draft_tokens: as of EngineConfig.
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
    instructions: str | None = None
    kernels: tuple[Kernel, ...] = ()
    num_blocks: int
    block_size: int
    kv_cache_bytes: int
    max_batch_tokens: int
    max_num_sequences: int
    max_draft_tokens: int = 0
