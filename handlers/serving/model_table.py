"""The description of a model in the output of `verbatim serve` and `verbatim check`."""

from collections.abc import Collection

from engine.port.info.kernels import Kernel, by_obstacle, in_use, not_in_use
from engine.port.info.model_info import ModelInfo
from engine.port.info.speech_info import SpeechInfo
from engine.port.request import MediaKind
from handlers.chat.summary import ChatSummary, in_words

_PRODUCTS = {"pairs": "in pairs", "widened": "as float32"}


def model_lines(name: str, info: ModelInfo, chat: ChatSummary | None) -> list[str]:
    """Return the lines that describe a model. name: the model's name in requests."""
    millions = info.num_parameters / 1e6
    return [
        f"  model     {name} ({info.architecture}, {millions:,.1f}M parameters)",
        f"  device    {', '.join(filter(None, (info.device, info.instructions, _dtype(info))))}",
        *_weights(info),
        *_attention(info),
        *_cache(info),
        *_state(info),
        *_speculation(info.max_draft_tokens),
        *_media(info.media),
        *_kernels(info.kernels),
        f"  chat      {in_words(chat)}" if info.speech is None else _transcription(info.speech),
        *_sampling(info.recommended_sampling),
    ]


def _transcription(speech: SpeechInfo) -> str:
    """Return the line about the languages of a speech model, which replaces the line about chat."""
    num_languages = len(speech.languages)
    languages = f"{num_languages} languages, and into English" if num_languages else "English"
    words = "with times of words" if speech.alignment_heads else "without times of words"
    return (
        f"  serves    transcription of {languages}, {speech.window_s:g} s at once, {words}; no chat, no "
        "completions"
    )


def _media(kinds: Collection[MediaKind]) -> list[str]:
    """Return a line about the media that the model reads; none for a text model."""
    if not kinds:
        return []
    *first, last = ("text", *(kind.plural for kind in MediaKind if kind in kinds))
    return [f"  reads     {', '.join(first)} and {last}"]


def _weights(info: ModelInfo) -> list[str]:
    if not info.weight_bytes:
        return []
    quantized = f", then {info.quantization} where linear layers allow it" if info.quantization else ""
    stored = kept = ""
    if info.stored_format:
        how = "from" if info.stored_layers else "unpacked from"
        stored = f", {how} {_size(info.stored_bytes)} of {info.stored_format}"
    if info.stored_layers:
        layers = sorted(info.stored_layers.items())
        kept = f", kept in {' and '.join(f'{bits} bits in {count} linear layers' for bits, count in layers)}"
    return [f"  weights   {_size(info.weight_bytes)}{stored}{kept}{quantized}"]


def _size(num_bytes: int) -> str:
    mebibytes = num_bytes / 2**20
    return f"{mebibytes:,.1f} MiB" if mebibytes < 10_000 else f"{mebibytes / 2**10:,.1f} GiB"


def _attention(info: ModelInfo) -> list[str]:
    if info.paged_obstacle is not None:
        return [
            "  attention the model's own, on the fallback path: slower, one sequence at a time, without "
            f"prefix cache and speculation, since {info.paged_obstacle}"
        ]
    return [f"  attention {', '.join(info.attention)}"] if info.attention else []


def _cache(info: ModelInfo) -> list[str]:
    num_cached = info.num_blocks * info.block_size
    return [
        f"  cache     {num_cached:,} tokens ({info.kv_cache_bytes / 2**20:,.0f} MiB), "
        f"at most {info.max_total_tokens:,} for one request, {info.max_num_sequences:,} sequences at once"
    ]


def _state(info: ModelInfo) -> list[str]:
    """Return a line about recurrent state; none for a model without it."""
    if not info.num_state_slots:
        return []
    has_others = info.num_state_slots > info.max_num_sequences
    shared = f"{info.max_num_sequences:,} for sequences and the rest for the prefix cache"
    return [
        f"  state     {info.num_state_slots:,} recurrent states ({info.state_bytes / 2**20:,.0f} MiB), "
        f"{shared if has_others else 'one for each sequence'}"
    ]


def _speculation(max_draft_tokens: int) -> list[str]:
    """Return a line about speculation; none without it."""
    if not max_draft_tokens:
        return []
    return [f"  drafts    up to {max_draft_tokens} tokens a step, from a sequence's own text (ngram)"]


def _kernels(kernels: tuple[Kernel, ...]) -> list[str]:
    """Return a line about the native kernels in use, then a line for each reason that others are not."""
    obstacles = by_obstacle(kernels)
    if not obstacles:
        return [f"  native    all of it: {in_use(kernels)}"] if kernels else []
    return [
        f"  native    {in_use(kernels) or 'none; torch computes everything'}",
        *(f"            without {not_in_use(group)}: {why.reason}" for why, group in obstacles.items()),
    ]


def _sampling(recommended: dict[str, float]) -> list[str]:
    if not recommended:
        return []
    named = ", ".join(f"{name} {value:g}" for name, value in recommended.items())
    return [
        f"  sampling  generation_config.json recommends {named}; not applied: requests use their contract's "
        "defaults"
    ]


def _dtype(info: ModelInfo) -> str:
    """Return the data type, the method of multiplication, and the type of linear weights if it differs."""
    products = f" multiplied {_PRODUCTS[info.bfloat16_products]}" if info.bfloat16_products else ""
    linear = f" with linear weights of {info.linear_dtype}" if info.linear_dtype else ""
    return info.dtype + products + linear
