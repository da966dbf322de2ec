"""Prompts in tokens: /tokenize, and cutting a prompt to a length."""

from typing import Any

import pytest
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend
from transformers import PreTrainedTokenizerFast

from engine.port.text.tokenizer import Tokenizer
from handlers.contracts.tgi.generate.prepared_generate import encode_prompt
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api, generate_body


def tokenizer_with_bos() -> Tokenizer:
    """A token a byte, and `<s>` put before every text."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Backend(models.BPE(vocab={character: i for i, character in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken("<s>", special=True)])
    bos = backend.token_to_id("<s>")
    assert bos is not None
    backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", bos)])
    fast: Any = PreTrainedTokenizerFast
    hf = fast(tokenizer_object=backend, bos_token="<s>", eos_token="<s>")
    return Tokenizer(hf, vocab_size=257, end_token_ids=(bos,))


@pytest.mark.parametrize(
    ("truncate", "kept"),
    [(None, "<s>Hello"), (6, "<s>Hello"), (5, "<s>ello"), (2, "<s>o"), (1, "o")],
)
def test_a_cut_prompt_keeps_its_right_end_and_the_token_before_the_text(
    truncate: int | None, kept: str
) -> None:
    tokenizer = tokenizer_with_bos()
    prompt = encode_prompt(tokenizer, "Hello", truncate)
    assert tokenizer.decode(prompt, skip_special_tokens=False) == kept


async def test_a_cut_prompt_is_what_counts_against_the_limits() -> None:
    api = Api(says("a"))
    await api.answer("/generate", generate_body("x" * 300, truncate=50))
    assert len(api.engine.request.prompt.token_ids) == 50


async def test_tokenize_counts_bytes_and_shows_the_text_of_each_token() -> None:
    answer = await Api(ScriptedEngine(says("a"), tokenizer=tokenizer_with_bos())).answer(
        "/tokenize", {"inputs": "aé"}
    )
    assert [(token["start"], token["stop"], token["text"]) for token in answer] == [
        (0, 0, ""),
        (0, 1, "a"),
        (1, 3, "é"),
        (1, 3, "é"),
    ]


async def test_tokenize_lists_the_tokens_that_generate_would_see() -> None:
    api = Api(ScriptedEngine(says("a"), tokenizer=tokenizer_with_bos()))
    tokens = await api.answer("/tokenize", {"inputs": "Hello"})
    await api.answer("/generate", generate_body("Hello"))
    assert tuple(token["id"] for token in tokens) == api.engine.request.prompt.token_ids


async def test_tokenize_overlooks_parameters_but_not_wrong_ones() -> None:
    api = Api(says("a"))
    assert len(await api.answer("/tokenize", generate_body("Hello", truncate=1))) == 5
    assert (await api.refusal("/tokenize", generate_body("Hello", truncate=0)))[:2] == (422, "validation")
