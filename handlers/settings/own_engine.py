"""The settings of the local engine, which runs in this process."""

import os
import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from engine.config import MAX_DRAFT_TOKENS, QUANTIZATIONS
from engine.native.instructions import NATIVE, isa_names
from handlers.settings.adapters import AdapterSettings
from handlers.settings.kv_events import KVEventSettings
from handlers.shared_settings.kinds import LOWER, Limit, env

# The maximum of draft tokens for `ngram` without a number. A sequence with an acceptance rate of one half
# drafts one or two.
_NUM_DRAFT_TOKENS = 8


class OwnEngineSettings(AdapterSettings, KVEventSettings):
    """Settings of arithmetic, compiled code and batches, without effect for an engine on other servers."""

    dtype: Annotated[
        Literal["auto", "float32", "float16", "bfloat16"], LOWER, env("VERBATIM_DTYPE", "DTYPE")
    ] = "auto"
    """Data type of weights and arithmetic; auto depends on the model and the device."""

    device: Annotated[str, env("VERBATIM_DEVICE"), Field(pattern=r"^(auto|cpu|cuda(:\d+)?)$")] = "auto"
    """Device that runs the model: auto (a GPU if there is one), cpu, cuda or cuda:N."""

    quantize: Annotated[str | None, LOWER, env("VERBATIM_QUANTIZE", "QUANTIZE")] = None
    """Quantization of linear layers: on a CPU int8 or int4, int4-g64, int4-g128 and -asym; on a GPU fp8."""

    isa: Annotated[str, LOWER, env("VERBATIM_ISA")] = NATIVE
    """Newest CPU instructions: sse4_2, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16, amx or native."""

    bfloat16_products: Annotated[
        Literal["auto", "pairs", "widened"], LOWER, env("VERBATIM_BFLOAT16_PRODUCTS")
    ] = "auto"
    """Multiplication with AVX-512 or ARM BF16: pairs, widened (to float32), or auto, the faster in a test."""

    require_native: Annotated[bool, env("VERBATIM_REQUIRE_NATIVE")] = False
    """Refuse to start unless every native kernel that the processor and model support is in use."""

    kernel_cache: Annotated[str | None, env("VERBATIM_KERNEL_CACHE")] = None
    """Folder of kernels from `verbatim build-kernels`; defaults to verbatim in the user's cache folder."""

    packed_cache: Annotated[str | None, env("VERBATIM_PACKED_CACHE")] = None
    """Folder of packed weights, for faster starts, or off; defaults to one in the user's cache folder."""

    num_threads: Annotated[Limit, env("VERBATIM_NUM_THREADS")] = None
    """Threads for model execution; defaults to the number of cores available to the process."""

    max_batch_prefill_tokens: Annotated[
        Limit, env("VERBATIM_MAX_BATCH_PREFILL_TOKENS", "MAX_BATCH_PREFILL_TOKENS")
    ] = None
    """Maximum tokens in one step of the engine; the default depends on the device."""

    max_batch_total_tokens: Annotated[
        Limit, env("VERBATIM_MAX_BATCH_TOTAL_TOKENS", "MAX_BATCH_TOTAL_TOKENS")
    ] = None
    """Size of the KV cache in tokens; the default depends on the free memory."""

    max_batch_size: Annotated[Limit, env("VERBATIM_MAX_BATCH_SIZE", "MAX_BATCH_SIZE")] = None
    """Maximum sequences in one step of the engine; the default depends on the device."""

    prefix_caching: Annotated[bool, env("VERBATIM_PREFIX_CACHING", "PREFIX_CACHING")] = True
    """Reuse the KV cache of earlier prompts for prompts with the same beginning."""

    speculate: Annotated[int, env("VERBATIM_SPECULATE", "SPECULATE"), Field(ge=0, le=MAX_DRAFT_TOKENS)] = 0
    """Speculation without a draft model: `ngram`, `ngram:N` or N (maximum draft tokens); 0 disables it."""

    @model_validator(mode="after")
    def _has_a_cache_to_tell_of(self) -> Self:
        if self.kv_events is not None and not self.prefix_caching:
            raise ValueError("kv_events needs prefix_caching, which is off")
        return self

    @field_validator("quantize")
    @classmethod
    def _is_quantization(cls, name: str | None) -> str | None:
        if name not in (None, *QUANTIZATIONS):
            raise ValueError(
                f"{name!r} is not supported; supported are {', '.join(QUANTIZATIONS)}; fp8 is for a GPU, the "
                "others are for a CPU; a checkpoint that is quantized already needs no option"
            )
        return name

    @field_validator("speculate", mode="before")
    @classmethod
    def _read_speculation(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if (match := re.fullmatch(r"ngram|(?:ngram:)?(\d+)", value.strip().lower())) is None:
            raise ValueError(f"{value!r} is not supported; supported are ngram, ngram:N and N")
        return match[1] or _NUM_DRAFT_TOKENS

    @field_validator("isa")
    @classmethod
    def _is_isa(cls, name: str) -> str:
        if name not in isa_names():
            raise ValueError(f"{name!r} is not one of {', '.join(isa_names())}")
        return name

    @field_validator("num_threads")
    @classmethod
    def _has_processors(cls, number: int | None) -> int | None:
        if number is not None and number > (present := os.cpu_count() or 1):
            raise ValueError(f"{number} threads are more than the {present} processors of this machine")
        return number
