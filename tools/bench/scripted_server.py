"""The server as it is served, over an engine that computes nothing."""

import argparse
import asyncio
import socket

import uvicorn
import uvloop

from engine.async_engine import AsyncEngine
from engine.demo_model import DEMO_MODEL
from engine.tokenizer import Tokenizer
from handlers.app import build_app
from handlers.settings import Settings
from tools.bench.scripted_core import MODEL_INFO, ScriptedCore


async def _serve(listener: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    tokenizer = Tokenizer.from_directory(DEMO_MODEL, vocab_size=MODEL_INFO.vocab_size, end_token_ids=())
    engine = AsyncEngine(ScriptedCore.as_core(loop), tokenizer, MODEL_INFO)
    settings = Settings(max_concurrent_requests=1024)
    config = uvicorn.Config(build_app(settings, engine), http="httptools", log_config=None, access_log=False)
    print(listener.getsockname()[1], flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(listener))


if __name__ == "__main__":
    main()
