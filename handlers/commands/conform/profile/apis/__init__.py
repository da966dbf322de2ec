"""The checks of answers for each API, which read an answer as its clients do."""

from collections.abc import Mapping
from typing import Final

from handlers.commands.conform.profile.apis import chat, completions, messages, responses
from handlers.commands.conform.profile.apis.api import Api

APIS: Final[Mapping[str, Api]] = {
    "/v1/chat/completions": Api(chat.whole_breaches, chat.stream_breaches),
    "/v1/completions": Api(completions.whole_breaches, completions.stream_breaches),
    "/v1/messages": Api(messages.whole_breaches, messages.stream_breaches),
    "/v1/responses": Api(responses.whole_breaches, responses.stream_breaches),
}
"""The checks by path. For other paths, such as the list of models, only the schemas are checked."""
