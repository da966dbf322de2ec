"""The server's wheels, of which pip installs the one that fits into an empty environment.

`make test-wheel` builds them and runs this. The libraries that they need are lent to that environment from
the one that runs the tests, so that nothing is downloaded. Ours are not: what the wheel lacks is missing
there. There is no compiler on the path either, so all compiled code is the wheel's.
"""

import os
import platform
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

import httpx
import pytest

from engine.native import compiler
from engine.native.compiler import targets_of
from engine.native.instructions import isa_names
from handlers.version import DISTRIBUTION, VERSION
from tests.conftest import LIMITS, running_server
from tools.wheels.compilers import MACHINES, find_compiler

ROOT = Path(__file__).parents[2]
WHEELS = Path(os.environ.get("WHEELS", ROOT / "build" / "wheel"))
PACKAGES = {"engine", "generated", "handlers"}
MODULE = "verbatim_server.py"  # what a program imports
CLIENTS = ("generated", "clients")  # a distribution of its own
PREBUILT = compiler.PREBUILT.relative_to(ROOT).as_posix()
BUILT = sorted(WHEELS.glob("verbatim_server-*.whl"))
[KIT] = WHEELS.glob("verbatim_kit-*.whl")
ELF_MACHINES = {"x86_64": 62, "aarch64": 183}

# One of each kind of file that is no Python.
DATA = {
    "engine/demo_model/model.safetensors",
    "engine/demo_model/tokenizer.json",
    "engine/demo_vision/model.safetensors",
    "engine/demo_vision/processor_config.json",
    "engine/native/src/attention/decode_attention.cpp",
    "generated/openai/openapi.json",
    "handlers/root_paths/playground/assets/index.html",
}


def machine_of(wheel: Path) -> str:
    """Return the architecture of a wheel's compiled code; empty if it has none."""
    return next((machine for machine in ELF_MACHINES if wheel.stem.endswith(machine)), "")


# Asked before a fixture empties the path.
MACHINES_HERE = [machine for machine in MACHINES if find_compiler(machine) is not None]
HAS_COMPILED_CODE = platform.machine() in map(machine_of, BUILT)


def test_the_wheels_are_those_whose_compilers_are_here() -> None:
    assert sorted(map(machine_of, BUILT)) == sorted(["", *MACHINES_HERE])


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the checkout is on the path of what is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        patch.delenv("PYTHONPATH", raising=False)
        yield


@pytest.fixture(scope="session", params=BUILT, ids=lambda path: path.stem.rpartition("-")[2])
def wheel(request: pytest.FixtureRequest) -> Path:
    """Each of the wheels."""
    built = request.param
    assert isinstance(built, Path)
    return built


@pytest.fixture(scope="session")
def names(wheel: Path) -> set[str]:
    """The files in the wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of an environment that has the wheel, and others' libraries by reference."""
    environment = tmp_path_factory.mktemp("installed")
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run(
        [*install, "--no-deps", "--no-index", "--find-links", str(WHEELS), DISTRIBUTION, "verbatim-kit"],
        check=True,
    )
    paths = sysconfig.get_paths(vars={"base": str(environment), "platbase": str(environment)})
    lent = [entry for entry in sys.path if any(Path(entry).glob("*.dist-info"))]
    (Path(paths["purelib"]) / "lent.pth").write_text("\n".join(lent))
    return python.parent


@pytest.fixture(scope="session")
def without_a_compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is on the path, and nothing in the user's cache, whose folder this is."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path_factory.mktemp("nothing")))
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.setenv("CXX", "g++")
        patch.delenv("VERBATIM_KERNEL_CACHE", raising=False)
        yield cache


@pytest.fixture(scope="session")
def url(commands: Path, without_a_compiler: Path) -> Iterator[str]:
    """The address of a server that runs from the wheel, and needs its compiled code if it has some."""
    required = ["--require-native"] if HAS_COMPILED_CODE else []
    with running_server(*LIMITS, *required, command=(str(commands / "verbatim"), "serve")) as server:
        yield server.url
    assert not [path for path in without_a_compiler.rglob("*.so")], "it compiled after all"


def test_the_wheel_has_the_packages_that_ship_and_no_others(names: set[str]) -> None:
    assert {name.partition("/")[0] for name in names} == {*PACKAGES, MODULE}


def test_the_wheel_has_every_file_of_these_packages(wheel: Path, names: set[str]) -> None:
    """C++ sources, documents, templates and weights too; nothing that is not in the checkout is added."""
    relative = (
        path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()
    )
    ours = {
        path.as_posix() for path in relative if "__pycache__" not in path.parts and path.parts[:2] != CLIENTS
    }
    assert ours >= DATA
    machine = machine_of(wheel)
    compiled = {f"{PREBUILT}/{target.file_name}" for target in targets_of(machine)} if machine else set()
    assert len(compiled) >= (3 if machine else 0)
    assert names == ours | compiled | {MODULE}


def test_the_wheel_of_the_kit_has_every_file_of_it() -> None:
    files = subprocess.check_output(["git", "ls-files", "verbatim_kit"], cwd=ROOT, text=True).splitlines()
    with zipfile.ZipFile(KIT) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {*files, "verbatim_kit/LICENSE"} - {"verbatim_kit/pyproject.toml"}
    assert KIT.stat().st_size < 2_000_000


def test_the_kit_begins_a_project(commands: Path, tmp_path: Path) -> None:
    document = ROOT / "tests" / "unit" / "verbatim_kit" / "new" / "petstore.yaml"
    kit = str(commands / "verbatim-kit")
    subprocess.run([kit, "new", "petstore", "--document", str(document)], cwd=tmp_path, check=True)
    subprocess.run([kit, "generate", "--check"], cwd=tmp_path / "petstore", check=True)
    assert KIT.stat().st_size < 2_000_000


def test_the_command_of_the_kit_is_installed(commands: Path) -> None:
    help_text = subprocess.check_output([commands / "verbatim-kit", "generate", "--help"], text=True)
    assert "Write generated/ from specs/" in help_text


def test_compiled_code_is_of_the_architecture_that_the_wheel_names(wheel: Path) -> None:
    """It has torch's OpenMP library find its symbols, and needs no other."""
    machine = machine_of(wheel)
    with zipfile.ZipFile(wheel) as archive:
        libraries = [archive.read(name) for name in archive.namelist() if name.endswith(".so")]
    assert bool(libraries) == bool(machine)
    for content in libraries:
        assert content[:4] == b"\x7fELF" and int.from_bytes(content[18:20], "little") == ELF_MACHINES[machine]
        assert b"GOMP_parallel" in content and b"libgomp" not in content and b"__kmpc" not in content


def test_the_metadata_names_the_project_and_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [folder] = {name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = message_from_bytes(archive.read(f"{folder}/METADATA"))
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
    assert (metadata["Name"], metadata["Version"]) == (DISTRIBUTION, VERSION)
    assert "verbatim = handlers.cli:main" in entry_points
    assert "verbatim-server = handlers.cli:main" in entry_points
    assert "text-generation-launcher = handlers.text_generation_launcher:main" in entry_points


def test_pip_takes_the_wheel_with_compiled_code(commands: Path) -> None:
    program = "import engine.native.compiler as c; print([path.name for path in c.PREBUILT.glob('*')])"
    printed = subprocess.check_output([commands / "python", "-c", program], text=True)
    assert (printed != "[]\n") == HAS_COMPILED_CODE


@pytest.mark.skipif(not HAS_COMPILED_CODE, reason=f"no wheel was made for {platform.machine()}")
@pytest.mark.parametrize("isa", [each for each in isa_names() if each not in ("native", "amx")])
def test_each_set_that_this_processor_has_is_served_by_the_wheel_without_a_compiler(
    isa: str, commands: Path, without_a_compiler: Path
) -> None:
    program = (
        "from engine.native.instructions import usable_label\n"
        "from engine.native.library import loaded\n"
        "library, why_not = loaded()\n"
        "assert library is not None, why_not\n"
        "print(usable_label(), library._name)"
    )
    printed = subprocess.check_output(
        [commands / "python", "-c", program], text=True, env={**os.environ, "VERBATIM_ISA": isa}
    )
    label, path = printed.split()
    assert label == isa or isa_names().index(label) < isa_names().index(isa), "it has no such instructions"
    assert Path(path).name.startswith(f"native-{label}-") and f"/{PREBUILT}/" in path
    assert not list(without_a_compiler.iterdir())


def test_all_packages_come_from_the_wheel(commands: Path) -> None:
    """So the other tests try the wheel, and not the checkout."""
    program = f"import sys\nfor name in {sorted(PACKAGES)}: print(__import__(name).__path__[0])"
    printed = subprocess.check_output([commands / "python", "-c", program], text=True)
    assert all(Path(line).is_relative_to(commands.parent) for line in printed.splitlines())


def test_neither_tools_nor_tests_can_be_imported(commands: Path) -> None:
    program = "import importlib.util as u; print([n for n in ('tools', 'tests') if u.find_spec(n)])"
    assert subprocess.check_output([commands / "python", "-c", program], text=True) == "[]\n"


def test_the_command_tells_its_version(commands: Path) -> None:
    printed = subprocess.check_output([commands / "verbatim", "--version"], text=True)
    assert printed == f"verbatim {VERSION}\n"


def test_tgis_command_tells_its_version(commands: Path) -> None:
    printed = subprocess.check_output([commands / "text-generation-launcher", "--version"], text=True)
    assert printed == f"text-generation-launcher {VERSION} (Verbatim)\n"


def test_a_chat_is_answered(url: str) -> None:
    body = {"model": "verbatim-demo", "messages": [{"role": "user", "content": "Hello! Who are you?"}]}
    answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    [choice] = answer.json()["choices"]
    assert choice["message"]["content"]
    assert choice["finish_reason"] == "stop"


def test_the_documents_and_the_playground_are_served(url: str) -> None:
    assert httpx.get(f"{url}/tgi/openapi.json").json()["openapi"].startswith("3.1")
    assert "<html" in httpx.get(f"{url}/playground").text


def test_conform_finds_no_fault(url: str, commands: Path) -> None:
    """The command is found, with the documents and the rules that it reads."""
    chosen = ["--only", "/v1/embeddings", "--check", "examples"]
    command = [
        str(commands / "verbatim"),
        "conform",
        "--contract",
        "openai",
        "--base-url",
        f"{url}/openai/v1",
    ]
    done = subprocess.run([*command, *chosen, "--report", "report"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert Path("report", "report.html").is_file()
