"""The parameters of a chat request, in the neutral form that contracts hand to the chat core."""

from collections.abc import Mapping
from enum import Enum

import msgspec

from engine.request import BeamParams, SamplingParams
from handlers.chat.form.response_format import ResponseFormat
from handlers.chat.messages import ChatMessage, Document
from handlers.chat.tools import ToolChoice, ToolDefinition


class ReasoningStyle(Enum):
    """The place of the model's thoughts in the answer."""

    SPLIT = "split"  # into their own field; a grammar binds the answer after them
    INLINE = "inline"  # into the content with their tags; a grammar binds the answer from its first token


class ChatParams(msgspec.Struct, frozen=True, kw_only=True):
    """One chat request, neutral and already valid against its contract.

    request_id: unique among the requests that run.
    sampling: `grammar` in it stays None; it follows from `tools` and `response_format`.
    max_tokens: tokens to generate at most; None fills the context.
    min_tokens, stop, stop_token_ids, include_stop, ignore_eos: as in `engine.request.StopConditions`.
    num_sequences: answers, each of its own index.
    beams, adapter, priority, cache_salt, skip_special_tokens: as in `engine.request.GenerationRequest`.
    tools: functions offered. tool_choice: what is asked about them; without tools it has no effect.
    parallel_tool_calls: whether one answer may hold several calls.
    lists_all_tools: whether the template also gets the tools that the choice rules out (so that the prompt,
        and with it the prefix cache, does not change with the choice), or only those that the model may call.
    response_format: the form of the answer; None is free text. With tools it binds answers that are no calls.
    documents: for templates that read them.
    chat_template: a Jinja template, or the name of one of the model's, in place of the one that would be
        taken. It is a program: a contract that takes it from clients trusts them, since the sandbox bounds
        neither time nor memory.
    template_kwargs: variables for the template. They win over those that the next two make.
    reasoning_effort: how long to think, in words that the template knows; none is not at all, and any other
        turns thinking on where the template has a switch.
    enable_thinking: whether to think, for templates that have such a switch (`core.ChatCore.reads` says so);
        None leaves the template's default.
    add_special_tokens: whether the tokenizer adds its special tokens to what the template made; most
        templates write them.
    add_generation_prompt: whether the prompt ends with the opening of an assistant's turn; None: unless the
        final message is continued.
    continue_final_message: the last message is the assistant's, and the model goes on with it; no turn can be
        opened then. `messages.is_continuable` says whether a conversation allows it.
    """

    request_id: str
    messages: tuple[ChatMessage, ...]
    sampling: SamplingParams
    max_tokens: int | None = None
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    stop_token_ids: tuple[int, ...] = ()
    include_stop: bool = False
    ignore_eos: bool = False
    num_sequences: int = 1
    beams: BeamParams | None = None
    adapter: str | None = None
    priority: int = 0
    cache_salt: str | None = None
    skip_special_tokens: bool = True
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = ToolChoice()
    parallel_tool_calls: bool = True
    lists_all_tools: bool = False
    response_format: ResponseFormat | None = None
    reasoning: ReasoningStyle = ReasoningStyle.INLINE
    documents: tuple[Document, ...] = ()
    chat_template: str | None = None
    template_kwargs: Mapping[str, object] = {}
    reasoning_effort: str | None = None
    enable_thinking: bool | None = None
    add_special_tokens: bool = False
    add_generation_prompt: bool | None = None
    continue_final_message: bool = False
