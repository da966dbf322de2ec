"""The APIs that programs speak: each answer read as their clients read it."""

from collections.abc import Mapping
from typing import Final

from handlers.conform.profile.apis import chat, completions, messages, responses
from handlers.conform.profile.apis.api import Api

APIS: Final[Mapping[str, Api]] = {
    "/v1/chat/completions": Api(chat.whole_breaches, chat.stream_breaches),
    "/v1/completions": Api(completions.whole_breaches, completions.stream_breaches),
    "/v1/messages": Api(messages.whole_breaches, messages.stream_breaches),
    "/v1/responses": Api(responses.whole_breaches, responses.stream_breaches),
}
"""By path. Of other paths, such as that of the list of models, only the schemas are checked."""
