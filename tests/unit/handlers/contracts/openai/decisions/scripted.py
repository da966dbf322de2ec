"""An engine that gives labels the log-probabilities that a test says."""

from collections.abc import Callable, Iterator
from math import log

from msgspec.structs import replace

from engine.port.events import FinishReason, TokenEvent, TokenLogprob
from engine.port.request import GenerationRequest
from tests.support.scripted.engine import Script, ScriptedEngine, token
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.openai.api import MODEL, Api

DECISIONS = "/openai/v1/decisions"
TOKENIZER = chat_tokenizer()

Weigh = Callable[[str, str], float]
"""The probability of a token, given the prompt and the token as text."""


def weighs(weigh: Weigh) -> Script:
    """Every token that a request names has the probability that the function gives it."""

    def script(request: GenerationRequest) -> Iterator[TokenEvent]:
        prompt = TOKENIZER.decode(request.prompt.token_ids, skip_special_tokens=False)
        listed = tuple(
            TokenLogprob(each, text := TOKENIZER.token_text(each), log(weigh(prompt, text)), False)
            for each in request.sampling.logprob_token_ids
        )
        event = token(request, 0, "x", finish=FinishReason.LENGTH)
        yield replace(event, top_logprobs=listed, num_cached_tokens=3)

    return script


def api(weigh: Weigh = lambda prompt, text: 0.5, **settings: object) -> Api:
    return Api(ScriptedEngine(weighs(weigh), max_total_tokens=4000), **settings)


def prompts(server: Api) -> list[str]:
    """Return the prompts that the engine has seen, in their order."""
    return [
        TOKENIZER.decode(request.prompt.token_ids, skip_special_tokens=False)
        for request in server.engine.requests
    ]


def body(*questions: object, input: object = "The fern is brown.", **fields: object) -> dict[str, object]:
    return {"model": MODEL, "input": input, "questions": list(questions), **fields}


def predicate(instructions: object = "It is thirsty.", **fields: object) -> dict[str, object]:
    return {"type": "predicate", "instructions": instructions, **fields}


def choice(*values: object, **fields: object) -> dict[str, object]:
    choices = [value if isinstance(value, dict) else {"value": value} for value in values]
    return {"type": "choice", "instructions": "What next?", "choices": choices, **fields}


def score(*labels: object, **fields: object) -> dict[str, object]:
    levels = [label if isinstance(label, dict) else {"label": label} for label in labels]
    return {"type": "score", "instructions": "How bad?", "levels": levels, **fields}
