"""A program in place of a model's process: it answers with what it got, or as the last message asks it to.

Its argument is the descriptor of a file with pickled settings, as that of `handlers.commands.serve_model`.
A model called `fails` ends at once. Messages: `stream` sends numbers until the client leaves, `die` ends the
process in the second event of a stream, `die at once` before any answer. `/lost` says how many clients have
left streams.
"""

import asyncio
import json
import os
import pickle
import sys

from aiohttp import web

PROGRAM = (sys.executable, "-m", "tests.support.scripted.model_program")


class _Scripted:
    def __init__(self, name: str) -> None:
        self._name = name
        self._num_lost = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if request.path == "/lost":
            return web.json_response(self._num_lost)
        if request.path.endswith("/metrics"):
            return web.Response(text="# HELP one Of all\n# TYPE one counter\none 1.0\n")
        if request.path.endswith("/models_available"):
            return web.json_response(_available(self._name))
        order = _order(body)
        if order == "die at once":
            os._exit(9)
        if order in ("stream", "die"):
            return await self._stream(request, dies=order == "die")
        told = {
            "name": self._name,
            "method": request.method,
            "target": request.raw_path,
            "headers": [[name, value] for name, value in request.headers.items()],
            "body": body.decode("latin-1"),
        }
        headers = {"x-own": "kept", "connection": "x-dropped", "x-dropped": "1"}
        return web.json_response(told, status=418 if order == "refuse" else 200, headers=headers)

    async def _stream(self, request: web.Request, *, dies: bool) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        number = 0
        try:
            while True:
                await response.write(f"data: {number}\n\n".encode())
                number += 1
                await asyncio.sleep(0.05)
                if dies:
                    os._exit(9)
        except (ConnectionError, asyncio.CancelledError):
            self._num_lost += 1
            raise


def _order(body: bytes) -> str:
    try:
        return str(json.loads(body)["messages"][-1]["content"])
    except (ValueError, KeyError, TypeError):
        return ""


def _available(name: str) -> list[dict[str, object]]:
    no = dict.fromkeys(("image_support", "qa_support", "summarization_support", "aligned"), False)
    sizes = {"max_context_size": 7, "maximum_completion_tokens": 6}
    return [{"name": name, "description": "", "hostings": [], "embedding_types": [], **no, **sizes}]


def main(descriptor: int) -> None:
    with open(descriptor, "rb") as file:
        settings = pickle.load(file)
    if settings.model == "fails":
        print("verbatim: error: there is no such model", file=sys.stderr)
        sys.exit(1)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _Scripted(settings.model_name).answer)
    web.run_app(app, host=settings.host, port=settings.port, handler_cancellation=True, print=print)


if __name__ == "__main__":
    main(int(sys.argv[1]))
