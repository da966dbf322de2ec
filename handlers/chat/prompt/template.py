"""A model's chat template, rendered by transformers' rules."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

import jinja2
from msgspec.structs import replace

from engine.port.request import MediaKind
from engine.port.text.tokenizer_files import FastTokenizer
from handlers.chat.errors import TemplateError
from handlers.chat.media import media_parts
from handlers.chat.messages import ChatMessage, Document, MediaPart
from handlers.chat.prompt.conversation import (
    NO_PLACEHOLDERS,
    THOUGHT_NAMES,
    MediaPlaceholders,
    TemplateMessage,
    template_messages,
    template_tools,
    text_part,
    typed_part,
)
from handlers.chat.prompt.sandbox import sandboxed
from handlers.chat.tools import ToolDefinition

# Where an object stands in memory, as Python shows objects that have no text of their own.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

# The parameters of transformers' apply_chat_template, which no template can have as variables.
RESERVED: Final = frozenset(
    (
        *("add_generation_prompt", "chat_template", "continue_final_message", "conversation"),
        *("conversations", "documents", "kwargs", "max_length", "messages", "padding"),
        *("return_assistant_tokens_mask", "return_dict", "return_tensors", "sanitize_control_tokens"),
        *("self", "tokenize", "tokenizer_kwargs", "tools", "truncation"),
    )
)
_MARK: Final = "CONTINUE_FINAL_MESSAGE_TAG "  # transformers' own, which no text of a message should have
_PROBE = "probe"
_PROBE_MESSAGE = ChatMessage(role="user", content=_PROBE)
_ANSWER = "probed-answer"
_THOUGHT = "probed-thought"
_PROBE_ID = "a00000000"  # nine letters or digits, as Mistral's templates ask
_PROBE_ARGUMENTS = {_PROBE: True}  # which JSON and Python write differently
_PROBE_OPTIONS: Mapping[str, object] = {"tools": None, "documents": None, "add_generation_prompt": False}
_PROBE_TOOL = ToolDefinition(name=_PROBE, description=_PROBE)


class ChatTemplate:
    """The template, or templates, of one tokenizer; or an override in their place."""

    def __init__(
        self,
        tokenizer: FastTokenizer,
        override: str | None = None,
        placeholders: Mapping[MediaKind, str] = {},
    ) -> None:
        """Choose the templates.

        override: a Jinja template, or the name of one of the tokenizer's templates.
        placeholders: the texts that stand for media, by the kinds that the model reads.
        Raises TemplateError for an unknown name.
        """
        self._tokenizer = tokenizer
        self._templates = _templates(tokenizer.chat_template, override)
        self._placeholders = placeholders

    @property
    def sources(self) -> tuple[str, ...]:
        """The texts of its templates."""
        return tuple(self._templates.values())

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The texts that stand for images and the like."""
        return tuple(self._placeholders.values())

    @cached_property
    def source(self) -> str:
        """The text of all its templates; "" where there is none."""
        return "\n".join(self._templates.values())

    def reads(self, variable: str) -> bool:
        """Return whether a template contains this word."""
        return re.search(rf"\b{re.escape(variable)}\b", self.source) is not None

    @cached_property
    def special_tokens(self) -> frozenset[str]:
        """The texts of the tokens that are left out of an output's text by default."""
        return frozenset(
            token.content for token in self._tokenizer.added_tokens_decoder.values() if token.special
        )

    @cached_property
    def shows_tools(self) -> bool:
        """True if tools change the rendered text."""
        try:
            with_tools = self.render([_PROBE_MESSAGE], tools=[_PROBE_TOOL])
            return with_tools != self.render([_PROBE_MESSAGE])
        except TemplateError:
            return False

    def writes_all(self, messages: Sequence[ChatMessage], has_tools: bool) -> bool:
        """Return whether the contents of all these messages are in the rendered text."""
        try:
            text = self.render(messages, tools=[_PROBE_TOOL] if has_tools else [])
        except TemplateError:
            return False
        return all(isinstance(message.content, str) and message.content in text for message in messages)

    @cached_property
    def wants_parts(self) -> bool:
        """True if a message's content must be a list of parts, as it often must for models that
        read images.
        """
        return not self._shows(_PROBE) and self._shows([text_part(_PROBE)])

    @cached_property
    def shows_calls(self) -> bool:
        """True if the template writes an assistant's tool calls."""
        return self._shows_call(_PROBE_ARGUMENTS) or self.wants_argument_text

    @cached_property
    def wants_argument_text(self) -> bool:
        """True if a call's arguments must be JSON text, as in DeepSeek's templates, and not an object."""
        return not self._shows_call(_PROBE_ARGUMENTS) and self._shows_call(json.dumps(_PROBE_ARGUMENTS))

    def ends_of_turns(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return those of the tokens with which the template closes an assistant's turn.

        Some templates close none, as GLM's: there the tokens that open the next turn, or a tool's, end one.
        """
        known = sorted(filter(str.strip, tokens), key=len, reverse=True)
        answer: TemplateMessage = {"role": "assistant", "content": _ANSWER}
        call = dict(answer)
        arguments = json.dumps(_PROBE_ARGUMENTS) if self.wants_argument_text else _PROBE_ARGUMENTS
        call["tool_calls"] = [_probe_call(arguments)]
        user: TemplateMessage = {"role": "user", "content": _PROBE}
        turn = self._tokens_after(_ANSWER, [user, answer], known)
        before_another = self._tokens_after(_ANSWER, [user, answer, user], known)
        closing = [one for one, other in zip(turn, before_another, strict=False) if one == other]
        if closing or turn:  # the last answer may be closed as none before it is
            return (closing[-1] if closing else turn[0],)
        tool: TemplateMessage = {"role": "tool", "content": _PROBE, "tool_call_id": _PROBE_ID, "name": _PROBE}
        called = self._probed([user, call])
        opening = [
            before_another[:1],
            self._tokens_after(called, [user, call, tool], known)[:1] if called else [],
        ]
        return tuple(dict.fromkeys(token for tokens in opening for token in tokens))

    @cached_property
    def after_thought(self) -> str:
        """The text between a thought and the answer after it; "" if the template shows no thoughts."""
        thoughts = dict.fromkeys(THOUGHT_NAMES, _THOUGHT)
        user: TemplateMessage = {"role": "user", "content": _PROBE}
        answer: TemplateMessage = {"role": "assistant", "content": _ANSWER, **thoughts}
        before, _, rest = self._probed([user, answer]).rpartition(_THOUGHT)
        between, found, _ = rest.partition(_ANSWER)
        return between if before and found else ""

    def _tokens_after(
        self, mark: str, conversation: list[TemplateMessage], tokens: Sequence[str]
    ) -> list[str]:
        """Return the tokens that directly follow the last place of a text in a rendered conversation.

        tokens: those that are known, longest first.
        """
        _, found, rest = self._probed(conversation).rpartition(mark)
        following = list[str]()
        rest = rest.lstrip() if found else ""
        while token := next((each for each in tokens if rest.startswith(each)), None):
            following.append(token)
            rest = rest.removeprefix(token)
        return following

    def _probed(self, conversation: list[TemplateMessage]) -> str:
        """Return a conversation in the template's form of contents, rendered; "" if it is refused."""
        if self.wants_parts:
            conversation = [
                {**message, "content": [text_part(str(message["content"]))]} for message in conversation
            ]
        return self._tried(conversation)

    def _tried(self, conversation: list[TemplateMessage]) -> str:
        """Return a rendered conversation; "" if the template refuses it."""
        try:
            return self._apply(self._choose((), ()), conversation, _PROBE_OPTIONS)
        except TemplateError:
            return ""

    def check(self) -> None:
        """Render a plain message as a trial.

        Raises TemplateError for a template that is not Jinja, or that fails on every form of the message. A
        template that refuses the message on purpose, by `raise_exception`, is accepted.
        """
        for name, source in self._templates.items():
            try:
                sandboxed(source)
            except jinja2.TemplateSyntaxError as error:
                where = f"line {error.lineno}: {error.message}"
                raise TemplateError(
                    f"the {name} chat template is no Jinja: {where}", "chat_template"
                ) from error
        if "default" not in self._templates:
            return
        default = self._templates["default"]
        failures = [self._failure(default, content) for content in (_PROBE, [text_part(_PROBE)])]
        if all(failure is not None for failure in failures):
            raise TemplateError(f"the chat template fails: {failures[0]}", "chat_template")

    def _failure(self, source: str, content: object) -> str | None:
        """Return the error for a user's content of this form, None where the template refuses it
        on purpose.
        """
        try:
            self._apply(source, [{"role": "user", "content": content}], _PROBE_OPTIONS)
        except TemplateError as error:
            return None if type(error.__cause__) is jinja2.TemplateError else str(error)
        return None

    def render(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolDefinition] = (),
        documents: Sequence[Document] = (),
        variables: Mapping[str, object] = {},
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
    ) -> str:
        """Return the conversation as the model's prompt text, special tokens as text.

        Raises TemplateError and InvalidMessage.
        """
        if reserved := RESERVED.intersection(variables):
            name = min(reserved)
            raise TemplateError(f"{name} cannot be set by a request", f"template_kwargs.{name}")
        known = [self._with_known_role(message) for message in messages]
        options = {
            **variables,
            "tools": template_tools(tools) or None,
            "documents": [dict(document) for document in documents] or None,
            "add_generation_prompt": add_generation_prompt and not continue_final_message,
        }
        source = self._choose(tools, documents)
        render = partial(self._render, source, known, options, continues=continue_final_message)
        parts = media_parts(known)
        if not parts:
            return render(NO_PLACEHOLDERS)
        choices = [
            MediaPlaceholders(self._placeholders, self._typed_kinds),
            MediaPlaceholders(self._placeholders),
        ]
        for text in map(render, choices):
            if self._places_all(text, parts):
                return text
        raise TemplateError("the model's chat template leaves out an image or the like", parts[0].place)

    def _render(
        self,
        source: str,
        messages: Sequence[ChatMessage],
        options: Mapping[str, object],
        placeholders: MediaPlaceholders,
        *,
        continues: bool,
    ) -> str:
        conversation = template_messages(
            messages,
            as_parts=self.wants_parts,
            arguments_as_text=self.wants_argument_text,
            placeholders=placeholders,
        )
        return self._apply(source, conversation, options, continues=continues)

    def _places_all(self, text: str, parts: Sequence[MediaPart]) -> bool:
        """Return whether the text has as many placeholders of each kind as there are parts of it."""
        return all(
            text.count(placeholder) == sum(part.kind is kind for part in parts)
            for kind, placeholder in self._placeholders.items()
        )

    @cached_property
    def _typed_kinds(self) -> frozenset[MediaKind]:
        """The kinds whose placeholder the template writes itself, where a content is a list with a part of
        that type.
        """
        return frozenset(kind for kind in self._placeholders if self._writes_kind(kind))

    def _writes_kind(self, kind: MediaKind) -> bool:
        text = self._tried([{"role": "user", "content": [typed_part(kind), text_part(_PROBE)]}])
        return text.count(self._placeholders[kind]) == 1

    def _choose(self, tools: Sequence[ToolDefinition], documents: Sequence[Document]) -> str:
        """Choose among several templates as transformers does; Cohere's models have one for retrieval."""
        for name, is_meant in (("tool_use", bool(tools)), ("rag", bool(documents)), ("default", True)):
            if is_meant and name in self._templates:
                return self._templates[name]
        if not self._templates:
            raise TemplateError("the model has no chat template", "messages")
        names = ", ".join(sorted(self._templates))
        raise TemplateError(f"the model has no default chat template, but {names}", "chat_template")

    def _shows(self, content: object) -> bool:
        """Return whether a user's content of this form is rendered as text, and not as a printed list."""
        text = self._tried([{"role": "user", "content": content}])
        return _PROBE in text and repr(content) not in text

    def _shows_call(self, arguments: object) -> bool:
        """Return whether a call with arguments of this form is rendered, any arguments as JSON."""
        content: object = [text_part("-")] if self.wants_parts else "-"
        conversation: list[TemplateMessage] = [
            {"role": "user", "content": content},
            {"role": "assistant", "content": content, "tool_calls": [_probe_call(arguments)]},
        ]
        text = self._tried(conversation)
        return _PROBE in text and repr(arguments) not in text

    def _apply(
        self,
        source: str,
        conversation: list[TemplateMessage],
        options: Mapping[str, object],
        *,
        continues: bool = False,
    ) -> str:
        try:
            if continues:
                return self._continue(source, conversation, options)
            return sandboxed(source).render({**self._special_texts, **options}, messages=conversation)
        except RecursionError:
            raise TemplateError("what a message holds is nested too deeply", "messages") from None
        # A template is a program of the model's maker run on the client's data: it may fail in any way.
        except Exception as error:
            text = _ADDRESS.sub("", str(error)) or type(error).__name__
            raise TemplateError(text, "messages") from error

    def _continue(self, source: str, conversation: list[TemplateMessage], options: Mapping[str, Any]) -> str:
        """Render up to the end of the last message's text, which a mark shows; blanks that the template cuts
        off after it are cut off here too.
        """
        *before, last = conversation
        marked, text = _marked(last.get("content"))
        rendered = sandboxed(source).render(
            {**self._special_texts, **options}, messages=[*before, {**last, "content": marked}]
        )
        place = rendered.rfind(_MARK.strip())
        if place < 0 or text.strip() not in rendered:
            raise ValueError("the chat template leaves out the text of the message that is to be continued")
        return rendered[:place] if rendered.startswith(_MARK, place) else rendered[:place].rstrip()

    @cached_property
    def _special_texts(self) -> Mapping[str, str]:
        """The variables of every template, such as bos_token."""
        return dict(self._tokenizer.special_tokens_map)

    @cached_property
    def _known_as(self) -> Mapping[str, str]:
        """The roles that stand in for those that the template does not know: system for developer, and tool,
        its newer name, for function."""
        return {"function": "tool"} | ({} if "developer" in self.source else {"developer": "system"})

    def _with_known_role(self, message: ChatMessage) -> ChatMessage:
        role = self._known_as.get(message.role)
        return message if role is None else replace(message, role=role)


def _marked(content: object) -> tuple[object, str]:
    """Return a message's content with the mark after its last text, and that text.

    Raises ValueError for a content without a text.
    """
    if isinstance(content, str):
        return content + _MARK, content
    parts = list(content) if isinstance(content, list) else []
    for place in reversed(range(len(parts))):
        if "text" in parts[place]:
            text = str(parts[place]["text"])
            return [*parts[:place], {**parts[place], "text": text + _MARK}, *parts[place + 1 :]], text
    raise ValueError("the message that is to be continued has no text")


def _probe_call(arguments: object) -> dict[str, object]:
    return {"type": "function", "id": _PROBE_ID, "function": {"name": _PROBE, "arguments": arguments}}


def _templates(own: str | dict[str, str] | None, override: str | None) -> Mapping[str, str]:
    """Return the templates by name; the tokenizer's only one, or the override, is the default."""
    named = own if isinstance(own, dict) else {"default": own} if own else {}
    if override is None:
        return named
    if override in named:
        return {"default": named[override]}
    if "{" not in override:
        raise TemplateError(f"the model has no chat template named {override!r}", "chat_template")
    return {"default": override}
