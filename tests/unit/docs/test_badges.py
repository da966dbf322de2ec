"""The README's badges say what pyproject.toml says."""

import re
import tomllib

from tests.unit.docs.pages import README, ROOT


def test_the_badges_name_the_licence_and_the_tested_versions_of_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    prefix = "Programming Language :: Python :: 3."
    versions = [each.removeprefix(prefix) for each in project["classifiers"] if each.startswith(prefix)]
    python = ", ".join(f"3.{minor}" for minor in versions)
    badges = re.findall(
        r"^!\[(\w+): (.+)\]\(https://img\.shields\.io/badge/(\w+)-(.+)-\w+\)$",
        README.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    # In the address a hyphen is written twice, and a blank as %20.
    shown = [
        (alt, text, head, value.replace("--", "-").replace("%20", " ")) for alt, text, head, value in badges
    ]
    assert shown == [
        ("licence", project["license"], "licence", project["license"]),
        ("Python", python, "Python", python),
    ]
