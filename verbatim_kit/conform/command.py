"""A conformance run: from command-line options, through the checks, to the reports."""

import argparse
import sys
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

import schemathesis  # noqa: F401 - runs as a subprocess; imported to fail early if it is not installed

from verbatim_kit.conform.checks.checks import RunLimits
from verbatim_kit.conform.checks.names import CHECKS
from verbatim_kit.conform.client import Client, NoAnswer
from verbatim_kit.conform.plan import Plan, Unusable
from verbatim_kit.conform.report.html import render_html
from verbatim_kit.conform.report.machine import render_json, render_junit
from verbatim_kit.conform.report.run import Run
from verbatim_kit.conform.report.summary import render_summary
from verbatim_kit.conform.request import Request

Names: TypeAlias = Callable[[Client], Mapping[str, str]]
"""The values of parameters by name for a server, which may be asked for them; may raise Unusable."""


def conform(plan: Plan, options: argparse.Namespace, names: Names) -> bool:
    """Run all checks, print a summary, and return True if there are faults.

    options: those of `add_options`. Raises Unusable if an option is invalid or the server does not answer.
    """
    url, user = _without_user(_base_url(options.base_url, plan.paths))
    headers = {**user, **_headers(plan, options)}
    began, began_s = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    with closing(Client(url, headers, options.timeout)) as client:
        _check_answers(client)
        values = names(client)
        deadline_s = None if options.time_limit is None else began_s + options.time_limit
        limits = RunLimits(options.max_examples, options.timeout, deadline_s, options.check or CHECKS)
        _log(f"{client.url}: {plan.name}")
        results = tuple(plan.results(client, values, limits, _log))
    seconds = time.monotonic() - began_s
    hidden = {name: f"${_variable(name)}" for name in headers}
    run = Run(plan.kind, plan.name, plan.checks, client.url, began, seconds, results, hidden, plan.document)
    print(render_summary(run))
    if options.report is not None:
        _write(run, options.report)
    return bool(run.findings)


def _headers(plan: Plan, options: argparse.Namespace) -> dict[str, str]:
    headers = {} if options.api_key is None else dict(plan.key_headers(options.api_key))
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

    A trailing `/v1`, as in the base URL of some clients, is removed if all paths begin with it.
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
