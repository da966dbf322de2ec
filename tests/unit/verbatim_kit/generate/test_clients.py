"""Generates clients from small documents, and refuses documents that cannot have one."""

from typing import Any

import pytest

from tests.unit.verbatim_kit.generate.small_documents import INVALID, OK, document, operation
from verbatim_kit.generate.documents.document import Document, SpecError
from verbatim_kit.generate.sdk.call import Call
from verbatim_kit.generate.sdk.errors import error_classes
from verbatim_kit.generate.sdk.reader import read_calls
from verbatim_kit.generate.sdk.types import render_answers, render_requests

JSON: Document = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
EVENTS: Document = {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Event"}}}
BOTH = {"200": {**OK, "content": {**JSON, **EVENTS}}, "422": INVALID}


def ask(*, event: Document | None = None, **changes: Any) -> Document:
    """A document whose operation answers with JSON or, as `stream` in the body says, with events."""
    source = document(operation(responses=BOTH, **changes), stream={"type": "boolean"})
    source["components"]["schemas"]["Event"] = event or {"$ref": "#/components/schemas/Answer"}
    return source


def test_the_query_may_choose_whether_the_answer_is_a_stream() -> None:
    chosen = {"name": "stream", "in": "query", "schema": {"type": "boolean"}}
    source = document(operation(responses=BOTH, parameters=[chosen, QUERY]))
    del source["paths"]["/ask"]["post"]["requestBody"]
    source["components"]["schemas"]["Event"] = {"$ref": "#/components/schemas/Answer"}
    call = call_of(source)
    assert call.stream_name == f"stream_{call.name}"
    assert [parameter.name for parameter in call.keywords] == ["text"]
    by_name = {parameter.name: parameter for parameter in call.parameters}
    assert call.sent(by_name["stream"], streams=True) == "True"
    assert call.sent(by_name["stream"], streams=False) == "None"
    assert call.sent(by_name["text"], streams=True) == "text"


def call_of(source: Document) -> Call:
    (call,) = read_calls(source)
    return call


def test_a_choice_of_answers_is_two_methods_and_no_member() -> None:
    call = call_of(ask())
    assert (call.name, call.stream_name) == ("ask", "stream_ask")
    assert "stream" not in render_requests(ask(), [call])


def test_a_member_that_chooses_for_one_operation_stays_for_another() -> None:
    source = ask()
    source["paths"]["/count"] = {"post": operation(operationId="count")}
    calls = read_calls(source)
    assert [call.form for call in calls] == ["QuestionWithoutStream", "Question"]
    text = render_requests(source, calls)
    assert text.index("class Question(") < text.index("stream: NotRequired[bool]")


def test_a_body_with_a_member_that_python_cannot_name_chooses_too() -> None:
    source = ask()
    source["components"]["schemas"]["Question"]["properties"]["from"] = {"type": "string"}
    call = call_of(source)
    assert (call.takes_fields, call.stream_name) == (False, "stream_ask")
    text = render_requests(source, [call])
    assert "'from': NotRequired[str]" in text
    assert "stream" not in text


@pytest.mark.parametrize(
    "failed",
    [
        {"$ref": "#/components/schemas/Fault"},
        {"$ref": "#/components/schemas/Broken"},
    ],
)
def test_events_that_tell_of_an_error_are_no_events_to_callers(failed: Document) -> None:
    source = ask(event={"anyOf": [{"$ref": "#/components/schemas/Answer"}, failed]})
    broken = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    source["components"]["schemas"]["Broken"] = broken
    call = call_of(source)
    assert (call.event, call.error_events) == ("m.Answer", (f"m.{failed['$ref'].split('/')[-1]}",))


def test_answers_take_members_that_the_document_does_not_have() -> None:
    source = document()
    source["components"]["schemas"]["Answer"]["additionalProperties"] = False
    assert "forbid" not in render_answers(source, read_calls(source))


def test_a_members_words_take_one_line_and_nothing_reads_them_at_import() -> None:
    source = document(size={"type": "integer", "description": "How large"})
    source["components"]["schemas"]["Answer"]["properties"]["text"]["description"] = "What was said."
    assert '    """How large"""\n' in render_requests(source, read_calls(source))
    answers = render_answers(source, read_calls(source))
    assert '    """What was said."""\n' in answers
    assert "use_attribute_docstrings" not in answers


def test_defaults_and_bounds_are_told_in_words() -> None:
    source = document(size={"type": "integer", "minimum": 1, "maximum": 9, "default": 3})
    assert "At least 1, at most 9. Default: `3`." in render_requests(source, read_calls(source))


def test_a_status_has_its_class() -> None:
    answers = {"200": OK, **dict.fromkeys(("422", "402", "499"), INVALID)}
    classes = error_classes(read_calls(document(operation(responses=answers))))
    assert [(it.status, it.name, it.base) for it in classes] == [
        (402, "PaymentRequiredError", "APIStatusError"),
        (422, "UnprocessableEntityError", "UnprocessableEntityError"),
        (499, "Status499Error", "APIStatusError"),
    ]


QUERY = {"name": "text", "in": "query", "schema": {"type": "string"}}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (document(operation(operationId="close")), "a client's method cannot be called 'close'"),
        (document(operation(parameters=[QUERY]), text={"type": "string"}), r"called alike: \['text'\]"),
        (document(operation(responses=BOTH)), "`stream` of its body, or of its query, must choose"),
    ],
)
def test_what_callers_could_not_say_is_refused(source: Document, message: str) -> None:
    source["components"]["schemas"].setdefault("Event", {"$ref": "#/components/schemas/Answer"})
    with pytest.raises(SpecError, match=message):
        read_calls(source)
