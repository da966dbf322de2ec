"""The parts that chats and completions share where tokens of a token API are written as their answers."""

from collections.abc import Sequence
from secrets import token_hex
from typing import Final

from engine.port.request import GenerationRequest, Prompt, SamplingParams, StopConditions
from generated.openai import models as m
from handlers.contracts.openai.extensions.generated import SequenceReader
from handlers.contracts.openai.extensions.rendering import check_options
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, ToProblem, Violation
from verbatim_kit.runtime.problem import Problem

_ALL: Final = 2**20  # log-probabilities of a token, more than any answer has


def check_form(body: m.DerenderChatRequest | m.DerenderCompletionRequest, whole: str) -> None:
    """Raise Refused for a whole answer with `stream`, or an event without. whole: the field of the former."""
    wanted, others = (
        ("generate_chunk", (whole,)) if body.stream else (whole, ("generate_chunk", "stream_state"))
    )
    if getattr(body, wanted) is None:
        reason = f"'{wanted}' is needed {'with' if body.stream else 'without'} 'stream'."
        raise Refused(reason, wanted, Violation.MISSING)
    for field in others:
        if getattr(body, field) is not None:
            reason = f"'{field}' is only allowed {'without' if body.stream else 'with'} 'stream'."
            raise Refused(reason, field)


def overrides(body: m.DerenderChatRequest | m.DerenderCompletionRequest) -> dict[str, object]:
    """Return what counts in place of the rendered request's own options. An event is of a stream."""
    model: dict[str, object] = {} if body.model is None else {"model": body.model}
    return {**model, "stream": True} if body.stream else model


def check_rendered(asked: m.CreateChatCompletionRequest | m.CreateCompletionRequest) -> None:
    """Raise Refused for an option that no rendered request has, or whose answer tokens do not have."""
    check_options(asked)
    if asked.timings_per_token:
        reason = "Tokens that have been generated elsewhere have no times."
        raise Refused(reason, "timings_per_token", Violation.UNSUPPORTED_FIELD)


def within(field: str, mapping: ToProblem) -> ToProblem:
    """Return the mapping whose problems name the fields of a request that stands in a field."""

    def mapped(error: Exception) -> Exception:
        problem = mapping(error)
        if isinstance(problem, Problem) and problem.field:
            problem.field = f"{field}.{problem.field}"
        return problem

    return mapped


def sequence_reader(shared: ServedModel) -> SequenceReader:
    info = shared.model_info
    return SequenceReader(shared.tokenizer, info.vocab_size, info.max_total_tokens)


def plain_request(choices: Sequence[m.GeneratedChoice], adapter: str | None) -> GenerationRequest:
    """Return a request for what the choices have: log-probabilities, and the stops that they name."""
    stops = [choice.stop_reason for choice in choices]
    has_logprobs = any(choice.logprobs is not None for choice in choices)
    return GenerationRequest(
        request_id=token_hex(16),
        prompt=Prompt(()),
        sampling=SamplingParams(num_logprobs=_ALL if has_logprobs else None),
        stopping=StopConditions(
            max_tokens=1,
            stop=tuple([stop for stop in stops if isinstance(stop, str) and stop]),
            stop_token_ids=tuple([stop for stop in stops if isinstance(stop, int)]),
        ),
        adapter=adapter,
    )
