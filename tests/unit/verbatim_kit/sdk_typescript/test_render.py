"""The TypeScript package but for its types; `make test-sdk-ts` compiles and runs them."""

import json

import pytest

from tests.unit.verbatim_kit.generate.small_documents import INVALID, document, operation
from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.sdk.package import Clients
from verbatim_kit.sdk_typescript.render import Contract, camel_case, render_package, type_in_typescript


@pytest.mark.parametrize(
    ("python", "typescript"),
    [
        ("m.Answer", "t.Answer"),
        ("list[m.Answer]", "Array<t.Answer>"),
        ("m.One | m.Other", "t.One | t.Other"),
        ("str", "string"),
        ("int | float", "number | number"),
        ("Literal['int', 'b']", "'int' | 'b'"),
        ("list[Literal['a', 'b']]", "Array<'a' | 'b'>"),
        ("None", "void"),
    ],
)
def test_a_type_is_said_in_typescript(python: str, typescript: str) -> None:
    assert type_in_typescript(python) == typescript


def test_names_are_those_of_typescript() -> None:
    assert camel_case("ask") == "ask"
    assert camel_case("stream_chat_completions") == "streamChatCompletions"


def render(source: Document) -> dict[str, str]:
    return render_package([Contract("ask", source)], Clients("asker", "4.5.6"), {"ky": "1.2.3"})


def test_the_package_has_the_versions_of_the_project_the_document_and_the_libraries() -> None:
    files = render(document())
    manifest = json.loads(files["package.json"])
    assert (manifest["name"], manifest["version"]) == ("asker-client", "4.5.6")
    assert manifest["dependencies"] == {"ky": "1.2.3"}
    assert "asker-client-ts/4.5.6 ask/1" in files["src/ask/client.ts"]


def test_each_contract_has_an_entry_point_and_a_page() -> None:
    contracts = [Contract(name, document()) for name in ("ask", "tell_all")]
    files = render_package(contracts, Clients("asker", "1"), {})
    entries = json.loads(files["package.json"])["exports"]
    assert list(entries) == [".", "./ask", "./tell_all"]
    assert entries["./tell_all"]["default"] == "./dist/tell_all/client.js"
    assert "`asker-client/tell_all` | [each operation](tell_all.md)" in files["README.md"]
    assert 'from "asker-client/tell_all"' in files["tell_all.md"]


def test_a_choice_of_answers_is_two_methods() -> None:
    schema = {"$ref": "#/components/schemas/Event"}
    events: Document = {"text/event-stream": {"schema": schema, "x-sse-terminator": "bye"}}
    plain: Document = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
    answers = {"200": {"description": "Done", "content": plain | events}, "422": INVALID}
    source = document(operation(responses=answers), stream={"type": "boolean"})
    choice = [{"$ref": f"#/components/schemas/{name}"} for name in ("Answer", "Fault")]
    source["components"]["schemas"]["Event"] = {"anyOf": choice}
    source["components"]["schemas"]["Fault"]["required"] = ["reason"]
    client = render(source)["src/ask/client.ts"]
    given = '(body: Omit<t.Question, "stream">, options?: CallOptions)'
    assert f"ask{given}: APIPromise<t.Answer>" in client
    assert f"streamAsk{given}: AsyncGenerator<t.Answer, void, undefined>" in client
    assert 'terminator: "bye"' in client
    assert '(event) => "reason" in event' in client


def test_a_stream_of_lines_has_its_media_type_and_is_asked_for_or_not() -> None:
    schema = {"$ref": "#/components/schemas/Answer"}
    content = {name: {"schema": schema} for name in ("application/json", "application/jsonl; charset=utf-8")}
    answers = {"200": {"description": "Done", "content": content}, "422": INVALID}
    source = document(operation(responses=answers), stream={"type": "boolean", "default": True})
    client = render(source)["src/ask/client.ts"]
    assert 'lines: "application/jsonl"' in client
    assert "return this.call(ASK, { body: { ...body, stream: false } }" in client
    assert "return this.stream(ASK, { body: { ...body, stream: true } }" in client
