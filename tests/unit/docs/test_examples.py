"""The examples of the pages, as they stand there, against a server."""

import argparse
import re
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from handlers.commands.launcher import launcher_parser, read_launcher_settings
from handlers.settings.command_line import add_settings, read_settings
from handlers.settings.other_programs.reading import check_arguments
from tests.unit.docs.pages import EXAMPLES, ROOT, Block, blocks

BLOCKS = [block for page in EXAMPLES for block in blocks(page)]
ADDRESS = re.compile(r"(http://127\.0\.0\.1|localhost):8080")


class Request(NamedTuple):
    """One curl command, and the status that the page says it is answered with."""

    name: str
    method: str
    url: str
    headers: dict[str, str]
    body: str | None
    status: int = 200


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block of shell, and its comments, each as its words."""
    command = ""
    for line in block.text.splitlines():
        command += line.removesuffix("\\") + "\n"
        if not line.endswith("\\") and command.count("'") % 2 == 0:
            yield shlex.split(command, comments=not command.startswith("#"))
            command = ""
    assert not command, f"{block.name}: a command does not end"


def requests() -> Iterator[Request]:
    for block in BLOCKS:
        if block.language != "sh":
            continue
        found: list[Request] = []
        for words in commands(block):
            if words[:1] == ["curl"]:
                found.append(curl(words[1:], f"{block.name} {len(found) + 1}"))
            elif words[:2] == ["#", "answers"]:
                found[-1] = found[-1]._replace(status=int(words[2]))
        yield from found


def curl(words: list[str], name: str) -> Request:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-H", action="append", default=[])
    parser.add_argument("-d")
    parser.add_argument("-N", action="store_true")
    given = parser.parse_args(words)
    headers = dict(header.split(": ", 1) for header in given.H)
    if given.d is not None:
        headers.setdefault("content-type", "application/x-www-form-urlencoded")
    return Request(name, "GET" if given.d is None else "POST", given.url, headers, given.d)


REQUESTS = list(requests())
PYTHON = [block for block in BLOCKS if block.language == "python"]


@pytest.mark.parametrize("request_", REQUESTS, ids=[one.name for one in REQUESTS])
def test_a_request_is_answered_as_the_page_says(server_url: str, request_: Request) -> None:
    url = ADDRESS.sub(server_url, request_.url)
    answer = httpx.request(request_.method, url, headers=request_.headers, content=request_.body, timeout=60)
    assert answer.status_code == request_.status, answer.text
    assert "\nevent: error" not in answer.text
    assert answer.text or request_.body is None


@pytest.mark.parametrize("block", PYTHON, ids=[block.name for block in PYTHON])
def test_a_program_prints_an_answer(
    server_url: str, block: Block, capsys: pytest.CaptureFixture[str]
) -> None:
    text = block.text.replace("ws://127.0.0.1:8080", server_url.replace("http", "ws", 1))
    program = compile(ADDRESS.sub(server_url, text), block.name, "exec")
    namespace: dict[str, Any] = {}
    exec(program, namespace)
    close = getattr(namespace.get("client"), "close", None)
    if close is not None:
        close()
    assert capsys.readouterr().out.strip() not in ("", "None")


def test_the_pages_have_examples_of_both_kinds() -> None:
    assert len(REQUESTS) > 20
    assert len(PYTHON) > 5


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "sh"], ids=lambda block: str(block.name)
)
def test_other_commands_exist(block: Block) -> None:
    for words in commands(block):
        match [word.removeprefix(".venv/bin/") for word in words]:
            case ["verbatim", "serve", "--help"]:
                pass
            case ["verbatim", "serve" | "check", *options]:
                parser = argparse.ArgumentParser(exit_on_error=False)
                add_settings(parser, takes_several=True)
                read_settings(parser.parse_args(options))
            case ["text-generation-launcher", *options]:
                given = vars(launcher_parser().parse_args(options))
                read_launcher_settings(given)
                check_arguments(given, {})
            case ["make", target]:
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            case ["export", *settings]:
                assert all("=" in setting for setting in settings)
            case ["curl" | "claude" | "qwen" | "#", *_] | []:
                pass
            case other:
                pytest.fail(f"{block.name}: nothing here knows {other}")
