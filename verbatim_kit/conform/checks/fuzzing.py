"""Fuzzing with schemathesis: valid and invalid requests generated from a contract's OpenAPI document."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from verbatim_kit.conform.checks.recording import Recorded, read_recording
from verbatim_kit.conform.document import Endpoint
from verbatim_kit.conform.rules import Rules
from verbatim_kit.judge.references import resolve

_METHOD_OR_CONTENT_TYPE: Final = (405, 415)  # refusals of a request whose body may be valid

# Hypothesis calls ast.parse, which is not thread-safe before CPython 3.11.9 (gh-106905).
_NUM_WORKERS: Final = "4" if sys.version_info >= (3, 11, 9) else "1"


class Fuzz(NamedTuple):
    """A fuzzing run against one server.

    document: the OpenAPI 3.2 form of the contract's document. endpoints: operations to fuzz. names:
    parameter values by name; may include the body's `model`, as a request for another model would be refused
    before its other fields are validated. num_examples: random requests for each operation, in addition to
    the systematic ones. timeout_s: of each request. time_limit_s: of the whole run; None for no limit.
    phases: phases of schemathesis to run; empty for all.
    """

    rules: Rules
    document: Mapping[str, Any]
    endpoints: Sequence[Endpoint]
    url: str
    names: Mapping[str, str]
    headers: Mapping[str, str] = {}
    num_examples: int = 5
    timeout_s: float = 120
    time_limit_s: float | None = None
    phases: Sequence[str] = ()

    def run(self) -> list[Recorded]:
        """Run schemathesis and return the exchanges; those so far if the time limit is reached.

        Raises RuntimeError if schemathesis fails.
        """
        with TemporaryDirectory() as name:
            folder = Path(name)
            recording = folder / "recording.ndjson"
            try:
                done = subprocess.run(
                    self._command(folder, recording),
                    capture_output=True,
                    text=True,
                    cwd=folder,
                    check=False,
                    timeout=None if self.time_limit_s is None else self.time_limit_s,
                )
            except subprocess.TimeoutExpired:
                return list(read_recording(recording, self.url))
            if done.returncode not in (0, 1):
                raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
            return list(read_recording(recording, self.url))

    def _command(self, folder: Path, recording: Path) -> list[str | Path]:
        document = with_parameters(self.document, self.names)
        if "model" in self.names and not self.rules.takes_any_model:
            document = with_model(document, self.names["model"])
        (folder / "document.json").write_text(json.dumps(document))
        (folder / "schemathesis.toml").write_text(self._configuration())
        chosen: list[str] = [
            part for endpoint in self.endpoints for part in ("--include-operation-id", endpoint.id)
        ]
        headers: list[str] = [
            part for name, value in self.headers.items() for part in ("--header", f"{name}: {value}")
        ]
        files: list[str | Path] = ["--config-file", folder / "schemathesis.toml"]
        files += ["run", folder / "document.json"]
        recorded: list[str | Path] = ["--report", "ndjson", "--report-ndjson-path", recording]
        texts = ["--url", self.url, *chosen, *headers, "--max-examples", str(self.num_examples)]
        texts += ["--workers", _NUM_WORKERS, "--request-timeout", str(self.timeout_s)]
        texts += ["--phases", ",".join(self.phases)] if self.phases else []
        return [Path(sys.executable).with_name("schemathesis"), *files, *texts, *recorded]

    def _statuses(self) -> tuple[list[int | str], list[int]]:
        """Return the statuses expected for valid and for invalid requests.

        A request that its schema allows may break a rule that no schema can express, such as prompt and
        output together exceeding the context. It is then refused like an invalid request.
        """
        refusals = sorted(
            {endpoint.validation_status for endpoint in self.endpoints if endpoint.validation_status}
        )
        allowed: list[int | str] = ["2xx", *refusals, *self.rules.overload_statuses]
        return allowed, [*_METHOD_OR_CONTENT_TYPE, *refusals, 404]

    def _configuration(self) -> str:
        """Return the text of schemathesis.toml."""
        allowed, forbidden = self._statuses()
        failures: list[int | str] = ["2xx", "3xx", "4xx", *self.rules.overload_statuses]
        return "\n".join(
            (
                "continue-on-failure = true",
                "max-stream-events = 1000",
                "[output.truncation]",
                "max-recorded-payload-size = 0",  # record complete bodies, which the judge needs
                "[output.sanitization]",
                "enabled = false",
                "[generation]",
                "deterministic = true",
                "[checks]",
                f"positive_data_acceptance.expected-statuses = {_strings(allowed)}",
                f"negative_data_rejection.expected-statuses = {_strings(forbidden)}",
                f"not_a_server_error.expected-statuses = {_strings(failures)}",
                *(
                    f'[[operations]]\ninclude-operation-id = "{endpoint.id}"\n'
                    f"checks.positive_data_acceptance.expected-statuses = {_strings([*allowed, 404])}"
                    for endpoint in self.endpoints
                    if endpoint.is_stateful
                ),
            )
        )


def _strings(values: Iterable[int | str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def with_model(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a copy of the document that allows only this model name in requests."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for item in pinned["paths"].values():
        for operation in (part for part in item.values() if isinstance(part, dict)):
            for schema in _request_schemas(pinned, operation):
                takes_null = "null" in schema.get("type", ())
                schema["enum"] = [name, None] if takes_null else [name]
                schema["type"] = ["string", "null"] if takes_null else "string"
    return pinned


def with_parameters(document: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """Return a copy of the document in which each of these parameters allows only its given value."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for parameter in pinned.get("components", {}).get("parameters", {}).values():
        if parameter["name"] in values:
            parameter["schema"] = {"type": "string", "enum": [values[parameter["name"]]]}
    return pinned


def _request_schemas(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the schemas of an operation's `model` parameter and body member."""
    parameters = [resolve(document, parameter) for parameter in operation.get("parameters", ())]
    found = [parameter["schema"] for parameter in parameters if parameter["name"] == "model"]
    body = resolve(document, operation.get("requestBody", {}))
    for media in body.get("content", {}).values():
        found += [resolve(document, media["schema"]).get("properties", {}).get("model")]
    return [schema for schema in found if schema is not None]
