"""The operation `/v1/responses/input_tokens`."""

from functools import partial

from generated.openai import models as m
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.responses.request.preparation import Preparation
from handlers.served_model.model_names import ModelNames
from verbatim_kit.errors import mapped_errors


class InputTokens:
    """Counts the tokens of inputs, which nothing answers."""

    def __init__(self, preparation: Preparation, model_names: ModelNames) -> None:
        self._preparation = preparation
        self._model_names = model_names

    async def count(self, body: m.CountResponseInputTokensRequest) -> m.ResponseInputTokens:
        """Return the number of an input's tokens.

        Raises the contract's problem for an input that no response could be made of.
        """
        fields = {name: getattr(body, name) for name in m.CountResponseInputTokensRequest.model_fields}
        named = {**fields, "model": body.model or self._model_names.served}
        response = m.CreateResponseRequest.model_construct(**named)
        with mapped_errors(partial(to_problem, prompt_field="input")):
            prepared = await self._preparation.prepare(response)
        return m.ResponseInputTokens(
            object="response.input_tokens", input_tokens=len(prepared.chat.request.prompt.token_ids)
        )
