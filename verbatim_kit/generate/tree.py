"""The generated tree: built beside the committed one, then put in its place or compared with it."""

import filecmp
import hashlib
import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from ruff import find_ruff_bin

from verbatim_kit.generate.inputs import contract_folders, find_inputs
from verbatim_kit.generate.sdk.package import FOLDER, clients_of, emit_package
from verbatim_kit.generate.workers import emit_contracts, num_workers, run_side_by_side

_OURS = ["generated", "verbatim_kit"]
_TOOLS = ("datamodel-code-generator", "jinja2", "oas-patch", "ruff")


def build_tree(root: Path, target: Path, contracts: list[str]) -> None:
    """Emit the contracts named, and what is shared, into `target`; other contracts there stay.

    root: the project, whose documents are in specs/.
    """
    specs = root / "specs"
    _emit_shared(target)
    emit_contracts([folder for folder in contract_folders(specs) if folder.name in contracts], target)
    emit_package(root, target)
    format_code(target)
    _import_all(target, clients_of(root).package)
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


def _emit_shared(target: Path) -> None:
    """Write the package of all contracts' generated code."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "__init__.py").write_text(
        '"""The code that follows from specs/; `make generate` writes all of it."""\n'
    )


def format_code(target: Path) -> None:
    """Format the Python of a folder, that in docstrings and READMEs too, in one style whatever the project's.

    Unused imports go.
    """
    ruff = find_ruff_bin()
    style = ["line-length = 110", 'target-version = "py311"', f"lint.isort.known-first-party = {_OURS}"]
    style += ["format.docstring-code-format = true"]
    options = ["--isolated", "--no-cache", "--quiet", str(target)]
    options += [argument for line in style for argument in ("--config", line)]
    subprocess.run([ruff, "check", "--fix", "--select", "F401,I,UP", *options], check=True)
    subprocess.run([ruff, "format", *options], check=True)


def _import_all(target: Path, client: str) -> None:
    """Import what was emitted, as pydantic reads patterns and defaults only then; SystemExit if it fails.

    The largest contract goes to the first process, the next one to the second, and so on in turn.
    """
    clients = (target / FOLDER).resolve()  # the commands run elsewhere
    by_size = sorted(
        (path.parent for path in target.glob("*/operations.py")),
        key=lambda contract: (contract / "models.py").stat().st_size,
        reverse=True,
    )
    num_processes = num_workers(len(by_size))
    shares = [by_size[start::num_processes] for start in range(num_processes)]
    commands = [
        _import_command(
            clients,
            [f"{module}.{contract.name}" for contract in share for module in (target.name, client)],
        )
        for share in shares
    ]
    if errors := run_side_by_side(commands, target.parent):
        raise SystemExit("\n".join(["the generated code cannot be imported:", *map(str.strip, errors)]))


def _import_command(clients: Path, packages: list[str]) -> list[str]:
    """Return the command that imports packages, those of clients too, and fails at a warning."""
    lines = [f"import gc, sys; gc.disable(); sys.path.append({str(clients)!r})"]
    lines += [f"import {package}.operations" for package in packages]
    return [sys.executable, "-B", "-W", "error", "-c", "\n".join(lines)]


def _manifest(specs: Path, target: Path) -> str:
    """The origin of the tree: tool versions and a digest of each input; no time stamps."""
    inputs = {
        folder.name: {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in find_inputs(folder)
        }
        for folder in contract_folders(specs)
        if (target / folder.name).is_dir()
    }
    return json.dumps({"tools": {tool: version(tool) for tool in _TOOLS}, "inputs": inputs}, indent=2) + "\n"
