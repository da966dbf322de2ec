"""The text of chunks that are filled in rather than built."""

import json

import pytest
from pydantic import BaseModel

from handlers.operations.chunk_template import ChunkTemplate


class _Chunk(BaseModel):
    model: str
    choices: list[dict[str, int]]
    usage: int | None = None


@pytest.mark.parametrize("name", ["plain", "100%", "%d%b%%", 'a "choices":[] b', "ü\n"])
def test_a_filled_chunk_is_the_models_own_text_whatever_the_model_is_called(name: str) -> None:
    template = ChunkTemplate(_Chunk(model=name, choices=[]), b'{"index":%d,"%b":1}')
    expected = _Chunk(model=name, choices=[{"index": 7, "text": 1}]).model_dump_json()
    assert template.fill(7, b"text").decode() == expected
    assert template.fill(7, b"text") == template.fill(7, b"text"), "a template can be filled again"


def test_text_of_the_model_is_not_filled_in_turn() -> None:
    template = ChunkTemplate(_Chunk(model="m", choices=[]), b'{"%b":%d}')
    assert json.loads(template.fill(b"%d%b", 1))["choices"] == [{"%d%b": 1}]
