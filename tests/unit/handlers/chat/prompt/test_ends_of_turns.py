"""An answer ends with the token that closes an assistant's turn, whatever a model's files name as its end."""

import pytest

from handlers.chat.prompt.dialect import Dialect
from handlers.chat.summary import chat_summary, in_words
from tests.unit.handlers.chat.prompt.control.families import FAMILIES, tokenizer_of

_ENDS = {
    "qwen3": ("<|im_end|>",),
    "qwen3-coder": ("<|im_end|>",),
    "llama3": ("<|eot_id|>",),
    "mistral": ("</s>",),
    "gemma": ("<end_of_turn>",),
    "phi3": ("<|end|>",),  # its tokenizer's end token is <|endoftext|>
    "deepseek": ("<｜end▁of▁sentence｜>",),
    "glm": ("<|user|>", "<|observation|>"),  # which open what follows, since nothing closes an answer
    "granite": ("<|end_of_text|>",),
    "command-r": ("<|END_OF_TURN_TOKEN|>",),
    "gpt-oss": ("<|return|>", "<|call|>"),  # the ends of its format; <|end|> closes each of its messages
}
# After an answer, with which a conversation ends or goes on.
_CLOSINGS = {
    "a second end after the last answer": (
        "{% if message.role == 'assistant' %}<|end|>{% if loop.last %}<|pad|>{% endif %}{% endif %}",
        ("<|end|>",),
    ),
    "an answer's part and its turn": (
        "{% if message.role == 'assistant' %}<|pad|><|end|>{% endif %}",
        ("<|end|>",),
    ),
    "blanks before the end": ("{% if message.role == 'assistant' %} \n<|end|>{% endif %}", ("<|end|>",)),
    "the last answer closed otherwise": (
        "{% if message.role == 'assistant' %}{{ '<|pad|>' if loop.last else '<|end|>' }}{% endif %}",
        ("<|endoftext|>",),
    ),
    "no token": ("\n### Next:", ()),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_closes_an_assistants_turn_ends_an_answer(family: str) -> None:
    tokenizer = tokenizer_of(family)
    found = Dialect.of(tokenizer.hf).end_token_ids
    assert sorted(map(tokenizer.token_text, found)) == sorted(_ENDS[family])


@pytest.mark.parametrize("closing", _CLOSINGS)
def test_an_end_is_the_last_token_that_closes_every_answer(closing: str) -> None:
    written, expected = _CLOSINGS[closing]
    tokenizer = tokenizer_of("phi3")
    template = (
        "{% for message in messages %}[{{ message.role }}]{{ message.content }}" + written + "{% endfor %}"
    )
    found = Dialect.of(tokenizer.hf, template.replace("<|pad|>", "<|endoftext|>")).end_token_ids
    assert tuple(map(tokenizer.token_text, found)) == expected


def test_the_start_names_an_end_that_no_file_names() -> None:
    line = in_words(chat_summary(tokenizer_of("phi3"), chat_template=None, tool_format=None))
    assert "answers also end with <|end|>, as its template closes them" in line
