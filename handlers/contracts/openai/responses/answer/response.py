"""The response object: what the request asked for, and what has come of it."""

import time
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Final, Literal, TypeAlias

from generated.openai import models as m
from handlers.chat.usage import ChatUsage
from handlers.contracts.openai.responses.answer.item import WireItem
from handlers.contracts.openai.responses.request.memory import conversation_of
from handlers.contracts.openai.responses.request.tools import Tool
from verbatim_kit.runtime.problem import Problem

Status: TypeAlias = Literal["queued", "in_progress", "completed", "incomplete", "failed"]
_ERROR_CODES: Final[Mapping[int, Literal["invalid_prompt", "rate_limit_exceeded"]]] = {
    400: "invalid_prompt",
    404: "invalid_prompt",
    429: "rate_limit_exceeded",
}


class ResponseDraft:
    """One response to a request, whose options it repeats, at any time of its life."""

    def __init__(self, body: m.CreateResponseRequest, model: str, *, is_stored: bool) -> None:
        """Begin a response to a request.

        model: the model's name in answers. is_stored: whether the response is stored at its end.
        """
        self._body = body
        self._is_stored = is_stored
        self._model = model
        self._id = f"resp_{token_hex(16)}"
        self._created_at = int(time.time())

    def queued(self) -> m.Response:
        return self._response("queued")

    def in_progress(self) -> m.Response:
        return self._response("in_progress")

    def ended(self, output: Sequence[WireItem], usage: ChatUsage, *, is_cut: bool) -> m.Response:
        """Return the response at its end. is_cut: whether the bound of tokens or the context cut it off."""
        return self._response("incomplete" if is_cut else "completed", output, response_usage(usage))

    def failed(self, output: Sequence[WireItem], problem: Problem) -> m.Response:
        """Return the response of a request that failed late, by its own fault only in the background."""
        error = m.ResponseError(
            code=_ERROR_CODES.get(problem.status, "server_error"), message=problem.message
        )
        return self._response("failed", output, error=error)

    def _response(
        self,
        status: Status,
        output: Sequence[WireItem] = (),
        usage: m.ResponseUsage | None = None,
        error: m.ResponseError | None = None,
    ) -> m.Response:
        body, conversation = self._body, conversation_of(self._body)
        is_cut = status == "incomplete"
        return m.Response(
            id=self._id,
            object="response",
            created_at=self._created_at,
            completed_at=int(time.time()) if status == "completed" else None,
            status=status,
            background=body.background is True,
            conversation=None if conversation is None else m.ResponseConversation(id=conversation),
            error=error,
            incomplete_details=m.ResponseIncompleteDetails(reason="max_output_tokens") if is_cut else None,
            instructions=body.instructions,
            max_output_tokens=body.max_output_tokens,
            max_tool_calls=body.max_tool_calls,
            metadata=body.metadata or {},
            model=self._model,
            output=list(output),
            parallel_tool_calls=body.parallel_tool_calls is not False,
            previous_response_id=body.previous_response_id,
            prompt_cache_key=body.prompt_cache_key,
            reasoning=_reasoning(body.reasoning),
            safety_identifier=body.safety_identifier,
            service_tier="default",
            store=self._is_stored,
            temperature=1.0 if body.temperature is None else body.temperature,
            text=_text(body.text),
            tool_choice=body.tool_choice or "auto",
            tools=[_tool(tool) for tool in body.tools or ()],
            top_logprobs=body.top_logprobs or 0,
            top_p=1.0 if body.top_p is None else body.top_p,
            truncation=body.truncation or "disabled",
            presence_penalty=body.presence_penalty or 0.0,
            frequency_penalty=body.frequency_penalty or 0.0,
            usage=usage,
            user=body.user,
        )


def response_usage(usage: ChatUsage) -> m.ResponseUsage:
    return m.ResponseUsage(
        input_tokens=usage.num_prompt_tokens,
        input_tokens_details=m.ResponseInputTokensDetails(
            cached_tokens=usage.num_cached_tokens, cache_write_tokens=0
        ),
        output_tokens=usage.num_completion_tokens,
        output_tokens_details=m.ResponseOutputTokensDetails(reasoning_tokens=usage.num_reasoning_tokens),
        total_tokens=usage.num_prompt_tokens + usage.num_completion_tokens,
    )


def _reasoning(options: m.ResponseReasoningOptions | None) -> m.ResponseReasoningSettings:
    if options is None:
        return m.ResponseReasoningSettings(effort=None, summary=None)
    return m.ResponseReasoningSettings(
        effort=options.effort, summary=options.summary or options.generate_summary
    )


def _text(options: m.ResponseTextOptions | None) -> m.ResponseTextSettings:
    chosen = None if options is None else options.format
    return m.ResponseTextSettings(
        format=chosen or m.ResponseFormatText(type="text"),
        verbosity=None if options is None else options.verbosity,
    )


def _tool(tool: Tool) -> Tool:
    """Return the tool with the defaults that null stands for."""
    match tool:
        case m.ResponseFunctionTool():
            return tool.model_copy(update={"strict": tool.strict is not False})
        case m.ResponseNamespaceTool():
            return tool.model_copy(update={"tools": [_tool(member) for member in tool.tools]})
        case _:
            return tool
