"""The line about chats says what is not as usual."""

from typing import Any

from handlers.chat.summary import chat_summary, in_words
from tests.unit.handlers.chat.models import HERMES_TEMPLATE, chat_tokenizer


def test_a_tokenizer_that_cannot_remember_is_named() -> None:
    usual = chat_tokenizer(HERMES_TEMPLATE)
    unusual: Any = chat_tokenizer(HERMES_TEMPLATE)
    unusual.hf.backend_tokenizer.encode_special_tokens = True
    unusual = type(usual)(unusual.hf, vocab_size=usual.vocab_size, end_token_ids=usual.end_token_ids)
    lines = [
        in_words(chat_summary(tokenizer, chat_template=None, tool_format=None))
        for tokenizer in (usual, unusual)
    ]
    assert ["tokenized whole" in line for line in lines] == [False, True]
