"""The tokens that a prompt may have."""

from engine.port.info.model_info import ModelInfo
from verbatim_kit.errors import Refused, Violation


class TokenBounds:
    """The bound of the settings, resolved for the served model."""

    def __init__(self, max_input_tokens: int | None, model: ModelInfo) -> None:
        """Find the bound. max_input_tokens: the most tokens of a prompt; None: what the context allows."""
        self._max_input_tokens = min(max_input_tokens or model.max_total_tokens, model.max_total_tokens - 1)

    def check(self, num_prompt_tokens: int) -> None:
        """Raise Refused for a prompt that is over its limit, or that leaves no room."""
        if num_prompt_tokens > self._max_input_tokens:
            raise Refused(
                f"`messages` must have at most {self._max_input_tokens} tokens. Given: {num_prompt_tokens}",
                "messages",
                Violation.TOO_LONG,
            )
