"""Rules that no schema states: fields that exclude each other, or bound each other."""

from collections.abc import Callable, Mapping
from typing import Final

from generated.mindie import models as m
from handlers.contracts.mindie.counts import asked_best_of, asked_n, asked_top_logprobs
from handlers.operations.missing import given
from verbatim_kit.errors import Refused

THINKING: Final = "chat_template_kwargs.enable_thinking"

# Whether a request makes use of a field: neither the default nor what counts as absent does.
_USES: Final[Mapping[str, Callable[[m.ChatRequest], bool]]] = {
    "stop": lambda body: bool(body.stop),
    "stop_token_ids": lambda body: bool(body.stop_token_ids),
    "include_stop_str_in_output": lambda body: body.include_stop_str_in_output,
    "use_beam_search": lambda body: body.use_beam_search,
    "best_of": lambda body: (asked_best_of(body) or 1) > 1,
    "n": lambda body: asked_n(body) > 1,
    "logprobs": lambda body: body.logprobs,
    "top_logprobs": lambda body: asked_top_logprobs(body) is not None,
    "response_format": lambda body: isinstance(body.response_format, m.JsonObjectFormat | m.JsonSchemaFormat),
    # What may not be called is as good as not offered.
    "tools": lambda body: bool(given(body.tools)) and body.tool_choice != "none",
    THINKING: lambda body: _thinks(body),
}

# Pairs of which a request may use one. Bans of what the server itself does not have (disaggregated prefill,
# split-fuse, multi-token prediction, parallel decoding, asynchronous scheduling) are not among them.
BANS: Final = (
    ("use_beam_search", "stop"),
    ("use_beam_search", "stop_token_ids"),
    ("use_beam_search", "response_format"),
    ("use_beam_search", "tools"),
    ("stop", "tools"),
    ("stop_token_ids", "tools"),
    ("include_stop_str_in_output", "tools"),
    ("best_of", "tools"),
    ("n", "tools"),
    ("logprobs", "tools"),
    ("top_logprobs", "tools"),
    ("stop", THINKING),
    ("include_stop_str_in_output", THINKING),
)


def check_rules(body: m.ChatRequest) -> None:
    """Raise Refused for the first rule that is broken; the message names both fields."""
    for field, other in BANS:
        if _USES[field](body) and _USES[other](body):
            raise Refused(f"`{field}` cannot be used with `{other}`", field)
    _check_sampling(body)
    _check_best_of(body)
    if body.top_logprobs and "logprobs" in body.model_fields_set and not body.logprobs:
        raise Refused("`top_logprobs` cannot be above 0 where `logprobs` is false", "top_logprobs")


def _check_sampling(body: m.ChatRequest) -> None:
    if body.temperature > 0 or body.use_beam_search:
        return
    for field in ("n", "best_of"):
        if _USES[field](body):
            raise Refused(f"`{field}` above 1 needs a `temperature` above 0", field)


def _check_best_of(body: m.ChatRequest) -> None:
    best_of, n = asked_best_of(body), asked_n(body)
    if best_of is None:
        return
    if best_of < n:
        raise Refused(f"`best_of` must be at least `n`. Given: {best_of} and {n}", "best_of")
    if body.stream and best_of != n and not body.use_beam_search:
        raise Refused(f"`best_of` must be equal to `n` in a stream. Given: {best_of} and {n}", "best_of")


def _thinks(body: m.ChatRequest) -> bool:
    kwargs = given(body.chat_template_kwargs)
    return kwargs is not None and given(kwargs.enable_thinking) is True
