"""Compare Verbatim with other engines and servers, by turns, with the same random weights."""

import argparse
import json
import signal
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tools.bench import machine
from tools.bench.comparison import contender, engine_level, http_level
from tools.bench.comparison.contender import Contender, Failed, Kind, chosen
from tools.bench.comparison.http_level import Server
from tools.bench.random_model import SHAPES, model_directory
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
    with model_directory(arguments.model, shape) as model:
        report |= _measure(arguments, model, SHAPES[shape])
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return [*report["engine"], *report["http"]]


def _measure(arguments: argparse.Namespace, model: Path, shape: dict[str, Any]) -> dict[str, Any]:
    report: dict[str, Any] = {"contenders": [], "engine": [], "http": [], "floor": []}
    kinds = chosen(arguments)
    if "engine" in arguments.level:
        report |= _measure_engines(arguments, model, shape, kinds)
    if "http" in arguments.level:
        report |= _measure_servers(arguments, model, kinds)
    return report


def _measure_engines(
    arguments: argparse.Namespace, model: Path, shape: dict[str, Any], kinds: dict[str, Kind]
) -> dict[str, Any]:
    with ExitStack() as stack:
        contenders: list[Contender] = []
        for name, kind in kinds.items():
            try:
                engine = stack.enter_context(Contender(name, kind, arguments))
                engine.load(model)
                contenders.append(engine)
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


def _measure_servers(arguments: argparse.Namespace, model: Path, kinds: dict[str, Kind]) -> dict[str, Any]:
    with ExitStack() as stack:
        servers: list[Server] = []
        for name, kind in kinds.items():
            try:
                with Contender(name, kind, arguments) as driver:
                    server = Server(driver, model)
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    contender.add_arguments(parser)
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
    parser.add_argument("--json", type=Path, help="file for a report, with a description of the machine")
    parser.add_argument("--strict", action="store_true", help="stop if other programs use the machine")
