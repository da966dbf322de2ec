"""The tokenizer: byte-level BPE under which a word is the same pieces after a space, a quote or nothing.

Copying a name from a question into JSON is then copying tokens; with spaces inside the word tokens it is
translating, which a model of this size learns much later.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

END_OF_TEXT: Final = "<|endoftext|>"
END_OF_TURN: Final = "<|im_end|>"
SPECIAL_TOKENS: Final = (END_OF_TEXT, "<|im_start|>", END_OF_TURN)
# Not special, as in Qwen3: they stay in decoded text, where parsers of thoughts and calls look for them.
MARKUP_TOKENS: Final = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
    "<tools>",
    "</tools>",
)
VOCABULARY_SIZE: Final = 1536

# Words, digits, underscores, newlines and spaces apart; punctuation runs keep the space before a quote or a
# bracket, which makes JSON a third shorter and touches no word.
_PIECES: Final = r"[\p{L}\p{M}]+|\p{N}|_|\n+|(?:[^\s\p{L}\p{M}\p{N}_]| (?=[\"{\[]))+|[^\S\n]+"


def train_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """A tokenizer of `VOCABULARY_SIZE` entries, the added tokens first so that their ids never move."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    added = [AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS]
    added += [AddedToken(token, special=False, normalized=False) for token in MARKUP_TOKENS]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=added,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_without_markup(texts), trainer)
    return _with_plain_markup(tokenizer)


def _without_markup(texts: Iterable[str]) -> Iterator[str]:
    """The stretches between added tokens: the trainer would otherwise learn merges inside those tokens."""
    markup = re.compile("|".join(map(re.escape, SPECIAL_TOKENS + MARKUP_TOKENS)))
    for text in texts:
        yield from markup.split(text)


def _with_plain_markup(tokenizer: Tokenizer) -> Tokenizer:
    """The trainer flags everything it reserves as special; the markup must not be."""
    state = json.loads(tokenizer.to_str())
    for token in state["added_tokens"]:
        token["special"] = token["content"] in SPECIAL_TOKENS
    plain: Tokenizer = Tokenizer.from_str(json.dumps(state))
    return plain


def save_tokenizer(tokenizer: Tokenizer, directory: Path, chat_template: str, context_length: int) -> None:
    """Write the files that `AutoTokenizer.from_pretrained` reads."""
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(directory / "tokenizer.json"))
    (directory / "chat_template.jinja").write_text(chat_template, encoding="utf-8")
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": context_length,
        "eos_token": END_OF_TURN,
        "pad_token": END_OF_TEXT,
        "clean_up_tokenization_spaces": False,
        "add_bos_token": False,
    }
    (directory / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
