"""A front that is installed as docs/vllm.md says, without torch, serves over other servers.

`make test-front` installs it and runs this; FRONT is its folder of commands.
"""

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from handlers.process.exit_status import ExitStatus
from tests.conftest import LIMITS, running_server
from tests.unit.docs.pages import DOCS

COMMANDS: Final = Path(os.environ["FRONT"])
DRAWING: Final = DOCS / "assets" / "demo-vision.png"
MODEL: Final = "verbatim-demo-vision"
LIBRARIES: Final = ("torch", "transformers", "numpy", "av", "PIL", "llguidance", "xgrammar", "gguf")


@pytest.fixture(scope="module")
def urls() -> Iterator[tuple[str, str]]:
    """The addresses of a server with Verbatim's own engine, and of a front over it."""
    with running_server(MODEL, *LIMITS) as own:
        over = ("--engine", "verbatim", "--engine-url", own.url)
        with running_server(MODEL, *over, command=(str(COMMANDS / "verbatim"), "serve")) as front:
            yield own.url, front.url


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_installation_lacks_what_the_own_engine_needs(library: str) -> None:
    ran = subprocess.run([COMMANDS / "python", "-c", f"import {library}"], capture_output=True, text=True)
    assert ran.returncode == 1 and f"No module named '{library}'" in ran.stderr


def test_a_front_answers_as_the_server_behind_it(urls: tuple[str, str]) -> None:
    for content in ("Hello, who are you?", "What do you see?"):
        messages = [{"role": "user", "content": content}]
        body = {"model": MODEL, "messages": messages, "max_tokens": 24, "temperature": 0}
        answers = [httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60) for url in urls]
        own, front = (answer.raise_for_status().json()["choices"][0] for answer in answers)
        assert own["message"]["content"]
        assert front == own


def test_a_front_without_the_extra_refuses_images_by_its_name(urls: tuple[str, str]) -> None:
    image = f"data:image/png;base64,{base64.b64encode(DRAWING.read_bytes()).decode()}"
    parts: list[Any] = [{"type": "image_url", "image_url": {"url": image}}]
    body = {"model": MODEL, "messages": [{"role": "user", "content": parts}], "max_tokens": 24}
    own, front = (httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60) for url in urls)
    assert (own.status_code, front.status_code) == (200, 400)
    assert "pip install 'verbatim-server[media]'" in front.json()["error"]["message"]


def test_the_installation_is_as_small_as_the_documents_say() -> None:
    show = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([COMMANDS / "python", "-c", show], text=True).strip())
    own_installer = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    sizes = (
        path.stat().st_size
        for path in packages.rglob("*")
        if path.is_file() and path.relative_to(packages).parts[0] not in own_installer
    )
    assert sum(sizes) < 150e6


def test_the_own_engine_is_refused_with_the_way_to_install_it() -> None:
    ran = subprocess.run([COMMANDS / "verbatim", "serve"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == ExitStatus.FAILED
    assert "needs gguf, llguidance, numpy, " in ran.stderr
    assert "pip install 'verbatim-server[engine]'" in ran.stderr
