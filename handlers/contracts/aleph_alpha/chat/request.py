"""Chat requests in neutral terms."""

from secrets import token_hex

from engine.port.request import SamplingParams
from generated.aleph_alpha import models as m
from handlers.chat.params import ChatParams
from handlers.contracts.aleph_alpha.chat.messages import conversation
from handlers.contracts.aleph_alpha.nice import priority
from handlers.served_model.request_values import bounded_texts
from verbatim_kit.errors import Refused


def chat_params(body: m.ChatRequest, *, nice: bool) -> ChatParams:
    """The contract ignores seed, service_tier, user, and names of messages. Raises Refused."""
    return ChatParams(
        request_id=token_hex(16),
        messages=conversation(body.messages),
        sampling=_sampling(body),
        max_tokens=_max_tokens(body),
        stop=bounded_texts(body.stop or (), "stop", subject=""),
        num_sequences=num_answers(body),
        priority=priority(nice=nice),
    )


def num_answers(body: m.ChatRequest) -> int:
    return 1 if body.n is None else body.n


def num_logprobs(body: m.ChatRequest) -> int | None:
    """Return `num_logprobs` of SamplingParams. top_logprobs alone asks for log-probabilities too."""
    if body.top_logprobs is not None:
        return body.top_logprobs
    return 0 if body.logprobs else None


def includes_usage(body: m.ChatRequest) -> bool:
    return body.stream_options is not None and body.stream_options.include_usage is True


def _sampling(body: m.ChatRequest) -> SamplingParams:
    return SamplingParams(
        temperature=1.0 if body.temperature is None else body.temperature,
        top_k=body.top_k or None,
        top_p=1.0 if body.top_p is None else body.top_p,
        presence_penalty=body.presence_penalty or 0.0,
        frequency_penalty=body.frequency_penalty or 0.0,
        seed=None,
        logit_bias={int(token): float(bias) for token, bias in (body.logit_bias or {}).items()},
        num_logprobs=num_logprobs(body),
    )


def _max_tokens(body: m.ChatRequest) -> int | None:
    both = {body.max_tokens, body.maximum_tokens} - {None}
    if len(both) > 1:
        raise Refused("it is another name of `max_tokens`, and both have values", "maximum_tokens")
    return both.pop() if both else None
