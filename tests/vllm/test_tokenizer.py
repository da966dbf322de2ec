"""The comparison of vLLM's tokenizer with the model's files, at the start of a front."""

import pytest

from engine.port.errors import ModelNotSupported
from engine.remote.client.upstream import Upstream
from engine.remote.servers.tokenization import check_tokenizes
from engine.remote.wire.vllm import VllmApi
from tests.support.token_servers.real_server import Engines
from tests.unit.engine.port.text.tiny_tokenizers import byte_level


async def test_the_servers_tokens_of_a_text_are_ours_and_another_tokenizer_is_refused(
    url: str, engines: Engines
) -> None:
    server = Upstream(url, api_key=None, timeout_s=60)
    try:
        await check_tokenizes(server, VllmApi(), "m", engines.over_server.tokenizer)
        with pytest.raises(ModelNotSupported, match="has another tokenizer"):
            await check_tokenizes(server, VllmApi(), "m", byte_level())
    finally:
        await server.close()
