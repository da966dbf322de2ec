"""Token counts in the contract's form, where cached tokens are not among the input."""

from generated.anthropic import models as m
from handlers.chat.usage import ChatUsage


def usage(counts: ChatUsage) -> m.Usage:
    return m.Usage(
        input_tokens=counts.num_prompt_tokens - counts.num_cached_tokens,
        output_tokens=counts.num_completion_tokens,
        cache_creation_input_tokens=0,
        cache_read_input_tokens=counts.num_cached_tokens,
        output_tokens_details=m.OutputTokensDetails(thinking_tokens=counts.num_reasoning_tokens),
        service_tier="standard",
    )


def delta_usage(counts: ChatUsage) -> m.MessageDeltaUsage:
    """The same at the end of a stream."""
    whole = usage(counts)
    return m.MessageDeltaUsage(
        output_tokens=whole.output_tokens,
        input_tokens=whole.input_tokens,
        cache_creation_input_tokens=whole.cache_creation_input_tokens,
        cache_read_input_tokens=whole.cache_read_input_tokens,
        output_tokens_details=whole.output_tokens_details,
    )
