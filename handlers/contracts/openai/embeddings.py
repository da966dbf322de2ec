"""The operation `/v1/embeddings`."""

from functools import partial
from typing import Final

from generated.openai import models as m
from generated.openai.operations import CreateEmbeddingHeaders
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.prompts import check_prompt_ids, prompts_of
from handlers.operations.embeddings import EmbeddedTexts, Embedder, Vector, base64_of
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call

_to_problem: Final = partial(to_problem, prompt_field="input")


class Embeddings:
    """Turns texts into vectors."""

    def __init__(self, shared: ServedModel, embedder: Embedder) -> None:
        self._shared = shared
        self._embedder = embedder

    async def whole(
        self, body: m.CreateEmbeddingRequest, call: Call[CreateEmbeddingHeaders]
    ) -> m.CreateEmbeddingResponse:
        shared = self._shared
        with shared.active_requests.open(call.received_s, _to_problem) as active:
            adapter = shared.model_names.resolve(body.model).adapter
            check_prompt_ids(body.input, "input", shared.model_info.vocab_size)
            embedded = await self._embedder.embed(
                active,
                prompts_of(body.input),
                field="input",
                dimensions=body.dimensions,
                adapter=adapter,
            )
        return await shared.workers.write(embedded.num_prompt_tokens, self._answer, body, embedded)

    def _answer(self, body: m.CreateEmbeddingRequest, embedded: EmbeddedTexts) -> m.CreateEmbeddingResponse:
        write = base64_of if body.encoding_format == "base64" else _numbers
        return m.CreateEmbeddingResponse(
            object="list",
            data=[
                m.Embedding(object="embedding", index=index, embedding=write(vector))
                for index, vector in enumerate(embedded.vectors)
            ],
            model=self._shared.model_names.adapter_of(body.model) or self._shared.model_names.served,
            usage=m.EmbeddingUsage(
                prompt_tokens=embedded.num_prompt_tokens, total_tokens=embedded.num_prompt_tokens
            ),
        )


def _numbers(vector: Vector) -> list[float]:
    return [float(entry) for entry in vector]
