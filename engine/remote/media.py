"""The reading of images, audio and videos for a model that servers compute; no torch.

The model's own processor runs here, so that a prompt's tokens are known before it is sent, and again where
the model is, since its arrays are many times as large as the files. Each answer has the prompt's tokens as
the server has them, and both must be equal. Contracts need their number before that: for the room that is
left, for prompts that are cut, and for operations that only count. vLLM has no call that would expand a
prompt and generate nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from engine.config import MediaLimits
from engine.extras import how_to_install, missing
from engine.port.errors import EngineBusy, EngineError, InvalidRequest, one_line
from engine.port.media_item import FileKeeper, MediaItem
from engine.port.request import GenerationRequest, MediaKind, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.remote.answer import put_events
from engine.remote.client.failures import CutOff, NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.sample_files import SAMPLES
from engine.remote.sequence_events import CachedTokens
from engine.remote.servers.patience import Patience
from engine.remote.wire.token_api import TokenApi

# The places of some ten thousand images: only their tokens are remembered.
_CACHE_BYTES: Final = 2**26


def read_media_files(
    directory: Path,
    config: Mapping[str, Any],
    api: TokenApi,
    tokenizer: Tokenizer,
    limits: MediaLimits,
    on_progress: Callable[[str], object],
) -> FileKeeper | None:
    """Return the reader of files for the model and servers of this kind; None if nothing can read them.

    config: the content of config.json.
    """
    from engine.media.families import FAMILIES, kinds_in_words

    family = FAMILIES.get(config.get("model_type", ""))
    if family is None or not (kinds := family.kinds & api.capabilities.media):
        return None
    if lacking := missing("media"):
        unread = f"note: {kinds_in_words(kinds)} cannot be read without {', '.join(lacking)}"
        on_progress(f"{unread}: {how_to_install('media')}")
        return None
    from transformers import AutoConfig

    from engine.media.loading import load_processor
    from engine.media.process.client import SHARED as DECODING

    try:
        described = AutoConfig.from_pretrained(directory, local_files_only=True)
    except Exception as error:  # whatever transformers raises for a configuration that it cannot read
        on_progress(f"note: {kinds_in_words(kinds)} are not read: {one_line(error)}")
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
    return FileKeeper(processor) if api.decodes_alike else FileKeeper(processor, sent=processor.plain)


async def check_reads(
    upstream: Upstream,
    api: TokenApi,
    served_name: str,
    tokenizer: Tokenizer,
    media: FileKeeper,
    kind: MediaKind,
) -> None:
    """Raise an EngineError or NoAnswer unless the server reads a file of a kind as it is read here."""
    ids = tokenizer.encode(media.placeholder(kind), add_special_tokens=False)
    request = GenerationRequest(
        request_id=f"{kind.value}-at-start",
        prompt=media.expand(ids, [MediaItem(kind, SAMPLES[kind]())]),
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=1),
    )
    await put_events(
        upstream,
        api,
        partial(api.body, request, 0, served_name, tokenizer),
        request,
        0,
        tokenizer,
        put=lambda event: None,
        num_running=lambda: 1,
        cached=CachedTokens(),
    )


async def media_that_servers_read(
    upstreams: list[Upstream],
    api: TokenApi,
    served_name: str,
    tokenizer: Tokenizer,
    media: FileKeeper,
    on_progress: Callable[[str], None],
    patience: Patience,
) -> FileKeeper | None:
    """Return `media` with the kinds that all servers read as it does; None if there is none.

    Each of the other kinds is reported. A server that has no room or does not answer is asked again, as long
    as there is patience.
    """
    left = set(media.kinds)
    for kind in MediaKind:
        for upstream in upstreams if kind in left else ():
            while True:
                try:
                    await check_reads(upstream, api, served_name, tokenizer, media, kind)
                    break
                except (EngineError, NoAnswer) as error:
                    if may_pass(error) and await patience.again(upstream.url, str(error)):
                        continue
                    if isinstance(error, InvalidRequest) or may_pass(error):
                        reason = str(error)
                    else:
                        reason = "the server reads them otherwise"
                    on_progress(f"note: {kind.plural} cannot be read over {upstream.url}: {reason}")
                    left.discard(kind)
                    break
            if kind not in left:
                break
    return media.only(left) if left else None


def may_pass(error: Exception) -> bool:
    """Return whether a failure says nothing of files: no room, no answer, or silence."""
    return isinstance(error, EngineBusy | NoAnswer) or isinstance(error.__cause__, CutOff)
