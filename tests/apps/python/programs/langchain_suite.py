"""LangChain's own integration tests of chat models, for langchain-openai and langchain-anthropic."""

import os
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

URL = os.environ["SERVER"]
MODEL = os.environ["MODEL"]


class TestOpenAIChat(ChatModelIntegrationTests):
    """`/v1/chat/completions`."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatOpenAI

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": MODEL, "base_url": f"{URL}/v1", "api_key": "none", "stream_usage": True}

    @property
    def supports_json_mode(self) -> bool:
        return True

    @property
    def supports_anthropic_inputs(self) -> bool:
        return True


class TestOpenAIResponses(TestOpenAIChat):
    """`/v1/responses`."""

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": MODEL, "base_url": f"{URL}/v1", "api_key": "none", "use_responses_api": True}


class TestAnthropic(ChatModelIntegrationTests):
    """`/v1/messages`."""

    @property
    def chat_model_class(self) -> type[BaseChatModel]:
        return ChatAnthropic

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": MODEL, "base_url": URL, "api_key": "none", "max_tokens": 200}

    @property
    def supports_anthropic_inputs(self) -> bool:
        return True
