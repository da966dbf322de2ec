"""A new project serves its document at once, and its own test holds it to that."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from verbatim_kit.generate.documents.document import load_document
from verbatim_kit.generate.documents.overlay import apply_overlay
from verbatim_kit.new.__main__ import main
from verbatim_kit.new.overlay import error_overlay

PETSTORE = Path(__file__).parent / "petstore.yaml"  # as OpenAPI's examples have it
WALKS = Path(__file__).parent / "walks.yaml"  # in OpenAPI 3.2, with streams of both forms
FILLED = {
    "listPets": 'return [m.Pet(id=1, name="Bo")]',
    "createPets": "return None",
    "showPetById": "return m.Pet(id=1, name=arguments.pet_id)",
}
WALKED = {
    "walk": """
        async def strides() -> EventStream[m.Stride]:
            for metres in range(1, body.metres + 1):
                yield m.Stride(metres=metres, done=metres == body.metres)

        return strides() if body.stream else m.Stride(metres=body.metres, done=True)
""".strip(),
    "hear": """
        async def barks() -> EventStream[m.Bark]:
            yield m.Bark(kind="bark")

        return barks()
""".strip(),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project, whose operations are filled in."""
    folder = tmp_path_factory.mktemp("new") / "pets"
    assert main(["petstore", "--document", str(PETSTORE), "--into", str(folder)]) == 0
    fill_in(folder / "petstore" / "handlers.py", FILLED)
    return folder


def fill_in(handlers: Path, bodies: dict[str, str]) -> None:
    text = handlers.read_text()
    for operation, body in bodies.items():
        placeholder = f'raise NotImplementedError("{operation}")'
        assert placeholder in text
        text = text.replace(placeholder, body)
    handlers.write_text(text)


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in a project, which has the kit as it is here and sees nothing of this repository's."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(kit_alone(folder))))}
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, text=True, capture_output=True
    )


def kit_alone(folder: Path) -> Path:
    """Return a folder with the kit and nothing else of this repository."""
    path = folder.parent / "kit"
    path.mkdir(exist_ok=True)
    if not (path / "verbatim_kit").exists():
        (path / "verbatim_kit").symlink_to(Path(__file__).parents[4] / "verbatim_kit")
    return path


@pytest.mark.long
def test_its_own_test_passes_once_its_operations_are_filled_in(project: Path) -> None:
    ended = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert ended.returncode == 0, ended.stdout


def test_a_project_from_3_2_streams_events_and_lines(tmp_path: Path) -> None:
    folder = tmp_path / "walks"
    assert main(["walks", "--document", str(WALKS), "--into", str(folder)]) == 0
    fill_in(folder / "walks" / "handlers.py", WALKED)
    ended = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert ended.returncode == 0, ended.stdout
    newer = load_document(folder / "generated" / "walks" / "openapi-3.2.json")
    told = newer["paths"]["/walks"]["post"]["responses"]["200"]["content"]["application/x-ndjson"]
    assert told == {"itemSchema": {"$ref": "#/components/schemas/Stride"}}


def test_what_is_generated_is_what_the_generator_makes_of_it(project: Path) -> None:
    assert run(project, "-m", "verbatim_kit.generate", "--check").returncode == 0


@pytest.mark.long
def test_it_is_well_typed(project: Path) -> None:
    ended = run(project, "-m", "mypy", "--strict", "--cache-dir", str(project.parent / "mypy"), "petstore")
    assert ended.returncode == 0, ended.stdout


@pytest.mark.long
def test_an_operation_that_is_not_filled_in_fails_its_test(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pets"
    assert main(["petstore", "--document", str(PETSTORE), "--into", str(folder)]) == 0
    ended = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert ended.returncode == 1
    assert "NotImplementedError: listPets" in ended.stdout


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"operationId": None}, "#/paths/~1pets/post: operationId is missing"),
        ({"operationId": "class"}, "'class' cannot name a method"),
        ({"responses": {"201": {"description": ""}, "202": {"description": ""}}}, "one successful status"),
    ],
)
def test_a_document_that_cannot_be_served_is_refused_by_place(
    change: dict[str, Any], place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = load_document(PETSTORE)
    document["paths"]["/pets"]["post"] |= change
    if change.get("operationId", "") is None:
        del document["paths"]["/pets"]["post"]["operationId"]
    path = tmp_path / "pets.yaml"
    path.write_text(yaml.safe_dump(document))
    assert main(["pets", "--document", str(path), "--into", str(tmp_path / "pets")]) == 2
    assert place in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (
            ("text/event-stream", {"schema": {}}),
            "#/paths/~1sounds/get/responses/200/content/text~1event-stream",
        ),
        (("multipart/mixed", {"itemSchema": {}}), "multipart~1mixed/itemSchema: multipart/mixed cannot be"),
    ],
)
def test_a_stream_of_3_2_that_cannot_be_served_is_refused_by_place(
    change: tuple[str, Any], place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = load_document(WALKS)
    document["paths"]["/sounds"]["get"]["responses"]["200"]["content"] = dict([change])
    assert _refused(document, tmp_path)
    assert place in capsys.readouterr().err


def test_what_3_1_cannot_say_is_refused_by_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = load_document(WALKS)
    document["paths"]["/walks"]["query"] = document["paths"]["/walks"]["post"]
    assert _refused(document, tmp_path)
    assert "#/paths/~1walks: not valid as OpenAPI 3.1" in capsys.readouterr().err


def _refused(document: Any, tmp_path: Path) -> bool:
    path = tmp_path / "document.yaml"
    path.write_text(yaml.safe_dump(document))
    return main(["walks", "--document", str(path), "--into", str(tmp_path / "walks")]) == 2


@pytest.mark.parametrize("name", ["generated", "a-b", "1"])
def test_a_name_that_cannot_be_the_packages_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--document", str(PETSTORE), "--into", str(tmp_path / "new")]) == 2
    assert "cannot name a package" in capsys.readouterr().err


def test_a_folder_with_something_in_it_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("")
    assert main(["pets", "--document", str(PETSTORE), "--into", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_document_without_errors_gets_one_of_its_own() -> None:
    document = load_document(PETSTORE)
    del document["components"]["schemas"]["Error"]
    for item in document["paths"].values():
        for operation in item.values():
            del operation["responses"]["default"]
    overlay = error_overlay(document)
    assert overlay is not None
    effective = apply_overlay(document, overlay)
    assert effective["components"]["schemas"]["Error"]["required"] == ["message"]
    assert {*effective["paths"]["/pets"]["post"]["responses"]} == {"201", "422", "500"}


def test_a_document_that_declares_all_needs_no_overlay() -> None:
    document = load_document(PETSTORE)
    overlay = error_overlay(document)
    assert overlay is not None
    assert error_overlay(apply_overlay(document, overlay)) is None
