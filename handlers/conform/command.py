"""A conformance run: from command-line options, through the checks, to the reports."""

import argparse
import sys
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import schemathesis  # noqa: F401 - runs as a subprocess; imported to fail early if it is not installed

from handlers.conform.checks.checks import RunLimits
from handlers.conform.checks.names import CHECKS
from handlers.conform.client import Client, NoAnswer
from handlers.conform.place import Place, at
from handlers.conform.plan import Plan, Unusable, contract_plan, profile_plan
from handlers.conform.report.html import render_html
from handlers.conform.report.machine import render_json, render_junit
from handlers.conform.report.run import Run
from handlers.conform.report.summary import render_summary
from handlers.conform.request import Request

# Requests that list the models, and the place of the first model's name in the answer.
_MODEL_LISTS: Final[tuple[tuple[Request, Place], ...]] = (
    (Request("GET", "/v1/models"), ("data", 0, "id")),
    (Request("GET", "/models_available"), (0, "name")),
    (Request("POST", "/v2/repository/index", {}), (0, "name")),
)


def conform(options: argparse.Namespace) -> bool:
    """Run all checks, print a summary, and return True if there are faults.

    options: the parsed command line. Raises Unusable if an option is invalid or the server does not answer.
    """
    plan = _plan(options)
    url, user = _without_user(_base_url(options.base_url, plan.paths))
    headers = {**user, **_headers(options)}
    began, began_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with closing(Client(url, headers, options.timeout)) as client:
        _check_answers(client)
        model = options.model or _model(client, plan.document)
        deadline_s = None if options.time_limit is None else began_s + options.time_limit
        limits = RunLimits(options.max_examples, options.timeout, deadline_s, options.check or CHECKS)
        _log(f"{client.url}: {plan.name}, model {model}")
        results = tuple(plan.results(client, model, limits, _log))
    seconds = time.monotonic() - began_s
    hidden = {name: f"${_variable(name)}" for name in headers}
    run = Run(plan.kind, plan.name, plan.checks, client.url, began, seconds, results, hidden, plan.document)
    print(render_summary(run))
    if options.report is not None:
        _write(run, options.report)
    return bool(run.findings)


def _plan(options: argparse.Namespace) -> Plan:
    if options.contract:
        return contract_plan(options.contract, options.only, options.skip)
    if options.check:
        raise Unusable("--check is for --contract; choose programs of a profile with --only and --skip")
    return profile_plan(options.profile, options.only, options.skip)


def _headers(options: argparse.Namespace) -> dict[str, str]:
    headers = {} if options.api_key is None else {"authorization": f"Bearer {options.api_key}"}
    if options.api_key is not None and options.profile:
        headers["x-api-key"] = options.api_key
    for text in options.header:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise Unusable("--header must have the form NAME:VALUE")
        headers[name.strip()] = value.strip()
    return headers


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def _base_url(text: str, paths: Sequence[str]) -> str:
    """Return the URL that the document's paths are appended to.

    A trailing `/v1`, as in the base URL of OpenAI's clients, is removed if all paths begin with it.
    Raises Unusable.
    """
    url = text.rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise Unusable("--base-url must begin with http:// or https://")
    has_prefix = url.endswith("/v1") and all(path.startswith("/v1/") for path in paths)
    return url.removesuffix("/v1") if has_prefix else url


def _without_user(url: str) -> tuple[str, dict[str, str]]:
    """Return a URL without its user and password, and an `authorization` header with them.

    The URL appears in reports, which should not contain the password.
    """
    user, at, server = urlsplit(url).netloc.rpartition("@")
    if not at:
        return url, {}
    name, _, password = user.partition(":")
    credentials = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return url.replace(f"{user}@{server}", server, 1), {"authorization": f"Basic {credentials}"}


def _check_answers(client: Client) -> None:
    """Raise Unusable unless the server answers a request, with any status.

    Otherwise every request of the run would be reported as a fault.
    """
    try:
        client.send(Request("GET", "/"))
    except NoAnswer as error:
        raise Unusable(f"{client.url} does not answer: {error}") from error


def _model(client: Client, document: Mapping[str, Any]) -> str:
    """Return the first model that the server lists. Raises Unusable."""
    declared = [entry for entry in _MODEL_LISTS if entry[0].path in document.get("paths", {})]
    for request, place in declared or [_MODEL_LISTS[0]]:
        try:
            answer = client.send(request)
        except NoAnswer as error:
            raise Unusable(f"{client.url} did not list its models: {error}") from error
        name = at(answer.json, place)
        if isinstance(name, str):
            return name
    raise Unusable(f"{client.url} does not list any model; set one with --model")


def _write(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _reports(run):
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    print(f"report: {folder / 'report.html'}")


def _reports(run: Run) -> Iterator[tuple[str, str]]:
    yield "report.html", render_html(run)
    yield "report.json", render_json(run)
    yield "junit.xml", render_junit(run)


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
