"""The requests that a server received, and how it answered them.

With `VERBATIM_RECORD`, the name of a folder, each program's requests are written into it, texts cut short, in
the form of `handlers/commands/conform/profile/agents`.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MAX_TEXT: Final = 160
_MAX_REPEATED: Final = 400  # characters of a member that is written again where it repeats
_WHOLE: Final = frozenset(("arguments", "definition", "pattern"))  # fields that would be invalid if cut
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Received(NamedTuple):
    """A request and the status of its answer. body: None where it is no JSON."""

    method: str
    path: str
    status: int
    body: Any


class Recorder:
    """An application that notes what another one is asked."""

    def __init__(self, app: ASGIApp) -> None:
        self.received: list[Received] = []
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()

        async def noting_receive() -> Message:
            message = await receive()
            body.extend(message.get("body", b""))
            return message

        async def noting_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.received.append(_received(scope, message["status"], bytes(body)))
            await send(message)

        await self._app(scope, noting_receive, noting_send)


def record(
    file: str,
    program: str,
    received: Sequence[Received],
    *,
    contract: str = "openai",
    replaced: Mapping[str, str],
) -> None:
    """Write the requests that have a body, if `VERBATIM_RECORD` says where.

    replaced: texts, such as paths and the model's name, and what stands for them.
    """
    folder = os.environ.get("VERBATIM_RECORD")
    if folder is None:
        return
    shortener = _Shortener(replaced)
    exchanges = [
        {
            "what": _what(request.body),
            "path": request.path.removeprefix(f"/{contract}"),
            "status": request.status,
            "body": shortener.shortened(request.body),
        }
        for request in received
        if request.body is not None
    ]
    recorded = {"program": program, "contract": contract, "exchanges": without_repeats(exchanges)}
    Path(folder, file).write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")


def without_repeats(exchanges: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the exchanges, with a long member of a body that equals an earlier one's named in `same`."""
    first: dict[str, int] = {}
    shortened = []
    for number, exchange in enumerate(exchanges):
        texts = {name: json.dumps([name, value]) for name, value in exchange["body"].items()}
        same = {name: first[text] for name, text in texts.items() if text in first}
        first |= {text: number for text in texts.values() if text not in first and len(text) > _MAX_REPEATED}
        body = {name: value for name, value in exchange["body"].items() if name not in same}
        shortened.append({**exchange, **({"same": same} if same else {}), "body": body})
    return shortened


def _what(body: Mapping[str, Any]) -> str:
    messages = body.get("messages", body.get("input", ()))
    return f"{len(messages)} messages, {len(body.get('tools', ()))} tools"


class _Shortener:
    """Cuts texts, and replaces those that differ from run to run."""

    def __init__(self, replaced: Mapping[str, str]) -> None:
        self._replaced = replaced
        self._uuids: dict[str, str] = {}

    def shortened(self, value: Any, name: str = "") -> Any:
        """Return a JSON value of the same shape. name: of the field that holds it."""
        match value:
            case str():
                return self._text(value, is_whole=name in _WHOLE)
            case list():
                return [self.shortened(item) for item in value]
            case dict():
                return {key: self.shortened(item, key) for key, item in value.items()}
            case _:
                return value

    def _text(self, text: str, *, is_whole: bool) -> str:
        for old, new in self._replaced.items():
            text = text.replace(old, new)
        text = _UUID.sub(self._uuid, text)
        return text if is_whole or len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"

    def _uuid(self, found: re.Match[str]) -> str:
        return self._uuids.setdefault(found[0], f"00000000-0000-7000-8000-{len(self._uuids):012x}")


def _received(scope: Scope, status: int, body: bytes) -> Received:
    query = scope["query_string"].decode()
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    return Received(scope["method"], scope["path"] + (f"?{query}" if query else ""), status, content)
