"""The programs' environments, which `make test-apps-python` installs, and the runs of what is in them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree import ElementTree

_ROOT: Final = Path(__file__).parents[3]
PROGRAMS: Final = Path(__file__).parent / "programs"


class Outcome(NamedTuple):
    """The result of a suite: the names of its tests, by how they ended."""

    passed: Sequence[str]
    skipped: Sequence[str]
    failed: Sequence[str]
    output: str


def run_suite(program: str, suite: str, *, home: Path, limit_s: float, **settings: str) -> Outcome:
    """Run a file of tests by pytest in a program's environment.

    It keeps its files in `home`, and asks no hub for anything. settings: further environment variables.
    """
    report = home / "report.xml"
    command = ("-m", "pytest", "-c", str(PROGRAMS / "pytest.ini"), f"--junit-xml={report}", suite)
    ended = _run(program, *command, home=home, limit_s=limit_s, **settings)
    assert report.exists(), ended.stdout + ended.stderr
    cases: dict[str, list[str]] = {"passed": [], "skipped": [], "failed": []}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        how = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        cases[how].append(f"{case.get('classname')}.{case.get('name')}")
    return Outcome(**cases, output=ended.stdout + ended.stderr)


def _run(
    program: str, *arguments: str, home: Path, limit_s: float, **settings: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        **settings,
    }
    return subprocess.run(
        [str(_ROOT / ".venv-apps" / program / "bin" / "python"), *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
