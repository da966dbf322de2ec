"""Compare Verbatim with other engines and servers, by turns, with the same random weights."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tools.bench import machine
from tools.bench.comparison import engine_level, http_level
from tools.bench.comparison.contender import KINDS, Contender, Failed, python_of
from tools.bench.comparison.http_level import Server
from tools.bench.random_model import SHAPES, write_model
from tools.bench.table import Row, print_table

_MAX_BUSY: Final = 0.1  # maximum share of the cores' time that other programs may use


async def run(arguments: argparse.Namespace) -> list[Row]:
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that no peer is left running
    shape = "small" if arguments.small else "Qwen2.5-0.5B"
    print(f"{shape}'s shape, random bfloat16 weights, greedy; {arguments.rounds} rounds by turns, medians")
    report: dict[str, Any] = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine.describe(),
        "model": shape,
    }
    _check_idle(arguments)
    arguments.logs.mkdir(parents=True, exist_ok=True)
    with _model(arguments.model, shape) as model:
        report |= _measure(arguments, model, SHAPES[shape])
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return [*report["engine"], *report["http"]]


def _measure(arguments: argparse.Namespace, model: Path, shape: dict[str, Any]) -> dict[str, Any]:
    report: dict[str, Any] = {"contenders": [], "engine": [], "http": [], "floor": []}
    names = arguments.only or list(KINDS)
    if "engine" in arguments.level:
        report |= _measure_engines(arguments, model, shape, names)
    if "http" in arguments.level:
        report |= _measure_servers(arguments, model, names)
    return report


def _measure_engines(
    arguments: argparse.Namespace, model: Path, shape: dict[str, Any], names: list[str]
) -> dict[str, Any]:
    with ExitStack() as stack:
        contenders = []
        for name in names:
            try:
                contender = _contender(name, arguments)
                stack.callback(contender.end)
                contender.load(model)
                contenders.append(contender)
            except Failed as error:
                print(f"not measured: {error}")
        loads: list[Row] = [
            {"contender": each.name, "version": each.version, "load_s": each.load_s} for each in contenders
        ]
        print_table(loads)
        floor = _floor(model, shape, arguments.requests)
        print_table(floor)
        rows, busy = engine_level.run(contenders, arguments, shape["vocab_size"])
    return {"contenders": loads, "floor": floor, "engine": rows, "busy": busy}


def _contender(name: str, arguments: argparse.Namespace) -> Contender:
    python = python_of(name, dict(arguments.peer))
    if python is None:
        raise Failed(f"{name} is not installed: make bench-peers")
    return Contender(name, python, arguments.logs / f"{name}.log")


def _measure_servers(arguments: argparse.Namespace, model: Path, names: list[str]) -> dict[str, Any]:
    with ExitStack() as stack:
        servers: list[Server] = []
        for name in names:
            try:
                driver = _contender(name, arguments)
                with driver:
                    server = Server(driver, model, arguments.logs / f"{name}.server.log")
                stack.callback(server.end)
                servers.append(server)
            except Failed as error:
                print(f"not served: {error}")
        starts: list[Row] = [{"server": server.name, "start_s": server.start_s} for server in servers]
        print_table(starts)
        rows = http_level.run(servers, arguments)
    return {"servers": starts, "http": rows}


def _floor(model: Path, shape: dict[str, Any], requests: list[int]) -> list[Row]:
    """Return a lower bound for engines in bfloat16: a step must read all weights, keys and values once."""
    bandwidth = machine.read_bandwidth()
    weights = (model / "model.safetensors").stat().st_size
    head_size = shape["hidden_size"] // shape["num_attention_heads"]
    token = 2 * 2 * shape["num_hidden_layers"] * shape["num_key_value_heads"] * head_size
    context = engine_level.DECODE_PROMPT + engine_level.NUM_TOKENS // 2
    return [
        {
            "floor": "memory",
            "requests": num,
            "gb_per_s": bandwidth / 1e9,
            "tokens_per_s": num * bandwidth / (weights + num * context * token),
        }
        for num in requests
    ]


def _check_idle(arguments: argparse.Namespace) -> None:
    """Warn if other programs use the machine; with --strict, raise SystemExit."""
    if (busy := machine.busy_share(1.0)) <= _MAX_BUSY:
        return
    message = f"other processes take {busy:.0%} of the cores: figures will be too low"
    if arguments.strict:
        raise SystemExit(message)
    print(f"warning: {message}")


@contextmanager
def _model(given: Path | None, shape: str) -> Iterator[Path]:
    """Yield the directory of the model: a temporary one, or the given one, which is created if necessary."""
    if given is None:
        with tempfile.TemporaryDirectory() as directory:
            write_model(Path(directory), shape)
            yield Path(directory)
        return
    if not (given / "model.safetensors").exists():
        given.mkdir(parents=True, exist_ok=True)
        write_model(given, shape)
    yield given.absolute()


def _peer(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    if name not in KINDS or not path:
        raise argparse.ArgumentTypeError(f"write NAME=DIRECTORY; names are {', '.join(KINDS)}")
    return name, Path(path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, help="contenders to measure (default: all that are installed)"
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
        "--level", nargs="+", choices=("engine", "http"), default=["engine", "http"], help="levels to measure"
    )
    parser.add_argument(
        "--requests", type=int, nargs="+", default=[1, 8, 32], help="numbers of concurrent requests"
    )
    parser.add_argument("--prompts", type=int, nargs="+", default=[128, 512], help="numbers of prompt tokens")
    parser.add_argument(
        "--outputs", type=int, nargs="+", default=[32, 128], help="tokens of answers over HTTP"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which medians are reported")
    parser.add_argument("--small", action="store_true", help="use a small model, for a test of a minute")
    parser.add_argument("--model", type=Path, help="directory in which to keep the model, in all formats")
    parser.add_argument(
        "--logs", type=Path, default=Path(tempfile.gettempdir()), help="folder for the peers' logs"
    )
    parser.add_argument("--json", type=Path, help="file for a report, with a description of the machine")
    parser.add_argument("--strict", action="store_true", help="stop if other programs use the machine")
