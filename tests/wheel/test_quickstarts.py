"""The walks of docs/quickstarts.md, from an empty folder, with the wheel that pip finds.

Their commands are run as they stand there. Nothing is downloaded: the libraries that the wheel needs are lent
to the walk's environment once that has the wheel.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest

from tests.conftest import running_server
from tests.unit.docs.pages import DOCS, ROOT, Block, blocks

ADDRESS = "http://127.0.0.1:8080"
SERVERS = ("verbatim serve", "text-generation-launcher")
PAGE = DOCS / "quickstarts.md"
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # which another file's fixture empties


def section(block: Block) -> str:
    """Return the heading that the block stands below."""
    before = PAGE.read_text(encoding="utf-8").splitlines()[: int(block.name.rpartition(":")[2])]
    return [line for line in before if line.startswith("## ")][-1].removeprefix("## ")


(_, [INSTALL]), *WALKS = [(name, list(walk)) for name, walk in groupby(blocks(PAGE), section)]


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run the page's installation, and put its commands first on the path."""
    folder = tmp_path_factory.mktemp("installed")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONPATH", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
            patch.delenv(name, raising=False)
        patch.setenv("PIP_FIND_LINKS", os.environ.get("WHEELS", str(ROOT / "build" / "wheel")))
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_NO_DEPS", "1")
        patch.setenv("PATH", PATH)
        patch.chdir(folder)
        said = shell(INSTALL.text)
        assert "does not provide the extra" not in said
        shell(
            ". .venv/bin/activate && pip install verbatim-kit"
        )  # which pip adds where it may ask for dependencies
        [packages] = folder.glob(".venv/lib/python*/site-packages")
        assert (packages / "handlers").is_dir()
        lent = [entry for entry in sys.path if any(Path(entry).glob("*.dist-info"))]
        (packages / "lent.pth").write_text("\n".join(lent))
        patch.setenv("PATH", f"{folder}/.venv/bin:{PATH}")
        yield


def shell(text: str) -> str:
    """Run a block of commands, each of which has to succeed, and return what they write."""
    done = subprocess.run(["bash", "-euc", f"set -o pipefail; {text}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.timeout(600)
@pytest.mark.parametrize("walk", [walk for _, walk in WALKS], ids=[name for name, _ in WALKS])
def test_a_walk_leads_to_an_answer(
    walk: list[Block], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = ADDRESS
    with ExitStack() as servers:
        for block in walk:
            text = block.text.replace(ADDRESS, url)
            if text.startswith(SERVERS):
                url = servers.enter_context(running_server(command=shlex.split(text))).url
            elif block.language == "python":
                assert shell(f"python - <<'END OF THE PROGRAM'\n{text}END OF THE PROGRAM\n").strip()
            else:
                assert block.language == "sh", block.name
                shell(text)


def test_the_page_has_five_short_walks() -> None:
    pages = re.split(r"^## .+$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[2:]
    assert len(pages) == len(WALKS) == 5
    assert max(len(page.split()) for page in pages) <= 250
