"""The operation `/v1/chat/completions`."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from secrets import token_hex
from typing import Any, TypeAlias

from msgspec.structs import replace

from engine.port.info.model_info import ModelInfo
from generated.mindie import models as m
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.core import PreparedChat
from handlers.chat.errors import ChatError
from handlers.chat.media import PartContents
from handlers.chat.reading.result import collect_chat
from handlers.contracts.mindie.chat.events import ChatEvents
from handlers.contracts.mindie.chat.request import chat_params, request_field
from handlers.contracts.mindie.chat.response import chat_completion, usage
from handlers.contracts.mindie.counts import beams, counting_field, num_answers, num_logprobs, num_sequences
from handlers.contracts.mindie.errors import to_problem
from handlers.contracts.mindie.rules import check_rules
from handlers.contracts.mindie.settings import MindieSettings
from handlers.contracts.mindie.step_times import StepTimes
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.operation import Call, EncodedEvent


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


_Event: TypeAlias = m.ChatCompletionChunk | EncodedEvent


class Chat:
    """Answers conversations."""

    def __init__(self, shared: ServedModel, settings: MindieSettings) -> None:
        self._shared = shared
        self._settings = settings
        self._bounds = TokenBounds(shared.settings.max_input_tokens, shared.model_info)

    async def whole(self, body: m.ChatRequest, call: Call[Any]) -> m.ChatCompletion:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, prepared):
            result = await collect_chat(prepared.outputs(), active.run(prepared.request))
            return await self._shared.workers.write(
                result.usage.num_completion_tokens,
                chat_completion,
                self._envelope(prepared),
                result,
                self._shared.tokenizer,
                shows_logprobs=num_logprobs(body) is not None,
            )

    async def stream(self, body: m.ChatRequest, call: Call[Any]) -> AsyncGenerator[_Event, None]:
        """Answer token by token. The last answer's end has the counts."""
        async with self._begin(body, call) as (active, prepared):
            outputs = prepared.outputs()
            chunks = ChatEvents(
                self._envelope(prepared),
                None if num_logprobs(body) is None else self._shared.tokenizer,
                is_full_text=self._settings.mindie_full_text,
            )
            num_running = num_answers(body)
            times = StepTimes(num_running)
            async with aclosing(active.run(prepared.request)) as tokens:
                async for token in tokens:
                    times.add(token)
                    if (delta := outputs.feed(token)) is None:
                        continue
                    if (piece := chunks.piece(delta)) is not None:
                        yield piece
                    if delta.finish is not None:
                        num_running -= 1
                        yield chunks.end(delta, None if num_running else usage(outputs.usage, times))

    @asynccontextmanager
    async def _begin(
        self, body: m.ChatRequest, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, PreparedChat]]:
        """Check and prepare a request, which is active in the block."""
        with self._shared.active_requests.open(call.received_s, to_problem) as active:
            self._shared.model_names.resolve(body.model)
            check_rules(body)
            with active.permits(counting_field(body), num_sequences(body), beams(body)):
                yield active, await self._shared.media.prepare(self._prepare, body)

    def _prepare(self, body: m.ChatRequest, contents: PartContents) -> PreparedChat:
        try:
            params = chat_params(body, self._shared.model_info.vocab_size)
            adapter = self._shared.model_names.resolve(body.model).adapter
            prepared = self._shared.chat.prepare(replace(params, adapter=adapter), contents)
        except ChatError as error:
            error.field = request_field(error.field)
            raise
        self._bounds.check(len(prepared.request.prompt.token_ids))
        return replace(prepared, request=prepared.request.clamped(self._shared.model_info.max_total_tokens))

    def _envelope(self, prepared: PreparedChat) -> Envelope:
        """MindIE counts its requests; a random number is unique beyond one process."""
        model = prepared.request.adapter or self._shared.model_names.served
        return Envelope(model=model, id=f"endpoint_common_{token_hex(16)}")
