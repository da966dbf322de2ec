"""The hand-written pages: their length, links and program, and the files and tests that they name."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.unit.docs.pages import DOCS, README, ROOT, blocks, code

ENGINE: Final = ROOT / "engine" / "README.md"
HANDLERS: Final = ROOT / "handlers" / "README.md"
PAGES: Final = (
    README,
    ENGINE,
    HANDLERS,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "specs" / "README.md",
    ROOT / "tests" / "README.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted(ROOT.glob("specs/*/NOTES.md")),
)
# The README is read whole by newcomers; tables of fields and figures stand in docs/.
MAX_README_WORDS: Final = 1600
LINK: Final = re.compile(r"(?<!!)\[[^\]]+\]\((?!\w+:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
# Files that exist only while there is something to write into them.
OPTIONAL: Final = ("specs/CHANGES.md",)
# The site renders these pages from specs/ and generated/.
RENDERED: Final = DOCS / "contracts"


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= MAX_README_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for match in LINK.finditer(text):
        target = (page.parent / match["path"]).resolve() if match["path"] else page
        if target.is_relative_to(RENDERED):
            continue
        assert target.exists(), f"{match[0]} leads nowhere"
        if match["anchor"] and target.suffix == ".md":
            assert match["anchor"] in anchors(target), f"{match[0]} leads to no heading"


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub and MkDocs make of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_numbers_of_the_architectures_picture_are_those_of_its_text() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    picture = sorted(int(number) for number in re.findall(r">(\d+) · ", text))
    assert picture == [int(number) for number in re.findall(r"^- \*\*(\d+)\*\*", text, re.MULTILINE)]
    assert len(picture) == 10


def words_in_backticks(page: Path) -> Iterator[str]:
    text = re.sub(r"^ *```.*?```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for line in text.splitlines():
        yield from code(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_of_the_code_that_a_page_names_exist(page: Path) -> None:
    for word in words_in_backticks(page):
        if re.fullmatch(r"(engine|handlers|tools|tests|docs|specs)/[\w./-]+", word) and word not in OPTIONAL:
            assert (ROOT / word).exists(), f"there is no {word}"


def test_the_files_of_the_code_that_compiled_sources_name_exist() -> None:
    for source in sorted((ROOT / "engine" / "native" / "src").rglob("*.*")):
        for path in re.findall(r"\b(?:engine|tests)/[\w/]+\.py\b", source.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{source.name} names {path}"


@pytest.mark.parametrize("page", [ENGINE, HANDLERS], ids=lambda page: page.parent.name)
def test_the_files_and_tests_that_a_page_of_rooms_names_exist(page: Path) -> None:
    tests = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}
    functions = {
        name
        for path in tests.values()
        for name in re.findall(r"^ *(?:async )?def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for word in words_in_backticks(page):
        if re.fullmatch(r"test_\w+\.py", word):
            assert word in tests, f"there is no {word}"
        elif re.fullmatch(r"test_\w+", word):
            assert word in functions, f"there is no {word}"
        elif re.fullmatch(r"[\w./]+(\.py|/)", word):
            assert (page.parent / word).exists() or (ROOT / word).exists(), f"there is no {word}"


@pytest.mark.parametrize("page", [ENGINE, HANDLERS], ids=lambda page: page.parent.name)
def test_a_table_has_every_room_in_the_layer_that_import_linter_holds(page: Path) -> None:
    package = page.parent.name
    rooms = {
        path.stem
        for path in page.parent.iterdir()
        if (path / "__init__.py").exists() or (path.suffix == ".py" and path.stem != "__init__")
    }
    table = page.read_text(encoding="utf-8").partition("## The rooms\n")[2].partition("\n## ")[0]
    layers: list[set[str]] = []
    for row in re.findall(r"^\| *(\d*) *\| (`.*?) \|", table, re.MULTILINE):
        if row[0]:
            layers.append(set())
            assert int(row[0]) == len(layers)
        layers[-1].update(Path(word).stem for word in code(row[1]))
    assert set().union(*layers) == rooms
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [held] = [one["layers"] for one in contracts["contracts"] if one.get("containers") == [package]]
    assert layers == [set(layer.split(" | ")) for layer in held]


def test_the_engines_program_prints_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    [program] = [block for block in blocks(ENGINE) if block.language == "python"]
    assert len([line for line in program.text.splitlines() if line.strip()]) <= 20
    namespace: dict[str, Any] = {}
    exec(compile(program.text, program.name, "exec"), namespace)
    assert capsys.readouterr().out.strip()
