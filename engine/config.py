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
QUANTIZATIONS: Final = ("int8", *INT4_GROUPS, "fp8")
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
    """The addresses that publish the prefix cache's changes, with vLLM's meanings and defaults."""

    endpoint: str
    """ZMQ's name of an address, bound if it has a wildcard (`tcp://*:5557`) or is a file's (`ipc://`), else
    connected to."""

    replay_endpoint: str | None = None
    """The address, always bound, that answers subscribers who missed batches; None for none."""

    topic: str = ""
    """The topic of the messages, by which subscribers choose."""

    buffer_steps: int = 10_000
    """The number of batches that are kept for subscribers who missed them."""


class AdapterSource(NamedTuple):
    """An adapter to load."""

    name: str
    """The name by which requests ask for it."""

    path: str
    """Its folder, or a repository on the Hugging Face hub."""


class AdapterLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of adapters, each at least 1."""

    max_in_memory: int = 8
    """The most adapters whose weights are in memory at once; the one that has been idle longest makes room
    for another."""

    max_bytes: int = 2**31
    """The most bytes of all adapters in memory, and of the files of one."""

    max_rank: int = 64
    """The highest rank of any layer."""

    max_named: int = 256
    """The most adapters that requests may name, in memory or not."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")


class MediaLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one file that a model reads."""

    max_image_pixels: int = IMAGE_PIXELS
    """The most pixels (width times height) of an image, of a frame of a video, or of all frames together that
    the model gets of one."""

    image_background: tuple[int, int, int] = (255, 255, 255)
    """The red, green and blue that show where an image is transparent, 0 to 255 each."""

    max_audio_seconds: float = 600.0
    """The longest sound, in seconds; many models read no more than 30."""

    max_video_seconds: float = 600.0
    """The longest video, in seconds."""

    max_video_frames: int = 32
    """The most frames that a model gets of a video, where its own processor would choose more."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_image_pixels <= MAX_IMAGE_PIXELS:
            raise ValueError(f"max_image_pixels must be between 1 and {MAX_IMAGE_PIXELS}")
        if not all(0 <= part <= 255 for part in self.image_background):
            raise ValueError("image_background must be three numbers between 0 and 255")
        for name in ("max_audio_seconds", "max_video_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be more than 0")
        if self.max_video_frames < 1:
            raise ValueError("max_video_frames must be at least 1")


class EngineConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The model to serve, and the limits of its use of the machine."""

    model: str
    """A directory, or a repository on the Hugging Face hub."""

    revision: str | None = None
    """A branch, tag or commit of the repository; None takes its default branch."""

    dtype: str = "auto"
    """"auto", or a torch dtype by name ("bfloat16"). Auto takes the checkpoint's; on a CPU half precision
    becomes bfloat16 but for the weights of linear layers, which compiled code takes as they are, and any
    16-bit type becomes float32 where no code for bfloat16 is fast."""

    device: str = "auto"
    """"auto" (CUDA when there is one), "cpu", "cuda" or "cuda:1"."""

    max_total_tokens: int | None = None
    """The most tokens of a prompt and its output together; None takes what the model's config allows."""

    num_kv_blocks: int | None = None
    """The size of the KV cache in blocks. With neither this nor kv_cache_bytes, which exclude each other, the
    cache takes a share of the free memory."""

    kv_cache_bytes: int | None = None
    """The size of the KV cache in bytes, in place of num_kv_blocks."""

    block_size: int = 16
    """The number of tokens that a block of the KV cache holds."""

    max_batch_tokens: int = 512
    """The most tokens computed in one step; longer prompts are computed in chunks. 512 keeps a step short on
    a CPU; a GPU wants 2048 or more."""

    max_num_sequences: int = 256
    """The most sequences that run at the same time."""

    prefix_caching: bool = True
    """Lets a prompt that begins like an earlier sequence start from its blocks, while they last."""

    jump_forward: bool = True
    """Lets tokens forced by a grammar skip the forward pass. They are the same either way, except for the
    rounding of keys and values that are computed together."""

    max_draft_tokens: int = 0
    """The most tokens of a sequence that one step verifies besides the next one, which may follow from its
    text so far (prompt lookup); outputs are the same. 0 drafts none, and MAX_DRAFT_TOKENS is the most."""

    quantize: str | None = None
    """One of `QUANTIZATIONS`, by which linear layers keep weights of 8 or 4 bits: "fp8" on a GPU only, the
    others on a CPU only. None leaves the weights as they are."""

    bfloat16_products: Literal["auto", "pairs", "widened"] = "auto"
    """The way in which a CPU with AVX-512 BF16, or with that of ARM, multiplies bfloat16: "pairs", by its
    instructions for pairs; "widened", as float32; "auto", whichever is faster in a trial."""

    num_threads: int | None = None
    """The number of threads that torch computes with; None takes the physical cores, as far as the process
    may use them."""

    trust_remote_code: bool = False
    """Lets Python code from the model's repository run."""

    packed_cache: str | None = None
    """The folder where packed weights are kept for the next start; None keeps none."""

    require_native: bool = False
    """Refuses to start where compiled code could be used and is not."""

    media: bool = True
    """Reads images and audio with a model that can; without it, the model's encoder is not loaded."""

    media_cache_bytes: int = 2**28
    """The most bytes of processed media that are remembered, and as much again of what the encoder made of
    them."""

    media_limits: MediaLimits = MediaLimits()
    """The limits of each file."""

    max_media_tokens: int | None = None
    """The most tokens of the media that a step begins to encode, unless it is one medium. None takes one
    medium a step on a CPU, where each takes as long as many tokens of text, and elsewhere as many tokens as
    max_batch_tokens."""

    max_unread_bytes: int = MAX_UNREAD_BYTES
    """The approximate memory that the unread events of one request may take; a request with more is ended.
    All requests together may take eight times as much."""

    kv_events: KVEventsConfig | None = None
    """The addresses that publish the changes of the prefix cache; None publishes nothing."""

    adapters: tuple[AdapterSource, ...] = ()
    """LoRA adapters that are loaded at the start."""

    adapter_root: str | None = None
    """The folder of adapters that may be loaded later; None allows none."""

    adapter_limits: AdapterLimits = AdapterLimits()
    """The limits of the adapters of the start and of those loaded later."""

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
