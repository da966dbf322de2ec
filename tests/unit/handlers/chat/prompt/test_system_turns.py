"""System messages in every place, for templates that take them nowhere, once, or everywhere."""

import time

import pytest

from engine.port.request import SamplingParams
from handlers.chat.core import ChatCore
from handlers.chat.errors import TemplateError
from handlers.chat.messages import ChatMessage, TextPart
from handlers.chat.params import ChatParams
from handlers.chat.prompt.system_turns import REMINDER_TAGS, SystemTurns
from handlers.chat.tools import ToolCall, ToolDefinition
from tests.unit.handlers.chat.models import (
    FIRST_SYSTEM_TEMPLATE,
    HERMES_TEMPLATE,
    PLAIN_TEMPLATE,
    chat_tokenizer,
)

# In the manner of gpt-oss: the first message instructs, and later ones of its role are left out.
DROPPING_TEMPLATE = """\
{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages if message.role != 'system' %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
"""

# In the manner of Mistral: users and assistants alternate, calls and results set aside.
ALTERNATING_TEMPLATE = """\
{%- set ns = namespace(is_user=true) %}
{%- for message in messages %}
{%- if message.role == 'system' and not loop.first %}{{- raise_exception('Only one system') }}{%- endif %}
{%- if message.role in ('user', 'assistant') and not message.tool_calls %}
{%- if (message.role == 'user') != ns.is_user %}{{- raise_exception('Roles must alternate') }}{%- endif %}
{%- set ns.is_user = not ns.is_user %}
{%- endif %}
{{- '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
"""

# It knows developers, and takes them wherever they stand, but one system message alone (Qwen 3.8).
DEVELOPER_TEMPLATE = FIRST_SYSTEM_TEMPLATE + "{# developer #}"

CALL = ToolCall(id="call_1", name="look", arguments="{}")
TOOL = ToolDefinition(name="look")
NAMES = {"s": "system", "d": "developer", "u": "user", "a": "assistant", "t": "tool"}


def conversation(*turns: str) -> tuple[ChatMessage, ...]:
    """Return messages; a turn is `u:Hello`, by the first letter of its role, and `c:` is a call."""
    return tuple(
        ChatMessage(role="assistant", content="", tool_calls=(CALL,))
        if turn == "c:"
        else ChatMessage(role=NAMES[turn[0]], content=turn[2:])
        for turn in turns
    )


def rendered(template: str, *messages: ChatMessage, tools: tuple[ToolDefinition, ...] = ()) -> str:
    params = ChatParams(
        request_id="r",
        messages=messages,
        sampling=SamplingParams(),
        tools=tools,
        add_generation_prompt=False,
    )
    return ChatCore(chat_tokenizer(template), max_total_tokens=10_000).prepare(params).prompt_text


def turns_of(template: str, *turns: str) -> list[str]:
    """Return what the template writes for a conversation, by turn."""
    text = rendered(template, *conversation(*turns))
    return [
        turn.removesuffix("<|im_end|>\n").replace("\n", ":", 1) for turn in text.split("<|im_start|>") if turn
    ]


def reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>"


@pytest.mark.parametrize(
    "turns",
    [
        ("s:A", "u:Hi"),
        ("s:A", "s:B", "u:Hi"),
        ("s:A", "d:B", "u:Hi"),
        ("u:Hi", "s:A"),
        ("s:A", "u:Hi", "a:Hello", "s:B", "u:Bye", "s:C"),
    ],
)
def test_a_template_that_writes_them_everywhere_gets_them_where_they_are(turns: tuple[str, ...]) -> None:
    expected = [turn.replace("s:", "system:").replace("d:", "system:") for turn in turns]
    expected = [turn.replace("u:", "user:").replace("a:", "assistant:") for turn in expected]
    assert turns_of(HERMES_TEMPLATE, *turns) == expected


@pytest.mark.parametrize("template", [FIRST_SYSTEM_TEMPLATE, DROPPING_TEMPLATE, ALTERNATING_TEMPLATE])
@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("s:A", "u:Hi"), ["system:A", "user:Hi"]),
        (("s:A", "s:B", "s:", "u:Hi"), ["system:A\n\nB", "user:Hi"]),
        (("s:A", "d:B", "u:Hi"), ["system:A\n\nB", "user:Hi"]),
        (("u:Hi", "s:B"), [f"user:Hi\n\n{reminder('B')}"]),
        (("s:A", "u:Hi", "s:B", "s:C"), ["system:A", f"user:Hi\n\n{reminder('B')}\n\n{reminder('C')}"]),
        (("u:Hi", "s:B", "u:Yo"), [f"user:Hi\n\n{reminder('B')}\n\nYo"]),
        (("u:Hi", "a:Yes", "s:B"), ["user:Hi", "assistant:Yes", f"user:{reminder('B')}"]),
        (("u:Hi", "a:Yes", "d:B", "u:Yo"), ["user:Hi", "assistant:Yes", f"user:{reminder('B')}\n\nYo"]),
    ],
)
def test_a_template_that_takes_one_at_the_start_gets_the_others_as_reminders(
    template: str, turns: tuple[str, ...], expected: list[str]
) -> None:
    assert turns_of(template, *turns) == expected


def test_text_before_a_reminder_stays_as_it_was() -> None:
    before = rendered(FIRST_SYSTEM_TEMPLATE, *conversation("s:A", "u:Hi", "s:B", "a:Yes"))
    after = rendered(FIRST_SYSTEM_TEMPLATE, *conversation("s:A", "u:Hi", "s:B", "a:Yes", "u:Yo", "s:C"))
    assert after.startswith(before)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("s:A", "u:Hi"), ["user:A\n\nHi"]),
        (("s:A", "d:B", "u:Hi", "a:Yes"), ["user:A\n\nB\n\nHi", "assistant:Yes"]),
        (("s:A",), ["user:A"]),
        (("s:A", "u:Hi", "s:B"), [f"user:A\n\nHi\n\n{reminder('B')}"]),
    ],
)
def test_a_template_that_takes_none_gets_the_first_before_the_users_words(
    turns: tuple[str, ...], expected: list[str]
) -> None:
    assert turns_of(PLAIN_TEMPLATE, *turns) == expected


def test_a_developers_message_stays_where_the_template_knows_that_role() -> None:
    told = turns_of(DEVELOPER_TEMPLATE, "s:A", "d:B", "u:Hi", "d:C", "s:D")
    assert told == ["system:A", "developer:B", f"user:Hi\n\n{reminder('C')}\n\n{reminder('D')}"]
    assert turns_of(DEVELOPER_TEMPLATE, "u:Hi", "d:C") == ["user:Hi", "developer:C"]


def test_a_reminder_after_a_tools_result_is_a_users_turn_where_the_template_takes_one() -> None:
    messages = conversation("u:Hi", "c:", "t:Fine.", "s:B")
    told = rendered(FIRST_SYSTEM_TEMPLATE, *messages, tools=(TOOL,))
    assert told.endswith(f"tool\nFine.<|im_end|>\n<|im_start|>user\n{reminder('B')}<|im_end|>\n")


def test_a_reminder_after_a_tools_result_is_its_end_where_turns_must_alternate() -> None:
    messages = conversation("u:Hi", "c:", "t:Fine.", "s:B")
    told = rendered(ALTERNATING_TEMPLATE, *messages, tools=(TOOL,))
    assert told.endswith(f"tool\nFine.\n\n{reminder('B')}<|im_end|>\n")


def test_speakers_of_different_names_are_not_joined() -> None:
    ada, system, bob = conversation("u:Hi", "s:B", "u:Yo")
    named = [ChatMessage(role="user", content=m.content, name=n) for m, n in ((ada, "Ada"), (bob, "Bob"))]
    told = rendered(FIRST_SYSTEM_TEMPLATE, named[0], system, named[1])
    assert f"Hi\n\n{reminder('B')}<|im_end|>\n<|im_start|>user\nYo" in told


def test_a_template_that_refuses_every_form_is_told_with_its_first_words() -> None:
    with pytest.raises(TemplateError, match="Roles must alternate"):
        rendered(PLAIN_TEMPLATE, *conversation("u:Hi", "u:Hi", "s:B"))


def test_a_text_in_parts_becomes_a_reminder_too() -> None:
    parts = ChatMessage(role="system", content=(TextPart("Be "), TextPart("brief.")))
    told = rendered(FIRST_SYSTEM_TEMPLATE, *conversation("u:Hi"), parts)
    assert reminder("Be brief.") in told


def test_no_control_token_of_a_reminder_is_obeyed() -> None:
    tokenizer = chat_tokenizer(FIRST_SYSTEM_TEMPLATE)
    messages = conversation("u:Hi", "s:<|im_end|>")
    params = ChatParams(request_id="r", messages=messages, sampling=SamplingParams())
    prepared = ChatCore(tokenizer, max_total_tokens=10_000).prepare(params)
    assert reminder("<|im_end|>") in prepared.prompt_text
    end = tokenizer.hf.backend_tokenizer.token_to_id("<|im_end|>")
    assert prepared.request.prompt.token_ids.count(end) == 1  # the template's own, at the end of the turn


def test_thousands_of_reminders_are_joined_once() -> None:
    """2 MB hold 8,000 of 200 characters, which took seconds: all that came before was copied for each."""
    turns = SystemTurns(lambda messages, has_tools: len(messages) <= 2)
    messages = [ChatMessage(role="user", content="Hi")]
    messages += [ChatMessage(role="system", content=f"{number:0200}") for number in range(20_000)]
    started = time.process_time()
    forms = list(turns.forms(messages))
    assert time.process_time() - started < 4
    assert len(forms) == 2
    for (turn,) in forms:
        assert turn.role == "user"
        assert str(turn.content).count(REMINDER_TAGS[0]) == 20_000
