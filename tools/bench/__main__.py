"""Run a benchmark: `python -m tools.bench <name> --help`."""

import argparse
import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import torch
import uvloop
from transformers.utils import logging

from tools.bench.comparison import api_workers, compare, front, gguf_perplexity, gguf_start
from tools.bench.engine import adapters, load_memory, perplexity, prefix, profile, speculation, speed, streams
from tools.bench.engine.parts import attention, kv_events, overhead, products
from tools.bench.http import chat_turns, http_layer, images
from tools.bench.table import Row


class Bench(NamedTuple):
    """A benchmark. about: help text. add_arguments: adds its options. run: prints and returns the results."""

    about: str | None
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Awaitable[list[Row]]]


BENCHES = {
    "adapters": Bench(adapters.__doc__, adapters.add_arguments, adapters.run),
    "api-workers": Bench(api_workers.__doc__, api_workers.add_arguments, api_workers.run),
    "attention": Bench(attention.__doc__, attention.add_arguments, attention.run),
    "chat-turns": Bench(chat_turns.__doc__, chat_turns.add_arguments, chat_turns.run),
    "compare": Bench(compare.__doc__, compare.add_arguments, compare.run),
    "speed": Bench(speed.__doc__, speed.add_arguments, speed.run),
    "front": Bench(front.__doc__, front.add_arguments, front.run),
    "gguf-perplexity": Bench(gguf_perplexity.__doc__, gguf_perplexity.add_arguments, gguf_perplexity.run),
    "gguf-start": Bench(gguf_start.__doc__, gguf_start.add_arguments, gguf_start.run),
    "http": Bench(http_layer.__doc__, http_layer.add_arguments, http_layer.run),
    "images": Bench(images.__doc__, images.add_arguments, images.run),
    "kv-events": Bench(kv_events.__doc__, kv_events.add_arguments, kv_events.run),
    "load-memory": Bench(load_memory.__doc__, load_memory.add_arguments, load_memory.run),
    "overhead": Bench(overhead.__doc__, overhead.add_arguments, overhead.run),
    "perplexity": Bench(perplexity.__doc__, perplexity.add_arguments, perplexity.run),
    "prefix": Bench(prefix.__doc__, prefix.add_arguments, prefix.run),
    "products": Bench(products.__doc__, products.add_arguments, products.run),
    "profile": Bench(profile.__doc__, profile.add_arguments, profile.run),
    "speculation": Bench(speculation.__doc__, speculation.add_arguments, speculation.run),
    "streams": Bench(streams.__doc__, streams.add_arguments, streams.run),
}


async def _run(bench: Bench, arguments: argparse.Namespace) -> list[Row]:
    return await bench.run(arguments)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for name, bench in BENCHES.items():
        bench.add_arguments(commands.add_parser(name, help=bench.about, description=bench.about))
    arguments = parser.parse_args()
    quiet: Any = logging.disable_progress_bar  # has no type annotations
    quiet()
    threads, load = torch.get_num_threads(), os.getloadavg()[0]
    print(f"{arguments.name}: {threads} threads, load average {load:.1f} at the start")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # the server's loop too
        rows = runner.run(_run(BENCHES[arguments.name], arguments))
    print(json.dumps({"bench": arguments.name, "threads": threads, "load": load, "rows": rows}))


if __name__ == "__main__":
    main()
