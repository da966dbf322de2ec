"""Calls as callers write them, from the examples that the document shows; ruff lays them out later."""

from typing import Any

from verbatim_kit.generate.sdk.call import Call


def render_example(call: Call, *, streams: bool, is_async: bool = False) -> str:
    """A call of `client` whose answer is named, or whose events are printed."""
    prefix, wait = ("async ", "await ") if is_async else ("", "")
    if streams:
        return (
            f"{prefix}with client.{call.stream_name}({_arguments(call)}) as events:\n"
            f"    {prefix}for event in events:\n"
            f"        print(event)"
        )
    result = "" if call.answer == "None" else "answer = "
    return f"{result}{wait}client.{call.name}({_arguments(call)})"


def _arguments(call: Call) -> str:
    arguments = [repr(parameter.example) for parameter in call.positional]
    body = call.shown_body if call.takes_fields or call.body is None else {"body": call.shown_body}
    named = {it.name: it.example for it in call.keywords if it.is_required} | body
    arguments += [f"{name}={_literal(call, name, value)}" for name, value in named.items()]
    return ", ".join(arguments)


def _literal(call: Call, name: str, value: Any) -> str:
    """A value as it is written in Python; a file's example is its name."""
    return f'open({value!r}, "rb")' if name in call.files else repr(value)
