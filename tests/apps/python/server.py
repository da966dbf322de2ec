"""The server with all its contracts, over a model that is scripted."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

import uvicorn

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.apps.python.agent_model import agent_script
from tests.apps.recorder import Recorder
from tests.apps.scripted_server import Server
from tests.support.scripted.engine import ScriptedEngine
from tests.unit.handlers.chat.models import chat_tokenizer

MODEL: Final = "verbatim-demo"

_MAX_TOTAL_TOKENS: Final = 1_000_000  # the tokenizer has a token for each byte
_START_S: Final = 60.0


@contextmanager
def agent_server(*aliases: str) -> Iterator[Server]:
    """Serve a scripted model that calls tools and keeps to schemas.

    aliases: further names of the model.
    """
    tokenizer = chat_tokenizer()
    engine = ScriptedEngine(agent_script(tokenizer), tokenizer=tokenizer, max_total_tokens=_MAX_TOTAL_TOKENS)
    recorder = Recorder(build_app(Settings(served_model_name=MODEL, model_alias=aliases), engine))
    server = uvicorn.Server(uvicorn.Config(recorder, port=0, log_level="warning"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + _START_S
        while not server.started:
            assert thread.is_alive() and time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        yield Server(url, engine, recorder.received)
    finally:
        server.should_exit = True
        thread.join()
