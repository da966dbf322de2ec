"""The reading of images for a model that servers compute; no torch.

The model's own processor runs here, so that a prompt's tokens are known before it is sent, and again where
the model is, since its arrays are many times as large as the files. Each answer has the prompt's tokens as
the server has them, and both must be equal.
"""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from engine.errors import EngineError, InvalidRequest
from engine.media.limits import MediaLimits
from engine.media.process.client import SHARED as DECODING
from engine.media_item import FileKeeper, MediaItem
from engine.model.loading.refusals import one_line
from engine.remote.answer import put_events
from engine.remote.servers.upstream import NoAnswer, Upstream
from engine.remote.wire.token_api import TokenApi
from engine.request import GenerationRequest, MediaKind, SamplingParams, StopConditions
from engine.text.tokenizer import Tokenizer

# The places of some ten thousand images: their tokens alone are remembered.
_CACHE_BYTES: Final = 2**26


def read_media_files(
    directory: Path,
    config: Mapping[str, Any],
    api: TokenApi,
    tokenizer: Tokenizer,
    limits: MediaLimits,
    on_progress: Callable[[str], object],
) -> FileKeeper | None:
    """Return what reads the model's images, for servers of this kind; None if nothing can.

    config: the content of config.json.
    """
    from engine.media.families import FAMILIES

    kinds = frozenset(_SAMPLES) & api.capabilities.media
    if not kinds or config.get("model_type") not in FAMILIES:
        return None
    from transformers import AutoConfig

    from engine.media.loading import load_processor

    try:
        described = AutoConfig.from_pretrained(directory, local_files_only=True)
    except Exception as error:  # whatever transformers raises for a configuration that it cannot read
        on_progress(f"note: images are not read: {one_line(error)}")
        return None
    processor = load_processor(
        directory,
        described,
        tokenizer,
        max_cached_bytes=_CACHE_BYTES,
        limits=limits,
        kinds=kinds,
        on_progress=on_progress,
        keeps_arrays=False,
    )
    if processor is None:
        return None
    DECODING.start(on_progress)
    return FileKeeper(processor, kinds, api.sent_file)


async def check_reads(
    upstream: Upstream, api: TokenApi, served_name: str, tokenizer: Tokenizer, media: FileKeeper
) -> None:
    """Raise an EngineError or NoAnswer unless the server reads a file of each kind as it is read here."""
    for kind in media.kinds:
        ids = tokenizer.encode(media.marker(kind), add_special_tokens=False)
        request = GenerationRequest(
            request_id=f"{kind.value}-at-start",
            prompt=media.expand(ids, [MediaItem(kind, _SAMPLES[kind]())]),
            sampling=SamplingParams(temperature=0.0),
            stopping=StopConditions(max_tokens=1),
        )
        await put_events(
            upstream,
            api,
            api.encode(request, 0, served_name, tokenizer),
            request,
            0,
            tokenizer,
            put=lambda event: None,
            num_running=lambda: 1,
        )


async def media_that_servers_read(
    upstreams: list[Upstream],
    api: TokenApi,
    served_name: str,
    tokenizer: Tokenizer,
    media: FileKeeper,
    on_progress: Callable[[str], None],
) -> FileKeeper | None:
    """Return `media` if all servers read as it does; else None, which is reported."""
    for upstream in upstreams:
        try:
            await check_reads(upstream, api, served_name, tokenizer, media)
        except (EngineError, NoAnswer) as error:
            reason = str(error) if isinstance(error, InvalidRequest) else "the server reads them otherwise"
            on_progress(f"note: images are not read over {upstream.url}: {reason}")
            return None
    return media


def _picture() -> bytes:
    from PIL import Image

    file = BytesIO()
    Image.linear_gradient("L").resize((64, 48)).convert("RGB").save(file, "PNG")
    return file.getvalue()


# A file of each kind that is passed on, for the trial at the start.
_SAMPLES: Final[Mapping[MediaKind, Callable[[], bytes]]] = {MediaKind.IMAGE: _picture}
