"""The engines and servers to measure: processes that are stopped while another one is measured."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

_TREE: Final = Path(__file__).parents[3]
_DRIVERS: Final = "tools/bench/peers"


class Failed(Exception):
    """An engine failed or does not support a request, or its process ended; the message has the reason."""


class Kind(NamedTuple):
    """A kind of contender.

    script: its driver. venv: the virtual environment that `make bench-peers` creates. runs_here: our own
    environment is used if that is missing. environment: environment variables; `{venv}` is replaced by the
    environment's directory. beside: our contender with the same number of bits, which it is compared with.
    tree: the checkout that the driver comes from and runs in.
    """

    script: str
    venv: str
    runs_here: bool = False
    environment: Mapping[str, str] = {}
    beside: str = "verbatim"
    tree: Path = _TREE


def _rounded(kind: Kind, weights: str, *, beside: str) -> Kind:
    """Return the kind with quantized weights."""
    return kind._replace(environment={**kind.environment, "BENCH_WEIGHTS": weights}, beside=beside)


def _ours(quantize: str) -> Kind:
    """Return our engine with quantized weights."""
    return _VERBATIM._replace(environment={"VERBATIM_QUANTIZE": quantize}, beside=f"verbatim {quantize}")


_VERBATIM: Final = Kind("verbatim.py", ".venv", runs_here=True)
_LLAMA_CPP: Final = Kind(
    "llama_cpp_batch.py", ".venv-bench-llama.cpp", environment={"LLAMA_CPP_LIB_PATH": "{venv}/build/bin"}
)
_IK_LLAMA_CPP: Final = Kind(
    "ik_llama_cpp_batch.py", ".venv-bench-ik_llama.cpp", environment={"IK_LLAMA_CPP": "{venv}/build"}
)
_OPENVINO: Final = Kind("openvino_genai_batch.py", ".venv-bench-openvino")

KINDS: Final = {
    "verbatim": _VERBATIM,
    "verbatim int8": _ours("int8"),
    "verbatim int4": _ours("int4"),
    "transformers": Kind("transformers_generate.py", ".venv-bench-transformers", runs_here=True),
    "llama.cpp": _LLAMA_CPP,
    "llama.cpp int8": _rounded(_LLAMA_CPP, "int8", beside="verbatim int8"),
    "llama.cpp q4_0": _rounded(_LLAMA_CPP, "q4_0", beside="verbatim int4"),
    "llama.cpp q4_k_m": _rounded(_LLAMA_CPP, "q4_k_m", beside="verbatim int4"),
    "ik_llama.cpp": _IK_LLAMA_CPP,
    "ik_llama.cpp int8": _rounded(_IK_LLAMA_CPP, "int8", beside="verbatim int8"),
    "ik_llama.cpp q4_0": _rounded(_IK_LLAMA_CPP, "q4_0", beside="verbatim int4"),
    "ik_llama.cpp q4_k_m": _rounded(_IK_LLAMA_CPP, "q4_k_m", beside="verbatim int4"),
    "openvino": _OPENVINO,
    "openvino int8": _rounded(_OPENVINO, "int8", beside="verbatim int8"),
    "vllm": Kind("vllm_cpu.py", ".venv-bench-vllm"),
}
_OURS: Final = ("verbatim", "verbatim int8", "verbatim int4")


def chosen(arguments: argparse.Namespace) -> dict[str, Kind]:
    """Return the kinds to measure, by name: after each of ours, the same one of the tree in --before."""
    kinds: dict[str, Kind] = {}
    for name in arguments.only or KINDS:
        kinds[name] = KINDS[name]
        if arguments.before is not None and name in _OURS:
            kinds[f"{name} before"] = KINDS[name]._replace(tree=arguments.before.absolute(), beside=name)
    return kinds


class Command(NamedTuple):
    """A program to start. environment: additional variables. folder: that it runs in; None for ours."""

    words: list[str]
    environment: Mapping[str, str] = {}
    folder: Path | None = None


class Turns:
    """A process and its children, which only run during their turns; they are stopped when started up."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    @contextmanager
    def turn(self) -> Iterator[None]:
        os.killpg(self.process.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.killpg(self.process.pid, signal.SIGSTOP)

    def end(self) -> None:
        with suppress(ProcessLookupError):  # it has already ended
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.__exit__(None, None, None)  # waits for the process and closes its pipes


def start(command: Command, log: Path, *, has_pipes: bool = False) -> Turns:
    """Run a command as the leader of a process group, with its output in a log file.

    Its compiled Python modules are cached, as in an installation: some images set a variable that disables
    the cache, and compiling ours at each start takes 0.6 s.

    It is not the leader of a session: Linux divides cores between sessions regardless of priorities
    (sched(7), autogroup), so that the client's low priority would have no effect.
    """
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with log.open("a") as file:
        process = subprocess.Popen(
            command.words,
            env={**inherited, **command.environment},
            cwd=command.folder,
            stdin=subprocess.PIPE if has_pipes else subprocess.DEVNULL,
            stdout=subprocess.PIPE if has_pipes else file,
            stderr=file,
            text=True,
            process_group=0,
        )
    return Turns(process)


class Contender:
    """An engine with its driver. load_s: seconds from the start of its process until the model is loaded."""

    def __init__(self, name: str, kind: Kind, arguments: argparse.Namespace) -> None:
        """Start the driver. Raises Failed if the engine is not installed."""
        python = python_of(name, kind, dict(arguments.peer))
        if python is None:
            raise Failed(f"{name} is not installed: make bench-peers")
        self.name = name
        self.kind = kind
        self.log = arguments.logs.absolute() / f"{name}.log"
        self.version = ""
        self.load_s = 0.0
        venv = str(Path(python).parent.parent)
        self.environment = {key: value.format(venv=venv) for key, value in kind.environment.items()}
        self._started = time.perf_counter()
        driver = Command([python, str(kind.tree / _DRIVERS / kind.script)], self.environment, kind.tree)
        self._turns = start(driver, self.log, has_pipes=True)

    def load(self, model: Path) -> None:
        self.version = self._ask(do="load", model=str(model))["version"]
        self.load_s = time.perf_counter() - self._started
        os.killpg(self._turns.process.pid, signal.SIGSTOP)

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Generate tokens; return the seconds since the request and the new tokens of each step."""
        with self._turns.turn():
            reply = self._ask(do="generate", prompts=prompts, num_tokens=num_tokens)["steps"]
        steps = [(float(seconds), int(count)) for seconds, count in reply]
        assert sum(count for _, count in steps) == len(prompts) * num_tokens, f"{self.name} has its own count"
        return steps

    def server(self, model: Path, port: int) -> Command:
        """Return the command that serves a model at a port. Raises Failed."""
        reply = self._ask(do="server", model=str(model), port=port)
        environment = {**self.environment, **reply["environment"]}
        return Command(reply["command"], environment, self.kind.tree)

    def end(self) -> None:
        self._turns.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _ask(self, **asked: Any) -> dict[str, Any]:
        process = self._turns.process
        assert process.stdin is not None and process.stdout is not None
        try:
            print(json.dumps(asked), file=process.stdin, flush=True)
            answer: dict[str, Any] = json.loads(process.stdout.readline())
        except (OSError, ValueError) as error:
            raise Failed(f"{self.name} ended: see {self.log}") from error
        if "error" in answer:
            raise Failed(f"{self.name}: {answer['error']}")
        return answer


def python_of(name: str, kind: Kind, given: Mapping[str, Path]) -> str | None:
    """Return the Python executable for a contender; None if not installed. given: environments by name."""
    python = given.get(name, kind.tree / kind.venv).absolute() / "bin" / "python"
    if python.exists():
        return str(python)
    return sys.executable if kind.runs_here and name not in given else None


def _peer(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    if name not in KINDS or not path:
        raise argparse.ArgumentTypeError(f"write NAME=DIRECTORY; names are {', '.join(KINDS)}")
    return name, Path(path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose contenders."""
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, help="contenders to measure (default: all that are installed)"
    )
    parser.add_argument(
        "--before", type=Path, metavar="TREE", help="checkout of another version, measured next to this one"
    )
    parser.add_argument(
        "--peer",
        action="append",
        type=_peer,
        default=[],
        metavar="NAME=DIRECTORY",
        help="virtual environment of a contender; may be repeated",
    )
    parser.add_argument(
        "--logs", type=Path, default=Path(tempfile.gettempdir()), help="folder for the contenders' logs"
    )
