"""The limits of requests, and the rules that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.port.errors import PromptTooLong
from engine.port.info.model_info import ModelInfo
from engine.port.request import Watermark
from handlers.contracts.tgi.errors import BatchTooLarge
from handlers.contracts.tgi.settings import TgiSettings
from handlers.served_model.request_values import bounded_texts
from handlers.shared_settings.shared_settings import SharedSettings
from verbatim_kit.errors import Refused


@dataclass(frozen=True)
class RequestLimits:
    """The settings that bound requests, resolved for the served model."""

    max_best_of: int
    max_stop_sequences: int
    max_top_n_tokens: int
    max_client_batch_size: int
    max_input_tokens: int
    max_total_tokens: int
    clamps_tokens: bool
    allows_grammars: bool
    watermark: Watermark

    @classmethod
    def of(cls, settings: TgiSettings, shared: SharedSettings, info: ModelInfo) -> "RequestLimits":
        longest_prompt = info.max_total_tokens - 1
        return cls(
            max_best_of=settings.max_best_of,
            max_stop_sequences=settings.max_stop_sequences,
            max_top_n_tokens=settings.max_top_n_tokens,
            max_client_batch_size=settings.max_client_batch_size,
            max_input_tokens=min(shared.max_input_tokens or longest_prompt, longest_prompt),
            max_total_tokens=info.max_total_tokens,
            clamps_tokens=shared.clamp_max_tokens,
            allows_grammars=not shared.disable_grammar_support,
            watermark=Watermark(gamma=settings.watermark_gamma, delta=settings.watermark_delta),
        )

    def check_stop(self, stop: Sequence[str]) -> None:
        if (num_stop := len(stop)) > self.max_stop_sequences:
            raise Refused(
                f"`stop` supports up to {self.max_stop_sequences} stop sequences. Given: {num_stop}"
            )
        bounded_texts(stop, "stop")

    def check_top_n(self, field: str, top_n: int | None) -> None:
        if (top_n or 0) > self.max_top_n_tokens:
            raise Refused(f"`{field}` must be >= 0 and <= {self.max_top_n_tokens}. Given: {top_n}")

    def check_grammar(self) -> None:
        if not self.allows_grammars:
            raise Refused("grammar is not supported")

    def check_prompts(self, num_prompts: int) -> None:
        if num_prompts > self.max_client_batch_size:
            raise BatchTooLarge(self.max_client_batch_size)

    def new_tokens(self, num_prompt_tokens: int, max_new_tokens: int | None) -> int:
        """Tokens to generate at most; None, or too many where they are clamped, is the rest of the context.

        Raises PromptTooLong, or Refused for a prompt over its own limit.
        """
        num_new_tokens = max(1, self.max_total_tokens - num_prompt_tokens)
        if max_new_tokens is not None:
            num_new_tokens = min(max_new_tokens, num_new_tokens) if self.clamps_tokens else max_new_tokens
        if num_prompt_tokens + num_new_tokens > self.max_total_tokens:
            raise PromptTooLong(num_prompt_tokens, num_new_tokens, self.max_total_tokens)
        if num_prompt_tokens > self.max_input_tokens:
            raise Refused(
                f"`inputs` must have at most {self.max_input_tokens} tokens. Given: {num_prompt_tokens}"
            )
        return num_new_tokens
