"""The programs' environments, which `make test-apps-python` installs, and the runs of what is in them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

from tests.apps.programs import LIMIT_S

PROGRAMS: Final = Path(__file__).parent / "programs"
_ENVIRONMENTS: Final = Path(__file__).parents[3] / ".venv-apps"
OPENAI_PYTHON: Final = _ENVIRONMENTS / "openai-python" / "source"
"""The source archive of openai-python, which has its tests."""


class Outcome(NamedTuple):
    """The result of a suite: the names of its tests, by how they ended."""

    passed: Sequence[str]
    skipped: Sequence[str]
    failed: Sequence[str]
    output: str


def run_suite(program: str, *arguments: str, home: Path, folder: Path, **settings: str) -> Outcome:
    """Run tests by pytest in a program's environment.

    arguments: of pytest. folder: the one that it is started in. The rest is as in `run_program`.
    """
    report = home / "report.xml"
    options = ("-c", str(PROGRAMS / "pytest.ini"), "--rootdir", str(folder), f"--junit-xml={report}")
    command = ("python", "-m", "pytest", *options, *arguments)
    ended = run_program(program, *command, home=home, folder=folder, **settings)
    assert report.exists(), ended.stdout + ended.stderr
    cases: dict[str, list[str]] = {"passed": [], "skipped": [], "failed": []}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        how = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        cases[how].append(f"{case.get('classname')}.{case.get('name')}")
    return Outcome(**cases, output=ended.stdout + ended.stderr)


def run_program(
    program: str, command: str, *arguments: str, home: Path, folder: Path, **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of a program's environment, started in a folder.

    It keeps its files in `home`, and asks no hub for anything. settings: further environment variables.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        **settings,
    }
    return subprocess.run(
        [str(_ENVIRONMENTS / program / "bin" / command), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
