"""`make breaking` on a repository of its own: what fails, what passes, and what it says."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.verbatim_kit.breaking.notes import notes
from verbatim_kit.breaking.__main__ import main

REMOVED = "request property removed #/components/schemas/Note/properties/tags"
CHANGES = "# Breaking changes\n\nWhat we stand by.\n\n## Open\n\n{open}\n## Settled\n\n{settled}"


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


class Repository:
    """Holds the notes contract and an SDK for it, both as committed first."""

    def __init__(self, root: Path) -> None:
        self.root = root
        git(root, "init", "--quiet")
        (root / "specs/notes").mkdir(parents=True)
        self.write_document(lambda document: None)
        self.write_sdk(
            "class Client:\n    def keep(self, *, text: str) -> None: ...\n    def find(self) -> None: ...\n"
        )
        self.commit()

    @classmethod
    def at(cls, root: Path) -> "Repository":
        """A clone of one."""
        repository = cls.__new__(cls)
        repository.root = root
        return repository

    def write_document(self, edit: Callable[[dict[str, Any]], object]) -> None:
        document = notes()
        edit(document)
        self._write("generated/notes/openapi.json", json.dumps(document))

    def write_sdk(self, client: str) -> None:
        self._write("generated/clients/python/notes_client/__init__.py", "")
        self._write("generated/clients/python/notes_client/notes.py", client)

    def acknowledge(self, open: str = "", settled: str = "", contract: str = "notes") -> None:
        self._write(f"specs/{contract}/CHANGES.md", CHANGES.format(open=open, settled=settled))

    def commit(self) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", "one step")

    def check(self, base: str = "HEAD") -> int:
        return main(["--root", str(self.root), "--base", base])

    def check_by_default(self) -> int:
        return main(["--root", str(self.root)])

    def _write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def remove_tags(document: dict[str, Any]) -> None:
    del document["components"]["schemas"]["Note"]["properties"]["tags"]


def remove_mood(document: dict[str, Any]) -> None:
    del document["components"]["schemas"]["Note"]["properties"]["mood"]


def test_a_removed_field_fails_and_the_line_that_acknowledges_it_is_told(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_document(remove_tags)
    assert repository.check() == 1
    assert f"- `{REMOVED}`: why" in capsys.readouterr().out


def test_a_removed_field_passes_once_it_is_acknowledged(repository: Repository) -> None:
    repository.write_document(remove_tags)
    repository.acknowledge(f"- `{REMOVED}`: nobody\n  sends it.\n")
    assert repository.check() == 0


def test_a_harmless_addition_passes(repository: Repository) -> None:
    repository.write_document(
        lambda document: document["components"]["schemas"]["Note"]["properties"].update(
            colour={"type": "string"}
        )
    )
    assert repository.check() == 0


def test_an_acknowledged_change_does_not_cover_another(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    def remove_both(document: dict[str, Any]) -> None:
        remove_tags(document)
        remove_mood(document)

    repository.write_document(remove_both)
    repository.acknowledge(f"- `{REMOVED}`: nobody sends it.\n")
    assert repository.check() == 1
    said = capsys.readouterr().out
    assert "properties/mood" in said
    assert REMOVED not in said


def test_an_acknowledgement_is_stale_once_the_base_has_the_change(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_document(remove_tags)
    repository.acknowledge(f"- `{REMOVED}`: nobody sends it.\n")
    repository.commit()
    assert repository.check() == 1
    assert "move the line under `## Settled`" in capsys.readouterr().out
    repository.acknowledge(settled=f"- `{REMOVED}`: nobody sends it.\n")
    assert repository.check() == 0


def test_what_is_settled_acknowledges_nothing_new(repository: Repository) -> None:
    repository.write_document(remove_tags)
    repository.acknowledge(settled=f"- `{REMOVED}`: nobody sends it.\n")
    assert repository.check() == 1


def test_an_acknowledgement_of_no_change_fails(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.acknowledge(f"- `{REMOVED}`: nobody sends it.\n")
    assert repository.check() == 1
    assert "mend the line or take it out" in capsys.readouterr().out


def test_a_contract_that_is_gone_is_acknowledged_for_all(repository: Repository) -> None:
    (repository.root / "generated/notes/openapi.json").unlink()
    assert repository.check() == 1
    repository.acknowledge("- `operation contract removed notes`: notes are over.\n", contract=".")
    assert repository.check() == 0


def test_a_removed_method_of_the_sdk_fails_until_its_contract_acknowledges_it(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_sdk("class Client:\n    def keep(self, *, text: str) -> None: ...\n")
    assert repository.check() == 1
    line = "sdk symbol removed notes_client.notes.Client.find"
    assert f"- `{line}`: why" in capsys.readouterr().out
    repository.acknowledge(f"- `{line}`: nobody calls it.\n")
    assert repository.check() == 0


@pytest.mark.parametrize(
    ("signature", "line"),
    [
        ("self", "sdk parameter removed notes_client.notes.Client.keep(text)"),
        ("self, *, text: str, by: str", "sdk parameter required notes_client.notes.Client.keep(by)"),
    ],
)
def test_a_signature_of_the_sdk_that_refuses_old_calls_fails(
    repository: Repository, capsys: pytest.CaptureFixture[str], signature: str, line: str
) -> None:
    repository.write_sdk(
        f"class Client:\n    def keep({signature}) -> None: ...\n    def find(self) -> None: ...\n"
    )
    assert repository.check() == 1
    assert f"- `{line}`: why" in capsys.readouterr().out


def test_an_sdk_that_gains_a_parameter_with_a_default_passes(repository: Repository) -> None:
    keep = "    def keep(self, *, text: str, by: str = '') -> None: ...\n"
    repository.write_sdk(f"class Client:\n{keep}    def find(self) -> None: ...\n")
    assert repository.check() == 0


def test_settings_of_pydantic_are_no_names_of_the_sdk(repository: Repository) -> None:
    client = "class Client:\n    def keep(self, *, text: str) -> None: ...\n    def find(self) -> None: ...\n"
    repository.write_sdk(f"{client}    model_config = {{}}\n")
    repository.commit()
    repository.write_sdk(client)
    assert repository.check() == 0


def test_a_shallow_clone_that_lacks_the_base_says_so_and_passes(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_document(remove_tags)
    repository.commit()
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "--quiet", "--depth", "1", repository.root.as_uri(), ".")
    assert main(["--root", str(clone), "--base", "HEAD~1"]) == 0
    assert "nothing is compared" in capsys.readouterr().out


def test_a_series_of_commits_is_held_to_the_last_release(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repository.root, "tag", "v1")
    repository.write_document(remove_tags)
    repository.commit()
    repository.write_sdk("class Client:\n    def keep(self, *, text: str) -> None: ...\n")
    repository.commit()
    git(repository.root, "tag", "v2")  # the release that is checked has nothing new beside itself
    assert repository.check_by_default() == 1
    said = capsys.readouterr().out
    assert REMOVED in said
    assert "since v1 (" in said


def test_a_branch_is_held_to_where_it_left_the_default_branch(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "--quiet", repository.root.as_uri(), ".")
    branch = Repository.at(clone)
    branch.write_document(remove_tags)
    branch.commit()
    branch.write_sdk("class Client:\n    def keep(self, *, text: str) -> None: ...\n")
    branch.commit()
    assert branch.check_by_default() == 1
    assert REMOVED in capsys.readouterr().out


def test_the_commit_before_is_the_base_where_nothing_else_is(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_document(remove_tags)
    repository.commit()
    assert repository.check_by_default() == 1
    assert "since HEAD~1 (" in capsys.readouterr().out


def test_a_clone_of_one_commit_says_so_and_passes(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write_document(remove_tags)
    repository.commit()
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "--quiet", "--depth", "1", repository.root.as_uri(), ".")
    assert main(["--root", str(clone)]) == 0
    assert "nothing is compared" in capsys.readouterr().out


def test_a_base_that_does_not_exist_is_an_error(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repository.check(base="v9") == 2
    assert "no commit v9" in capsys.readouterr().err
