"""Calls as callers write them, from the examples that the document shows."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ruff import find_ruff_bin

from verbatim_kit.generate.sdk.call import Call

_LINE_LENGTH = 96  # a docstring's indentation is put before it


def render_examples(calls: list[Call]) -> dict[str, str]:
    """For each method and its twin of the asynchronous client (`async NAME`), the lines of a call.

    `client` is the client; what a call gives is printed.
    """
    sources: dict[str, str] = {}
    for call in calls:
        for prefix, wait in (("", ""), ("async ", "await ")):
            if call.operation.media_type is not None or call.operation.event is None:
                sources[prefix + call.name] = f"{_result(call)}{wait}client.{call.name}({_arguments(call)})"
            if call.stream_name is not None:
                sources[prefix + call.stream_name] = (
                    f"{prefix}with client.{call.stream_name}({_arguments(call)}) as events:\n"
                    f"    {prefix}for event in events:\n"
                    f"        print(event)"
                )
    return _format(sources)


def _result(call: Call) -> str:
    return "" if call.answer == "None" else "answer = "


def _arguments(call: Call) -> str:
    path = {parameter.name for parameter in call.positional}
    parameters = {parameter.name for parameter in call.parameters}
    positional = [repr(call.example[name]) for name in call.example if name in path]
    body = {name: value for name, value in call.example.items() if name not in parameters}
    if call.chooses_stream:
        body.pop("stream", None)
    given = {name: value for name, value in call.example.items() if name in parameters - path}
    if call.takes_fields:
        given |= body
    elif call.body is not None:
        given["body"] = body
    named = [f"{name}={_literal(call, name, value)}" for name, value in given.items()]
    return ", ".join([*positional, *named])


def _literal(call: Call, name: str, value: Any) -> str:
    """A value as it is written in Python; a file's example is its name."""
    return f'open({value!r}, "rb")' if name in call.files else repr(value)


def _format(sources: dict[str, str]) -> dict[str, str]:
    """Format them by ruff, all in one run."""
    with TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name.replace(' ', '-')}.py") for name in sources}
        for name, path in paths.items():
            is_async = name.startswith("async ")
            lines = sources[name].replace("\n", "\n    ")
            path.write_text(f"async def f():\n    {lines}\n" if is_async else f"{sources[name]}\n")
        command = [find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet"]
        subprocess.run([*command, "--line-length", str(_LINE_LENGTH), folder], check=True)
        return {name: _body(path.read_text(), name.startswith("async ")) for name, path in paths.items()}


def _body(text: str, is_async: bool) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(line[4:] for line in lines[1:]) if is_async else "\n".join(lines)
