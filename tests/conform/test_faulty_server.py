"""`verbatim conform` against a server whose faults are known: each is found, and named."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from handlers.commands.conform.cli import main
from tests.conform.faulty_server import FAULTS, FaultyServer

Found = dict[str, set[str]]

# The check that finds each fault, and a part of its message.
EXPECTED = {
    "wrong media type": ("examples", "text/plain"),
    "undeclared status": ("examples", "202"),
    "missing member": ("examples", "choices"),
    "wrong type": ("examples", "created"),
    "undeclared member": ("examples", "mood"),
    "accepts too much": ("bounds", "temperature: maximum, 2.0000000000000004: It was answered with 200"),
    "refuses too much": ("bounds", "top_p: type, 1: It was refused with 400; the document allows it"),
    "names no field": ("bounds", "The error does not name the field that is wrong: temperature"),
    "fails": ("bounds", "seed: maximum, 9223372036854775807: The server failed with 500"),
    "no terminator": ("streams", "No event [DONE] ends the stream"),
    "event after the terminator": ("streams", "It comes after the event that ends the stream"),
    "other text": ("streams", "Bye."),
    "no stream": ("streams", "not the requested stream"),
    "not there": ("presence", "404 for every request"),
}
# A table of bounds is long; these faults do not hide each other.
TOGETHER = tuple(fault for fault, (check, _) in EXPECTED.items() if check == "bounds")


def run(folder: Path, *faults: str, checks: Sequence[str] = ()) -> tuple[int, Found]:
    """Return the exit status, and the messages of each check of the chat operation.

    checks: those to make, in addition to those that find the faults.
    """
    server = FaultyServer(*faults)
    asked_for = {*checks, *(EXPECTED[fault][0] for fault in faults)}
    options = ["--contract", "openai", "--base-url", server.url, "--report", str(folder)]
    try:
        status = main([*options, "--only", "/v1/chat/completions", "--max-examples", "0", *asked(asked_for)])
    finally:
        server.stop()
    report = json.loads((folder / "report.json").read_text())
    return status, {result["check"]: messages(result) for result in report["results"]}


def asked(checks: set[str]) -> list[str]:
    """Return the options that name checks: none for "presence", which always runs."""
    return [] if "presence" in checks else [part for check in sorted(checks) for part in ("--check", check)]


def messages(result: dict[str, Any]) -> set[str]:
    return {
        f"{finding['title']}: {instance['label']}: {instance['message']}"
        for finding in result["findings"]
        for instance in finding["instances"]
    }


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Return the findings about the slice itself, of all checks but the long table of bounds."""
    return run(tmp_path_factory.mktemp("clean"), checks=("examples", "streams"))[1]


@pytest.fixture(scope="module")
def clean_bounds(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Return what the slice, which refuses little, gets wrong at bounds."""
    return run(tmp_path_factory.mktemp("clean_bounds"), checks=("bounds",))[1]


@pytest.fixture(scope="module")
def bounds(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Found]:
    return run(tmp_path_factory.mktemp("bounds"), *TOGETHER)


def test_every_fault_is_looked_for() -> None:
    assert set(EXPECTED) == set(FAULTS)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in TOGETHER])
def test_a_fault_is_found_and_named(fault: str, clean: Found, tmp_path: Path) -> None:
    check, words = EXPECTED[fault]
    status, found = run(tmp_path, fault)
    assert status == 1
    assert any(words in one for one in found[check] - clean[check])


@pytest.mark.long
@pytest.mark.parametrize("fault", TOGETHER)
def test_a_fault_at_a_bound_is_found_and_named(
    fault: str, clean_bounds: Found, bounds: tuple[int, Found]
) -> None:
    check, words = EXPECTED[fault]
    status, found = bounds
    assert status == 1 and clean_bounds[check]
    assert any(words in one for one in found[check] - clean_bounds[check])


def test_an_operation_that_is_not_there_is_one_finding(tmp_path: Path) -> None:
    _, found = run(tmp_path, "not there")
    assert [len(all_told) for all_told in found.values()] == [1]


def test_the_slice_without_faults_passes_what_is_not_about_bounds(clean: Found) -> None:
    assert clean["presence"] == clean["examples"] == clean["streams"] == set()


@pytest.mark.parametrize(
    "options",
    [
        ["--base-url", "http://127.0.0.1:9"],
        ["--base-url", "127.0.0.1:9"],
        ["--base-url", "http://127.0.0.1:9", "--only", "nothing"],
        ["--base-url", "http://127.0.0.1:9", "--header", "nameless"],
    ],
)
def test_what_cannot_be_run_is_told_in_a_line(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contract", "openai", *options]) == 2
    message = capsys.readouterr().err.splitlines()
    assert len(message) == 1
    assert message[0].startswith("verbatim: error: ")


def test_the_page_needs_nothing_else_and_shows_how_to_send_a_request_again(tmp_path: Path) -> None:
    run(tmp_path, "wrong type")
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page and "src=" not in page and "<link" not in page
    assert "curl -i -X POST" in page
    assert "created" in page
    assert (tmp_path / "junit.xml").read_text().count("<testcase") == 2


PROFILE = ["--profile", "agents", "--only", "guidellm"]


@pytest.mark.parametrize(
    ("faults", "status", "titles"),
    [
        ((), 1, {"Not every chunk has the usage that was asked for"}),
        (("no stream",), 1, {"The answer is not the requested stream"}),
    ],
)
def test_a_program_that_cannot_go_on_is_a_row_of_the_same_report(
    faults: tuple[str, ...], status: int, titles: set[str], tmp_path: Path
) -> None:
    server = FaultyServer(*faults)
    try:
        assert main([*PROFILE, "--base-url", f"{server.url}/v1", "--report", str(tmp_path)]) == status
    finally:
        server.stop()
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["profile"] == "agents"
    assert {result["program"] for result in report["results"]} == {"guidellm"}
    found = {finding["title"] for result in report["results"] for finding in result["findings"]}
    assert titles <= found
    [offered] = [result for result in report["results"] if result["check"] == "offered"]
    assert offered["note"] == "not offered: POST /v1/completions, POST /v1/responses"
    page = (tmp_path / "report.html").read_text()
    assert "guidellm 0.8.1" in page and "why it matters" in page
    assert 'classname="agents.streams"' in (tmp_path / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--only", "nothing"], "the profile has "),
        (["--check", "bounds"], "--check is for --contract"),
        (["--only", "claude_code", "--model", "small"], "has none of the paths that these programs request"),
    ],
)
def test_a_profile_that_cannot_be_run_is_told_in_a_line(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FaultyServer()
    try:
        assert main(["--profile", "agents", "--base-url", server.url, *options]) == 2
    finally:
        server.stop()
    assert words in capsys.readouterr().err
