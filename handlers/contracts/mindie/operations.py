"""The contract's operation."""

from typing import Final, final

from typing_extensions import override

from generated.mindie import models as m
from generated.mindie.operations import NoHeaders, Operations
from handlers.active_requests.admission import AdmissionControl
from handlers.contracts.mindie.chat.operation import Chat
from handlers.contracts.mindie.errors import to_problem
from handlers.contracts.mindie.settings import MindieSettings
from handlers.served_model.served_model import ServedModel
from verbatim_kit.runtime.operation import Call, EventStream

_GENERATES: Final = frozenset({"chat_completions"})


@final
class MindieHandlers(AdmissionControl, Operations):
    """Answers conversations; streams where the client asked for it."""

    def __init__(self, shared: ServedModel, settings: MindieSettings) -> None:
        super().__init__(shared.active_requests, to_problem, _GENERATES)
        self._chat = Chat(shared, settings)

    @override
    async def chat_completions(
        self, body: m.ChatRequest, call: Call[NoHeaders]
    ) -> m.ChatCompletion | EventStream[m.ChatCompletionEvent]:
        if body.stream:
            return self._chat.stream(body, call)
        return await self._chat.whole(body, call)
