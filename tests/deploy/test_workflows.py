"""The workflows run targets that the Makefile has, and publish only for a tag and with a person's consent."""

import re
from pathlib import Path

import pytest

from tests.deploy.files import ROOT, read

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = {*re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.stem))
def test_a_workflow_runs_targets_that_there_are(path: Path) -> None:
    run = re.findall(r"\bmake ([a-z0-9-]+)", "\n".join(commands_of(path)))
    assert run and {*run} <= TARGETS


def commands_of(path: Path) -> list[str]:
    jobs = read(path)["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def test_only_what_a_person_agrees_to_may_write() -> None:
    for path in WORKFLOWS:
        workflow = read(path)
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert "permissions" not in job or job["environment"] == "release"
    # YAML 1.1, which PyYAML reads, takes `on` for true.
    assert read(ROOT / ".github" / "workflows" / "release.yml")[True] == {"push": {"tags": ["v*"]}}
