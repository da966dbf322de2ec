"""The engine's configuration; no torch."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

# The names of `quantize` with 4 bits: how many inputs have a scale together, and whether they have a min too.
INT4_GROUPS: Final[Mapping[str, tuple[int, bool]]] = {
    "int4": (32, False),
    "int4-g64": (64, False),
    "int4-g128": (128, False),
    "int4-asym": (32, True),
    "int4-g64-asym": (64, True),
    "int4-g128-asym": (128, True),
}
QUANTIZATIONS: Final = ("int8", *INT4_GROUPS)
# About 130,000 tokens, or 19,000 with the twenty likeliest in each place.
MAX_UNREAD_BYTES = 64 * 2**20
# With the one drawn after them, a step appends as many as MAX_NEW_TOKENS_PER_STEP of
# engine/scheduling/sequence.py.
MAX_DRAFT_TOKENS = 15
# About 5,800 by 5,800: 100 MB of bytes once decoded, and models scale an image down to far less.
IMAGE_PIXELS = 2**25
# Pillow takes a larger image for a decompression bomb.
MAX_IMAGE_PIXELS = 89_478_485

# Of the engine's configuration, those that are at least 1 where they are given.
_COUNTS = (
    "block_size",
    "max_batch_tokens",
    "max_num_sequences",
    "num_threads",
    "max_media_tokens",
)


class KVEventsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses that publish the prefix cache's changes, with meanings and defaults of vLLM's settings.

    endpoint: ZMQ's name of an address, bound if it has a wildcard (`tcp://*:5557`) or is a file's (`ipc://`),
    else connected to. replay_endpoint: the address, always bound, that answers who missed batches.
    topic: what subscribers choose by. buffer_steps: batches that are kept for them.
    """

    endpoint: str
    replay_endpoint: str | None = None
    topic: str = ""
    buffer_steps: int = 10_000


class AdapterSource(NamedTuple):
    """An adapter to load. path: its folder, or a repository on the Hugging Face hub."""

    name: str
    path: str


class AdapterLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of adapters.

    max_in_memory, max_bytes: of those whose weights are in memory at once; the one that has been idle longest
        makes room for another. max_rank: of any layer. max_named: adapters that requests may name.
    """

    max_in_memory: int = 8
    max_bytes: int = 2**31
    max_rank: int = 64
    max_named: int = 256

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")


class MediaLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one file that a model reads.

    max_image_pixels: width times height of an image, of a frame of a video, or of all frames together that
        the model gets of one, at most.
    max_audio_seconds: of a sound; many models read no more than 30.
    max_video_seconds: of a video. max_video_frames: those that a model gets of a video at most, where its own
        processor would choose more.
    """

    max_image_pixels: int = IMAGE_PIXELS
    max_audio_seconds: float = 600.0
    max_video_seconds: float = 600.0
    max_video_frames: int = 32

    def __post_init__(self) -> None:
        if not 1 <= self.max_image_pixels <= MAX_IMAGE_PIXELS:
            raise ValueError(f"max_image_pixels must be between 1 and {MAX_IMAGE_PIXELS}")
        for name in ("max_audio_seconds", "max_video_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0")
        if self.max_video_frames < 1:
            raise ValueError("max_video_frames must be at least 1")


class EngineConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The model to serve, and the limits of its use of the machine.

    model: a directory, or a repository on the Hugging Face hub; `revision` is a branch, tag or commit of the
        latter.
    dtype: "auto", or a torch dtype by name ("bfloat16"). Auto takes the checkpoint's; on a CPU half precision
        becomes bfloat16 but for the weights of linear layers, which compiled code takes as they are, and any
        16-bit type becomes float32 where no code for bfloat16 is fast.
    device: "auto" (CUDA when there is one), "cpu", "cuda", "cuda:1".
    max_total_tokens: most tokens of a prompt and its output together; None: what the model's config allows.
    num_kv_blocks, kv_cache_bytes: size of the KV cache, at most one of them; None for both: a share of the
        free memory.
    block_size: tokens a block of the KV cache holds.
    max_batch_tokens: tokens computed in one step at most; longer prompts are computed in chunks. 512 keeps a
        step short on a CPU; a GPU wants 2048 or more.
    max_num_sequences: sequences that run at the same time at most.
    prefix_caching: whether a prompt that begins like an earlier sequence starts from its blocks, while they
        last.
    jump_forward: whether tokens forced by a grammar skip the forward pass. They are the same either way,
        except for the rounding of keys and values that are computed together.
    max_draft_tokens: tokens of a sequence that one step verifies at most besides the next one, which may
        follow from its text so far (prompt lookup); outputs are the same. 0: none. At most MAX_DRAFT_TOKENS.
    quantize: None, or one of `QUANTIZATIONS`: linear layers keep weights of 8 or 4 bits, on a CPU only.
    bfloat16_products: how a CPU with AVX-512 BF16, or with that of ARM, multiplies bfloat16: "pairs", by its
        instructions for pairs; "widened", as float32; "auto": as is faster in a trial.
    packed_cache: the folder where packed weights are kept for the next start; None: they are not.
    require_native: whether the engine refuses to start where compiled code could be used and is not.
    media: whether images and sounds are read by a model that can; if not, its encoder is not loaded.
    media_cache_bytes: of processed media that are remembered, and as much again of what the encoder made of
        them.
    media_limits: of each file.
    max_media_tokens: tokens of the media that a step begins to encode at most, or one medium; None: one
        on a CPU, where each takes as long as many tokens of text, and elsewhere as many as max_batch_tokens.
    max_unread_bytes: the approximate memory that the unread events of one request may take; a request with
        more is ended. All requests together may take eight times as much.
    adapters: LoRA adapters that are loaded at the start. adapter_root: the folder of those that may be loaded
        later; None: none may. adapter_limits: of both.
    kv_events: where to publish the changes of the prefix cache; None: nowhere.
    num_threads: threads torch computes with; None: the physical cores, as far as the process may use them.
    """

    model: str
    revision: str | None = None
    dtype: str = "auto"
    device: str = "auto"
    max_total_tokens: int | None = None
    num_kv_blocks: int | None = None
    kv_cache_bytes: int | None = None
    block_size: int = 16
    max_batch_tokens: int = 512
    max_num_sequences: int = 256
    prefix_caching: bool = True
    jump_forward: bool = True
    max_draft_tokens: int = 0
    quantize: str | None = None
    bfloat16_products: Literal["auto", "pairs", "widened"] = "auto"
    num_threads: int | None = None
    trust_remote_code: bool = False
    packed_cache: str | None = None
    require_native: bool = False
    media: bool = True
    media_cache_bytes: int = 2**28
    media_limits: MediaLimits = MediaLimits()
    max_media_tokens: int | None = None
    max_unread_bytes: int = MAX_UNREAD_BYTES
    kv_events: KVEventsConfig | None = None
    adapters: tuple[AdapterSource, ...] = ()
    adapter_root: str | None = None
    adapter_limits: AdapterLimits = AdapterLimits()

    def __post_init__(self) -> None:
        if self.num_kv_blocks is not None and self.kv_cache_bytes is not None:
            raise ValueError("give num_kv_blocks or kv_cache_bytes, not both")
        if self.quantize not in (None, *QUANTIZATIONS):
            raise ValueError(f"quantize must be {', '.join(QUANTIZATIONS)} or absent, not {self.quantize}")
        if not 0 <= self.max_draft_tokens <= MAX_DRAFT_TOKENS:
            raise ValueError(f"max_draft_tokens must be between 0 and {MAX_DRAFT_TOKENS}")
        for name in _COUNTS:
            if (value := getattr(self, name)) is not None and value < 1:
                raise ValueError(f"{name} must be at least 1")
