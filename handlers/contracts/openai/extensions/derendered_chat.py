"""The operation `/v1/chat/completions/derender`, which writes the tokens of a token API as answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace as replace_fields
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.port.request import Prompt
from generated.openai import models as m
from handlers.chat.core import PreparedChat
from handlers.chat.delta import ChatDelta, join_pieces
from handlers.chat.reading.answer_parser import AnswerFormat
from handlers.chat.reading.result import ChatResult, join
from handlers.contracts.openai.chat.operation import Chat, mapping_of
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.extensions.derendering import (
    check_form,
    check_rendered,
    overrides,
    plain_request,
    sequence_reader,
    within,
)
from handlers.contracts.openai.extensions.generated import SequenceReader, wire_counts, wire_state
from handlers.contracts.openai.settings import ReasoningField
from handlers.operations.generated_tokens import generated_events
from handlers.served_model.envelope import Envelope
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, Violation, mapped_errors

_to_problem: Final = partial(to_problem, prompt_field="")


class _Asked(NamedTuple):
    """A rendered request, with what the chat core makes of it."""

    body: m.CreateChatCompletionRequest
    prepared: PreparedChat


class DerenderedChat:
    """Writes what a chat would have answered with the same tokens."""

    def __init__(self, shared: ServedModel, reasoning_fields: tuple[ReasoningField, ...]) -> None:
        self._shared = shared
        unread = replace_fields(shared, chat=shared.chat.leaving_unread())
        self._chat = Chat(unread, reasoning_fields)

    async def answer(
        self, body: m.DerenderChatRequest
    ) -> m.CreateChatCompletionResponse | m.DerenderedChatChunk:
        """Return a whole answer, or one chunk of a stream. Raise the contract's problem for what has none."""
        with mapped_errors(_to_problem):
            check_form(body, "generate_response")
            asked = await self._asked(body)
            if body.generate_chunk is not None:
                return await self._shared.workers.compute(self._chunk, body, asked, body.generate_chunk)
            assert body.generate_response is not None, "one of the two is there"
            return await self._shared.workers.compute(self._whole, body, asked, body.generate_response)

    async def _asked(self, body: m.DerenderChatRequest) -> _Asked:
        names = self._shared.model_names
        resolved = names.resolve(body.model or names.served)
        if body.chat_request is None:
            return self._plain(body, resolved.adapter)
        asked = body.chat_request.model_copy(update=overrides(body))
        with mapped_errors(within("chat_request", mapping_of(asked))):
            check_rendered(asked)
            return _Asked(asked, await self._chat.prepare(asked))

    def _plain(self, body: m.DerenderChatRequest, adapter: str | None) -> _Asked:
        """Return the request for an answer of nothing but content. Raises Refused where there may be more."""
        if self._shared.chat.has_reasoning:
            reason = "The model thinks, and its thoughts are told from its answer by the request alone."
            raise Refused(reason, "chat_request", Violation.MISSING)
        source = body.generate_response or body.generate_chunk
        choices = () if source is None else source.choices
        request = plain_request(choices, adapter)
        asked = m.CreateChatCompletionRequest.model_construct(
            model=adapter or self._shared.model_names.served,
            messages=[],
            logprobs=request.sampling.num_logprobs is not None,
            stop_token_ids=list(request.stopping.stop_token_ids),
        )
        return _Asked(asked, PreparedChat(prompt_text="", request=request, answer_format=AnswerFormat()))

    def _whole(
        self, body: m.DerenderChatRequest, asked: _Asked, response: m.GeneratedResponse
    ) -> m.CreateChatCompletionResponse:
        reader = sequence_reader(self._shared)
        prepared = _before(
            asked.prepared, reader, body.prompt_token_ids, response.prompt_token_ids, "generate_response"
        )
        num_logprobs = prepared.request.sampling.num_logprobs
        sequences = reader.choices(response, num_logprobs, "generate_response")
        outputs = replace(prepared, request=replace(prepared.request, num_sequences=len(sequences))).outputs()
        choices = []
        for index, sequence in enumerate(sequences):
            events = generated_events(prepared.request, self._shared.tokenizer, index, *sequence)
            deltas = [delta for event in events if (delta := outputs.feed(event)) is not None]
            choices.append(join(deltas))
        counts = wire_counts(response.usage, body.prompt_tokens, outputs.usage.num_completion_tokens)
        counts = replace(counts, num_reasoning_tokens=outputs.usage.num_reasoning_tokens)
        written = self._chat.written(
            asked.body,
            self._envelope(asked, response.request_id),
            ChatResult(choices=tuple(choices), usage=counts),
        )
        if asked.body.return_token_ids:
            written.prompt_token_ids = list(prepared.request.prompt.token_ids)
        if asked.body.prompt_logprobs is not None:
            if response.prompt_logprobs is None:
                reason = "Log-probabilities of the prompt are asked for, and there are none."
                raise Refused(reason, "generate_response.prompt_logprobs", Violation.MISSING)
            written.prompt_logprobs = response.prompt_logprobs
        return written

    def _chunk(
        self, body: m.DerenderChatRequest, asked: _Asked, event: m.GeneratedChunk
    ) -> m.DerenderedChatChunk:
        """Return the chunk of an event. All events before it are read again, and their chunks left out."""
        reader, state = sequence_reader(self._shared), body.stream_state
        prepared = _before(
            asked.prepared, reader, body.prompt_token_ids, event.prompt_token_ids, "generate_chunk"
        )
        prepared = replace(prepared, request=replace(prepared.request, num_sequences=1))
        call_ids = _CallIds(() if state is None else state.last_tool_call_ids, prepared)
        outputs = prepared.outputs(call_ids.new)
        chunks = self._chat.chunks(asked.body, self._envelope(asked, event.request_id), prepared, outputs)
        counts = None
        if event.usage is not None:
            counts = wire_counts(event.usage, body.prompt_tokens, event.usage.completion_tokens or 0)
        if not event.choices:
            state = state or wire_state((), 0)
            return m.DerenderedChatChunk(
                chunk=chunks.usage(counts) if counts else chunks.empty(), stream_state=state
            )
        (choice,) = event.choices
        sequence = reader.so_far(state, choice, prepared.request.sampling.num_logprobs)
        num_before = 0 if state is None else len(state.output_token_ids)
        num_shown, added = 0, list[ChatDelta]()
        for number, token in enumerate(
            generated_events(prepared.request, self._shared.tokenizer, 0, *sequence)
        ):
            delta = outputs.feed(token)
            if delta is None:
                continue
            num_shown += len(delta.events)
            if number < num_before:
                chunks.chunk(delta)
            else:
                added.append(delta)
        chunk = (chunks.chunk(_joined(added)) if added else None) or chunks.empty(0)
        chunk.choices[0].index = choice.index
        if counts is not None:
            chunk.usage = chunks.usage(counts).usage
        held = len(sequence.tokens) - num_shown
        return m.DerenderedChatChunk(
            chunk=chunk, stream_state=wire_state(sequence.tokens, held, call_ids.used)
        )

    def _envelope(self, asked: _Asked, own_id: str | None) -> Envelope:
        envelope = self._chat.envelope(asked.body, asked.prepared)
        return envelope if own_id is None else replace_fields(envelope, id=own_id)


class _CallIds:
    """The ids of a stream's calls: those that earlier chunks have had, then new ones. used: all so far."""

    def __init__(self, known: Sequence[str], prepared: PreparedChat) -> None:
        tools = prepared.answer_format.tools
        self._known = known
        self._fresh: Callable[[str], str] | None = None if tools is None else tools.tool_format.ids.new
        self.used: list[str] = []

    def new(self, name: str) -> str:
        """Return the id of the next call, which is of this function."""
        assert self._fresh is not None, "only an answer with tools has calls"
        number = len(self.used)
        self.used.append(self._known[number] if number < len(self._known) else self._fresh(name))
        return self.used[-1]


def _before(
    prepared: PreparedChat,
    reader: SequenceReader,
    own: Sequence[int] | None,
    of_answer: Sequence[int] | None,
    field: str,
) -> PreparedChat:
    """Return the chat with the prompt that the text goes on from: the request's own, or else the answer's."""
    if own is None and of_answer is None:
        return prepared
    if own is not None:
        token_ids = reader.check_prompt(own, "prompt_token_ids")
    else:
        token_ids = reader.check_prompt(of_answer or (), f"{field}.prompt_token_ids")
    return replace(prepared, request=replace(prepared.request, prompt=Prompt(token_ids)))


def _joined(deltas: Sequence[ChatDelta]) -> ChatDelta:
    """Return all that an event adds as one."""
    return ChatDelta(
        index=deltas[0].index,
        content="".join([delta.content for delta in deltas]),
        reasoning="".join([delta.reasoning for delta in deltas]),
        tool_calls=join_pieces([piece for delta in deltas for piece in delta.tool_calls]),
        events=tuple([event for delta in deltas for event in delta.events]),
        answer_events=tuple([event for delta in deltas for event in delta.answer_events]),
        stop_match=deltas[-1].stop_match,
        finish=deltas[-1].finish,
    )
