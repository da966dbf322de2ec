from inspect import signature
from pathlib import Path
from typing import Any

import jinja2
import pytest

from engine.port.text.tokenizer import Tokenizer
from handlers.chat.errors import TemplateError
from handlers.chat.messages import ChatMessage, TextPart
from handlers.chat.prompt.conversation import text_part
from handlers.chat.prompt.template import RESERVED, ChatTemplate
from handlers.chat.tools import ToolCall, ToolDefinition
from tests.unit.handlers.chat.models import (
    HERMES_TEMPLATE,
    LLAMA_TEMPLATE,
    PLAIN_TEMPLATE,
    TAGS,
    chat_tokenizer,
)

HELLO = ChatMessage(role="user", content="Hello")
TOOL = ToolDefinition(name="get_weather", parameters={"type": "object", "properties": {}})


def template(source: str | dict[str, str] | None = HERMES_TEMPLATE) -> ChatTemplate:
    return ChatTemplate(chat_tokenizer(source).hf)


def test_a_conversation_renders_as_transformers_renders_it() -> None:
    tokenizer = chat_tokenizer()
    call = ToolCall(id="call_1", name="get_weather", arguments='{"city": "Oslo"}')
    messages = [HELLO, ChatMessage(role="assistant", content="I look.", tool_calls=(call,))]
    rendered = ChatTemplate(tokenizer.hf).render(messages, tools=[TOOL])
    function = {"name": "get_weather", "arguments": {"city": "Oslo"}}
    conversation: Any = [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"type": "function", "function": function}],
        },
    ]
    tools: Any = [{"type": "function", "function": {"name": "get_weather", "parameters": TOOL.parameters}}]
    hf: Any = tokenizer.hf
    expected = hf.apply_chat_template(conversation, tools=tools, add_generation_prompt=True, tokenize=False)
    assert rendered == expected
    assert '{"city": "Oslo"}' in rendered


def test_the_prompt_ends_with_the_assistants_turn_only_if_so_asked() -> None:
    opening = "<|im_start|>assistant\n"
    assert template().render([HELLO]).endswith(opening)
    assert opening not in template().render([HELLO], add_generation_prompt=False)


def test_variables_and_documents_reach_the_template() -> None:
    rendered = template().render(
        [HELLO], variables={"enable_thinking": False}, documents=[{"text": "Verbatim is a server."}]
    )
    assert rendered.endswith("<think>\n\n</think>\n\n")
    assert "Verbatim is a server." in rendered


@pytest.mark.parametrize("name", ["source", "continues", "options"])
def test_no_name_of_ours_is_taken_from_requests(name: str) -> None:
    assert template().render([HELLO], variables={name: "x"}) == template().render([HELLO])


@pytest.mark.parametrize("name", ["tokenize", "chat_template", "messages", "tools", "self", "conversations"])
def test_a_request_cannot_set_what_the_rendering_itself_sets(name: str) -> None:
    with pytest.raises(TemplateError, match=name) as caught:
        template().render([HELLO], variables={name: "x"})
    assert caught.value.field == f"template_kwargs.{name}"


@pytest.mark.parametrize("content", ["Once upon", "Once upon "])
def test_a_continued_message_ends_the_prompt(content: str) -> None:
    messages = [HELLO, ChatMessage(role="assistant", content=content)]
    rendered = template().render(messages, continue_final_message=True)
    assert rendered.endswith(f"<|im_start|>assistant\n{content}")


def test_a_developers_message_is_the_systems_where_the_template_knows_no_developer() -> None:
    messages = [ChatMessage(role="developer", content="Be brief."), HELLO]
    assert "<|im_start|>system\nBe brief." in template().render(messages)
    knowing = HERMES_TEMPLATE + "{# developer #}"
    assert "<|im_start|>developer\nBe brief." in template(knowing).render(messages)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "no chat template"),
        ("{{ raise_exception('Not like this') }}", "Not like this"),
        ("{% for %}", "Expected"),
        ("{{ messages[0].content + 1 }}", "str"),
        ("{{ messages[7].content.x }}", "no element 7"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
    ],
)
def test_a_template_that_fails_is_an_error_that_says_why(source: str | None, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason) as caught:
        template(source).render([HELLO])
    assert caught.value.field == "messages"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (HERMES_TEMPLATE, True),
        (LLAMA_TEMPLATE, True),
        (PLAIN_TEMPLATE, False),
        ({"default": PLAIN_TEMPLATE, "tool_use": HERMES_TEMPLATE}, True),
        ("{{ raise_exception('No') }}", False),
        (None, False),
    ],
)
def test_whether_tools_are_shown_is_known(source: str | dict[str, str] | None, expected: bool) -> None:
    assert template(source).shows_tools is expected


def test_special_tokens_are_told_from_tags() -> None:
    special = ChatTemplate(chat_tokenizer(special_tags=["<think>"]).hf).special_tokens
    assert special.intersection(TAGS) == {"<think>"}
    assert "<|im_end|>" in special


NAMED = {
    "default": PLAIN_TEMPLATE,
    "tool_use": HERMES_TEMPLATE,
    "rag": "{% for document in documents %}{{ document.text }}{% endfor %}",
}
PARTS_TEMPLATE = """\
{%- for message in messages %}
{{- message.role + ':' }}
{%- for part in message.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}
{%- endfor %}"""


def test_among_named_templates_tools_and_documents_choose() -> None:
    named = template(NAMED)
    assert named.render([HELLO]) == template(PLAIN_TEMPLATE).render([HELLO])
    assert named.render([HELLO], tools=[TOOL]) == template().render([HELLO], tools=[TOOL])
    assert named.render([HELLO], documents=[{"text": "Facts."}]) == "Facts."
    with_both = named.render([HELLO], tools=[TOOL], documents=[{"text": "Facts."}])
    assert "get_weather" in with_both and "Facts." in with_both


def test_several_templates_without_a_default_are_an_error_that_names_them() -> None:
    with pytest.raises(TemplateError, match="no default chat template, but rag, tool_use") as caught:
        template({name: NAMED[name] for name in ("tool_use", "rag")}).render([HELLO])
    assert caught.value.field == "chat_template"


def test_a_template_is_taken_in_place_of_the_models_by_text_or_by_name() -> None:
    hf = chat_tokenizer(NAMED).hf
    assert ChatTemplate(hf, "{{ messages[0].content }}!").render([HELLO]) == "Hello!"
    assert ChatTemplate(hf, "tool_use").render([HELLO]) == template().render([HELLO])
    assert ChatTemplate(chat_tokenizer(None).hf, "{{ 'a' }}").render([HELLO]) == "a"
    with pytest.raises(TemplateError, match="'missing'") as caught:
        ChatTemplate(hf, "missing")
    assert caught.value.field == "chat_template"


def test_content_comes_in_parts_where_the_template_reads_parts_alone() -> None:
    messages = [
        ChatMessage(role="user", content=(TextPart("Hel"), TextPart("lo"))),
        ChatMessage(role="assistant", content=None),
    ]
    reads_parts = template(PARTS_TEMPLATE)
    assert reads_parts.wants_parts and reads_parts.render(messages) == "user:Helloassistant:"
    prints = template("{% for message in messages %}{{ message.content }}{% endfor %}")
    assert not prints.wants_parts and prints.render(messages) == "Hello"
    assert not template().wants_parts and not template(None).wants_parts


def test_what_a_function_returns_is_a_tools_result() -> None:
    messages = [HELLO, ChatMessage(role="function", name="get_weather", content="12 °C")]
    assert "<|im_start|>tool\n12 °C" in template().render(messages)


@pytest.mark.parametrize(
    ("messages", "refusal"),
    [
        ([ChatMessage(role="system", content="Be brief."), HELLO], "System role not supported"),
        ([HELLO, HELLO], "Roles must alternate"),
    ],
)
def test_a_template_that_refuses_a_conversation_says_so_of_the_messages(
    messages: list[ChatMessage], refusal: str
) -> None:
    with pytest.raises(TemplateError, match=refusal) as caught:
        template(PLAIN_TEMPLATE).render(messages)
    assert caught.value.field == "messages"


def test_a_template_is_known_to_read_a_variable() -> None:
    assert template().reads("enable_thinking") and not template().reads("reasoning_effort")
    assert not template().reads("enable") and not template(None).reads("enable_thinking")


def test_a_template_file_beside_the_tokenizer_is_read(tmp_path: Path) -> None:
    hf: Any = chat_tokenizer(None).hf
    hf.save_pretrained(tmp_path)
    (tmp_path / "chat_template.jinja").write_text("{{ messages[0].content }} from a file")
    loaded = Tokenizer.from_directory(tmp_path, vocab_size=300, end_token_ids=())
    assert ChatTemplate(loaded.hf).render([HELLO]) == "Hello from a file"


def test_values_nested_too_deeply_are_told_in_words_of_ours() -> None:
    parameters: dict[str, object] = {}
    for _ in range(10_000):
        parameters = {"inner": parameters}
    with pytest.raises(TemplateError, match="nested too deeply"):
        template().render([HELLO], tools=[ToolDefinition(name="f", parameters=parameters)])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{% for x in %}", "no Jinja: line 1"),
        ("{{ messages | nothing }}", "No filter named 'nothing'"),
        ("{{ nothing.here() }}", "'nothing' is undefined"),
    ],
)
def test_a_template_that_no_chat_can_use_is_found_before_there_is_one(source: str, words: str) -> None:
    with pytest.raises(TemplateError, match=words):
        template(source).check()


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages[0].content }}",
        "{{ messages[0].content[0].text.strip() }}",
        "{{ raise_exception('no') }}",
        None,
    ],
)
def test_a_template_that_some_chat_can_use_passes(source: str | None) -> None:
    template(source).check()


def test_a_templates_complaint_holds_no_address() -> None:
    with pytest.raises(TemplateError, match="^<built-in method index of list object> it is$"):
        template("{{ raise_exception(messages.index ~ ' it is') }}").render([HELLO])


def test_the_names_that_transformers_reserves_are_reserved() -> None:
    hf: Any = chat_tokenizer(None).hf
    assert {*signature(hf.apply_chat_template).parameters, "conversations", "messages", "self"} == RESERVED


@pytest.mark.parametrize("content", ["So far \n", "So far", [text_part("So"), text_part("far ")]])
@pytest.mark.parametrize("source", [PLAIN_TEMPLATE, "{{ messages[-1].content | trim }}."])
def test_a_continued_message_ends_as_in_transformers(content: Any, source: str) -> None:
    tokenizer: Any = chat_tokenizer(source).hf
    conversation = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": content}]
    made = ChatTemplate(tokenizer)
    outcomes = list[str | type[Exception]]()
    for render in (
        lambda: tokenizer.apply_chat_template(conversation, tokenize=False, continue_final_message=True),
        lambda: made._continue(source, conversation, {}),
    ):
        try:
            outcomes.append(render())
        except (TypeError, jinja2.TemplateError, ValueError) as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]
