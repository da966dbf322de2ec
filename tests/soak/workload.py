"""Random requests of every kind, and what their clients do with them; the same for the same seed."""

from enum import Enum
from random import Random
from typing import NamedTuple, TypeVar

from engine.async_engine import AsyncEngine
from engine.port.request import (
    BeamParams,
    EmbeddingRequest,
    GenerationRequest,
    Grammar,
    GrammarKind,
    Pooling,
    SamplingParams,
    StopConditions,
    Watermark,
)
from tests.support.engine_requests import embedding_request, generation_request

MAX_PROMPT_TOKENS, MAX_TOKENS = 120, 40

STEMS = (
    "The town lies by the river, and the river carries the ships of all who trade there down to the sea. ",
    "Hello! My name is Ada, and I would like to know how many apples are in the three baskets. ",
)
GRAMMARS = (
    Grammar(GrammarKind.REGEX, "[a-z]{3,30}"),
    Grammar(GrammarKind.REGEX, "(yes|no)"),
    Grammar(GrammarKind.JSON_OBJECT),
    Grammar(GrammarKind.JSON_SCHEMA, '{"type": "array", "items": {"type": "integer"}, "maxItems": 4}'),
    Grammar(GrammarKind.EBNF, 'root ::= "a" root | "b"'),
)


_Value = TypeVar("_Value")


class Ending(Enum):
    """The ways in which a client leaves its stream."""

    READ = "reads it to the end"
    CLOSE = "closes it after some events"
    CANCEL = "is cancelled while it waits"
    ABORT = "has the request aborted"


class Errand(NamedTuple):
    """A request and its client. patience: events that it reads, where it does not read all; delay_s: from the
    submission to a cancellation or an abort."""

    request: GenerationRequest | EmbeddingRequest
    ending: Ending
    patience: int
    delay_s: float


class Workload:
    """Makes errands for one model."""

    def __init__(self, engine: AsyncEngine, seed: int) -> None:
        self._random = Random(seed)
        self._vocab_size = engine.model_info.vocab_size
        self._stems = [tuple(engine.tokenizer.encode(stem)) for stem in STEMS]

    def errand(self, number: int) -> Errand:
        random = self._random
        ending = random.choices([*Ending], weights=[6, 2, 1, 1])[0]
        request = self._embedding(number) if random.random() < 0.08 else self._request(number)
        return Errand(request, ending, random.randrange(6), random.expovariate(10.0))

    def _embedding(self, number: int) -> EmbeddingRequest:
        random = self._random
        return embedding_request(
            request_id=str(number),
            token_ids=self._prompt(),
            pooling=random.choice([*Pooling]),
            priority=random.choice([0, -1]),
            cache_salt=random.choice([None, "salt"]),
        )

    def _request(self, number: int) -> GenerationRequest:
        random = self._random
        beams = self._beams() if random.random() < 0.08 else None
        return generation_request(
            request_id=str(number),
            token_ids=self._prompt(),
            sampling=self._sampling(is_searched=beams is not None),
            stopping=self._stopping(),
            num_sequences=random.randint(1, 2) if beams else random.choice([1, 1, 1, 2, 4]),
            skip_special_tokens=random.random() < 0.5,
            priority=random.choice([0, 0, 0, -1, 3]),
            cache_salt=random.choice([None, None, "salt", "other"]),
            beams=beams,
        )

    def _prompt(self) -> tuple[int, ...]:
        """Stems make cached beginnings, the rest is any ids."""
        random = self._random
        stem = random.choice([(), *self._stems])[: random.randint(0, 60)]
        num_own = random.randint(1, random.choice([5, MAX_PROMPT_TOKENS - len(stem)]))
        return stem + tuple(random.randrange(self._vocab_size) for _ in range(num_own))

    def _beams(self) -> BeamParams:
        random = self._random
        return BeamParams(
            num_beams=random.randint(2, 5),
            length_penalty=random.choice([0.0, 1.0, -1.0, 2.0]),
            early_stopping=random.choice([True, False, "never"]),
        )

    def _sampling(self, *, is_searched: bool) -> SamplingParams:
        random = self._random
        return SamplingParams(
            temperature=0.0 if is_searched else random.choice([0.0, 0.7, 1.0, 1.5]),
            top_k=self._seldom(random.randint(1, 50)),
            top_p=self._seldom(0.9) or 1.0,
            typical_p=self._seldom(0.8) or 1.0,
            min_p=self._seldom(0.05) or 0.0,
            repetition_penalty=self._seldom(1.2) or 1.0,
            presence_penalty=self._seldom(0.5) or 0.0,
            frequency_penalty=self._seldom(0.5) or 0.0,
            seed=random.getrandbits(64),
            logit_bias=self._seldom({self._token_id(): random.uniform(-5, 5)}) or {},
            allowed_token_ids=self._seldom(tuple(range(random.randint(1, 300)))),
            banned_token_ids=self._seldom((self._token_id(), self._token_id())) or (),
            bad_words=self._seldom(("the", "a river")) or (),
            watermark=self._seldom(Watermark()),
            grammar=None if is_searched else self._seldom(random.choice(GRAMMARS)),
            num_logprobs=self._seldom(random.randint(0, 5)),
            num_prompt_logprobs=self._seldom(random.randint(0, 3)),
        )

    def _stopping(self) -> StopConditions:
        random = self._random
        max_tokens = random.randint(1, random.choice([4, MAX_TOKENS]))
        return StopConditions(
            max_tokens=max_tokens,
            min_tokens=self._seldom(random.randint(0, max_tokens)) or 0,
            stop=self._seldom(("e", "the ", "\n\n")) or (),
            stop_token_ids=self._seldom((self._token_id(),)) or (),
            include_stop=random.random() < 0.5,
            ignore_eos=random.random() < 0.3,
        )

    def _token_id(self) -> int:
        return self._random.randrange(self._vocab_size)

    def _seldom(self, value: _Value) -> _Value | None:
        return value if self._random.random() < 0.12 else None
