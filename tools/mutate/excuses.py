"""Fields of which a document promises less than this server keeps, each with the reason."""

import re
from typing import Final

# (kind, contract, place, why the document leaves it open)
_EXCUSES: Final = (
    (
        "field dropped",
        "openai",
        ".*/usage/(prompt|completion)_tokens_details",
        "not in all that OpenAI shows",
    ),
    ("field dropped", "openai", ".*/(stop_reason|max_model_len|root|parent)", "vLLM's field, not OpenAI's"),
    ("field dropped", "openai", ".*/system_fingerprint", "OpenAI's field, which others leave out"),
    ("field dropped", "hf", ".*/logprob", "left out where the probability is 0"),
    (
        "field nulled",
        "anthropic",
        ".*usage/(cache_[a-z_]+|input_tokens|output_tokens_details|service_tier)",
        "null in Anthropic's own types where nothing was counted",
    ),
    ("field nulled", "anthropic", ".*/max_(input_)?tokens", "null of a model whose limit nobody knows"),
    ("field nulled", "anthropic", "body/request_id", "null where a request has no name"),
    ("array emptied", "triton", ".*/extensions", "a server may have none"),
    ("field nulled", "tgi", ".*/best_of_sequences/[0-9]+/seed", "null where nothing was drawn at random"),
    ("field dropped", "hf", ".*/best_of_sequences/[0-9]+/seed", "left out where nothing was drawn at random"),
    ("field nulled", "tgi", ".*/model_pipeline_tag", "null where it is not known"),
    ("field (dropped|nulled)", "openai", ".*/tools/[0-9]+/[a-z]+", "the request's own tool, as it was given"),
    (
        "field (dropped|nulled)",
        "openai",
        ".*/text/format/[a-z]+",
        "the request's own format, as it was given",
    ),
    ("array emptied", ".*", ".*/bytes", "a token may complete no byte"),
    (
        "array emptied",
        ".*",
        ".*/content/[0-9]+/top_logprobs",
        "fewer are told than asked where fewer are left",
    ),
    (
        "array emptied",
        ".*",
        ".*/logprobs/[0-9]+/top_logprobs",
        "fewer are told than asked where fewer are left",
    ),
    ("array emptied", ".*", ".*/logprobs/content", "an answer may have no token but the one that ends it"),
    ("field nulled", "tgi", ".*/logprob", "the logarithm of 0 is null in JSON"),
    ("field nulled", "openai", ".*/bytes", "OpenAI's null for a token that is no text"),
    ("field nulled", "openai", ".*logprobs/content", "OpenAI's null for a message that has none"),
    ("field nulled", "openai", ".*max_output_tokens", "null where the request has none"),
    ("field nulled", "aleph_alpha", ".*/maximum_completion_tokens", "null of a model without a limit"),
    (
        "field dropped",
        "triton",
        "body/[0-9]+/(version|state|reason)",
        "left out of a model that is not loaded",
    ),
    ("header dropped", "tgi", "x-.*", "declared with operations that stream, whose head goes out too early"),
)


def excuse_of(kind: str, contract: str, place: str) -> str | None:
    """The reason, if the table has one."""
    return next(
        (
            reason
            for excused, of, where, reason in _EXCUSES
            if re.fullmatch(excused, kind) and re.fullmatch(of, contract) and re.fullmatch(where, place)
        ),
        None,
    )
