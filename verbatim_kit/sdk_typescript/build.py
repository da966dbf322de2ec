"""Writes the packages, and runs hey-api and tsc over them."""

import json
import shutil
import subprocess
from pathlib import Path

from verbatim_kit.generate.documents.document import dump_document, load_document
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.generate.documents.unknown_fields import closed
from verbatim_kit.generate.sdk.package import clients_of
from verbatim_kit.sdk_typescript.render import render_package

_HERE = Path(__file__).parent
_NODE = _HERE / "node"
_BIN = _NODE / "node_modules" / ".bin"


def build_packages(root: Path, target: Path) -> None:
    """Build a package for each contract of the project at `root`; what stood in `target` before goes."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / "node_modules").symlink_to(_NODE / "node_modules")
    for path in sorted(root.glob("generated/*/openapi.json")):
        _build(root, path, target / path.parent.name)


def parser_version() -> str:
    """The version of the library that the packages read events with, as the lock file pins it."""
    manifest = json.loads((_NODE / "package.json").read_text())
    return str(manifest["devDependencies"]["eventsource-parser"])


def _build(root: Path, document: Path, package: Path) -> None:
    """Write a package. Callers are not offered what a request may add without effect."""
    source = package / "src"
    package.mkdir()
    offered = package / "openapi.json"
    offered.write_text(dump_document(map_schemas(load_document(document), closed)), encoding="utf-8")
    options = ["--plugins", "@hey-api/typescript", "--silent", "--no-log-file"]
    _run([_BIN / "openapi-ts", "--input", offered.resolve(), "--output", source.resolve(), *options])
    offered.unlink()
    shutil.copytree(_HERE / "runtime", source, dirs_exist_ok=True)
    files = render_package(load_document(document), document.parent.name, clients_of(root), parser_version())
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")
    shutil.copyfile(root / "LICENSE", package / "LICENSE")
    _run([_BIN / "tsc", "--project", package])


def _run(command: list[str | Path]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
