"""Engines and servers that are measured: processes that stand still while another has its turn."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

_DRIVERS: Final = Path(__file__).parent.parent / "peers"


class Failed(Exception):
    """An engine cannot do what was asked, or its process ended; the message says which."""


class Kind(NamedTuple):
    """script: its driver. venv: the environment that `make bench-peers` makes for it.

    runs_here: whether our own environment does where that is missing.
    environment: what its process needs, `{venv}` for the environment's directory.
    beside: our contender with weights of as many bits, which its ratio is to.
    """

    script: str
    venv: str
    runs_here: bool = False
    environment: Mapping[str, str] = {}
    beside: str = "verbatim"


def _rounded(kind: Kind, weights: str, *, beside: str) -> Kind:
    """Return the kind with weights that its driver rounds so."""
    return kind._replace(environment={**kind.environment, "BENCH_WEIGHTS": weights}, beside=beside)


_LLAMA_CPP: Final = Kind(
    "llama_cpp_batch.py", ".venv-bench-llama.cpp", environment={"LLAMA_CPP_LIB_PATH": "{venv}/build/bin"}
)
_IK_LLAMA_CPP: Final = Kind(
    "ik_llama_cpp_batch.py", ".venv-bench-ik_llama.cpp", environment={"IK_LLAMA_CPP": "{venv}/build"}
)
_OPENVINO: Final = Kind("openvino_genai_batch.py", ".venv-bench-openvino")

KINDS: Final = {
    "verbatim": Kind("verbatim.py", ".venv", runs_here=True),
    "verbatim int8": Kind("verbatim.py", ".venv", runs_here=True, environment={"VERBATIM_QUANTIZE": "int8"}),
    "verbatim int4": Kind("verbatim.py", ".venv", runs_here=True, environment={"VERBATIM_QUANTIZE": "int4"}),
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


class Turns:
    """A process and its children, which run within its turns alone. They begin stopped, once they are up."""

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
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.__exit__(None, None, None)  # waits for it, and closes its pipes


def start(command: list[str], environment: Mapping[str, str], log: Path, *, has_pipes: bool = False) -> Turns:
    """Runs a command as the leader of a group; what it says of itself goes to the log.

    It keeps its modules compiled, as one that is installed does: some images set a variable that forbids it,
    and to compile ours at each start takes 0.6 s.

    Not of a session: Linux shares cores between sessions whatever their priorities (sched(7), autogroup), and
    the client's would mean nothing.
    """
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with log.open("a") as file:
        process = subprocess.Popen(
            command,
            env={**inherited, **environment},
            stdin=subprocess.PIPE if has_pipes else subprocess.DEVNULL,
            stdout=subprocess.PIPE if has_pipes else file,
            stderr=file,
            text=True,
            process_group=0,
        )
    return Turns(process)


class Contender:
    """An engine behind its driver. load_s: from the start of its process until the model is there."""

    def __init__(self, name: str, python: str, log: Path) -> None:
        self.name = name
        self.log = log
        self.version = ""
        self.load_s = 0.0
        kind = KINDS[name]
        venv = str(Path(python).parent.parent)
        self.environment = {key: value.format(venv=venv) for key, value in kind.environment.items()}
        self._started = time.perf_counter()
        self._turns = start([python, str(_DRIVERS / kind.script)], self.environment, log, has_pipes=True)

    def load(self, model: Path) -> None:
        self.version = self._ask(do="load", model=str(model))["version"]
        self.load_s = time.perf_counter() - self._started
        os.killpg(self._turns.process.pid, signal.SIGSTOP)

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Seconds since the request and new tokens, step by step."""
        with self._turns.turn():
            reply = self._ask(do="generate", prompts=prompts, num_tokens=num_tokens)["steps"]
        steps = [(float(seconds), int(count)) for seconds, count in reply]
        assert sum(count for _, count in steps) == len(prompts) * num_tokens, f"{self.name} has its own count"
        return steps

    def server(self, model: Path, port: int) -> tuple[list[str], dict[str, str]]:
        """The command that serves a model there, and its environment. Raises Failed."""
        reply = self._ask(do="server", model=str(model), port=port)
        return reply["command"], {**self.environment, **reply["environment"]}

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


def python_of(name: str, given: Mapping[str, Path]) -> str | None:
    """The Python that runs a contender, in the environment given for it or its own; None: not installed."""
    kind = KINDS[name]
    python = given.get(name, Path(kind.venv)).absolute() / "bin" / "python"
    if python.exists():
        return str(python)
    return sys.executable if kind.runs_here and name not in given else None
