"""Values put into transformers' sandbox directly come out as through its own function."""

from typing import Any

import pytest
from jinja2 import Template
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.demo_model import DEMO_MODEL
from handlers.chat.messages import ChatMessage
from handlers.chat.prompt.conversation import template_messages, template_tools
from handlers.chat.prompt.sandbox import sandboxed
from handlers.chat.prompt.template import ChatTemplate
from handlers.chat.tools import ToolCall, ToolDefinition
from tests.unit.handlers.chat.models import HERMES_TEMPLATE, LLAMA_TEMPLATE, THINKING_TEMPLATE, chat_tokenizer

# What transformers adds to Jinja: functions, filters, tags, and variables of the tokenizer.
_EXTRAS = """\
{{- eos_token }}{% set last = namespace(role='') -%}
{% for message in messages %}{% if message.role == 'tool' %}{% continue %}{% endif %}
{% generation %}{{ message | tojson(indent=1, ensure_ascii=True) }}{% endgeneration %}
{% set last.role = message.role %}{% if not loop.first and messages | length > 9 %}{% break %}{% endif %}
{% endfor %}{{ last.role }} {{ dict(tools=tools, documents=documents) }} {{ unheard_of is defined }}
{% if not strftime_now('%Y') %}{{ raise_exception('no clock') }}{% endif %}
  {{ add_generation_prompt }}
"""
# Calls of a template's own macros in all the ways that Jinja has, and of `namespace`.
_MACROS = """\
{% macro plain(a, b='B') %}[{{ a }}{{ b }}]{% endmacro %}
{% macro many(a) %}{{ a }}:{{ varargs | join('+') }}:{{ kwargs | dictsort }}{% endmacro %}
{% macro framed(role) %}<{{ role }}>{{ caller(role | upper) }}</{{ role }}>{% endmacro %}
{% macro down(n) %}{{ n }}{% if n > 0 %}{{ down(n - 1) }}{% endif %}{% endmacro %}
{% set seen = namespace({'count': 0}, last='') %}
{% for message in messages %}{% set own = loop.index %}
{% macro inner(x) %}{{ x }}@{{ own }}{% endmacro %}
{{ plain(message.role) }}{{ plain(message.role, b=own) }}{{ many(1, 2, 3, x=message.name) }}{{ inner(own) }}
{% call(shout) framed(message.role) %}{{ shout }}{{ plain('in') }}{% endcall %}
{% set seen.count = seen.count + 1 %}{% set seen.last = plain(message.content) %}
{% endfor %}{{ down(3) }}{{ seen.count }}{{ seen.last }}{{ plain is callable }}
"""
_MESSAGES = (
    ChatMessage(role="system", content="Be brief, <b>always</b>."),
    ChatMessage(role="user", content="Où est Oslo?", name="Ann"),
    ChatMessage(
        role="assistant",
        content="I look.",
        reasoning="Maps, then.",
        tool_calls=(ToolCall(id="call_1", name="look", arguments='{"city": "Oslo", "deep": [1, null]}'),),
    ),
    ChatMessage(role="tool", content="59.9 N", tool_call_id="call_1"),
    ChatMessage(role="assistant", content="In the north.\n", reasoning="Done."),
    ChatMessage(role="user", content=" Thanks \n"),
)
_TOOL = ToolDefinition(name="look", description="Finds places", parameters={"type": "object"})
_DEMO_TEMPLATE = (DEMO_MODEL / "chat_template.jinja").read_text()


@pytest.mark.parametrize("tools", [(), (_TOOL,)])
@pytest.mark.parametrize("opens_turn", [True, False])
@pytest.mark.parametrize(
    "source",
    [HERMES_TEMPLATE, THINKING_TEMPLATE, LLAMA_TEMPLATE, _DEMO_TEMPLATE, _EXTRAS, _MACROS],
    ids=["hermes", "thinking", "llama", "demo", "extras", "macros"],
)
def test_a_prompt_is_what_transformers_makes_of_the_conversation(
    source: str, opens_turn: bool, tools: tuple[ToolDefinition, ...]
) -> None:
    tokenizer: Any = chat_tokenizer(source).hf
    conversation: Any = template_messages(_MESSAGES)
    offered: Any = template_tools(tools)
    expected = tokenizer.apply_chat_template(
        conversation, tools=offered or None, tokenize=False, add_generation_prompt=opens_turn
    )
    rendered = ChatTemplate(tokenizer).render(_MESSAGES, tools=tools, add_generation_prompt=opens_turn)
    assert rendered == expected


@pytest.mark.parametrize("source", ["{{ messages.append(1) }}", "{{ ''.__class__.__mro__ }}"])
def test_a_template_cannot_leave_the_sandbox(source: str) -> None:
    with pytest.raises(SecurityError):
        sandboxed(source).render(messages=[])


@pytest.mark.parametrize(
    "call", ["plain()", "plain('a', 'b')", "plain('a', z=1)", "plain('a', caller=1)", "namespace(1)"]
)
def test_a_wrong_call_of_a_macro_fails_as_in_jinja(call: str) -> None:
    source = "{% macro plain(a) %}{{ a }}{% endmacro %}{{ " + call + " }}"
    assert _outcome(sandboxed(source)) == _outcome(ImmutableSandboxedEnvironment().from_string(source))


def _outcome(template: Template) -> str:
    try:
        return template.render()
    except (TypeError, ValueError) as error:
        return repr(error)


def test_a_key_is_no_way_to_hide_a_method() -> None:
    message = {"role": "user", "items": "hidden", "_own": "kept", "text": None}
    source = "{{ m.role }} {{ m.items() | length }} {{ m._own }} {{ m.text is none }} {{ m.name is defined }}"
    assert sandboxed(source).render(m=message) == "user 4 kept True False"
