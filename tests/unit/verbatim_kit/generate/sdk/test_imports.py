"""The clients stand alone."""

import ast
import sys
from pathlib import Path

import verbatim_server_client

ALLOWED = {
    "httpx",
    "httpx_retries",
    "httpx_sse",
    "pydantic",
    "pydantic_core",
    "typing_extensions",
}


def test_clients_import_their_own_requirements_and_nothing_of_the_server() -> None:
    imported: set[str] = set()
    for path in Path(verbatim_server_client.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported.add(str(node.module).split(".")[0])
    assert imported - set(sys.stdlib_module_names) == ALLOWED
