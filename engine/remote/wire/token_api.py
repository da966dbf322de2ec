"""The differences between kinds of servers that compute tokens; no torch."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import ClassVar

import msgspec

from engine.info.capabilities import Capabilities
from engine.remote.wire.answer_reader import AnswerReader
from engine.request import GenerationRequest
from engine.text.tokenizer import Tokenizer


class PriorityOrder(Enum):
    """The number by which a request comes before others."""

    LOWEST_FIRST = "lowest first"
    HIGHEST_FIRST = "highest first"


class ApiFacts(msgspec.Struct, frozen=True):
    """A server's account of itself, and what its first answers show.

    num_blocks, block_size: of its KV cache; None where it names none.
    warnings: settings of the server by which requests would get less than they ask for.
    priorities: None where requests run by arrival alone, or nothing is known of it.
    lists_named_logprobs: it lists log-probabilities of tokens that a request names, and those of requests
        beside it stay right.
    counts_cached_tokens: the end of a stream says how many of the prompt's tokens were cached.
    """

    num_blocks: int | None = None
    block_size: int | None = None
    warnings: tuple[str, ...] = ()
    priorities: PriorityOrder | None = None
    lists_named_logprobs: bool = False
    counts_cached_tokens: bool = False


class TokenApi(ABC):
    """One kind of server: the form of requests for tokens and of their answers.

    name: its name in the settings. path: of requests for tokens. facts_path: of the server's account of
    itself. start_hint: what a server that lacks `path` should have been started as. capabilities: those of
    servers as they are started without options, or of those that `fitted` was given; their `media` are the
    kinds of files that they take for models that read them. decodes_alike: whether its servers
    find in a file what this process finds; if not, they get plain ones (`MediaReader.plain`).
    """

    name: ClassVar[str]
    path: ClassVar[str]
    facts_path: ClassVar[str]
    start_hint: ClassVar[str]
    capabilities: Capabilities
    decodes_alike: ClassVar[bool] = True

    def is_streamed(self, request: GenerationRequest) -> bool:
        """Return whether the answer is to be streamed.

        One with the log-probabilities of the prompt is not: vLLM's streams have none, and SGLang's repeat
        them in every event.
        """
        return request.sampling.num_prompt_logprobs is None

    def fitted(self, facts: ApiFacts) -> "TokenApi":
        """Return the API of servers that have been started in this way."""
        return self

    @abstractmethod
    def encode(self, request: GenerationRequest, index: int, model: str, tokenizer: Tokenizer) -> bytes:
        """Return the body that asks for the sequence of that index. model: the server's name for it."""

    @abstractmethod
    def encode_probe(self, model: str, token_id: int) -> bytes:
        """Return the body that asks for one token, whole, after this one."""

    def encode_trials(self, model: str, token_id: int) -> tuple[bytes, ...]:
        """Return bodies that a server may refuse, which shows what it can do; the answers are whole."""
        return ()

    def learn(self, facts: ApiFacts, probe: bytes, trials: Sequence[bytes | None]) -> ApiFacts:
        """Return the facts with what these answers show.

        probe: that to `encode_probe`. trials: those to `encode_trials`, in order; None for a refusal.
        """
        return facts

    @abstractmethod
    def reader(self, request: GenerationRequest, tokenizer: Tokenizer) -> AnswerReader:
        """Return the reader of one sequence's answer."""

    @abstractmethod
    def read_facts(self, body: bytes) -> ApiFacts:
        """Return what the answer of `facts_path` says; nothing where it cannot be read."""
