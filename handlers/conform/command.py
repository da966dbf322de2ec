"""A run, from its options to its reports."""

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

import schemathesis  # noqa: F401 - it runs in a process of its own; without it, nothing is begun

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

# Where a contract's own operations tell the names of models.
_LISTS: Final[tuple[tuple[Request, Place], ...]] = (
    (Request("GET", "/v1/models"), ("data", 0, "id")),
    (Request("GET", "/models_available"), (0, "name")),
    (Request("POST", "/v2/repository/index", {}), (0, "name")),
)


def conform(given: argparse.Namespace) -> bool:
    """Run all checks, print what they found, and return whether there are faults.

    Raises Unusable, also if the server does not answer at the start.
    """
    plan = _plan(given)
    url, user = _without_user(_url(given.base_url, plan.paths))
    headers = {**user, **_headers(given)}
    began, began_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with closing(Client(url, headers, given.timeout)) as client:
        _check_answers(client)
        model = given.model or _model(client, plan.document)
        deadline_s = None if given.time_limit is None else began_s + given.time_limit
        limits = RunLimits(given.max_examples, given.timeout, deadline_s, given.check or CHECKS)
        _tell(f"{client.url}: {plan.name}, model {model}")
        results = tuple(plan.results(client, model, limits, _tell))
    seconds = time.monotonic() - began_s
    hidden = {name: f"${_variable(name)}" for name in headers}
    run = Run(plan.kind, plan.name, plan.checks, client.url, began, seconds, results, hidden, plan.document)
    print(render_summary(run))
    if given.report is not None:
        _write(run, given.report)
    return bool(run.findings)


def _plan(given: argparse.Namespace) -> Plan:
    if given.contract:
        return contract_plan(given.contract, given.only, given.skip)
    if given.check:
        raise Unusable("--check is for --contract; choose programs of a profile with --only and --skip")
    return profile_plan(given.profile, given.only, given.skip)


def _headers(given: argparse.Namespace) -> dict[str, str]:
    headers = {} if given.api_key is None else {"authorization": f"Bearer {given.api_key}"}
    if given.api_key is not None and given.profile:
        headers["x-api-key"] = given.api_key
    for text in given.header:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise Unusable("--header: a header must have the form NAME:VALUE")
        headers[name.strip()] = value.strip()
    return headers


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def _url(given: str, paths: Sequence[str]) -> str:
    """Clients of OpenAI's are told an URL that ends with /v1, which the document's paths begin with."""
    url = given.rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise Unusable("--base-url: must begin with http:// or https://")
    is_twice = url.endswith("/v1") and all(path.startswith("/v1/") for path in paths)
    return url.removesuffix("/v1") if is_twice else url


def _without_user(url: str) -> tuple[str, dict[str, str]]:
    """Return a URL without its user and password, which reports would show, and the header for them."""
    user, at, server = urlsplit(url).netloc.rpartition("@")
    if not at:
        return url, {}
    name, _, password = user.partition(":")
    credentials = b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode()
    return url.replace(f"{user}@{server}", server, 1), {"authorization": f"Basic {credentials}"}


def _check_answers(client: Client) -> None:
    """Raise Unusable unless the server answers, whatever it says: else each request would be a fault."""
    try:
        client.send(Request("GET", "/"))
    except NoAnswer as error:
        raise Unusable(f"{client.url} does not answer: {error}") from error


def _model(client: Client, document: Mapping[str, Any]) -> str:
    """Return the first model that the server lists. Raises Unusable."""
    lists = [one for one in _LISTS if one[0].path in document.get("paths", {})]
    for request, place in lists or [_LISTS[0]]:
        try:
            answer = client.send(request)
        except NoAnswer as error:
            raise Unusable(f"{client.url} did not list its models: {error}") from error
        found = at(answer.json, place)
        if isinstance(found, str):
            return found
    raise Unusable(f"{client.url} does not list a model; name one with --model")


def _write(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _reports(run):
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    print(f"report: {folder / 'report.html'}")


def _reports(run: Run) -> Iterator[tuple[str, str]]:
    yield "report.html", render_html(run)
    yield "report.json", render_json(run)
    yield "junit.xml", render_junit(run)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
