"""A model in the caller's own process, for scripts and notebooks."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel
from tqdm.auto import tqdm

from generated.openai.models import (
    CreateChatCompletionResponse,
    CreateCompletionResponse,
    CreateEmbeddingResponse,
)
from handlers.llm.running_app import running_app
from handlers.settings.settings import Settings
from handlers.shared_settings.reading import read_section

Message = Mapping[str, Any]

AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Refused(Exception):
    """A request that the OpenAI contract refuses, with the contract's own message.

    status: as over HTTP. param: the field at fault, if there is one. index: the place of the request in its
    call.
    """

    def __init__(self, status: int, message: str, param: str | None, index: int) -> None:
        super().__init__(f"request {index}: {message}")
        self.status = status
        self.param = param
        self.index = index


class LLM:
    """A model that answers lists of requests; it is loaded once, and ends with `close` or the `with` block.

    Requests and answers are those of the OpenAI contract, so that every parameter of a server is here too:
    tools, structured output, log-probabilities, `top_k`, and so on. Requests of one call are batched.
    """

    def __init__(self, model: str | None = None, **settings: Any) -> None:
        """Load the model.

        model: a directory or a name on the Hugging Face Hub; None for the embedded demo model. settings:
        those of `verbatim serve` with underscores, such as `dtype="bfloat16"`; the environment sets the
        rest. Raises ValueError for wrong settings, and the errors of the engine's start (EngineError).
        """
        if unknown := settings.keys() - Settings.model_fields.keys():
            raise ValueError(f"{min(unknown)} is no setting of the server")
        # Keys, which the environment may hold for a server, are of no use within a process; and a line of the
        # log for each request would tear the progress bar apart.
        quiet = {"api_key": None, "api_keys_file": None, "access_log": False, "no_store": True}
        given = {**quiet, **settings, **({"model": model} if model else {})}
        self._settings: Final = read_section(Settings, given)
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            app = self._portal.wrap_async_context_manager(running_app(self._settings))
            self._client = stack.enter_context(app)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the model, and give back its memory."""
        self._stack.close()

    def generate(
        self, prompts: str | Iterable[str | Sequence[int]], *, progress: bool = True, **parameters: Any
    ) -> list[CreateCompletionResponse]:
        """Continue texts, or lists of token ids, and return an answer for each, in their order.

        progress: whether a bar shows it. parameters: those of a completion; `max_tokens` is 16 if not given.
        Raises Refused for the first request that is refused; the others are given up.
        """
        bodies = [{"prompt": prompt, **parameters} for prompt in _listed(prompts)]
        return self._ask("/completions", bodies, CreateCompletionResponse, progress=progress)

    def chat(
        self,
        conversations: Sequence[Message] | Iterable[Sequence[Message]],
        *,
        progress: bool = True,
        **parameters: Any,
    ) -> list[CreateChatCompletionResponse]:
        """Answer one or more conversations, and return an answer for each, in their order.

        parameters: those of a chat completion. A class of pydantic's as `response_format` stands for its JSON
        Schema. progress, errors: as of `generate`.
        """
        bodies = [
            {"messages": list(messages), **_with_schema(parameters)}
            for messages in _conversations(conversations)
        ]
        return self._ask("/chat/completions", bodies, CreateChatCompletionResponse, progress=progress)

    def embed(
        self, texts: str | Iterable[str], *, progress: bool = True, **parameters: Any
    ) -> list[list[float]]:
        """Return the embedding of each text. progress, errors: as of `generate`."""
        bodies = [{"input": text, **parameters, "encoding_format": "float"} for text in _listed(texts)]
        answers = self._ask("/embeddings", bodies, CreateEmbeddingResponse, progress=progress)
        return [_floats(answer.data[0].embedding) for answer in answers]

    def _ask(
        self, path: str, bodies: Sequence[dict[str, Any]], answer: type[AnswerT], *, progress: bool
    ) -> list[AnswerT]:
        with tqdm(total=len(bodies), disable=not progress, unit="request") as bar:
            future = self._portal.start_task_soon(self._ask_all, path, bodies, bar.update)
            try:
                contents = future.result()
            except BaseException:  # Ctrl-C too: nothing goes on after the call
                future.cancel()
                raise
        return [answer.model_validate_json(content) for content in contents]

    async def _ask_all(
        self, path: str, bodies: Sequence[dict[str, Any]], on_answer: Callable[[int], object]
    ) -> list[bytes]:
        sequences = max((max(body.get("n") or 1, body.get("best_of") or 1) for body in bodies), default=1)
        free = asyncio.Semaphore(max(1, self._settings.max_concurrent_requests // sequences))

        async def ask(index: int, body: dict[str, Any]) -> bytes:
            async with free:
                named = {"model": self._settings.model_name, **body}
                response = await self._client.post(path, json=named)
            if response.status_code != httpx.codes.OK:
                error = response.json()["error"]
                raise Refused(response.status_code, error["message"], error.get("param"), index)
            on_answer(1)
            return response.content

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(ask(index, body)) for index, body in enumerate(bodies)]
        except* Refused as refused:
            raise refused.exceptions[0] from None
        return [task.result() for task in tasks]


def _floats(embedding: list[float] | str) -> list[float]:
    assert not isinstance(embedding, str), "floats were asked for"
    return embedding


def _listed(given: str | Iterable[str | Sequence[int]]) -> list[str | Sequence[int]]:
    return [given] if isinstance(given, str) else list(given)


def _conversations(given: Sequence[Message] | Iterable[Sequence[Message]]) -> list[list[Any]]:
    """Return a list of conversations; the messages of one are a list of one conversation."""
    items: list[Any] = list(given)
    return [items] if items and isinstance(items[0], Mapping) else items


def _with_schema(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with the JSON Schema of a class of pydantic's in its place."""
    form = parameters.get("response_format")
    if not (isinstance(form, type) and issubclass(form, BaseModel)):
        return parameters
    schema = {"name": form.__name__, "schema": form.model_json_schema()}
    return {**parameters, "response_format": {"type": "json_schema", "json_schema": schema}}
