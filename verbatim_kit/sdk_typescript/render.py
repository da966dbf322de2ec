"""The package but for its types: manifest, README, and each contract's client with its page of calls."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import jinja2

from verbatim_kit.generate.documents.document import Document
from verbatim_kit.generate.sdk.call import Call
from verbatim_kit.generate.sdk.package import Clients, contract_path
from verbatim_kit.generate.sdk.reader import read_calls
from verbatim_kit.generate.template import template_environment

_TYPES = {
    "str": "string",
    "int": "number",
    "float": "number",
    "bool": "boolean",
    "bytes": "Blob",
    "None": "void",
}


class Contract(NamedTuple):
    """A contract by the name of its folder, with its effective document."""

    name: str
    document: Document

    @property
    def info(self) -> Document:
        info: Document = self.document["info"]
        return info


def render_package(contracts: list[Contract], names: Clients, libraries: Mapping[str, str]) -> dict[str, str]:
    """Return texts by their places in the package. libraries: those that it imports, with their versions."""
    files = {
        name: _render(f"{name}.jinja", contracts=contracts, names=names, libraries=libraries)
        for name in ("package.json", "README.md")
    }
    for contract in contracts:
        files |= _render_contract(contract, names)
    return files


def camel_case(name: str) -> str:
    """`chat_completions` as `chatCompletions`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def type_in_typescript(expression: str) -> str:
    """A type expression over the generated models as one over hey-api's types, `t.<Component>`."""
    text = re.sub(r"\blist\[(.*)\]", r"Array<\1>", re.sub(r"\bm\.", "t.", expression))
    text = re.sub(r"\bLiteral\[(.*?)\]", lambda match: match[1].replace(", ", " | "), text)
    return re.sub(
        r"(?<![.\w'])(str|int|float|bool|bytes|None)(?![\w'])", lambda match: _TYPES[match[1]], text
    )


def _render_contract(contract: Contract, names: Clients) -> dict[str, str]:
    name, document = contract
    calls = read_calls(document)
    errors = sorted({error.model for call in calls for error in call.errors if error.model is not None})
    values = {
        "info": contract.info,
        "name": name,
        "calls": calls,
        "path": contract_path(document),
        "names": names,
        "agent": f"{names.name}-ts/{names.version} {name}/{contract.info['version']}",
        "error_types": type_in_typescript(" | ".join(errors)) if errors else "never",
        "failures": {call.name: _failure(document, call) for call in calls},
    }
    return {
        f"src/{name}/client.ts": _render("client.ts.jinja", **values),
        f"{name}.md": _render("contract.md.jinja", **values),
    }


def _render(template: str, **values: object) -> str:
    text = _ENVIRONMENT.get_template(template).render(**values)
    return re.sub(r"\n{3,}", "\n\n", text).lstrip()


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
    arguments = [json.dumps(parameter.example) for parameter in call.positional]
    if call.body is not None:
        body = {call.wire_names.get(name, name): value for name, value in call.shown_body.items()}
        text = json.dumps(body, indent=2, ensure_ascii=False)
        for name in call.files:  # a file's example is its name
            text = text.replace(f'"{name}": "{body[name]}"', f'"{name}": await openAsBlob("{body[name]}")')
        arguments.append(text)
    return ", ".join(arguments)


def _environment() -> jinja2.Environment:
    environment = template_environment(Path(__file__).parent / "templates")
    environment.filters |= {
        "camel": camel_case,
        "ts": type_in_typescript,
        "json": lambda value: json.dumps(value, ensure_ascii=False),
        "comment": lambda text: " ".join(text.split()).replace("*/", "* /"),
        "example": _example,
    }
    return environment


_ENVIRONMENT = _environment()
