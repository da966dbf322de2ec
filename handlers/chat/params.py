"""The parameters of a chat request, in the neutral form that contracts hand to the chat core."""

from collections.abc import Mapping
from enum import Enum

import msgspec

from engine.port.request import BeamParams, SamplingParams
from handlers.chat.messages import ChatMessage, Document
from handlers.chat.structured_output.response_format import ResponseFormat
from handlers.chat.tools import ToolChoice, ToolDefinition


class ReasoningStyle(Enum):
    """The place of the model's thoughts in the answer."""

    SPLIT = "split"  # into their own field; a grammar binds the answer after them
    INLINE = "inline"  # into the content with their tags; a grammar binds the answer from its first token


class ChatParams(msgspec.Struct, frozen=True, kw_only=True):
    """One chat request, neutral and already valid against its contract."""

    request_id: str
    """A name that is unique among the requests that run."""

    messages: tuple[ChatMessage, ...]
    """The conversation, in order."""

    sampling: SamplingParams
    """The parameters of sampling, in which `grammar` stays None; it follows from `tools` and
    `response_format`."""

    max_tokens: int | None = None
    """The most tokens to generate; None fills the context."""

    min_tokens: int = 0
    """The least tokens of an answer, as in `engine.port.request.StopConditions`."""

    stop: tuple[str, ...] = ()
    """Strings that end an answer, as in `engine.port.request.StopConditions`."""

    stop_token_ids: tuple[int, ...] = ()
    """Tokens that end an answer, as in `engine.port.request.StopConditions`."""

    include_stop: bool = False
    """Keeps the stop string in the answer, as in `engine.port.request.StopConditions`."""

    ignore_eos: bool = False
    """Treats end tokens like others, as in `engine.port.request.StopConditions`."""

    num_sequences: int = 1
    """The number of answers, each of its own index."""

    beams: BeamParams | None = None
    """The parameters of a beam search; None draws tokens."""

    adapter: str | None = None
    """The name of the adapter to use; None uses the model alone."""

    priority: int = 0
    """The level, as in `engine.port.request.GenerationRequest`."""

    cache_salt: str | None = None
    """The salt of cached prefixes, as in `engine.port.request.GenerationRequest`."""

    skip_special_tokens: bool = True
    """Leaves special tokens out of the text."""

    tools: tuple[ToolDefinition, ...] = ()
    """The functions that are offered."""

    tool_choice: ToolChoice = ToolChoice()
    """The calls that are asked for; without tools it has no effect."""

    parallel_tool_calls: bool = True
    """Allows several calls in one answer."""

    lists_all_tools: bool = False
    """Gives the template also the tools that the choice rules out (so that the prompt, and with it the prefix
    cache, does not change with the choice), instead of only those that the model may call."""

    response_format: ResponseFormat | None = None
    """The form of the answer; None is free text. With tools it binds answers that are no calls."""

    reasoning: ReasoningStyle = ReasoningStyle.INLINE
    """The place of thoughts in the answer."""

    documents: tuple[Document, ...] = ()
    """Documents for templates that read them."""

    chat_template: str | None = None
    """A Jinja template, or the name of one of the model's, in place of the one that would be taken. It is a
    program: a contract that takes it from clients trusts them, since the sandbox bounds neither time nor
    memory."""

    template_kwargs: Mapping[str, object] = {}
    """Variables for the template. They win over those that the next two fields make."""

    reasoning_effort: str | None = None
    """The length of thoughts, in words that the template knows. "none" turns thinking off, and any other
    turns it on where the template has a switch."""

    enable_thinking: bool | None = None
    """Turns thinking on or off in templates that have such a switch (`core.ChatCore.reads` says so); None
    leaves the template's default."""

    thinking_budget: int | None = None
    """The most tokens of thoughts; when they are spent, the model's own end of a thought follows, and then
    the answer. None does not bound them. It has no effect on a model that does not think."""

    add_special_tokens: bool = False
    """Adds the tokenizer's special tokens to what the template made; most templates write them."""

    add_generation_prompt: bool | None = None
    """Ends the prompt with the opening of an assistant's turn; None does so unless the final message is
    continued."""

    continue_final_message: bool = False
    """Lets the model go on with the last message, which is the assistant's; no turn can be opened then.
    `messages.is_continuable` says whether a conversation allows it."""

    begins_answer: bool = False
    """Ends the prompt where the answer itself begins: after thoughts that the prompt has opened, which are
    closed empty, and after the header that the model would write before its answer."""
