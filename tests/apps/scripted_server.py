"""The server with all its contracts, over an engine that answers as an agent's model would."""

import json
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

import uvicorn

from engine.events import TokenEvent
from engine.request import GenerationRequest
from handlers.app import build_app
from handlers.settings.settings import Settings
from tests.scripted_engine import ScriptedEngine, says
from tests.unit.handlers.chat.models import chat_tokenizer

MODEL: Final = "claude-local"

_MAX_TOTAL_TOKENS: Final = 1_000_000  # the tokenizer has a token for each byte
_START_S: Final = 30.0
_READ: Final = re.compile(r"Read the file (\S+)\.")
_RESULT: Final = re.compile(r"<\|im_start\|>tool\n(.*?)<\|im_end\|>", re.DOTALL)
_NO_THOUGHTS: Final = "</think>\n\n"


@contextmanager
def scripted_server(tool: str, argument: str) -> Iterator[tuple[str, ScriptedEngine]]:
    """A server on a free port, by its URL, and its engine.

    A user who says `Read the file F.` gets a call of `tool`, with F as its `argument`, and then the words
    of the result. Any other is greeted.
    """
    tokenizer = chat_tokenizer()

    def script(request: GenerationRequest) -> Iterable[TokenEvent | Exception]:
        prompt = tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False)
        return says(*_answer(prompt, tool, argument))(request)

    engine = ScriptedEngine(script, tokenizer=tokenizer, max_total_tokens=_MAX_TOTAL_TOKENS)
    app = build_app(Settings(served_model_name=MODEL), engine)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{_port(server, thread)}", engine
    finally:
        server.should_exit = True
        thread.join()


def _port(server: uvicorn.Server, thread: Thread) -> int:
    deadline = time.monotonic() + _START_S
    while not server.started:
        assert thread.is_alive() and time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


def _answer(prompt: str, tool: str, argument: str) -> Iterator[str]:
    """Yield the pieces of the model's next words."""
    if not prompt.endswith(_NO_THOUGHTS):
        yield "<think>\nI should do as I am asked.\n</think>\n\n"
    file = _READ.search(prompt)
    results = _RESULT.findall(prompt)
    if results:
        yield f"It says: {results[-1].strip()}"
    elif file is not None and f'"{tool}"' in prompt:
        call = json.dumps({"name": tool, "arguments": {argument: file[1]}})
        yield from ("<tool_call>\n", call, "\n</tool_call>")
    else:
        yield "Hello!"
