"""The operation `/v1/embeddings`."""

from generated.openai import models as m
from generated.openai.operations import CreateEmbeddingHeaders
from generated.operation import Call
from handlers.openai.completions.prompts import prompts_of
from handlers.openai.service import Service
from handlers.openai.token_ids import check_prompt_ids
from handlers.service.embeddings import EmbeddedTexts, Embedder, Vector, base64_of


class Embeddings:
    """Turns texts into vectors."""

    def __init__(self, service: Service, embedder: Embedder) -> None:
        self._service = service
        self._embedder = embedder

    async def whole(
        self, body: m.CreateEmbeddingRequest, call: Call[CreateEmbeddingHeaders]
    ) -> m.CreateEmbeddingResponse:
        service = self._service
        with service.exchange(call.received_s, "input") as exchange:
            service.model_names.check(body.model)
            check_prompt_ids(body.input, "input", service.model_info.vocab_size)
            told = await self._embedder.embed(
                exchange, prompts_of(body.input), field="input", dimensions=body.dimensions
            )
        return await service.workers.write(told.num_prompt_tokens, self._answer, body, told)

    def _answer(self, body: m.CreateEmbeddingRequest, told: EmbeddedTexts) -> m.CreateEmbeddingResponse:
        write = base64_of if body.encoding_format == "base64" else _numbers
        return m.CreateEmbeddingResponse(
            object="list",
            data=[
                m.Embedding(object="embedding", index=index, embedding=write(vector))
                for index, vector in enumerate(told.vectors)
            ],
            model=self._service.model_names.served,
            usage=m.EmbeddingUsage(prompt_tokens=told.num_prompt_tokens, total_tokens=told.num_prompt_tokens),
        )


def _numbers(vector: Vector) -> list[float]:
    return [float(entry) for entry in vector]
