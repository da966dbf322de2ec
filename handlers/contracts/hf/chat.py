"""Chat requests in neutral terms."""

from secrets import token_hex

from pydantic import MISSING

from engine.port.request import MediaKind, SamplingParams
from generated.hf import models as m
from handlers.chat.errors import ToolsWithResponseFormat
from handlers.chat.messages import ChatMessage, ContentPart, MediaPart, TextPart, is_continuable
from handlers.chat.params import ChatParams
from handlers.chat.structured_output.response_format import AnyJsonObject, JsonSchema, ResponseFormat
from handlers.chat.tools import ToolCall, ToolChoice, ToolDefinition, ToolMode
from handlers.contracts.tgi.chat.operation import ChatPlan
from handlers.contracts.tgi.chat.request import with_tool_prompt
from handlers.contracts.tgi.openai_form import stop_texts
from handlers.contracts.tgi.request_limits import RequestLimits
from handlers.operations.missing import given, given_or
from verbatim_kit.errors import Refused


def chat_plan(body: m.ChatCompletionRequest) -> ChatPlan[m.ChatCompletionRequest]:
    return ChatPlan(
        body=body,
        model=body.model,
        num_sequences=1,
        with_logprobs=given_or(body.logprobs, False),
        includes_usage=_includes_usage(body),
    )


def chat_params(body: m.ChatCompletionRequest, limits: RequestLimits) -> ChatParams:
    """Return the neutral request. Raises Refused, ToolsWithResponseFormat or InvalidResponseFormat."""
    stop = stop_texts(body.stop)
    limits.check_stop(stop)
    limits.check_top_n("top_logprobs", given(body.top_logprobs))
    if _includes_usage(body) and not body.stream:
        raise Refused("`stream_options` needs `stream`", "stream_options")
    messages = tuple(map(_message, body.messages))
    goes_on = is_continuable(messages)
    return ChatParams(
        request_id=token_hex(16),
        messages=_with_tool_prompt(messages, body),
        sampling=SamplingParams(
            temperature=given_or(body.temperature, 1.0),
            top_p=given_or(body.top_p, 1.0),
            seed=given(body.seed),
            frequency_penalty=given_or(body.frequency_penalty, 0.0),
            presence_penalty=given_or(body.presence_penalty, 0.0),
            num_logprobs=_num_logprobs(body),
        ),
        max_tokens=given(body.max_tokens),
        stop=stop,
        tools=tuple(map(_tool, given(body.tools) or ())),
        tool_choice=_tool_choice(body),
        response_format=_response_format(body, limits),
        add_generation_prompt=not goes_on,
        continue_final_message=goes_on,
    )


def _includes_usage(body: m.ChatCompletionRequest) -> bool:
    return isinstance(body.stream_options, m.StreamOptions) and body.stream_options.include_usage


def _message(message: m.Message) -> ChatMessage:
    content = message.content
    return ChatMessage(
        role=message.role,
        content=content if content is None or isinstance(content, str) else tuple(map(_part, content)),
        tool_calls=tuple(map(_tool_call, message.tool_calls or ())),
        tool_call_id=message.tool_call_id,
        name=message.name,
    )


def _part(part: m.TextPart | m.ImagePart) -> ContentPart:
    if isinstance(part, m.TextPart):
        return TextPart(part.text)
    return MediaPart(MediaKind.IMAGE, part.image_url.url)


def _tool_call(call: m.ToolCall) -> ToolCall:
    return ToolCall(id=call.id, name=call.function.name, arguments=given_or(call.function.arguments, "{}"))


def _num_logprobs(body: m.ChatCompletionRequest) -> int | None:
    if given_or(body.logprobs, False):
        return given_or(body.top_logprobs, 0)
    if given_or(body.top_logprobs, 0):
        raise Refused("`top_logprobs` needs `logprobs`", "top_logprobs")
    return None


def _tool(tool: m.Tool) -> ToolDefinition:
    function = tool.function
    return ToolDefinition(
        name=function.name,
        description=given(function.description),
        parameters=given(function.parameters),
    )


def _tool_choice(body: m.ChatCompletionRequest) -> ToolChoice:
    choice = body.tool_choice
    if isinstance(choice, m.NamedToolChoice):
        return ToolChoice.named(choice.function.name)
    return ToolChoice() if choice is MISSING else ToolChoice(mode=ToolMode(choice))


def _with_tool_prompt(
    messages: tuple[ChatMessage, ...], body: m.ChatCompletionRequest
) -> tuple[ChatMessage, ...]:
    text = given(body.tool_prompt)
    offers_tools = bool(given(body.tools)) and body.tool_choice != "none"
    return with_tool_prompt(messages, text) if text and offers_tools else messages


def _response_format(body: m.ChatCompletionRequest, limits: RequestLimits) -> ResponseFormat | None:
    wanted = body.response_format
    if wanted is MISSING or isinstance(wanted, m.TextFormat):
        return None
    if body.tools is not MISSING and body.tool_choice != "none":
        raise ToolsWithResponseFormat
    limits.check_grammar()
    if isinstance(wanted, m.JsonObjectFormat):
        schema, field = given(wanted.value), "response_format.value"
    else:
        schema, field = given(wanted.json_schema.schema_), "response_format.json_schema.schema"
    return AnyJsonObject() if schema is None else JsonSchema.parse(schema, field)
