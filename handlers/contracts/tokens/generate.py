"""The operation that generates."""

from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from secrets import token_hex
from typing import Any

from engine.port.errors import InvalidRequest
from engine.port.request import GenerationRequest, Prompt
from generated.tokens import models as m
from handlers.access.visits.visit import current_key_name
from handlers.active_requests.active_request import ActiveRequest
from handlers.chat.media import PartContents
from handlers.chat.messages import MediaPart
from handlers.contracts.tokens.errors import to_problem
from handlers.contracts.tokens.request import PARAMS, check_request, file_parts, generation_request
from handlers.contracts.tokens.response import Event, Responses
from handlers.operations.missing import given
from handlers.operations.sequences import collect_sequences
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused
from verbatim_kit.runtime.operation import Call


class Generate:
    """Continues token ids."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared
        # The engine's names, by the key and the clients' names.
        self._running: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    async def abort(self, names: Iterable[str]) -> None:
        """End the current key's requests of these names, each with RequestAborted; others are ignored."""
        for name in names:
            for request_id in tuple(self._running.get((current_key_name(), name), ())):
                await self._shared.engine.abort(request_id)

    async def whole(self, body: m.GenerateRequest, call: Call[Any]) -> m.GenerateResponse:
        """Answer in one piece."""
        async with self._begin(body, call) as (active, request, responses):
            generated = await collect_sequences(active.run(request), request.num_sequences)
            return await self._shared.workers.write(generated.num_tokens, responses.whole, generated)

    async def stream(self, body: m.GenerateRequest, call: Call[Any]) -> AsyncGenerator[Event, None]:
        """Answer with an event a token, and the token counts if the client asked for them."""
        async with self._begin(body, call) as (active, request, responses):
            async with aclosing(active.run(request)) as tokens:
                async for token in tokens:
                    yield responses.event(token)
            for event in responses.end():
                yield event

    @asynccontextmanager
    async def _begin(
        self, body: m.GenerateRequest, call: Call[Any]
    ) -> AsyncIterator[tuple[ActiveRequest, GenerationRequest, Responses]]:
        """Check and prepare a request, which is active in the block."""
        shared = self._shared
        with shared.active_requests.open(call.received_s, to_problem) as active:
            adapter = None if body.model is None else shared.model_names.resolve(body.model).adapter
            takes_structured_output = not shared.settings.disable_grammar_support
            check_request(body, shared.model_info.vocab_size, takes_structured_output=takes_structured_output)
            request_id = given(body.request_id) or token_hex(16)
            with active.permits(f"{PARAMS}.n", body.sampling_params.n):
                if parts := file_parts(body):
                    prompt = await shared.media.prepare(self._prompt, body, parts)
                else:
                    prompt = Prompt(tuple(body.token_ids))
                limit = body.sampling_params.thinking_token_budget
                budget = None if limit is None else shared.chat.thinking_budget(prompt.token_ids, limit)
                request = generation_request(
                    body, prompt, shared.model_info.max_total_tokens, adapter, budget
                )
                with self._named(request_id, request.request_id):
                    yield active, request, Responses(request_id, body, prompt, shared.tokenizer)

    @contextmanager
    def _named(self, name: str, request_id: str) -> Iterator[None]:
        """Let `abort` find a request of the engine by its client's name in the block."""
        own = (current_key_name(), name)
        running = self._running[own]
        running.add(request_id)
        try:
            yield
        finally:
            running.discard(request_id)
            if not running:
                self._running.pop(own, None)

    def _prompt(self, body: m.GenerateRequest, contents: PartContents, parts: Sequence[MediaPart]) -> Prompt:
        """Return the prompt with its files. Raises MediaWanted until they are read, and Refused."""
        media = self._shared.chat.media
        media.check(parts, contents)
        try:
            return media.expand(tuple(body.token_ids), parts, parts, contents)
        except InvalidRequest as error:  # as many files as placeholders are wanted
            raise Refused(str(error), "content_parts") from error
