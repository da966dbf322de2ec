"""Token counts of chat and completions answers."""

from generated.tgi import models as m


def usage(num_prompt_tokens: int, num_completion_tokens: int) -> m.Usage:
    return m.Usage(
        prompt_tokens=num_prompt_tokens,
        completion_tokens=num_completion_tokens,
        total_tokens=num_prompt_tokens + num_completion_tokens,
    )
