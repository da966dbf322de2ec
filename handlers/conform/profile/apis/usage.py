"""The counts of tokens in OpenAI's streams."""

from collections.abc import Iterator, Sequence
from typing import Final

from handlers.conform.document import Json
from handlers.conform.profile.turn import Breach, SentBody

_LAST: Final = "Agents know by it how full the context is, and benchmarks how much was generated"
_EVERY: Final = "Benchmarks take the counts of a request that they cut off from its last chunk"
_LENGTH: Final = "A benchmark that asks for answers of one length compares nothing if they end earlier"


def usage_breaches(sent: SentBody, chunks: Sequence[Json]) -> Iterator[Breach]:
    """Yield what is wrong with the counts that a stream's request asked for."""
    options = sent.body.get("stream_options") or {}
    counts = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    if options.get("include_usage") and not counts:
        yield Breach(
            "No chunk has the usage that was asked for", "stream_options.include_usage is true", _LAST
        )
        return
    without = sum(not chunk.get("usage") for chunk in chunks if chunk["choices"])
    if options.get("continuous_usage_stats") and without:
        message = (
            f"{without} of {len(chunks)} chunks have none; stream_options.continuous_usage_stats is true"
        )
        yield Breach("Not every chunk has the usage that was asked for", message, _EVERY)
    if counts:
        yield from length_breaches(sent, counts[-1]["completion_tokens"])


def length_breaches(sent: SentBody, num_tokens: int) -> Iterator[Breach]:
    """Yield the breach of an answer that had to be as long as its limit, and is not."""
    body = sent.body
    names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
    limit = next((body[name] for name in names if body.get(name) is not None), None)
    if body.get("ignore_eos") and limit is not None and num_tokens != limit:
        message = f"The answer has {num_tokens} tokens, not {limit}; ignore_eos is true"
        yield Breach("The answer does not have the length that was asked for", message, _LENGTH)
