"""The NDJSON recording of schemathesis: exchanges, and the faults that it found in them."""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from verbatim_kit.conform.client import Answer


class Recorded(NamedTuple):
    """A recorded exchange.

    operation: method and path template. path: relative to the base URL; may have a query. body: None without
    one. answer: None if none was received. faults: titles and messages of the failed checks.
    """

    operation: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    answer: Answer | None
    faults: tuple[tuple[str, str], ...]


def read_recording(file: Path, url: str) -> Iterator[Recorded]:
    """Yield the exchanges in a recording, which may end early because the run was stopped.

    url: base URL of the server, which is removed from the paths.
    """
    if not file.exists():
        return
    for line in file.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:  # the incomplete last line of a stopped run
            return
        recorder = event.get("ScenarioFinished", {}).get("recorder", {})
        checks = recorder.get("checks", {})
        for identity, interaction in recorder.get("interactions", {}).items():
            yield _recorded(interaction, checks.get(identity, []), url, recorder.get("label", ""))


def _recorded(
    interaction: Mapping[str, Any], checks: list[Mapping[str, Any]], url: str, label: str
) -> Recorded:
    request, response = interaction["request"], interaction.get("response")
    failures = [check["failure_info"]["failure"] for check in checks if check.get("failure_info")]
    return Recorded(
        label,
        request["method"],
        request["uri"].removeprefix(url),
        {name: _first(value) for name, value in request.get("headers", {}).items()},
        _bytes(request.get("body")),
        None if response is None else _answer(response),
        tuple((failure.get("title", "fault"), failure.get("message", "")) for failure in failures),
    )


def _answer(response: Mapping[str, Any]) -> Answer:
    headers = tuple(
        (name.lower(), value)
        for name, values in response.get("headers", {}).items()
        for value in _all(values)
    )
    return Answer(
        response["status_code"], headers, _bytes(response.get("content")) or b"", response.get("elapsed", 0.0)
    )


def _bytes(value: Any) -> bytes | None:
    encoded = value.get("$base64") if isinstance(value, Mapping) else None
    return None if encoded is None else base64.b64decode(encoded)


def _all(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _first(value: Any) -> str:
    return _all(value)[0]
