"""The operation `/v1/decisions`."""

from functools import partial
from typing import Any, Final

from generated.openai import models as m
from handlers.chat.errors import ChatError
from handlers.contracts.openai.decisions.request import input_messages, neutral_questions
from handlers.contracts.openai.decisions.response import decision_response
from handlers.contracts.openai.errors import to_problem
from handlers.decisions.decider import Decider
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call

_to_problem: Final = partial(to_problem, prompt_field="input")


class Decisions:
    """Answers questions with probabilities."""

    def __init__(self, shared: ServedModel, decider: Decider) -> None:
        self._shared = shared
        self._decider = decider

    async def whole(self, body: m.CreateDecisionRequest, call: Call[Any]) -> m.Decision:
        shared = self._shared
        with shared.active_requests.open(call.received_s, _to_problem) as active:
            adapter = shared.model_names.resolve(body.model).adapter
            questions = await shared.workers.prepare(neutral_questions, body)
            messages = await shared.workers.prepare(input_messages, body)
            with active.permits("questions", len(questions), takes_turns=True):
                try:
                    decisions = await self._decider.decide(active, messages, questions, adapter)
                except ChatError as error:
                    if error.field.startswith("messages"):
                        error.field = "input"
                    raise
        model = adapter or shared.model_names.served
        return await shared.workers.compute(decision_response, model, body.questions, decisions)
