"""The image's entry point and its variables are what the other files count on."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, IMAGE, ROOT, read

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.parametrize(
    ("given", "run"),
    [
        ([], "text-generation-launcher"),
        (["--model-id", "a b"], "text-generation-launcher --model-id a b"),
        (["serve", "m", "--port=1"], "verbatim serve m --port=1"),
        (["verbatim", "serve", "m"], "verbatim serve m"),
        (["text-generation-launcher", "--model-id", "m"], "text-generation-launcher --model-id m"),
    ],
)
def test_the_entry_point_takes_tgis_arguments_and_verbatims_commands(
    tmp_path: Path, given: list[str], run: str
) -> None:
    for name in ("verbatim", "text-generation-launcher"):
        (tmp_path / name).write_text(f'#!/bin/sh\nset -- {name} "$@"\necho "$# $*"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    entry: list[str | Path] = [DEPLOY / "entrypoint.sh", *given]
    ran = subprocess.run(entry, env={"PATH": path}, capture_output=True, text=True, check=True)
    count = len(given) + (given[:1] not in (["verbatim"], ["text-generation-launcher"]))
    assert ran.stdout == f"{count} {run}\n"


def test_the_image_sets_the_variables_that_the_tests_of_other_files_assume() -> None:
    for name, value in IMAGE.items():
        assert re.search(rf"\b{name}={re.escape(value)}\s", DOCKERFILE), name
    assert f"EXPOSE {IMAGE['PORT']}\n" in DOCKERFILE


def test_every_file_names_the_version_of_the_project() -> None:
    chart = read(DEPLOY / "helm" / "verbatim" / "Chart.yaml")
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)
    assert f"ARG VERSION={VERSION}\n" in DOCKERFILE
    for name in ("kubernetes.yaml", "kserve/servingruntime.yaml"):
        images = re.findall(r"image: \"?verbatim:([\w.]+)", (DEPLOY / name).read_text(encoding="utf-8"))
        assert images == [VERSION]


def test_what_is_copied_is_not_left_out_of_the_context() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = {
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    }
    assert {"engine", "tools/deploy/entrypoint.sh"} <= copied
    for source in copied:
        assert (ROOT / source).exists()
        assert any(f"!{part}" in ignored for part in (source, *map(str, Path(source).parents))), source
