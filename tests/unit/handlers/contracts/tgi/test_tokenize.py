"""Answers of `/tokenize` are what their models would write."""

import pytest
from pydantic import TypeAdapter

from generated.hf import models as hf
from generated.tgi import models as tgi
from handlers.contracts.hf.tokenize import tokenize as hf_tokenize
from handlers.contracts.tgi.tokenize import tokenize as tgi_tokenize
from tests.unit.engine.port.text.tiny_tokenizers import byte_level

_TEXTS = ["", "the quick € 日本", "the quick brown fox " * 300]


@pytest.mark.parametrize("text", _TEXTS, ids=["none", "characters", "slices"])
def test_the_text_is_that_of_the_models(text: str) -> None:
    tokenizer = byte_level()
    simple = TypeAdapter(list[tgi.SimpleToken])
    written = tgi_tokenize(tokenizer, text)
    assert simple.dump_json(simple.validate_json(written)) == written
    of_text = TypeAdapter(list[hf.TextToken])
    written = hf_tokenize(tokenizer, hf.TokenizeRequest(inputs=text))
    assert of_text.dump_json(of_text.validate_json(written)) == written
