"""Tokens, and what the server tells of itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.aleph_alpha import models as m
from handlers.contracts.aleph_alpha.tokens import detokenize, tokenize
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.aleph_alpha.api import (
    DETOKENIZE,
    MODEL,
    TOKENIZE,
    completion,
    quiet,
    refused,
)


@pytest.mark.parametrize(
    ("tokens", "token_ids", "expected"),
    [
        (True, True, {"tokens": ["H", "i", "Ġ"], "token_ids": [39, 72, 220]}),
        (True, False, {"tokens": ["H", "i", "Ġ"]}),
        (False, True, {"token_ids": [39, 72, 220]}),
        (False, False, {}),
    ],
)
async def test_tokens_and_ids_are_told_where_asked(
    tokens: bool, token_ids: bool, expected: dict[str, object]
) -> None:
    body = completion("Hi ", tokens=tokens, token_ids=token_ids)
    assert await quiet().answer(TOKENIZE, body) == expected


@given(st.text())
def test_detokenizing_undoes_tokenizing(text: str) -> None:
    tokenizer = chat_tokenizer()
    request = m.TokenizationRequest(model=MODEL, prompt=text, tokens=False, token_ids=True)
    told_ids = m.TokenizationResponse.model_validate_json(tokenize(request, tokenizer))
    token_ids = told_ids.token_ids
    assert isinstance(token_ids, list)
    told = detokenize(m.DetokenizationRequest(model=MODEL, token_ids=token_ids), tokenizer)
    assert told.result == text


async def test_an_id_outside_of_the_vocabulary_is_refused_by_its_place() -> None:
    assert "token_ids[1]" in await refused(DETOKENIZE, {"model": MODEL, "token_ids": [5, 2**70]})


async def test_the_one_model_is_listed_in_both_forms() -> None:
    (available,) = (await quiet().get("/aleph_alpha/models_available")).json()
    (settings,) = (await quiet().get("/aleph_alpha/model-settings")).json()
    assert available["name"] == settings["name"] == MODEL
    assert available["max_context_size"] == settings["max_context_size"] == 1000
    assert (settings["chat"], settings["completion_type"], settings["status"]) == (True, "full", "available")


async def test_the_version_is_the_documents_as_plain_text() -> None:
    response = await quiet().get("/aleph_alpha/version")
    document = (await quiet().get("/aleph_alpha/openapi.json")).json()
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text == document["info"]["version"]
