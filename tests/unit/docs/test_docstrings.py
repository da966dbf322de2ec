"""The docstrings of the code: sentences that begin with what the thing is or does."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.unit.docs.pages import ROOT

# The folders whose docstrings are held to this.
ROOTS: Final = ("engine", "handlers", "tests", "tools", "verbatim_kit")
# First words of a fragment, whose verb or noun is missing: "What a layer does", "Of the last batch".
FRAGMENT: Final = re.compile(r"\W*(What|Of|As|How|Where|Whether|Which|Whose|Who|Why|That of|Those of)\b")
# A text that begins so, which may be a docstring: few files have one and must be parsed.
QUOTED: Final = re.compile(rf"""["']{FRAGMENT.pattern}""")


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.body[0].lineno, text


@pytest.mark.parametrize("root", ROOTS)
def test_a_docstring_begins_with_what_the_thing_is_or_does(root: str) -> None:
    files = sorted((ROOT / root).rglob("*.py"))
    assert files, f"{root} has no modules: it has moved"
    fragments = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in files
        if QUOTED.search(path.read_text(encoding="utf-8"))
        for line, text in docstrings(path)
        if FRAGMENT.match(text)
    ]
    assert not fragments, "\n".join(fragments)


@pytest.mark.parametrize("text", ["What a layer does.", "Of `works`, one each.", '"How" it is.'])
def test_a_fragment_is_found(text: str, tmp_path: Path) -> None:
    assert FRAGMENT.match(text)
    module = tmp_path / "module.py"
    module.write_text(f'def compute() -> None:\n    """{text}"""\n', encoding="utf-8")
    assert QUOTED.search(module.read_text(encoding="utf-8"))
    assert [found for _, found in docstrings(module)] == [text]


@pytest.mark.parametrize("text", ["Whatever.", "Return what it is.", "Offsets of tokens.", "Assert it."])
def test_a_sentence_is_not_taken_for_a_fragment(text: str) -> None:
    assert not FRAGMENT.match(text)


@pytest.mark.parametrize("root", ["engine", "handlers", "tools", "verbatim_kit"])
def test_every_package_says_what_it_is(root: str) -> None:
    packages = [path for path in (ROOT / root).rglob("__init__.py") if path.parent != ROOT / root]
    assert len(packages) > 5, f"{root} has no packages: it has moved"
    silent = [
        str(path.parent.relative_to(ROOT))
        for path in packages
        if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]
    assert not silent, "\n".join(silent)
