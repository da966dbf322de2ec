"""The operation `/v1/responses/compact`."""

from functools import partial
from secrets import token_hex
from typing import Any

from generated.openai import models as m
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.responses.operation import Responses
from handlers.contracts.openai.responses.request.compaction import ASK, write_summary
from handlers.contracts.openai.responses.request.items import InputItem
from handlers.contracts.openai.responses.request.memory import Memory, with_id
from verbatim_kit.errors import Refused, Violation, mapped_errors
from verbatim_kit.runtime.operation import Call
from verbatim_kit.runtime.problem import InternalError


class Compaction:
    """Shortens conversations by summaries of the model's own."""

    def __init__(self, responses: Responses, memory: Memory) -> None:
        self._responses = responses
        self._memory = memory

    async def compact(self, body: m.CompactResponseRequest, call: Call[Any]) -> m.CompactedResponse:
        """Return the users' messages of a conversation, and an item with the summary of it.

        Raises the contract's problem for an input that no response could be made of, and InternalError where
        the model writes no summary.
        """
        if body.input is None and body.previous_response_id is None:
            with mapped_errors(partial(to_problem, prompt_field="input")):
                raise Refused("There is nothing to compact.", "input", Violation.MISSING)
        own: list[InputItem] = [_user(body.input)] if isinstance(body.input, str) else [*(body.input or ())]
        fields: dict[str, Any] = {
            "model": body.model,
            "input": [*own, _user(ASK)],
            "instructions": body.instructions,
            "previous_response_id": body.previous_response_id,
            "store": False,
        }
        asked = m.CreateResponseRequest.model_construct(**fields)
        response = await self._responses.whole(asked, call)
        summary = "\n\n".join(
            part.text
            for item in response.output
            if isinstance(item, m.ResponseOutputMessage)
            for part in item.content
        )
        if not summary.strip() or response.usage is None:
            raise InternalError from None
        with mapped_errors(partial(to_problem, prompt_field="input")):
            whole, _ = await self._memory.recall(asked)
        assert not isinstance(whole.input, str), "the input is items"
        kept = [item for item in whole.input[:-1] if isinstance(item, m.ResponseInputMessage)]
        items = [with_id(item) for item in kept if item.role == "user"]
        item = {
            "id": f"cmp_{token_hex(16)}",
            "type": "compaction",
            "encrypted_content": write_summary(summary),
        }
        return m.CompactedResponse(
            id=response.id,
            object="response.compaction",
            created_at=response.created_at,
            output=[m.ResponseStoredItem.model_validate(each) for each in (*items, item)],
            usage=response.usage,
        )


def _user(text: str) -> m.ResponseInputMessage:
    return m.ResponseInputMessage(type="message", role="user", content=text)
