"""From a neutral chat request to the engine's and to the reader of its output: one path for all contracts."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from engine.request import GenerationRequest, StopConditions
from engine.tokenizer import Tokenizer
from handlers.chat.answer_grammar import answer_grammar
from handlers.chat.answer_parser import AnswerFormat, ReasoningReading, ToolReading
from handlers.chat.conversation import flatten, template_messages
from handlers.chat.errors import InvalidMessage, TemplateError
from handlers.chat.messages import ChatMessage, is_continuable
from handlers.chat.output import ChatOutputs
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.reasoning import reasoning_format_of, reasoning_start
from handlers.chat.template import ChatTemplate
from handlers.chat.tool_format import tool_format_of
from handlers.chat.tool_prompt import PROMPTED_FORMAT, tell_of_tools, write_out
from handlers.chat.tool_use import ToolUse, tool_use


class PreparedChat(msgspec.Struct, frozen=True, kw_only=True):
    """A chat request ready to be submitted.

    prompt_text: the rendered conversation, special tokens as text.
    answer_format: what its answers hold.
    """

    prompt_text: str
    request: GenerationRequest
    answer_format: AnswerFormat

    def outputs(self) -> ChatOutputs:
        """A fresh reader of the request's events."""
        return ChatOutputs(self.answer_format, self.request.num_sequences)


class ChatCore:
    """Prepares chats for one model.

    Rendering and encoding a long conversation takes milliseconds of CPU time; `prepare` may be called in any
    thread.
    """

    def __init__(self, tokenizer: Tokenizer, *, max_total_tokens: int) -> None:
        """max_total_tokens: the context that the engine has room for, prompt and answer together."""
        self._tokenizer = tokenizer
        self._max_total_tokens = max_total_tokens
        self._template = ChatTemplate(tokenizer.hf)
        source = self._template.source
        known_format = tool_format_of(source) if self._template.shows_tools else None
        self._is_prompted = known_format is None
        self._tool_format = known_format or PROMPTED_FORMAT
        self._reasoning_format = reasoning_format_of(source)

    def prepare(self, params: ChatParams) -> PreparedChat:
        """The engine's request for a chat. Raises from `handlers.chat.errors`."""
        use = tool_use(params.tools, params.tool_choice)
        prompt_text = self._render(params, use)
        prompt_token_ids = tuple(self._tokenizer.encode(prompt_text, add_special_tokens=False))
        if not prompt_token_ids:
            raise TemplateError("the template renders nothing for these messages", "messages")
        reasoning = self._reasoning(params, prompt_text)
        answer_format = self._answer_format(params, use, reasoning)
        grammar = answer_grammar(
            use,
            self._tool_format,
            params.response_format,
            # Thoughts in the content would break the form that is asked of it.
            reasoning if params.reasoning is ReasoningStyle.SPLIT else None,
            parallel=params.parallel_tool_calls,
        )
        request = GenerationRequest(
            request_id=params.request_id,
            prompt_token_ids=prompt_token_ids,
            sampling=replace(params.sampling, grammar=grammar),
            stopping=self._stopping(params, len(prompt_token_ids)),
            num_sequences=params.num_sequences,
            skip_special_tokens=not answer_format.hidden,
            adapter=params.adapter,
            priority=params.priority,
        )
        return PreparedChat(prompt_text=prompt_text, request=request, answer_format=answer_format)

    def _render(self, params: ChatParams, use: ToolUse) -> str:
        template_messages(params.messages)  # what is refused is named by its place in the request
        if params.continue_final_message and not is_continuable(params.messages):
            raise InvalidMessage(
                "only an assistant's text can be continued", f"messages[{len(params.messages) - 1}]"
            )
        messages: Sequence[ChatMessage] = params.messages
        tools = params.tools if params.lists_all_tools else use.tools
        if self._is_prompted:
            messages = tell_of_tools(messages, tools) if tools else write_out(messages)
        return self._template.render(
            messages,
            tools=() if self._is_prompted else tools,
            documents=params.documents,
            variables=params.template_kwargs,
            add_generation_prompt=params.add_generation_prompt,
            continue_final_message=params.continue_final_message,
        )

    def _reasoning(self, params: ChatParams, prompt_text: str) -> ReasoningReading | None:
        tags = self._reasoning_format
        if tags is None:
            return None
        continued = None
        if params.continue_final_message:
            continued = flatten(params.messages[-1].content, "messages")
        start = reasoning_start(tags, prompt_text, continued)
        return ReasoningReading(
            reasoning_format=tags, start=start, is_content=params.reasoning is ReasoningStyle.INLINE
        )

    def _answer_format(
        self, params: ChatParams, use: ToolUse, reasoning: ReasoningReading | None
    ) -> AnswerFormat:
        tools = None
        if use.tools:
            tools = ToolReading(
                tool_format=self._tool_format,
                names=use.names,
                streams=use.is_demanded or bool(self._tool_format.begin),
                max_calls=None if params.parallel_tool_calls else 1,
            )
        is_bound = use.is_demanded or params.response_format is not None
        if params.reasoning is ReasoningStyle.INLINE and (is_bound or tools is None):
            reasoning = None  # there are no thoughts, or nothing to tell them from
        return AnswerFormat(tools=tools, reasoning=reasoning, hidden=self._hidden(tools, reasoning))

    def _hidden(self, tools: ToolReading | None, reasoning: ReasoningReading | None) -> tuple[str, ...]:
        """Special tokens to leave out here, since the engine must keep them: a tag is one of them."""
        tags = {tools.tool_format.begin, tools.tool_format.end} if tools else set()
        if reasoning:
            tags |= {reasoning.reasoning_format.begin, reasoning.reasoning_format.end}
        special = self._template.special_tokens
        return tuple(sorted(special - tags)) if special & tags else ()

    def _stopping(self, params: ChatParams, num_prompt_tokens: int) -> StopConditions:
        room = max(self._max_total_tokens - num_prompt_tokens, 1)  # the engine refuses a prompt without room
        return StopConditions(
            max_tokens=room if params.max_tokens is None else params.max_tokens,
            min_tokens=params.min_tokens,
            stop=params.stop,
            stop_token_ids=params.stop_token_ids,
            include_stop=params.include_stop,
            ignore_eos=params.ignore_eos,
        )
