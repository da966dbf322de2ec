"""The differences between kinds of servers that compute tokens; no torch."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, Final

import msgspec

from engine.port.info.capabilities import Capabilities
from engine.port.media_item import unexpanded
from engine.port.request import GenerationRequest
from engine.port.text.tokenizer import Tokenizer
from engine.remote.wire.answer_reader import AnswerReader, ErrorReason

MAX_EVENT_BYTES: Final = 8 * 2**20  # a prompt of 32,000 tokens with the log-probabilities of five each


class PriorityOrder(Enum):
    """The number by which a request comes before others."""

    LOWEST_FIRST = "lowest first"
    HIGHEST_FIRST = "highest first"


class ApiFacts(msgspec.Struct, frozen=True):
    """A server's description of itself, and the facts that its first answers show."""

    num_blocks: int | None = None
    """The number of blocks of its KV cache; None where it names none."""

    block_size: int | None = None
    """The number of tokens in a block; None where it names none."""

    warnings: tuple[str, ...] = ()
    """Settings of the server by which requests would get less than they ask for, or cost more."""

    max_total_tokens: int | None = None
    """The most tokens that one request may have, besides the bound of `/v1/models`; None for no other bound.
    """

    priorities: PriorityOrder | None = None
    """The order of priorities; None where requests run only by arrival, or nothing is known of it."""

    lists_named_logprobs: bool = False
    """True if it lists log-probabilities of tokens that a request names, and those of other requests stay
    right."""

    bounds_thoughts: bool = False
    """True if it keeps thinking budgets: it knows where its model's thoughts begin and end."""

    counts_cached_tokens: bool = False
    """True if the end of a stream says how many of the prompt's tokens were cached."""


class TokenApi(ABC):
    """One kind of server: the form of requests for tokens and of their answers."""

    name: ClassVar[str]
    """The kind's name in the settings."""

    path: ClassVar[str]
    """The path of requests for tokens."""

    facts_path: ClassVar[str]
    """The path of the server's description of itself."""

    tokenize_path: ClassVar[str | None] = None
    """The path of the call that makes `tokens` of a `prompt`, in vLLM's form; None for servers without one.
    """

    start_hint: ClassVar[str]
    """The way in which a server that lacks `path` should have been started, for an error message."""

    capabilities: Capabilities
    """The capabilities of servers that are started without options, or of those whose facts `fitted` was
    given. Their `media` are the kinds of files that the servers take for models that read them."""

    decodes_alike: ClassVar[bool] = True
    """True if its servers decode a file as this process does; if not, they get plain files
    (`MediaReader.plain`)."""

    def is_streamed(self, request: GenerationRequest) -> bool:
        """Return whether the answer is to be streamed.

        An answer with the log-probabilities of the prompt is not streamed: vLLM's streams have none, and
        SGLang's repeat them in every event.
        """
        return request.sampling.num_prompt_logprobs is None

    def fitted(self, facts: ApiFacts) -> "TokenApi":
        """Return the API of servers that have been started in this way."""
        return self

    @abstractmethod
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        """Return the body that asks for the sequence of that index, with an empty `url` for each file.

        It is made anew for each try, as some servers refuse an id that they have seen. model: the server's
        name for it.
        """

    def body(
        self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer
    ) -> Sequence[bytes]:
        """Return the parts of the whole body. The files among them are the prompt's own bytes, not copies.

        A request with many sequences sends its files once for each, and joined they would be in memory as
        often.
        """
        body = self.encode(request, index, model, tokenizer)
        if not request.prompt.media:
            return (body,)
        first, *others = body.split(b'"url":""')
        parts = [first]
        for source, other in zip(unexpanded(request.prompt).sources, others, strict=True):
            parts += [b'"url":"', source, b'"' + other]
        return parts

    @abstractmethod
    def encode_probe(self, model: str, token_id: int) -> bytes:
        """Return the body that asks for one token, whole, after this one."""

    def encode_trials(self, model: str, token_id: int) -> tuple[bytes, ...]:
        """Return bodies that a server may refuse, which shows what it can do; the answers are whole."""
        return ()

    def learn(self, facts: ApiFacts, probe: bytes, trials: Sequence[bytes | None]) -> ApiFacts:
        """Return the facts with what these answers show.

        probe: the answer to `encode_probe`. trials: the answers to `encode_trials`, in order; None for a
        refusal.
        """
        return facts

    @abstractmethod
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer, index: int = 0) -> AnswerReader:
        """Return the reader of the answer for the sequence of that index."""

    def is_unknown_adapter(self, status: int, reason: ErrorReason) -> bool:
        """Return whether a server refuses a request for an adapter because it has none of that name.

        status: of the answer, or the one that the error in a stream names.
        """
        return status == 404

    def max_event_bytes(self, request: GenerationRequest) -> int:
        """Return the bound on the bytes of one event of a stream."""
        return MAX_EVENT_BYTES

    @abstractmethod
    def read_facts(self, body: bytes) -> ApiFacts:
        """Return what the answer of `facts_path` says; nothing where it cannot be read."""
