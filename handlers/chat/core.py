"""The path that all contracts share, from a neutral chat request to the engine's request and the reader of
its output.
"""

from collections.abc import Callable, Sequence
from copy import copy

import msgspec
from msgspec.structs import replace

from engine.port.errors import PromptTooLong
from engine.port.request import GenerationRequest, MediaKind, StopConditions, ThinkingBudget
from engine.port.text.tokenizer import Tokenizer
from handlers.chat.answer_grammar import answer_grammar
from handlers.chat.errors import InvalidResponseFormat, TemplateError
from handlers.chat.media import (
    NOTHING_READ,
    PartContents,
    PromptMedia,
    placed,
    source_parts,
    with_files_as_text,
)
from handlers.chat.messages import SourcePart
from handlers.chat.params import ChatParams, ReasoningStyle
from handlers.chat.prompt.control.guard import RenderedPrompt
from handlers.chat.prompt.conversation import check_some, flatten
from handlers.chat.prompt.dialect import Dialect
from handlers.chat.prompt.renderer import PromptRenderer
from handlers.chat.reading.answer_parser import AnswerFormat, ReasoningReading, ToolReading
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.reading.reasoning import ReasoningStart
from handlers.chat.structured_output.response_format import FIELD
from handlers.chat.tool_calls.use import ToolUse, tool_use

_NUM_END_TOKENS = 64  # of a prompt, in which its last header is
_LONG_TEXT = 2_000_000  # characters; shorter ones are rendered before they are counted


class PreparedChat(msgspec.Struct, frozen=True, kw_only=True):
    """A chat request ready to be submitted.

    prompt_text: the rendered conversation, special tokens as text.
    answer_format: the parts of its answers, and how they are written.
    """

    prompt_text: str
    request: GenerationRequest
    answer_format: AnswerFormat

    def outputs(self, new_id: Callable[[str], str] | None = None) -> ChatOutputs:
        """Return a new reader of the request's events. new_id: makes the id of a call."""
        num_audio_tokens = sum(
            media.num_tokens for media in self.request.prompt.media if media.kind is MediaKind.AUDIO
        )
        return ChatOutputs(self.answer_format, self.request.num_sequences, new_id, num_audio_tokens)


class ChatCore:
    """Prepares chats for one model.

    Rendering and encoding a long conversation takes milliseconds of CPU time; `prepare` may be called in any
    thread.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        max_total_tokens: int,
        chat_template: str | None = None,
        tool_format: str | None = None,
        allows_structured_output: bool = True,
        trusts_special_tokens: bool = False,
        private_salt: Callable[[str | None], str | None] | None = None,
        media: PromptMedia | None = None,
    ) -> None:
        """Read the model's chat template.

        max_total_tokens: the context that the engine has room for, prompt and answer together.
        chat_template: the template for requests that bring none; None takes the model's own.
        tool_format: the name of the format of tool calls; None leaves it to template and tokenizer.
        allows_structured_output: whether requests may have a response format; tool calls are bound anyway.
        trusts_special_tokens: whether the text of a special token in a request is that token.
        private_salt: returns the salt under which the tokens of a prompt are remembered
            (`engine.port.text.token_memory`), given the request's own; called in `prepare`. With None no
            tokens are remembered.
        media: the media that the model reads in addition to text; None if it reads none.
        """
        self._tokenizer = tokenizer
        self._max_total_tokens = max_total_tokens
        self._allows_structured_output = allows_structured_output
        self._private_salt = private_salt
        self.media = PromptMedia() if media is None else media
        self._renderer = PromptRenderer(
            tokenizer,
            self.media.placeholders,
            chat_template=chat_template,
            tool_format=tool_format,
            trusts_special_tokens=trusts_special_tokens,
        )

    def keeping_files(self) -> "ChatCore":
        """Return the same, whose prompts are FilePrompts where they have media."""
        other = copy(self)
        other.media = self.media.keeping_files()
        return other

    def leaving_unread(self) -> "ChatCore":
        """Return the same, for prompts that no engine gets: no file of theirs is read."""
        other = copy(self)
        other.media = self.media.leaving_unread()
        return other

    @property
    def has_template(self) -> bool:
        """True if the model or the operator has a chat template."""
        return self._renderer.has_template

    @property
    def has_reasoning(self) -> bool:
        """True if answers may begin with thoughts, by the tags of the template."""
        return self.has_template and self._renderer.dialect().reasoning_format is not None

    def check_template(self) -> None:
        """Check the template at start-up. Raises TemplateError for one that no chat can use."""
        if self.has_template:
            self._renderer.dialect().template.check()

    def reads(self, variable: str) -> bool:
        """Return whether the model's template uses a variable, such as reasoning_effort."""
        return self._renderer.dialect().template.reads(variable)

    def prepare(self, params: ChatParams, contents: PartContents = NOTHING_READ) -> PreparedChat:
        """Return the engine's request for a chat.

        contents: the contents of its parts that are not text, as far as they have been read.
        Raises the errors of `handlers.chat.errors`, and PromptTooLong; MediaWanted where nothing else is
        wrong and some parts have not been read.
        """
        check_some(params.messages)
        parts: Sequence[SourcePart] = ()
        if source_parts(params.messages):
            messages = placed(params.messages)
            parts = source_parts(messages)
            self.media.check(parts, contents)
            params = replace(params, messages=with_files_as_text(messages, contents))
        self._check_texts(params)
        if params.response_format is not None and not self._allows_structured_output:
            raise InvalidResponseFormat("this server takes no response formats", FIELD)
        dialect = self._renderer.dialect(params.chat_template)
        use = tool_use(params.tools, params.tool_choice)
        rendered = self._renderer.render(params, use)
        prompt_text = rendered.prompt.text
        self._tokenizer.check_length(prompt_text, self._max_total_tokens, params.max_tokens or 0)
        prompt_token_ids = tuple(self._encode(rendered.prompt, params))
        if not prompt_token_ids:
            raise TemplateError("the template renders nothing for these messages", "messages")
        reasoning = _reasoning(dialect, params, use, prompt_text)
        if params.begins_answer:
            opening = self._renderer.line_breaks(params)
            if reasoning is not None:
                opening += reasoning.reasoning_format.opening(reasoning.start)
                reasoning = replace(reasoning, start=ReasoningStart.CLOSED)
            prompt_text += opening
            prompt_token_ids += tuple(self._tokenizer.encode(opening, add_special_tokens=False))
        grammar = answer_grammar(
            use,
            dialect.tools.format_for(use),
            params.response_format,
            reasoning,
            parallel=params.parallel_tool_calls,
        )
        answer_format = _answer_format(dialect, params, use, reasoning)
        if parts and len(prompt_token_ids) >= self._max_total_tokens:  # nothing is read for such a prompt
            raise PromptTooLong(len(prompt_token_ids), params.max_tokens or 0, self._max_total_tokens)
        prompt = self.media.expand(prompt_token_ids, parts, rendered.media, contents)
        stopping = self._stopping(params, dialect, len(prompt.token_ids))
        is_bound = use.is_demanded or params.response_format is not None
        budget = None
        if params.thinking_budget is not None and reasoning is not None:
            # A grammar that binds the answer from its first token leaves no room for thoughts.
            start = ReasoningStart.CLOSED if reasoning.is_content and is_bound else reasoning.start
            budget = dialect.thinking_budget(params.thinking_budget, start)
        request = GenerationRequest(
            request_id=params.request_id,
            prompt=prompt,
            sampling=replace(params.sampling, grammar=grammar, thinking_budget=budget),
            stopping=_for_content(stopping, dialect, use, answer_format),
            num_sequences=params.num_sequences,
            skip_special_tokens=params.skip_special_tokens and not answer_format.keeps_special,
            adapter=params.adapter,
            priority=params.priority,
            cache_salt=params.cache_salt,
            beams=params.beams,
        )
        return PreparedChat(prompt_text=prompt_text, request=request, answer_format=answer_format)

    def thinking_budget(self, token_ids: Sequence[int], max_tokens: int) -> ThinkingBudget | None:
        """Return the bound of thoughts after a prompt in tokens; None if nothing is to be bound."""
        dialect = self._renderer.dialect()
        known = dialect.reasoning_format
        if known is None:
            return None
        end = self._tokenizer.decode(token_ids[-_NUM_END_TOKENS:], skip_special_tokens=False)
        start = known.start(end)
        begun, ended = (
            last_place(token_ids, self._tokenizer.encode(marker, add_special_tokens=False))
            for marker in known.thought_markers
        )
        is_open = start is ReasoningStart.POSSIBLE and begun > ended
        return dialect.thinking_budget(max_tokens, ReasoningStart.OPEN if is_open else start)

    def _encode(self, prompt: RenderedPrompt, params: ChatParams) -> list[int]:
        adds_special = params.add_special_tokens
        if self._private_salt is None:
            return prompt.encode(self._tokenizer, add_special_tokens=adds_special)
        salt = self._private_salt(params.cache_salt)
        return prompt.encode_segments(self._tokenizer, salt, add_special_tokens=adds_special)

    def _check_texts(self, params: ChatParams) -> None:
        """Refuse texts by their length before they are rendered, where that would take its time."""
        texts = [flatten(message.content) for message in params.messages]
        if sum(map(len, texts)) >= _LONG_TEXT:
            self._tokenizer.check_length("".join(texts), self._max_total_tokens, params.max_tokens or 0)

    def _stopping(self, params: ChatParams, dialect: Dialect, num_prompt_tokens: int) -> StopConditions:
        room = max(self._max_total_tokens - num_prompt_tokens, 1)  # the engine refuses a prompt without room
        own = set(params.stop_token_ids).union(self._tokenizer.end_token_ids)
        ends = () if params.ignore_eos else (end for end in dialect.end_token_ids if end not in own)
        return StopConditions(
            max_tokens=room if params.max_tokens is None else params.max_tokens,
            min_tokens=params.min_tokens,
            stop=params.stop,
            stop_token_ids=(*params.stop_token_ids, *ends),
            include_stop=params.include_stop,
            ignore_eos=params.ignore_eos,
        )


def _for_content(
    stopping: StopConditions, dialect: Dialect, use: ToolUse, answer_format: AnswerFormat
) -> StopConditions:
    """Return stopping conditions whose stop strings are sought only in content: neither in calls nor in
    thoughts that are split from it.
    """
    if use.is_demanded:
        return replace(stopping, stop=())
    if use.tools:
        stopping = replace(stopping, stop_free=dialect.tools.tool_format.stop_free)
    reasoning = answer_format.reasoning
    if reasoning is None or reasoning.is_content:
        return stopping
    spans, until = reasoning.reasoning_format.stop_free(reasoning.start)
    return replace(stopping, stop_free=(*stopping.stop_free, *spans), stop_free_until=until)


def last_place(token_ids: Sequence[int], sought: Sequence[int]) -> int:
    """Return the last place of some tokens among others; -1 if they are not there."""
    last = len(token_ids) - len(sought)
    places = (place for place in range(last, -1, -1) if token_ids[place] == sought[0])
    return next((at for at in places if tuple(token_ids[at : at + len(sought)]) == tuple(sought)), -1)


def _reasoning(
    dialect: Dialect, params: ChatParams, use: ToolUse, prompt_text: str
) -> ReasoningReading | None:
    known = dialect.reasoning_format
    if known is None:
        return None
    continued = None
    if params.continue_final_message:
        continued = flatten(params.messages[-1].content)
    return ReasoningReading(
        reasoning_format=known,
        start=known.start(prompt_text, continued),
        is_content=params.reasoning is ReasoningStyle.INLINE,
        tools=use.names,
    )


def _answer_format(
    dialect: Dialect, params: ChatParams, use: ToolUse, reasoning: ReasoningReading | None
) -> AnswerFormat:
    tools = None
    if use.tools:
        tools = ToolReading(
            tool_format=dialect.tools.format_for(use),
            tools=use.tools,
            streams=use.is_demanded or dialect.tools.tool_format.is_marked,
            max_calls=None if params.parallel_tool_calls else 1,
        )
    is_bound = use.is_demanded or params.response_format is not None
    if reasoning is not None and reasoning.is_content and (is_bound or tools is None):
        # There are no thoughts, or nothing to split them from; but a framed content is still taken out.
        reasoning = reasoning if reasoning.reasoning_format.frames_content else None
    special = dialect.template.special_tokens if params.skip_special_tokens else frozenset[str]()
    tags = tools.special_tags(special) if tools else set[str]()
    if reasoning:
        tags |= special & dialect.reasoning_tags
    return AnswerFormat(
        tools=tools,
        reasoning=reasoning,
        hidden=tuple(sorted(special - tags)) if tags else (),
        hides_special=params.skip_special_tokens,
        keeps_special=bool(tags),
    )
