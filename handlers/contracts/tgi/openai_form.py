"""The parts that chat and completions share, which have OpenAI's form."""

from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Final

import orjson
from pydantic import MISSING, BaseModel

from engine.port.request import SamplingParams
from generated.tgi import models as m
from handlers.operations.missing import given, given_or
from handlers.version import VERSION
from verbatim_kit.runtime.operation import EncodedEvent

SERVER_NAME: Final = f"{VERSION}-native"
"""The server's name, which the released servers send as `system_fingerprint`."""


def openai_sampling(body: m.ChatRequest | m.CompletionRequest) -> SamplingParams:
    """Return the options that chat and completions share. The temperature is 1 by default; 0 is greedy."""
    return SamplingParams(
        temperature=given_or(body.temperature, 1.0),
        top_k=body.top_k,
        top_p=given_or(body.top_p, 1.0),
        typical_p=given_or(body.typical_p, 1.0),
        repetition_penalty=given_or(body.repetition_penalty, 1.0),
        presence_penalty=given_or(body.presence_penalty, 0.0),
        frequency_penalty=given_or(body.frequency_penalty, 0.0),
        seed=body.seed,
    )


def stop_texts(stop: str | Sequence[str] | MISSING | None) -> tuple[str, ...]:
    return (stop,) if isinstance(stop, str) else tuple(given(stop) or ())


def usage(num_prompt_tokens: int, num_completion_tokens: int) -> m.Usage:
    return m.Usage(
        prompt_tokens=num_prompt_tokens,
        completion_tokens=num_completion_tokens,
        total_tokens=num_prompt_tokens + num_completion_tokens,
    )


class PlainChunks:
    """JSON text of the chunks that differ only in one text: to build a model for each token would cost more.

    A test holds it to the model's own serialisation.
    """

    def __init__(self, chunk: Callable[[str], BaseModel]) -> None:
        """Write one chunk. chunk: returns the chunk of a text."""
        mark = token_hex()  # no other part of the chunk is equal to it
        self._before, self._after = chunk(mark).model_dump_json().encode().split(orjson.dumps(mark))

    def fill(self, text: str) -> EncodedEvent:
        return EncodedEvent(b"%b%b%b" % (self._before, orjson.dumps(text), self._after))
