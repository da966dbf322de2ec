"""Vectors of texts."""

import struct
from base64 import b64decode
from typing import Any

import pytest

from tests.support.scripted.engine import HIDDEN_SIZE, says
from tests.unit.handlers.chat.models import chat_tokenizer
from tests.unit.handlers.contracts.openai.api import EMBEDDINGS, MODEL, Api

TOKENIZER = chat_tokenizer()


async def vectors(text: object, **fields: Any) -> list[Any]:
    answer = await Api(says("never")).answer(EMBEDDINGS, {"model": MODEL, "input": text, **fields})
    assert (answer["object"], answer["model"]) == ("list", MODEL)
    assert [item["index"] for item in answer["data"]] == list(range(len(answer["data"])))
    assert {item["object"] for item in answer["data"]} == {"embedding"}
    return [item["embedding"] for item in answer["data"]]


@pytest.mark.parametrize(
    ("text", "token_ids"),
    [
        ("ab", [TOKENIZER.encode("ab")]),
        (["ab", "c"], [TOKENIZER.encode("ab"), TOKENIZER.encode("c")]),
        ([5, 6], [[5, 6]]),
        ([[5, 6], [7]], [[5, 6], [7]]),
    ],
)
async def test_inputs_are_texts_or_token_ids_one_or_several(text: object, token_ids: list[list[int]]) -> None:
    api = Api(says("never"))
    answer = await api.answer(EMBEDDINGS, {"model": MODEL, "input": text})
    assert sorted(list(request.prompt.token_ids) for request in api.engine.texts) == sorted(token_ids)
    num_tokens = sum(map(len, token_ids))
    assert answer["usage"] == {"prompt_tokens": num_tokens, "total_tokens": num_tokens}
    assert [item["embedding"] for item in answer["data"]] == [
        vector for ids in token_ids for vector in await vectors(ids)
    ]


async def test_base64_holds_the_same_numbers_as_little_endian_float32() -> None:
    (numbers,) = await vectors("ab", encoding_format="float")
    (text,) = await vectors("ab", encoding_format="base64")
    assert list(struct.unpack(f"<{HIDDEN_SIZE}f", b64decode(text))) == numbers
    assert await vectors("ab") == [numbers]


async def test_dimensions_shorten_and_keep_unit_length() -> None:
    (whole,) = await vectors("ab")
    (short,) = await vectors("ab", dimensions=2)
    assert sum(entry**2 for entry in short) == pytest.approx(1)
    assert short[0] / short[1] == pytest.approx(whole[0] / whole[1], rel=1e-5)
