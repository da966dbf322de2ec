"""OpenAI's gpt-oss: a call is a message whose recipient is a function, and it ends the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import override

from handlers.chat.messages import ChatMessage
from handlers.chat.structured_output.structural_tag import (
    Tag,
    any_number,
    const,
    either,
    json_value,
    optional,
    sequence,
)
from handlers.chat.tool_calls.lenient_json import expect_arguments, read_arguments
from handlers.chat.tool_calls.message_header import (
    ASSISTANT,
    CALL,
    CHANNEL,
    CONSTRAIN,
    END,
    ENDS,
    FRAMING,
    FUNCTIONS,
    MAX_LENGTH,
    MESSAGE,
    START,
    MessageHeader,
)
from handlers.chat.tool_calls.text import CallBegin, CallEnd, IncomingText, Malformed, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Schema, ToolFormat
from handlers.chat.tool_calls.turns import one_call_each

_TURN = START + ASSISTANT  # between the messages of one answer
_TYPE = f"{CONSTRAIN}json{MESSAGE}"


@dataclass(frozen=True, kw_only=True)
class HarmonyFormat(ToolFormat):
    """A call is `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>` ARGUMENTS `<|call|>`.

    Its header may also be ` to=functions.NAME<|channel|>commentary json<|message|>`, as the family's template
    writes earlier calls. `handlers.chat.reading.channels` hands all headers over in the first order, and
    takes out those of other messages, so `<|channel|>` begins a call wherever it stands here.
    """

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return (self.begin, self.separator, *FRAMING)

    @override
    def turns(self, messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        return one_call_each(messages)

    @property
    @override
    def openings(self) -> tuple[str, ...]:
        return (_TURN + CHANNEL, CHANNEL)

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        yield from text.literal(*self.openings)
        header = MessageHeader.parse(CHANNEL + (yield from text.until(MESSAGE, limit=MAX_LENGTH)))
        name = _function("" if header is None else header.recipient, tools)
        # An end token shows no text, so that the end of the answer may mean no arguments.
        may_end = not tools[name].get("required")
        yield from expect_arguments(text, ends=ENDS, may_end=may_end)
        yield CallBegin(name)
        yield from read_arguments(text, ends=ENDS, may_end=may_end)
        yield from text.ending(*ENDS, "")
        yield CallEnd()

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        return CallSyntax(begin=f"{tool.name} {_TYPE}", arguments=json_value(tool.schema), end="")

    @override
    def write_call(self, name: str, arguments: str) -> str:
        return f"{name} {_TYPE}{arguments}"

    @override
    def only_calls(self, tools: Sequence[BoundTool], *, is_single: bool) -> Tag:
        calls = either(*(self._either_order(tool) for tool in tools))
        further = sequence(either(const(CALL), const(END)), const(_TURN), calls)
        # Where `<|call|>` is an end token, it is no text of a grammar's: the answer ends there.
        many = sequence(calls) if is_single else sequence(calls, any_number(further))
        return sequence(many, optional(const(CALL)))

    def _either_order(self, tool: BoundTool) -> Tag:
        syntax = self.call(tool)
        orders = (
            f"{self.begin}{tool.name} {_TYPE}",
            f"{self.begin}{tool.name}{_TYPE}",
            f" to={FUNCTIONS}{tool.name}{CHANNEL}commentary {_TYPE}",
            f" to={FUNCTIONS}{tool.name}{CHANNEL}commentary json{MESSAGE}",
        )
        return sequence(either(*map(const, orders)), syntax.arguments)


def _function(recipient: str, tools: Mapping[str, Schema]) -> str:
    """Return the tool of this recipient. Raises Malformed where there is none."""
    for name in (recipient.removeprefix(FUNCTIONS), recipient):
        if name in tools:
            return name
    raise Malformed


HARMONY = HarmonyFormat(
    name="openai",
    aliases=("harmony", "gptoss"),
    marker=CHANNEL,
    begin=f"{CHANNEL}commentary to={FUNCTIONS}",
    separator=_TURN,
    end=CALL,
    signs=(f"{CHANNEL}analysis{MESSAGE}",),
    tokens=(START, CHANNEL, MESSAGE, CALL),
)
