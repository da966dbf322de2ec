"""The server with all its contracts, over an engine that answers as an agent's model would."""

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Final, NamedTuple

import uvicorn

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.apps.recorder import Received, Recorder
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.chat.models import chat_tokenizer

MODEL: Final = "claude-local"
TASK: Final = "Fetch the word."  # the words of a user who wants the calls

_MAX_TOTAL_TOKENS: Final = 1_000_000  # the tokenizer has a token for each byte
_START_S: Final = 30.0
_RESULT: Final = re.compile(r"<\|im_start\|>tool\n(.*?)<\|im_end\|>", re.DOTALL)
_NO_THOUGHTS: Final = "</think>\n\n"


class Call(NamedTuple):
    """A call that the model makes."""

    tool: str
    arguments: Mapping[str, object]


class Server(NamedTuple):
    """A server at work: its URL, its engine, and the requests that it has answered."""

    url: str
    engine: ScriptedEngine
    received: list[Received]

    @property
    def refused(self) -> list[Received]:
        """The requests that were not answered with success."""
        return [request for request in self.received if request.status >= 400]


@contextmanager
def scripted_server(*calls: Call) -> Iterator[Server]:
    """Start a server on a free port.

    A user who says the words of `TASK` gets the calls, one after another, and then the words of the last
    result. Any other, and one whose request does not offer these tools, is greeted.
    """
    tokenizer = chat_tokenizer()

    def script(request: GenerationRequest) -> Iterable[TokenEvent | Exception]:
        prompt = tokenizer.decode(request.prompt.token_ids, skip_special_tokens=False)
        return says(*_answer(prompt, calls))(request)

    engine = ScriptedEngine(script, tokenizer=tokenizer, max_total_tokens=_MAX_TOTAL_TOKENS)
    recorder = Recorder(build_app(Settings(served_model_name=MODEL), engine))
    server = uvicorn.Server(uvicorn.Config(recorder, port=0, log_level="warning"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{_port(server, thread)}", engine, recorder.received)
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


def _answer(prompt: str, calls: tuple[Call, ...]) -> Iterator[str]:
    """Yield the pieces of the model's next words."""
    if not prompt.endswith(_NO_THOUGHTS):
        yield "<think>\nI should do as I am asked.\n</think>\n\n"
    results = _RESULT.findall(prompt)
    is_asked = TASK in prompt and all(f'"{call.tool}"' in prompt for call in calls)
    if not is_asked:
        yield "Hello!"
    elif len(results) < len(calls):
        call = calls[len(results)]
        yield from ("<tool_call>\n", json.dumps({"name": call.tool, "arguments": call.arguments}))
        yield "\n</tool_call>"
    else:
        yield f"It says: {results[-1].strip()}"
