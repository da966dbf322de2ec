"""A front, Verbatim's own engine and what reads media are installed apart, by one list each."""

import tomllib
from itertools import chain
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from engine import extras
from tests.unit.requirements.requirements import ENGINE, FOLDER, read_kit, read_requirements

IMPORTED_AS = {"pillow": "PIL"}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """The content of pyproject.toml."""
    return tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))


def files_of(project: dict[str, Any], extra: str) -> set[str]:
    files = project["tool"]["setuptools"]["dynamic"]["optional-dependencies"][extra]["file"]
    return {path.removeprefix("requirements/").removesuffix(".txt") for path in files}


def test_each_list_is_the_fronts_or_an_extras(project: dict[str, Any]) -> None:
    dynamic = project["tool"]["setuptools"]["dynamic"]
    assert dynamic["dependencies"]["file"] == ["requirements/front.txt", "requirements/kit.txt"]
    listed = {"front", "kit"}.union(*(files_of(project, extra) for extra in dynamic["optional-dependencies"]))
    assert listed == {path.stem for path in FOLDER.iterdir()}


def test_the_server_and_the_kit_have_one_version(project: dict[str, Any]) -> None:
    version = project["project"]["version"]
    assert read_kit()["version"] == version
    assert str(read_requirements("kit")["verbatim-kit"]) == f"verbatim-kit=={version}"


def test_the_kit_asks_for_few_libraries_and_none_that_computes() -> None:
    kit = read_kit()
    extras = kit["optional-dependencies"].values()
    for wanted in map(Requirement, [*kit["dependencies"], *chain.from_iterable(extras)]):
        assert wanted.name not in {"torch", "transformers", "verbatim-server"}
    assert max(map(len, [kit["dependencies"], *extras])) < 10


def test_the_extras_have_the_names_that_errors_and_documents_use(project: dict[str, Any]) -> None:
    assert files_of(project, "engine") == {*ENGINE}
    assert files_of(project, "engine-without-xgrammar") == {*ENGINE} - {"xgrammar"}
    assert files_of(project, "media") == {"media", "transformers"}
    assert {"engine", "media", "kv-events", "otel"} < files_of(project, "all")


def test_no_library_is_in_two_of_the_lists_of_what_serves() -> None:
    lists = [read_requirements(name) for name in ("front", *ENGINE, "media")]
    assert "torch" in lists[1]
    assert sum(map(len, lists)) == len(read_requirements("front", *ENGINE, "media"))


def test_the_list_for_gpus_is_the_engines_with_a_newer_torch(project: dict[str, Any]) -> None:
    assert files_of(project, "gpu") == {"gpu", *ENGINE} - {"engine"}
    of_cpus, of_gpus = read_requirements("engine"), read_requirements("gpu")
    only_gpus = extras._MODULES["gpu"]
    assert set(only_gpus) == of_gpus.keys() - of_cpus.keys()
    assert {str(each) for name, each in of_gpus.items() if name not in ("torch", *only_gpus)} == {
        str(each) for name, each in of_cpus.items() if name != "torch"
    }
    for wanted, constraints in ((of_cpus, "constraints.txt"), (of_gpus, "constraints-gpu.txt")):
        pinned = Requirement((FOLDER.parent / constraints).read_text(encoding="utf-8").splitlines()[-1])
        (version,) = (each.version for each in pinned.specifier)
        assert pinned.name == "torch" and wanted["torch"].specifier.contains(version)


@pytest.mark.parametrize("extra", ["engine", "media", "transformers"])
def test_what_an_extra_is_asked_for_is_what_its_lists_have(extra: str, project: dict[str, Any]) -> None:
    wanted = {IMPORTED_AS.get(name, name) for name in read_requirements(*files_of(project, extra))}
    # A library by which another one computes needs no look of its own.
    assert {canonicalize_name(name) for name in extras._MODULES[extra]} == {
        canonicalize_name(name) for name in wanted - {"apache-tvm-ffi"}
    }
