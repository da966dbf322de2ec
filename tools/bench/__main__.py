"""Run a benchmark: `python -m tools.bench <name> --help`."""

import argparse
import asyncio
import json
import os
from typing import Any

import torch
import uvloop
from transformers.utils import logging

from tools.bench import decisions, grammars, profile
from tools.bench.comparison import compare, front, start
from tools.bench.http import http_layer

BENCHES = {
    "compare": compare,
    "decisions": decisions,
    "front": front,
    "grammars": grammars,
    "http": http_layer,
    "profile": profile,
    "start": start,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for name, bench in BENCHES.items():
        bench.add_arguments(commands.add_parser(name, help=bench.__doc__, description=bench.__doc__))
    arguments = parser.parse_args()
    quiet: Any = logging.disable_progress_bar  # has no type annotations
    quiet()
    threads, load = torch.get_num_threads(), os.getloadavg()[0]
    print(f"{arguments.name}: {threads} threads, load average {load:.1f} at the start")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # the server's loop too
        rows = runner.run(BENCHES[arguments.name].run(arguments))
    print(json.dumps({"bench": arguments.name, "threads": threads, "load": load, "rows": rows}))


if __name__ == "__main__":
    main()
