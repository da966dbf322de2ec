"""A server with a vision model whose event loop is monitored.

For each line on standard input, it prints the measurements since the previous line as JSON.
"""

import argparse
import asyncio
import json
import socket
import sys
from time import perf_counter, thread_time
from typing import Final, NamedTuple

import uvicorn

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.composition import build_app
from handlers.process.gc_tuning import freeze_start_up
from handlers.serving.server_run import new_event_loop, server_config
from handlers.settings.settings import Settings

MODEL_NAME: Final = "m"
_TICK_S: Final = 0.001
_NUM_KV_BLOCKS: Final = 4096


class LoopFigures(NamedTuple):
    """Measurements of the event loop over a period.

    stall_s: maximum delay of a callback. late_s: 99th percentile of the delay. turn_s: maximum CPU time of
    the loop's thread between two callbacks.
    """

    stall_s: float
    late_s: float
    turn_s: float


class LoopWatch:
    """A callback that the event loop runs every millisecond, to measure delays."""

    def __init__(self) -> None:
        self._late_s: list[float] = []
        self._computed_s: list[float] = []

    async def run(self) -> None:
        """Monitor the running loop until cancelled."""
        while True:
            began_s, computed_s = perf_counter(), thread_time()
            await asyncio.sleep(_TICK_S)
            self._late_s.append(perf_counter() - began_s - _TICK_S)
            self._computed_s.append(thread_time() - computed_s)

    def take(self) -> LoopFigures:
        """Return the measurements so far, and reset them."""
        late_s, turn_s = sorted(self._late_s), max(self._computed_s, default=0.0)
        self._late_s, self._computed_s = [], []
        if not late_s:
            return LoopFigures(0.0, 0.0, turn_s)
        return LoopFigures(late_s[-1], late_s[len(late_s) * 99 // 100], turn_s)


async def _serve(model: str, listener: socket.socket) -> None:
    config = EngineConfig(model=model, device="cpu", dtype="float32", num_kv_blocks=_NUM_KV_BLOCKS)
    engine = await AsyncEngine.start(config)
    settings = Settings(served_model_name=MODEL_NAME, media_timeout=600)
    app = build_app(settings, engine)
    freeze_start_up()
    watch = LoopWatch()
    watching = asyncio.create_task(watch.run())
    server = uvicorn.Server(server_config(settings, app))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    print(listener.getsockname()[1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(watch.take()), flush=True)
    watching.cancel()
    server.should_exit = True
    await serving


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="model directory")
    arguments = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve(arguments.model, listener))


if __name__ == "__main__":
    main()
