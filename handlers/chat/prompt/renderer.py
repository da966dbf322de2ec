"""The rendering of a conversation by the model's template, or by one that a request brings."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial

import msgspec

from engine.port.request import MediaKind, SamplingParams
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.errors import InvalidMessage, TemplateError
from handlers.chat.media import in_rendered_order, media_parts
from handlers.chat.messages import ChatMessage, MediaPart, is_continuable
from handlers.chat.params import ChatParams
from handlers.chat.prompt.control.client_text import ClientText
from handlers.chat.prompt.control.guard import ControlGuard, RenderedPrompt
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.tool_calls.use import ToolUse

NO_EFFORT = "none"

# What templates call the switch: Qwen 3 and most after it; DeepSeek V3.1 and Granite.
_SWITCHES = ("enable_thinking", "thinking")


def template_variables(params: ChatParams, efforts: Mapping[str, str]) -> Mapping[str, object]:
    """Return a request's variables for its template, which ignores those that it does not know.

    efforts: efforts of reasoning that the model does not know, each with the nearest one that it knows.
    """
    is_on = params.enable_thinking
    if is_on is None and params.reasoning_effort is not None:
        is_on = params.reasoning_effort != NO_EFFORT
    variables: dict[str, object] = {} if is_on is None else dict.fromkeys(_SWITCHES, is_on)
    if params.reasoning_effort is not None:
        variables["reasoning_effort"] = efforts.get(params.reasoning_effort, params.reasoning_effort)
    if params.thinking_budget is not None:  # Seed-OSS's template tells the model
        variables["thinking_budget"] = params.thinking_budget
    return {**variables, **params.template_kwargs}


_ANSWER = "Yes"
_MAX_DIALECTS = 32  # templates that requests bring are remembered, so many at most


class RenderedChat(msgspec.Struct, frozen=True):
    """A rendered conversation. media: its images, audio and videos, in the order of their placeholders."""

    prompt: RenderedPrompt
    media: tuple[MediaPart, ...] = ()


class PromptRenderer:
    """Renders conversations for one model. Any thread may call it."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        placeholders: Mapping[MediaKind, str],
        *,
        chat_template: str | None,
        tool_format: str | None,
        trusts_special_tokens: bool,
    ) -> None:
        """Read the model's chat template. The arguments by name are as of `ChatCore`.

        placeholders: the text that stands for a medium, by its kind.
        """
        self._tokenizer = tokenizer
        self._placeholders = placeholders
        self._chat_template = chat_template
        self._trusts_special_tokens = trusts_special_tokens
        self._dialect = lru_cache(_MAX_DIALECTS)(
            partial(Dialect.of, tokenizer.hf, tool_format=tool_format, placeholders=placeholders)
        )
        self._guard = lru_cache(_MAX_DIALECTS)(self._new_guard)
        self._line_breaks = lru_cache(_MAX_DIALECTS)(self._new_line_breaks)
        if self.has_template and not trusts_special_tokens:
            with suppress(TemplateError):  # a request reports it
                self._guard(chat_template)

    @property
    def has_template(self) -> bool:
        """True if the model or the operator has a chat template."""
        return bool(self._chat_template or self._tokenizer.hf.chat_template)

    def dialect(self, chat_template: str | None = None) -> Dialect:
        """Return the dialect of a template; None takes the operator's, or else the model's own."""
        return self._dialect(chat_template or self._chat_template)

    def render(self, params: ChatParams, use: ToolUse) -> RenderedChat:
        """Return the rendered conversation, in which no text of the client's is a control token.

        Raises TemplateError and InvalidMessage.
        """
        chat_template = params.chat_template or self._chat_template
        dialect = self._dialect(chat_template)
        client_text = _client_text(dialect, params, use)
        guard = None if self._trusts_special_tokens else self._guard(chat_template)
        guarded = None if guard is None else guard.with_sentinels(client_text)
        if guard is None or guarded is None:
            text, media = _render(dialect, params, client_text)
            return RenderedChat(RenderedPrompt(text), in_rendered_order(media, text, self._placeholders))
        try:
            text, media = _render(dialect, params, guarded.client_text)
        except TemplateError as error:
            raise TemplateError(str(error).replace(guarded.sentinel, ""), error.field) from error
        prompt = guard.prompt(text, guarded.sentinel)
        return RenderedChat(prompt, in_rendered_order(media, text, self._placeholders))

    def line_breaks(self, params: ChatParams) -> str:
        """Return the line breaks that the template writes between a prompt and the text of its answer.

        GLM 4.5 begins each answer with one. They are found in a short conversation, once for each template.
        """
        return self._line_breaks(params.chat_template or self._chat_template, params.enable_thinking)

    def _new_guard(self, chat_template: str | None) -> ControlGuard:
        return ControlGuard(self._tokenizer, self._dialect(chat_template))

    def _new_line_breaks(self, chat_template: str | None, enable_thinking: bool | None) -> str:
        dialect = self._dialect(chat_template)
        asked = ChatMessage(role="user", content="?")
        answered = ChatMessage(role="assistant", content=_ANSWER)

        def rendered(*messages: ChatMessage, opens: bool) -> str:
            params = ChatParams(
                request_id="",
                messages=messages,
                sampling=SamplingParams(),
                enable_thinking=enable_thinking,
                add_generation_prompt=opens,
            )
            variables = template_variables(params, dialect.efforts)
            return _render(dialect, params, ClientText(messages=messages, variables=variables))[0]

        try:
            prompt, whole = rendered(asked, opens=True), rendered(asked, answered, opens=False)
        except TemplateError:
            return ""
        between = whole.removeprefix(prompt).partition(_ANSWER)[0]
        return between if whole.startswith(prompt) and not between.strip("\n") else ""


def _client_text(dialect: Dialect, params: ChatParams, use: ToolUse) -> ClientText:
    _check_continuation(params)
    if params.documents and not dialect.template.reads("documents"):
        raise TemplateError("the model's chat template has no place for documents", "documents")
    return ClientText(
        messages=params.messages,
        tools=params.tools if params.lists_all_tools else use.tools,
        documents=params.documents,
        variables=template_variables(params, dialect.efforts),
    )


def _render(dialect: Dialect, params: ChatParams, client_text: ClientText) -> tuple[str, list[MediaPart]]:
    """Return the rendered conversation, and its images and the like in the order of its messages."""
    messages, shown = dialect.tools.conversation(client_text.messages, client_text.tools)
    refusals: list[TemplateError] = []
    for form in dialect.system_turns.forms(messages, shown):
        try:
            text = dialect.template.render(
                form,
                tools=shown,
                documents=client_text.documents,
                variables=client_text.variables,
                add_generation_prompt=params.add_generation_prompt is not False,
                continue_final_message=params.continue_final_message,
            )
            return text, media_parts(form)
        except TemplateError as error:
            refusals.append(error)
    raise refusals[0]


def _check_continuation(params: ChatParams) -> None:
    if not params.continue_final_message:
        return
    if params.add_generation_prompt:
        raise InvalidMessage(
            "add_generation_prompt opens a new turn, so it cannot be with continue_final_message",
            "add_generation_prompt",
        )
    if not is_continuable(params.messages):
        raise InvalidMessage(
            "only an assistant's text can be continued", f"messages[{len(params.messages) - 1}]"
        )
