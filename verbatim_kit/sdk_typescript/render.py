"""A contract's package but for its types: client, manifest and README."""

import json
import re
from pathlib import Path
from typing import Any

import jinja2

from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.sdk.call import Call
from verbatim_kit.generate.sdk.package import Clients, contract_path
from verbatim_kit.generate.sdk.reader import read_calls

_TYPES = {"str": "string", "int": "number", "float": "number", "bool": "boolean", "None": "void"}
_FILES = {
    "src/client.ts": "client.ts.jinja",
    "src/index.ts": "index.ts.jinja",
    "package.json": "package.json.jinja",
    "tsconfig.json": "tsconfig.json.jinja",
    "README.md": "README.md.jinja",
}


def render_package(document: Document, contract: str, names: Clients, parser: str) -> dict[str, str]:
    """Return file names and texts. names: of the clients. parser: the version of eventsource-parser."""
    calls = read_calls(document)
    info = document["info"]
    errors = sorted({error.model for call in calls for error in call.errors if error.model is not None})
    values = {
        "info": info,
        "contract": contract,
        "calls": calls,
        "path": contract_path(document),
        "names": names,
        "agent": f"{names.name}-ts/{names.version} {contract}/{info['version']}",
        "error_types": type_in_typescript(" | ".join(errors)) if errors else "never",
        "parser": parser,
    }
    environment = _environment(document)
    return {
        name: re.sub(r"\n{3,}", "\n\n", environment.get_template(template).render(**values)).lstrip()
        for name, template in _FILES.items()
    }


def camel_case(name: str) -> str:
    """`chat_completions` as `chatCompletions`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def type_in_typescript(expression: str) -> str:
    """A type expression over the generated models as one over hey-api's types, `t.<Component>`."""
    text = re.sub(r"\blist\[(.*)\]", r"Array<\1>", re.sub(r"\bm\.", "t.", expression))
    text = re.sub(r"\bLiteral\[(.*?)\]", lambda match: match[1].replace(", ", " | "), text)
    return re.sub(r"(?<![.\w'])(str|int|float|bool|None)(?![\w'])", lambda match: _TYPES[match[1]], text)


def _environment(document: Document) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "camel": camel_case,
        "ts": type_in_typescript,
        "json": lambda value: json.dumps(value, ensure_ascii=False),
        "comment": lambda text: " ".join(text.split()).replace("*/", "* /"),
        "example": _example,
        "failure": lambda call: _failure(document, call),
    }
    return environment


def _failure(document: Document, call: Call) -> str:
    """A test for an event that tells of an error: it has a member that such events must have."""
    schemas = document["components"]["schemas"]
    tests = []
    for name in call.error_events:
        required = schemas[name[2:]].get("required", [])
        member = "error" if "error" in required else required[0]
        tests.append(f"{json.dumps(member)} in event")
    return f"(event) => {' || '.join(sorted(set(tests)))}" if tests else "() => false"


def _example(call: Call) -> str:
    parameters = {parameter.name for parameter in call.parameters}
    positional = [json.dumps(call.example[parameter.name]) for parameter in call.positional]
    body: dict[str, Any] = {
        call.wire_names.get(name, name): value
        for name, value in call.example.items()
        if name not in parameters
    }
    if call.chooses_stream:
        body.pop("stream", None)
    if call.body is not None:
        text = json.dumps(body, indent=2, ensure_ascii=False)
        for name in call.files:  # a file's example is its name
            text = text.replace(f'"{name}": "{body[name]}"', f'"{name}": await openAsBlob("{body[name]}")')
        positional.append(text)
    return ", ".join(positional)
