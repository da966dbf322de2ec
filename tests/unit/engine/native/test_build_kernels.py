"""Code that was compiled ahead serves where there is no compiler."""

import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from engine.native import compiler, instructions, library
from engine.native.build_kernels import build_kernels
from engine.native.compiler import (
    ARM_MACHINE,
    X86_MACHINE,
    CannotCompile,
    Target,
    file_names,
    targets_of,
)
from engine.native.instructions import ArmInstructions, Instructions
from handlers.cli import main
from tests.conftest import COMMAND, LIMITS
from tests.support.selection.instructions import needs_compiler

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="compiled code runs on Linux alone")
ON_X86 = pytest.mark.skipif(not instructions.is_x86(), reason="names sets of x86")


@pytest.fixture
def no_compiler(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has no compiler, nor the user's cache a library."""
    empty = tmp_path / "empty"
    empty.mkdir()
    return {**os.environ, "PATH": str(empty), "XDG_CACHE_HOME": str(empty / "cache"), "CXX": "g++"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what `verbatim build-kernels` compiles for this processor.

    It takes a copy where these tests have compiled that already, by the same function, to load it.
    """
    folder = tmp_path_factory.mktemp("kernels")
    known = None if (there := library.load_library()) is None else Path(there._name)
    build = compiler._build

    def build_or_copy(path: str, target: Target, tuning: str, directory: Path) -> Path:
        if known is None or target.file_name != known.name:
            return build(path, target, tuning, directory)
        return Path(shutil.copy(known, directory))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "_build", build_or_copy)
        assert main(["build-kernels", "--output", str(folder)]) == 0
    return folder


def serve(environment: dict[str, str], *options: str) -> "subprocess.CompletedProcess[str]":
    """`verbatim serve` of a port that is taken by nobody, ended as soon as it has said how it starts."""
    command = [str(COMMAND), "serve", "--port", "0", *LIMITS, *options]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.strip().startswith("ready at "):
            process.terminate()
    _, complaint = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, said, complaint)


@needs_compiler
def test_what_was_compiled_ahead_is_found_without_a_compiler(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [path.name for path in built.iterdir()] == file_names()[:1]
    monkeypatch.setenv("VERBATIM_KERNEL_CACHE", str(built))
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert library.loaded.__wrapped__().library is not None


@needs_compiler
def test_the_library_is_compiled_once_and_found_again(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [library_file] = built.iterdir()
    targets = []

    def compiled(_: str, target: Target, tuning: str, directory: Path) -> Path:
        targets.append(target)
        directory.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(library_file, directory / target.file_name))

    monkeypatch.setattr(compiler, "_build", compiled)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("VERBATIM_KERNEL_CACHE", raising=False)
    monkeypatch.setattr(library, "PREBUILT", tmp_path / "none")
    for _ in range(2):
        assert library.loaded.__wrapped__().library is not None
    assert len(targets) == 1
    assert [path.name for path in (tmp_path / "verbatim").iterdir()] == [library_file.name]


@needs_compiler
@pytest.mark.parametrize("has_home", [False, True])
def test_code_that_cannot_be_kept_is_compiled_for_this_process(
    has_home: bool,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    [library_file] = built.iterdir()
    folders: list[Path] = []

    def compiled(_: str, target: Target, tuning: str, directory: Path) -> Path:
        folders.append(directory)
        return Path(shutil.copy(library_file, directory / target.file_name))

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    (tmp_path / "file").touch()  # in which no folder can be made, whoever asks
    monkeypatch.setattr(compiler, "_build", compiled)
    monkeypatch.setattr(library, "PREBUILT", tmp_path / "none")
    monkeypatch.setattr(library, "user_cache", (lambda: tmp_path / "file" / "cache") if has_home else no_home)
    monkeypatch.delenv("VERBATIM_KERNEL_CACHE", raising=False)
    assert library.loaded.__wrapped__().library is not None
    [folder] = folders
    assert folder.name.startswith("verbatim-kernels-")
    assert not folder.exists()
    assert "compiled code is not kept for later starts" in caplog.text
    monkeypatch.setenv("VERBATIM_KERNEL_CACHE", str(tmp_path / "file" / "named"))
    assert "Not a directory" in library.loaded.__wrapped__().why_not


@needs_compiler
def test_of_processes_that_start_at_once_one_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, second_waits, may_end = threading.Event(), threading.Event(), threading.Event()
    targets: list[Target] = []
    asked: list[Path] = []
    locked = compiler._locked

    def noted(directory: Path) -> AbstractContextManager[None]:
        asked.append(directory)
        if len(asked) == 2:
            second_waits.set()
        return locked(directory)

    def compiled(_: str, target: Target, tuning: str, directory: Path) -> Path:
        targets.append(target)
        has_begun.set()
        assert may_end.wait(60)
        (directory / target.file_name).touch()
        return directory / target.file_name

    monkeypatch.setattr(compiler, "_build", compiled)
    monkeypatch.setattr(compiler, "_locked", noted)
    target = Target.of_this_processor()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(compiler.build, target, tmp_path)
        assert has_begun.wait(60)
        second = pool.submit(compiler.build, target, tmp_path)
        assert second_waits.wait(60)
        may_end.set()
        assert first.result(60) == second.result(60) == tmp_path / target.file_name
    assert len(targets) == 1
    compiler.build(target, tmp_path)  # by one who wants it anew
    assert len(targets) == 2


@pytest.mark.long  # `make test-wheel` does the same with compiled code of a wheel's
@needs_compiler
def test_a_server_that_requires_native_code_starts_without_a_compiler(
    built: Path, no_compiler: dict[str, str]
) -> None:
    started = serve(no_compiler, "--require-native", "--kernel-cache", str(built))
    assert "ready at " in started.stdout and started.stderr == ""
    assert "ranking" in next(line for line in started.stdout.splitlines() if line.startswith("  native "))
    assert "no C++ compiler" not in started.stdout


def test_a_server_that_requires_native_code_and_finds_none_refuses_in_one_line(
    no_compiler: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("PATH", "XDG_CACHE_HOME", "CXX"):
        monkeypatch.setenv(name, no_compiler[name])
    monkeypatch.setenv("VERBATIM_REQUIRE_NATIVE", "1")
    monkeypatch.setattr("engine.native.obstacles.loaded", library.loaded.__wrapped__)
    assert main(["serve", "--port", "0"]) == 1
    said = capsys.readouterr()
    assert "ready" not in said.out
    assert said.err == (
        "verbatim: error: compiled code that could be used is not; ranking: no C++ compiler is found (g++)\n"
    )


@pytest.mark.long
def test_without_a_compiler_a_server_starts_and_says_what_it_lacks(no_compiler: dict[str, str]) -> None:
    started = serve(no_compiler, "--log-level", "error")
    assert "  native    none; torch computes everything" in started.stdout.splitlines()
    [line] = [line for line in started.stdout.splitlines() if "no C++ compiler is found (g++)" in line]
    assert line.strip().startswith("without ") and "ranking" in line


@ON_X86
def test_a_library_is_compiled_for_each_set_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_nothing(_: str, target: Target, tuning: str, directory: Path) -> Path:
        directory.mkdir(exist_ok=True)
        (directory / target.file_name).touch()
        return directory / target.file_name

    monkeypatch.setattr(compiler, "find_compiler", lambda: "g++")
    monkeypatch.setattr(compiler, "_build", write_nothing)
    assert main(["build-kernels", "--isa", "sse4_2,AVX2", "--output", str(tmp_path / "new")]) == 0
    expected = [Target.of_set(each).file_name for each in (Instructions.SSE4_2, Instructions.AVX2)]
    assert capsys.readouterr().out.split() == [str(tmp_path / "new" / name) for name in expected]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(expected)


@ON_X86
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--isa", "avx1024"], "--isa: 'avx1024' is none of sse4_2, avx2, avx2_vnni,"),
        (["--march", "armv8.2-a"], "--march is for other architectures than x86; give --isa on this machine"),
    ],
)
def test_a_target_that_there_is_not_is_a_usage_error(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build-kernels", *options]) == 2
    assert capsys.readouterr().err.startswith(f"verbatim: error: {complaint}")


def test_without_a_compiler_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(CannotCompile):
        list(build_kernels(None, None, str(tmp_path)))
    assert main(["build-kernels", "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "verbatim: error: no C++ compiler is found (g++)\n"


@needs_compiler
def test_a_folder_that_cannot_be_written_is_an_error_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert main(["build-kernels", "--output", str(file)]) == 1
    assert capsys.readouterr().err.startswith("verbatim: error: ")


def test_on_another_architecture_a_library_by_march_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    own, ahead = file_names()
    assert Target.of_march("rv64gcv").file_name == ahead != own
    with pytest.raises(ValueError, match="give --march on this machine"):
        build_kernels("avx2", None, None)


def test_on_arm_each_set_has_a_library_and_the_best_that_may_be_used_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr(instructions, "_auxiliary", lambda entry: -1)  # every bit is set
    targets = {each: Target.of_set(each).file_name for each in ArmInstructions}
    assert (
        len(set(targets.values())) == len(targets) and file_names()[0] == targets[ArmInstructions.ARMV8_BF16]
    )
    for allowed in ArmInstructions:
        monkeypatch.setenv("VERBATIM_ISA", allowed.label)
        assert file_names()[0] == targets[allowed]
    monkeypatch.setattr(instructions, "_auxiliary", lambda entry: 0)
    assert file_names()[0] == targets[ArmInstructions.ARMV8]
    with pytest.raises(ValueError, match="'avx2' is none of armv8, armv8_dotprod, armv8_bf16, native, all"):
        build_kernels("avx2", None, None)
    with pytest.raises(ValueError, match="exclude each other"):
        build_kernels("armv8", "armv8.2-a", None)


def test_a_library_for_another_architecture_has_another_name() -> None:
    targets = [*targets_of(X86_MACHINE), *targets_of(ARM_MACHINE)]
    assert len({target.file_name for target in targets}) == len(targets) == 9


def test_a_library_of_other_sources_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    before = file_names()
    texts = compiler._texts()
    monkeypatch.setattr(compiler, "_texts", lambda: [*texts, "// a source that was added"])
    assert not set(before) & set(file_names())


@needs_compiler
def test_libraries_are_searched_in_the_named_folder_then_in_the_package_then_in_the_users_cache(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)  # no compiler, so one is found or there is none
    [library_file] = built.iterdir()
    folders = {name: tmp_path / name for name in ("named", "package", "cache/verbatim")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(library, "PREBUILT", folders["package"])
    monkeypatch.delenv("VERBATIM_KERNEL_CACHE", raising=False)

    def found() -> str | None:
        there = library.loaded.__wrapped__().library
        return None if there is None else str(Path(there._name).parent)

    def put(folder: Path) -> str:
        shutil.copy(library_file, folder)
        return str(folder)

    assert found() is None
    assert found() != put(folders["cache/verbatim"]) == found()
    assert found() != put(folders["package"]) == found()
    put(folders["named"])
    monkeypatch.setenv("VERBATIM_KERNEL_CACHE", str(folders["named"]))
    assert found() == str(folders["named"])
    (folders["named"] / library_file.name).unlink()
    assert found() == str(folders["package"])


@needs_compiler
def test_a_library_that_cannot_be_loaded_gives_way_to_the_next(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A prebuilt one may need a newer system than this one."""
    [library_file] = built.iterdir()
    (tmp_path / library_file.name).write_bytes(b"of another system")
    monkeypatch.setattr(library, "PREBUILT", tmp_path)
    monkeypatch.setenv("VERBATIM_KERNEL_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr(library, "build", lambda target, directory: library_file)
    loaded = library.loaded.__wrapped__().library
    assert loaded is not None and loaded._name == str(library_file)
    [record] = caplog.records
    assert record.getMessage().startswith(f"{tmp_path / library_file.name} cannot be loaded: ")
