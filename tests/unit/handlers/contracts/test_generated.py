"""A contract's handlers import what is generated for it, and nothing that is generated for another."""

import ast
from pathlib import Path
from typing import Final

import pytest

CONTRACTS: Final = Path(__file__).parents[4] / "handlers" / "contracts"
# Dialects that are answered in the form of what they are dialects of.
TRANSLATED: Final = {"open_responses": {"openai"}}
FOLDERS: Final = sorted(folder.name for folder in CONTRACTS.iterdir() if (folder / "contract.py").is_file())


@pytest.mark.parametrize("contract", FOLDERS)
def test_a_contract_imports_only_its_own_generated_code(contract: str) -> None:
    generated = {
        name
        for module in (CONTRACTS / contract).rglob("*.py")
        for name in imported(ast.parse(module.read_text(encoding="utf-8")))
        if name.startswith("generated.")
    }
    assert generated, f"{contract} imports nothing that is generated"
    assert {name.split(".")[1] for name in generated} == {contract} | TRANSLATED.get(contract, set())


def imported(tree: ast.Module) -> set[str]:
    """Return the modules that a module imports by `from MODULE import …`, or `import MODULE`."""
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return named | {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
