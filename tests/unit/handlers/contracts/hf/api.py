"""The contract's API over a scripted engine, without a network."""

from typing import Any

from tests.support.scripted.engine import Script, ScriptedEngine
from tests.unit.handlers.contracts.tgi import api

MODEL = "tgi"


class Api(api.Api):
    """One server over one engine, this contract at its root. TGI's errors and streams are shaped alike."""

    def __init__(self, script: Script | ScriptedEngine, **settings: Any) -> None:
        super().__init__(script, **{"root": ("hf",), **settings})


def generate_body(inputs: str = "Hi", /, **parameters: Any) -> dict[str, Any]:
    """The body of a request of `/generate`."""
    return {"inputs": inputs, "parameters": parameters}


def chat(text: str = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a chat request."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **fields}


def completion(prompt: str | list[str] = "Hi", /, **fields: Any) -> dict[str, Any]:
    """The body of a completions request."""
    return {"model": MODEL, "prompt": prompt, **fields}
