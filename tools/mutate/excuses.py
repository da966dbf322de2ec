"""Excuses for mutants: fields for which a document allows more than this server does, with the reasons."""

import re
from typing import Final

# (kind, contract, place, reason that the document allows it); the first three are regular expressions
_EXCUSES: Final = (
    (
        "field dropped",
        "openai",
        ".*/usage/(prompt|completion)_tokens_details",
        "missing in some of OpenAI's examples",
    ),
    ("field dropped", "openai", ".*/(stop_reason|max_model_len|root|parent)", "vLLM's field, not OpenAI's"),
    ("field dropped", "openai", ".*/system_fingerprint", "OpenAI's field, which other servers omit"),
    ("field dropped", "hf", ".*/logprob", "omitted if the probability is 0"),
    (
        "field nulled",
        "anthropic",
        ".*usage/(cache_[a-z_]+|input_tokens|output_tokens_details|service_tier)",
        "null in Anthropic's own types if nothing was counted",
    ),
    ("field nulled", "anthropic", ".*/max_(input_)?tokens", "null for a model with an unknown limit"),
    ("field nulled", "anthropic", "body/request_id", "null if a request has no id"),
    ("array emptied", "triton", ".*/extensions", "a server may have none"),
    ("field nulled", "tgi", ".*/best_of_sequences/[0-9]+/seed", "null if nothing was sampled"),
    ("field dropped", "hf", ".*/best_of_sequences/[0-9]+/seed", "omitted if nothing was sampled"),
    ("field nulled", "tgi", ".*/model_pipeline_tag", "null if it is not known"),
    ("field (dropped|nulled)", "openai", ".*/tools/[0-9]+/[a-z]+", "a copy of the request's tool"),
    (
        "field (dropped|nulled)",
        "openai",
        ".*/text/format/[a-z]+",
        "a copy of the request's format",
    ),
    ("array emptied", ".*", ".*/bytes", "a token may not complete a byte"),
    (
        "array emptied",
        ".*",
        ".*/content/[0-9]+/top_logprobs",
        "there may be fewer than requested",
    ),
    (
        "array emptied",
        ".*",
        ".*/logprobs/[0-9]+/top_logprobs",
        "there may be fewer than requested",
    ),
    ("array emptied", ".*", ".*/logprobs/content", "an answer may only have an end token"),
    ("field nulled", "tgi", ".*/logprob", "the logarithm of 0 is null in JSON"),
    ("field nulled", "openai", ".*/bytes", "OpenAI's null for a token without text"),
    ("field nulled", "openai", ".*logprobs/content", "OpenAI's null for a message without logprobs"),
    ("field nulled", "openai", ".*max_output_tokens", "null if the request has none"),
    ("field nulled", "aleph_alpha", ".*/maximum_completion_tokens", "null for a model without a limit"),
    (
        "field dropped",
        "triton",
        "body/[0-9]+/(version|state|reason)",
        "omitted for a model that is not loaded",
    ),
    (
        "header dropped",
        "tgi",
        "x-.*",
        "also declared for streams, whose headers are sent before the values are known",
    ),
)


def excuse_of(kind: str, contract: str, place: str) -> str | None:
    """Return the reason that excuses a kind of mutant at a place; None if there is none."""
    return next(
        (
            reason
            for excused, of, where, reason in _EXCUSES
            if re.fullmatch(excused, kind) and re.fullmatch(of, contract) and re.fullmatch(where, place)
        ),
        None,
    )
