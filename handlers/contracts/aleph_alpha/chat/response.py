"""Chat answers: whole ones, and what they have in common with chunks."""

from collections.abc import Sequence
from typing import Final, Literal

from engine.port.events import TokenEvent
from engine.port.text.tokenizer import Tokenizer
from generated.aleph_alpha import models as m
from handlers.chat.delta import ChatFinish
from handlers.chat.reading.logprobs import ScoredToken, TokenScore, scored_tokens
from handlers.chat.reading.result import ChatChoice
from handlers.chat.usage import ChatUsage

_FINISH_REASONS: Final[dict[ChatFinish, Literal["stop", "length"]]] = {
    ChatFinish.STOP: "stop",
    ChatFinish.LENGTH: "length",
}


def finish_reason(finish: ChatFinish) -> Literal["stop", "length", "content_filter"]:
    """A reason that the contract does not know is `content_filter` by its own rule."""
    return _FINISH_REASONS.get(finish, "content_filter")


def chat_choice(choice: ChatChoice, logprobs: m.ChatLogprobs | None) -> m.ChatCompletionChoice:
    return m.ChatCompletionChoice(
        finish_reason=finish_reason(choice.finish),
        index=choice.index,
        message=m.ChatAnswerMessage(role="assistant", content=choice.content),
        logprobs=logprobs,
    )


def chat_logprobs(events: Sequence[TokenEvent], tokenizer: Tokenizer) -> m.ChatLogprobs:
    """Return the log-probabilities of events that have them."""
    return m.ChatLogprobs(content=[_token(token) for token in scored_tokens(events, tokenizer)])


def chat_usage(counts: ChatUsage) -> m.ChatUsage:
    return m.ChatUsage(
        completion_tokens=counts.num_completion_tokens,
        prompt_tokens=counts.num_prompt_tokens,
        total_tokens=counts.num_prompt_tokens + counts.num_completion_tokens,
    )


def _token(token: ScoredToken) -> m.TokenLogprob:
    return m.TokenLogprob(
        token=token.text,
        logprob=token.logprob,
        bytes=list(token.bytes),
        top_logprobs=[_top(top) for top in token.top],
    )


def _top(score: TokenScore) -> m.TopLogprob:
    return m.TopLogprob(token=score.text, logprob=score.logprob, bytes=list(score.bytes))
