"""A library of which we use what it keeps private has an upper bound, since any release may change that."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.unit.requirements.requirements import read_requirements

ROOT = Path(__file__).parents[3]
KIT = ("conform", "http", "judge", "runtime")
SHIPPED = ("engine", "generated", "handlers", *(f"verbatim_kit/{room}" for room in KIT))
OURS = {"engine", "generated", "handlers", "verbatim_kit", ""}
# Private, and yet part of what is documented: namedtuple's methods, and the way to end a process at once.
DOCUMENTED = {"_replace", "_asdict", "_fields", "_exit"}


def private_uses(source: str) -> set[str]:
    """The libraries of whose private names a module makes use, by the names that they are imported by."""
    tree = ast.parse(source)
    imported = {name: library for node in ast.walk(tree) for name, library in imports(node)}
    return {
        library
        for node in ast.walk(tree)
        for library in (
            {imported.get(root_of(node), "")} if has_private_name(node) else private_imports(node)
        )
    } - OURS


def imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that a statement binds, each with the library that it comes from."""
    if isinstance(node, ast.Import):
        for name in node.names:
            library = name.name.partition(".")[0]
            yield name.asname or library, library
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        for name in node.names:
            yield name.asname or name.name, node.module.partition(".")[0]


def private_imports(node: ast.AST) -> Iterator[str]:
    """The library from which a statement imports a private module or a private name."""
    match node:
        case ast.Import(names):
            paths = [name.name for name in names]
        case ast.ImportFrom(str(module), names, 0):
            paths = [f"{module}.{name.name}" for name in names]
        case _:
            return
    for path in paths:
        if any(is_private(part) for part in path.split(".")):
            yield path.partition(".")[0]


def has_private_name(node: ast.AST) -> bool:
    """Return whether this reads a private attribute, or calls with a private keyword."""
    match node:
        case ast.Attribute(_, name):
            return is_private(name)
        case ast.Call(_, _, keywords):
            return any(is_private(keyword.arg or "") for keyword in keywords)
    return False


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def root_of(node: ast.AST) -> str:
    """The name at the beginning of a chain of attributes, such as `torch` of `torch.ops.mkldnn._linear`."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    ("source", "libraries"),
    [
        ("import torch\ntorch.ops.mkldnn._linear_pointwise(1)", {"torch"}),
        ("from torch import ops as o\no.mkldnn._linear_pointwise(1)", {"torch"}),
        ("from transformers.utils.chat_template_utils import _compile_jinja_template", {"transformers"}),
        ("import uvicorn._types", {"uvicorn"}),
        (
            "from pydantic_core import SchemaValidator\nSchemaValidator({}, _use_prebuilt=False)",
            {"pydantic_core"},
        ),
        ("import os\nos._exit(0)", set()),
        ("import torch\ntorch.__version__", set()),
        ("class A:\n    def f(self):\n        return self._a", set()),
        ("from .near import _a", set()),
        ("from engine.near import _a", set()),
    ],
)
def test_private_uses_are_found(source: str, libraries: set[str]) -> None:
    assert private_uses(source) == libraries


def test_a_library_whose_private_names_are_used_has_an_upper_bound() -> None:
    sources = {path: path.read_text() for name in SHIPPED for path in (ROOT / name).rglob("*.py")}
    used = {library: path for path, source in sources.items() for library in private_uses(source)}
    assert {"torch", "transformers", "pydantic_core"} <= set(used)
    for library, path in used.items():
        if library in sys.stdlib_module_names:
            continue
        assert upper_bound(library), f"{path.relative_to(ROOT)} uses what {library} keeps private"


def test_every_bound_admits_the_version_that_the_tests_run_with() -> None:
    for name, wanted in read_requirements().items():
        if wanted.marker is None or wanted.marker.evaluate():
            assert wanted.specifier.contains(version(name)), name


def upper_bound(library: str) -> bool:
    """Return whether the library's distribution, or one that fixes its version, has an upper bound."""
    fixed_by = {"pydantic-core": "pydantic"}
    names = {canonicalize_name(name) for name in packages_distributions()[library]}
    wanted = read_requirements()
    found = [wanted[fixed_by.get(name, name)] for name in names if fixed_by.get(name, name) in wanted]
    return any(bound.operator in ("<", "==", "~=") for one in found for bound in one.specifier)
