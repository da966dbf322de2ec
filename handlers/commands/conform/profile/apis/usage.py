"""The checks of token usage in OpenAI's answers."""

from collections.abc import Iterator, Sequence
from typing import Final

from handlers.commands.conform.profile.turn import Breach, SentBody
from verbatim_kit.conform.document import Json

_LAST: Final = "Agents read from it how full the context is, and benchmarks how much was generated"
_EVERY: Final = "Benchmarks that cancel a request read its usage from the last chunk received"
_LENGTH: Final = "Benchmarks that request answers of equal length are not comparable if some end earlier"


def usage_breaches(sent: SentBody, chunks: Sequence[Json]) -> Iterator[Breach]:
    """Yield a breach if a stream lacks the usage that its request asked for."""
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
    """Yield a breach if an answer ends before its token limit although `ignore_eos` is set."""
    body = sent.body
    names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
    limit = next((body[name] for name in names if body.get(name) is not None), None)
    if body.get("ignore_eos") and limit is not None and num_tokens != limit:
        message = f"The answer has {num_tokens} tokens, not {limit}; ignore_eos is true"
        yield Breach("The answer does not have the requested length", message, _LENGTH)
