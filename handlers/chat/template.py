"""A model's chat template, rendered by transformers itself: in its sandbox and with its rules for blanks."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from inspect import signature
from typing import Any

from msgspec.structs import replace
from transformers import PreTrainedTokenizerBase

from handlers.chat.conversation import template_messages, template_tools
from handlers.chat.errors import TemplateError
from handlers.chat.messages import ChatMessage, Document
from handlers.chat.tools import ToolDefinition

_PROBE_MESSAGE = ChatMessage(role="user", content="probe")
_PROBE_TOOL = ToolDefinition(name="probe", description="probe")


class ChatTemplate:
    """The template, or the templates, of one tokenizer."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer

    @cached_property
    def source(self) -> str:
        """The text of all its templates; "" where there is none."""
        template = self._tokenizer.chat_template
        return template or "" if isinstance(template, str | None) else "\n".join(template.values())

    @cached_property
    def special_tokens(self) -> frozenset[str]:
        """Texts of the tokens that are left out of an output's text unless asked for."""
        return frozenset(
            token.content for token in self._tokenizer.added_tokens_decoder.values() if token.special
        )

    @cached_property
    def _reserved(self) -> frozenset[str]:
        """Names that transformers takes for itself, so that no template can have them for variables."""
        taken = signature(self._tokenizer.apply_chat_template).parameters
        return frozenset(taken) | {"conversations", "messages", "self"}

    @cached_property
    def shows_tools(self) -> bool:
        """Whether tools make a difference to what it renders."""
        try:
            with_tools = self.render([_PROBE_MESSAGE], tools=[_PROBE_TOOL])
            return with_tools != self.render([_PROBE_MESSAGE])
        except TemplateError:
            return False

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
        """The conversation as the model's prompt text, special tokens as text.

        Raises TemplateError, InvalidMessage and UnsupportedContent.
        """
        if reserved := self._reserved.intersection(variables):
            name = min(reserved)
            raise TemplateError(f"{name} cannot be set by a request", f"template_kwargs.{name}")
        if not self.source:
            raise TemplateError("the model has no chat template", "messages")
        conversation = template_messages(self._with_known_roles(messages))
        render: Any = self._tokenizer.apply_chat_template  # annotated as if messages held strings alone
        try:
            return str(
                render(
                    conversation,
                    tools=template_tools(tools) or None,
                    documents=[dict(document) for document in documents] or None,
                    add_generation_prompt=add_generation_prompt and not continue_final_message,
                    continue_final_message=continue_final_message,
                    tokenize=False,
                    **variables,
                )
            )
        # A template is a program of the model's maker run on the client's data: it may fail in any way.
        except Exception as error:
            raise TemplateError(str(error) or type(error).__name__, "messages") from error

    def _with_known_roles(self, messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """A developer's word is the system's for models that know no developers."""
        if "developer" in self.source:
            return messages
        return [
            replace(message, role="system") if message.role == "developer" else message
            for message in messages
        ]
