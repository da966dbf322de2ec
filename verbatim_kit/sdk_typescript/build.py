"""Writes the package, and runs hey-api and tsc over it."""

import json
import shutil
import subprocess
from pathlib import Path

from verbatim_kit.generate.documents.document import Document, dump_document, load_document
from verbatim_kit.generate.documents.schemas import map_schemas
from verbatim_kit.generate.documents.unknown_fields import closed
from verbatim_kit.generate.sdk.package import clients_of, write_files
from verbatim_kit.sdk_typescript.render import Contract, render_package

_HERE = Path(__file__).parent
_NODE = _HERE / "node"
_BIN = _NODE / "node_modules" / ".bin"


def build_package(root: Path, target: Path) -> None:
    """Build the package of all contracts of the project at `root`; what stood in `target` before goes."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(_HERE / "package", target)
    (target / "node_modules").symlink_to(_NODE / "node_modules")
    paths = sorted(root.glob("generated/*/openapi.json"))
    contracts = [Contract(path.parent.name, load_document(path)) for path in paths]
    for contract in contracts:
        _write_types(contract.document, target / "src" / contract.name)
    libraries = json.loads((_NODE / "package.json").read_text())["dependencies"]
    write_files(target, render_package(contracts, clients_of(root), libraries))
    shutil.copyfile(root / "LICENSE", target / "LICENSE")
    _run([_BIN / "tsc", "--project", target])


def _write_types(document: Document, folder: Path) -> None:
    """Write the types of the components. Callers are not offered what has no effect in a request."""
    offered = map_schemas({**document, "paths": {}}, closed)
    source = folder.with_suffix(".json")  # next to the folder, which hey-api empties
    source.write_text(dump_document(offered), encoding="utf-8")
    options = ["--plugins", "@hey-api/typescript", "--silent", "--no-log-file"]
    _run([_BIN / "openapi-ts", "--input", source.resolve(), "--output", folder.resolve(), *options])
    source.unlink()
    (folder / "index.ts").unlink()


def _run(command: list[str | Path]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
