"""The tokenizer of a GGUF file, as the files of a tokenizer that transformers reads.

transformers makes tokenizers of llama.cpp's vocabularies; what is checked first is all that it takes on
trust, and what it leaves out is set as llama.cpp sets it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from engine.model.loading.gguf.header import GGUFHeader, MetadataValue
from engine.port.errors import ModelNotSupported

_KINDS: Final = ("gpt2", "llama")
_LONGEST_PIECE: Final = 256  # of a vocabulary whose merges are found by cutting each piece everywhere
_CONTROL: Final = 3  # the type of tokens that are no text
# How llama.cpp splits text for these, before merges: each digit, then as GPT-2 does; and as GPT-2 does.
_DIGITS_APART: Final = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"})
_AS_GPT2: Final = frozenset({"gpt-2", "phi-2", "olmo", "mpt", "gigachat", "a.x-4.0", "mellum"})
# Those in which a word that is a token is that token, whatever merges say, and whose texts begin with BOS.
_WHOLE_WORDS: Final = frozenset(
    {"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "tekken"}
)
# Texts of control tokens that end a sequence in llama.cpp, whatever the file says of its end token.
_ENDS: Final = frozenset(
    {
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<end_of_turn>", "<|endoftext|>",
        "<|end_of_text|>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<end_of_utterance>", "<eos>",
        "<｜end▁of▁sentence｜>",
    }
)  # fmt: skip
_SPECIAL: Final[Mapping[str, str]] = {
    "bos_token": "bos_token_id",
    "eos_token": "eos_token_id",
    "unk_token": "unknown_token_id",
    "pad_token": "padding_token_id",
}


def write_tokenizer(path: Path, header: GGUFHeader, architecture: str, directory: Path) -> None:
    """Write the files of the tokenizer, with the chat template. Raises ModelNotSupported."""
    from transformers import PreTrainedTokenizerFast
    from transformers.integrations.gguf import gguf_tokenizer_mapping

    vocabulary = _checked(path, header.metadata)
    pre = vocabulary.get("pre_tokenizer_type")
    try:
        backend, _ = gguf_tokenizer_mapping.convert_gguf_tokenizer(architecture, vocabulary)
        if vocabulary["tokenizer_type"] == "gpt2":
            _split_as_llama_cpp(path, backend, pre)
        tokens, adds_bos = vocabulary["tokens"], header.metadata.get("tokenizer.ggml.add_bos_token")
        named = {name: tokens[index] for name, index in _special_ids(path, header, len(tokens)).items()}
        if adds_bos is None:
            adds_bos = vocabulary["tokenizer_type"] == "llama" or pre in _WHOLE_WORDS
        known: Any = PreTrainedTokenizerFast
        # With the backend as the class's own, since each instance would get a copy of it, by its JSON.
        tokenizer_class = type(
            known.__name__, (known,), {"__module__": known.__module__, "_tokenizer": backend}
        )
        tokenizer = tokenizer_class(
            add_bos_token=bool(adds_bos) and "bos_token" in named,
            add_eos_token=bool(header.metadata.get("tokenizer.ggml.add_eos_token")) and "eos_token" in named,
            clean_up_tokenization_spaces=False,
            chat_template=_chat_template(path, header.metadata),
            **{name: named.get(name) for name in _SPECIAL},
        )
        tokenizer.save_pretrained(directory)
    except ModelNotSupported:
        raise
    except Exception as error:  # tokenizers raises Exception itself, for merges of no tokens and others
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        raise ModelNotSupported(f"{path} has no vocabulary that can be read: {reason}") from error


def end_token_ids(path: Path, header: GGUFHeader) -> list[int]:
    """Return the tokens that end a sequence: those that the file names, or that llama.cpp knows by text.

    Raises ModelNotSupported for an id without a token.
    """
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    types: Any = header.metadata.get("tokenizer.ggml.token_type")
    if not isinstance(tokens, tuple):
        return []
    ids = [_id(path, header, f"{name}_token_id", len(tokens)) for name in ("eos", "eot", "eom")]
    found = dict.fromkeys(each for each in ids if each is not None)
    if types is not None and len(types) == len(tokens):
        found |= dict.fromkeys(
            index for index, token in enumerate(tokens) if token in _ENDS and types[index] == _CONTROL
        )
    return list(found)


def _checked(path: Path, metadata: Mapping[str, MetadataValue]) -> dict[str, Any]:
    """Return the vocabulary by transformers' names. Raises ModelNotSupported for one that is not whole."""
    from transformers.integrations.gguf import gguf_tokenizer_mapping

    names: Mapping[str, str] = gguf_tokenizer_mapping.GGUF_TOKENIZER_MAPPING["tokenizer"]
    found: dict[str, Any] = {
        name: metadata[f"tokenizer.{key}"] for key, name in names.items() if f"tokenizer.{key}" in metadata
    }
    kind, tokens = found.get("tokenizer_type"), found.get("tokens")
    if kind not in _KINDS:
        _refuse(path, f"tokenizer.ggml.model is {str(kind)[:50]!r}, and {' and '.join(_KINDS)} are read")
    if not isinstance(tokens, tuple) or not tokens or not isinstance(tokens[0], str):
        _refuse(path, "tokenizer.ggml.tokens must be texts, and at least one")
    for name in ("token_type", "scores"):
        if name in found and (isinstance(found[name], str) or len(found[name]) != len(tokens)):
            _refuse(path, f"tokenizer.ggml.{name} must have a number for each of {len(tokens):,} tokens")
    if kind == "gpt2":
        merges = found.get("merges")
        if not isinstance(merges, tuple) or any(not isinstance(merge, str) for merge in merges):
            _refuse(path, "tokenizer.ggml.merges must be texts")
        found["merges"] = _possible(merges)
    if kind == "llama" and "merges" not in found:
        if "scores" not in found:
            _refuse(path, "it has neither tokenizer.ggml.merges nor tokenizer.ggml.scores")
        if (longest := max(map(len, tokens))) > _LONGEST_PIECE:
            _refuse(path, f"a token has {longest:,} characters, and {_LONGEST_PIECE} are possible")
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in found.items()}


def _possible(merges: tuple[str, ...]) -> list[str]:
    """Return the merges whose parts occur: characters, and results of merges.

    llama.cpp reads others too, which do nothing there, and tokenizers refuses them where they give no token.
    """
    parts = [merge.partition(" ") for merge in merges]
    results = {left + right for left, _, right in parts}
    # Without a generator for each of 150,000 merges.
    return [
        merge
        for merge, (left, _, right) in zip(merges, parts, strict=True)
        if (left in results or len(left) == 1) and (right in results or len(right) == 1)
    ]


def _split_as_llama_cpp(path: Path, backend: Any, pre: object) -> None:
    """Set how text is split into words. Raises ModelNotSupported if it is not known."""
    from tokenizers import pre_tokenizers
    from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

    if pre in _DIGITS_APART:
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
    elif pre not in GGUF_PRE_TOKENIZER_SPLITS and pre not in _AS_GPT2:
        known = sorted({*GGUF_PRE_TOKENIZER_SPLITS, *_DIGITS_APART, *_AS_GPT2})
        _refuse(path, f"tokenizer.ggml.pre is {str(pre)[:50]!r}, and known are {', '.join(known)}")
    if pre in _WHOLE_WORDS:
        backend.model.ignore_merges = True


def _chat_template(path: Path, metadata: Mapping[str, MetadataValue]) -> str | None:
    template = metadata.get("tokenizer.chat_template")
    if template is not None and not isinstance(template, str):
        _refuse(path, "tokenizer.chat_template must be a text")
    return template


def _special_ids(path: Path, header: GGUFHeader, num_tokens: int) -> dict[str, int]:
    found = {name: _id(path, header, key, num_tokens) for name, key in _SPECIAL.items()}
    return {name: index for name, index in found.items() if index is not None}


def _id(path: Path, header: GGUFHeader, key: str, num_tokens: int) -> int | None:
    index = header.metadata.get(f"tokenizer.ggml.{key}")
    if index is None:
        return None
    if type(index) is not int or not 0 <= index < num_tokens:
        _refuse(path, f"tokenizer.ggml.{key} is {str(index)[:50]}, and there are {num_tokens:,} tokens")
    return index


def _refuse(path: Path, reason: str) -> NoReturn:
    raise ModelNotSupported(f"{path} has no vocabulary that can be read: {reason}")
