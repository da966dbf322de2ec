"""Token counts and the steps behind them, in the contract's form."""

from generated.mindie import models as m
from handlers.chat.usage import ChatUsage
from handlers.mindie.step_times import StepTimes


def usage(counts: ChatUsage, times: StepTimes) -> m.Usage:
    counted = m.Usage(
        prompt_tokens=counts.num_prompt_tokens,
        prompt_tokens_details=m.PromptTokensDetails(cached_tokens=counts.num_cached_tokens),
        completion_tokens=counts.num_completion_tokens,
        total_tokens=counts.num_prompt_tokens + counts.num_completion_tokens,
        batch_size=times.batch_sizes,
        queue_wait_time=times.waits_us,
    )
    if counts.num_reasoning_tokens:
        counted.completion_tokens_details = m.CompletionTokensDetails(
            reasoning_tokens=counts.num_reasoning_tokens
        )
    return counted
