"""Token counts in the contract's form."""

from generated.openai import models as m
from handlers.chat.usage import ChatUsage


def usage(counts: ChatUsage) -> m.CompletionUsage:
    return m.CompletionUsage(
        prompt_tokens=counts.num_prompt_tokens,
        completion_tokens=counts.num_completion_tokens,
        total_tokens=counts.num_prompt_tokens + counts.num_completion_tokens,
        prompt_tokens_details=m.PromptTokensDetails(
            cached_tokens=counts.num_cached_tokens, audio_tokens=counts.num_audio_tokens
        ),
        completion_tokens_details=m.CompletionTokensDetails(
            reasoning_tokens=counts.num_reasoning_tokens,
            audio_tokens=0,
            accepted_prediction_tokens=0,
            rejected_prediction_tokens=0,
        ),
    )
