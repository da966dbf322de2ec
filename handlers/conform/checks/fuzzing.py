"""Generated requests, valid and not: schemathesis, in a process of its own, by the contract's document."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from handlers.checking.references import resolve
from handlers.conform.checks.recording import Recorded, read_recording
from handlers.conform.document import Endpoint

_METHOD_OR_CONTENT_TYPE: Final = (405, 415)  # what is wrong with a request that may be no worse otherwise

# Hypothesis calls ast.parse, which threads could not call at the same time before CPython 3.11.9 (gh-106905).
_NUM_WORKERS: Final = "4" if sys.version_info >= (3, 11, 9) else "1"

# What a server without room says, by contract: a few bodies with many prompts and a large `n` ask for all the
# sequences that it runs at once.
_NO_ROOM: Final[Mapping[str, tuple[int, ...]]] = {
    "aleph_alpha": (429,),
    "anthropic": (529,),
    "mindie": (503,),
    "openai": (429,),
    "tokens": (429,),
    "triton": (503,),
}

_TAKE_ANY_MODEL: Final = ("hf", "tgi")  # whatever a request calls the model, it is answered


class Fuzz(NamedTuple):
    """A plan for fuzzing a server.

    document: the contract's twin for fuzzing. endpoints: those that are fuzzed. names: values of parameters
    by name, and of a body's `model`; a request for another model is answered before it is looked at.
    num_examples: random requests for each operation, beside the systematic ones. time_limit_s: of it all.
    phases: those of schemathesis that are run; empty for all.
    """

    contract: str
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
        """Return what was sent and answered. Raises RuntimeError if schemathesis did not run to its end."""
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
        if self.contract not in _TAKE_ANY_MODEL:
            document = with_model(document, self.names["model"])
        (folder / "document.json").write_text(json.dumps(document))
        (folder / "schemathesis.toml").write_text(self._configuration())
        chosen: list[str] = [part for one in self.endpoints for part in ("--include-operation-id", one.id)]
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
        """Statuses for what the document allows, and for what it forbids.

        A body that its schema allows can still break a rule that no schema states, such as prompt and output
        together exceeding the context; then the answer is the same as for one that the schema forbids.
        """
        refusals = sorted({one.validation_status for one in self.endpoints if one.validation_status})
        allowed: list[int | str] = ["2xx", *refusals, *_NO_ROOM.get(self.contract, ())]
        return allowed, [*_METHOD_OR_CONTENT_TYPE, *refusals, 404]

    def _configuration(self) -> str:
        """The text of schemathesis.toml. A stream has as many events as tokens, and some more."""
        allowed, forbidden = self._statuses()
        failures: list[int | str] = ["2xx", "3xx", "4xx", *_NO_ROOM.get(self.contract, ())]
        return "\n".join(
            (
                "continue-on-failure = true",
                "max-stream-events = 1000",
                "[output.truncation]",
                "max-recorded-payload-size = 0",  # all of a body: the judge reads it
                "[output.sanitization]",
                "enabled = false",
                "[generation]",
                "deterministic = true",
                "[checks]",
                f"positive_data_acceptance.expected-statuses = {_strings(allowed)}",
                f"negative_data_rejection.expected-statuses = {_strings(forbidden)}",
                f"not_a_server_error.expected-statuses = {_strings(failures)}",
                *(
                    f'[[operations]]\ninclude-operation-id = "{one.id}"\n'
                    f"checks.positive_data_acceptance.expected-statuses = {_strings([*allowed, 404])}"
                    for one in self.endpoints
                    if one.is_stateful
                ),
            )
        )


def _strings(values: Iterable[int | str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def with_model(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The document of a server that has one model: requests that name another are not what it allows."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for item in pinned["paths"].values():
        for operation in (part for part in item.values() if isinstance(part, dict)):
            for schema in _request_schemas(pinned, operation):
                takes_null = "null" in schema.get("type", ())
                schema["enum"] = [name, None] if takes_null else [name]
                schema["type"] = ["string", "null"] if takes_null else "string"
    return pinned


def with_parameters(document: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The document of a server that has one value for these parameters."""
    pinned: dict[str, Any] = deepcopy(dict(document))
    for parameter in pinned.get("components", {}).get("parameters", {}).values():
        if parameter["name"] in values:
            parameter["schema"] = {"type": "string", "enum": [values[parameter["name"]]]}
    return pinned


def _request_schemas(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of an operation's `model`, in its path or in its body."""
    parameters = [resolve(document, parameter) for parameter in operation.get("parameters", ())]
    found = [parameter["schema"] for parameter in parameters if parameter["name"] == "model"]
    body = resolve(document, operation.get("requestBody", {}))
    for media in body.get("content", {}).values():
        found += [resolve(document, media["schema"]).get("properties", {}).get("model")]
    return [schema for schema in found if schema is not None]
