"""The generated tree: built beside the committed one, then put in its place or compared with it."""

import filecmp
import hashlib
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from .document import SpecError
from .emit import emit_contract, emit_shared, find_inputs
from .sdk.emit import FOLDER, PACKAGE, emit_clients

_RUFF_CONFIG = Path(__file__).parents[2] / "pyproject.toml"
_TOOLS = ("datamodel-code-generator", "jinja2", "oas-patch", "ruff")


def contract_folders(specs: Path) -> list[Path]:
    """The folders of specs/ that hold a document, by name."""
    return sorted(folder for folder in specs.iterdir() if any(folder.glob("openapi.*")))


def build_tree(specs: Path, target: Path, contracts: list[str]) -> None:
    """Emits the contracts named, and what is shared, into `target`; other contracts there stay."""
    emit_shared(target)
    for folder in contract_folders(specs):
        if folder.name in contracts:
            try:
                emit_contract(folder, target / folder.name)
            except SpecError as error:
                raise SystemExit(f"specs/{folder.name}: {error}") from error
    emit_clients(target, contracts)
    _format(target)
    _import_all(target)
    (target / "MANIFEST.json").write_text(_manifest(specs, target), encoding="utf-8")


def replace_tree(source: Path, target: Path) -> None:
    """Makes `target` hold what `source` holds and nothing else."""
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target)


def differences(expected: Path, actual: Path) -> list[str]:
    """Files that are missing, that nothing generates, or that differ, a line each; caches do not count."""
    wanted, found = _files(expected), _files(actual)
    lines = [f"missing: {name}" for name in sorted(wanted - found)]
    lines += [f"not generated: {name}" for name in sorted(found - wanted)]
    common = sorted(wanted & found)
    _, mismatched, unreadable = filecmp.cmpfiles(expected, actual, common, shallow=False)
    return lines + [f"differs: {name}" for name in sorted(mismatched + unreadable)]


def _files(root: Path) -> set[str]:
    paths = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix() for path in paths}


def _format(target: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--config", str(_RUFF_CONFIG), "--no-cache", "--quiet", str(target)]
    subprocess.run([*ruff, "check", "--fix", "--select", "F401,I,UP", *options], check=True)
    subprocess.run([*ruff, "format", *options], check=True)


def _import_all(target: Path) -> None:
    """Imports what was emitted, as pydantic reads patterns and defaults only then; SystemExit if it fails."""
    modules = [
        f"{target.name}.{path.parent.name}.operations" for path in sorted(target.glob("*/operations.py"))
    ]
    clients = target / FOLDER
    modules += [f"{PACKAGE}.{path.parent.name}" for path in sorted(clients.glob(f"{PACKAGE}/*/client.py"))]
    lines = [f"import sys; sys.path.append({str(clients)!r})", *(f"import {module}" for module in modules)]
    command = [sys.executable, "-B", "-W", "error", "-c", "\n".join(lines)]
    result = subprocess.run(command, cwd=target.parent, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"the generated code cannot be imported:\n{result.stderr.strip()}")


def _manifest(specs: Path, target: Path) -> str:
    """What the tree was made from: tool versions and a digest of each input; no time stamps."""
    inputs = {
        folder.name: {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in find_inputs(folder)
        }
        for folder in contract_folders(specs)
        if (target / folder.name).is_dir()
    }
    return json.dumps({"tools": {tool: version(tool) for tool in _TOOLS}, "inputs": inputs}, indent=2) + "\n"
