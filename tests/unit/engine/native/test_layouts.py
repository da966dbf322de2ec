"""No structure crosses into compiled code whose layout differs there."""

import ast
import ctypes
import logging
import re
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.native import library
from engine.native.layouts import layout_differences
from engine.native.structures import CONSTANTS, MIRRORS
from tests.support.selection.instructions import needs_compiler

ENGINE = Path(engine.__file__).parent
SOURCES = ENGINE / "native" / "src"


def structures_in_cpp() -> dict[str, list[str]]:
    """The names of those that Python fills, and of their fields."""
    texts = [path.read_text() for suffix in ("*.h", "*.cpp") for path in SOURCES.rglob(suffix)]
    found = {}
    for name, body in re.findall(r"^struct (Verbatim\w+) \{$(.*?)^\};$", "\n".join(texts), re.M | re.S):
        code = re.sub(r"//.*", "", body)
        found[name] = re.findall(r"(\w+)\s*(?=[,;])", code)
    return found


def structures_in_python() -> set[str]:
    """The names of the classes in engine/ that derive from a structure of ctypes."""
    return {
        node.name
        for path in ENGINE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        for base in node.bases
        if re.search(r"\b(Structure|Union)$", ast.unparse(base))
    }


def with_field(mirror: type[ctypes.Structure], index: int, field: tuple[str, Any]) -> type[ctypes.Structure]:
    """A mirror that has another field in this place."""
    fields: list[Any] = [*mirror._fields_]
    fields[index] = field
    return type("Wrong", (ctypes.Structure,), {"_fields_": fields})


def test_each_structure_that_crosses_is_mirrored_and_compared() -> None:
    in_cpp = structures_in_cpp()
    assert len(in_cpp) >= 13
    assert set(MIRRORS) == set(in_cpp)
    assert {mirror.__name__ for mirror in MIRRORS.values()} == structures_in_python()
    assert {name: [field for field, *_ in mirror._fields_] for name, mirror in MIRRORS.items()} == in_cpp
    nested = {kind for mirror in MIRRORS.values() for _, kind, *_ in mirror._fields_}
    assert {kind for kind in nested if issubclass(kind, ctypes.Structure)} <= set(MIRRORS.values())


@needs_compiler
def test_the_library_has_the_same_layouts() -> None:
    assert list(layout_differences(library.compiled(), MIRRORS, CONSTANTS)) == []


@needs_compiler
@pytest.mark.parametrize(
    ("name", "index", "field"),
    [
        ("VerbatimNorm", 5, ("num_rows", ctypes.c_int32)),  # another size and other offsets
        ("VerbatimNorm", 7, ("epsilon", ctypes.c_int32)),  # the same ones, and another kind
        ("VerbatimGate", 0, ("output", ctypes.c_void_p)),  # another order
        ("VerbatimLayerEnd", 1, ("gates", MIRRORS["VerbatimVisibleKeys"])),  # another structure within it
        (
            "VerbatimDecoder",
            -1,
            ("num_threads", ctypes.c_int64),
        ),  # another size, for padding, of the field alone
    ],
)
def test_a_mirror_that_is_wrong_is_found(name: str, index: int, field: tuple[str, Any]) -> None:
    wrong = with_field(MIRRORS[name], index, field)
    [difference] = layout_differences(library.compiled(), {**MIRRORS, name: wrong}, CONSTANTS)
    assert difference.startswith(f"{name} is ")


@needs_compiler
def test_what_the_library_does_not_export_and_another_constant_are_found() -> None:
    differences = layout_differences(
        library.compiled(), {"VerbatimNone": MIRRORS["VerbatimNorm"]}, {"kNone": 1, "kNumParts": 3}
    )
    assert list(differences) == [
        "VerbatimNone is not exported",
        "kNone is not exported",
        "kNumParts is 2 in C++ and 3 in Python",
    ]


@needs_compiler
def test_a_library_that_differs_is_not_used_and_the_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = with_field(MIRRORS["VerbatimBest"], 3, ("num_rows", ctypes.c_int32))
    monkeypatch.setitem(MIRRORS, "VerbatimBest", wrong)
    with caplog.at_level(logging.ERROR):
        without = library.loaded.__wrapped__()
    assert without.library is None and without.why_not.startswith("its structures differ: VerbatimBest is ")
    [record] = caplog.records
    assert record.levelno == logging.ERROR and "torch computes everything" in record.getMessage()
