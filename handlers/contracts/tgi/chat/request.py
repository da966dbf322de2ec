"""Chat requests in neutral terms."""

import json
from secrets import token_hex

import msgspec

from engine.port.request import MediaKind
from generated.tgi import models as m
from handlers.chat.errors import ToolsWithResponseFormat
from handlers.chat.messages import ChatMessage, ContentPart, MediaPart, TextPart, is_continuable
from handlers.chat.params import ChatParams
from handlers.chat.structured_output.response_format import AnyJsonObject, JsonSchema, ResponseFormat
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from handlers.contracts.tgi.chat.operation import ChatPlan
from handlers.contracts.tgi.generate.request import answer_format
from handlers.contracts.tgi.openai_form import openai_sampling, stop_texts
from handlers.contracts.tgi.request_limits import RequestLimits
from verbatim_kit.errors import Refused

_MODES = {"auto": ToolMode.AUTO, "none": ToolMode.NONE, "required": ToolMode.REQUIRED}


def chat_plan(body: m.ChatRequest) -> ChatPlan[m.ChatRequest]:
    return ChatPlan(
        body=body,
        model=body.model,
        num_sequences=body.n or 1,
        with_logprobs=body.logprobs is True,
        includes_usage=body.stream_options is not None and body.stream_options.include_usage,
    )


def chat_params(body: m.ChatRequest, limits: RequestLimits) -> ChatParams:
    """Return the neutral request. Raises Refused, ToolsWithResponseFormat or InvalidResponseFormat."""
    stop = stop_texts(body.stop)
    limits.check_stop(stop)
    limits.check_top_n("top_logprobs", body.top_logprobs)
    messages = tuple(_message(message) for message in body.messages)
    goes_on = is_continuable(messages)
    return ChatParams(
        request_id=token_hex(16),
        messages=_with_tool_prompt(messages, body),
        sampling=msgspec.structs.replace(
            openai_sampling(body),
            logit_bias={int(token): bias for token, bias in (body.logit_bias or {}).items()},
            num_logprobs=(body.top_logprobs or 0) if body.logprobs else None,
        ),
        max_tokens=max_tokens(body),
        stop=stop,
        num_sequences=body.n or 1,
        tools=tuple(_tool(tool.function) for tool in body.tools or ()),
        tool_choice=tool_choice(body.tool_choice),
        response_format=_response_format(body, limits),
        template_kwargs={} if body.guideline is None else {"guideline": body.guideline},
        add_generation_prompt=not goes_on,
        continue_final_message=goes_on,
    )


def max_tokens(body: m.ChatRequest) -> int | None:
    """Under either of its names."""
    if body.max_tokens is not None and body.max_completion_tokens is not None:
        raise Refused("`max_tokens` and `max_completion_tokens` are one field; send one of the two")
    return body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens


def _message(message: m.ContentMessage | m.ToolCallsMessage) -> ChatMessage:
    content = message.content
    return ChatMessage(
        role=message.role,
        content=content if content is None or isinstance(content, str) else tuple(map(_part, content)),
        tool_calls=tuple(_tool_call(call) for call in message.tool_calls or ()),
        tool_call_id=message.tool_call_id if isinstance(message, m.ContentMessage) else None,
        name=message.name,
    )


def _part(chunk: m.TextChunk | m.ImageUrlChunk) -> ContentPart:
    if isinstance(chunk, m.TextChunk):
        return TextPart(chunk.text)
    return MediaPart(MediaKind.IMAGE, chunk.image_url.url)


def _tool_call(call: m.MessageToolCall) -> ToolCall:
    arguments = call.function.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id=call.id, name=call.function.name, arguments=text)


def _tool(function: m.FunctionDefinition) -> ToolDefinition:
    if function.parameters is not None and function.arguments is not None:
        raise Refused("`parameters` and `arguments` of a function are one field; send one of the two")
    return ToolDefinition(
        name=function.name,
        description=function.description,
        parameters=function.arguments if function.parameters is None else function.parameters,
    )


def tool_choice(choice: str | m.NamedToolChoice | None) -> ToolChoice:
    """A text other than the three modes is a function's name."""
    if isinstance(choice, m.NamedToolChoice):
        return ToolChoice.named(choice.function.name)
    mode = _MODES.get(choice or "auto")
    return ToolChoice.named(choice or "") if mode is None else ToolChoice(mode=mode)


def _with_tool_prompt(messages: tuple[ChatMessage, ...], body: m.ChatRequest) -> tuple[ChatMessage, ...]:
    if not body.tool_prompt or not body.tools or body.tool_choice == "none":
        return messages
    return with_tool_prompt(messages, body.tool_prompt)


def with_tool_prompt(messages: tuple[ChatMessage, ...], tool_prompt: str) -> tuple[ChatMessage, ...]:
    """Return the messages with the text under the last one, where the released servers put it."""
    *before, last = messages
    addition = f"\n---\n{tool_prompt}"
    content = last.content or ""
    longer = content + addition if isinstance(content, str) else (*content, TextPart(addition))
    return (*before, msgspec.structs.replace(last, content=longer))


def _response_format(body: m.ChatRequest, limits: RequestLimits) -> ResponseFormat | None:
    response_format = body.response_format
    if response_format is None or isinstance(response_format, m.TextFormat):
        return None
    if body.tools is not None and body.tool_choice != "none":
        raise ToolsWithResponseFormat
    limits.check_grammar()
    match response_format:
        case m.JsonSchemaFormat():
            return JsonSchema.parse(response_format.json_schema.schema_)
        case m.JsonObjectFormat(value=dict() | str() as value):
            return JsonSchema.parse(value)
        case m.JsonObjectFormat():
            return AnyJsonObject()
        case _:
            return answer_format(response_format)
