"""The tokenizer of a GGUF file, as the files of a tokenizer that transformers reads.

Text becomes the ids that llama.cpp gives (`make test-llama-cpp` compares them): in a sentencepiece vocabulary
neighbours are merged by the scores of what they give, and what stands between special tokens gets a blank
before it where the file says so. What the `tokenizers` library cannot do in that way is refused.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from engine.model.loading.gguf.header import GGUFHeader, MetadataValue
from engine.port.errors import ModelNotSupported

_KINDS: Final = ("gpt2", "llama")
_BLANK: Final = "\u2581"
_LONGEST_PIECE: Final = 256  # of a vocabulary whose merges are found by cutting each piece everywhere
_NORMAL: Final = 1
_UNKNOWN, _CONTROL, _USER_DEFINED = 2, 3, 4  # types of tokens that are found in a text before it is split
_MOST_OF_ONE_SCORE: Final = 1000  # tokens, of which each is compared with each
# How llama.cpp splits text for these, before merges: each digit, then as GPT-2 does; and as GPT-2 does.
_DIGITS_APART: Final = frozenset({"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"})
_AS_GPT2: Final = frozenset({"gpt-2", "phi-2", "olmo", "mpt", "gigachat", "a.x-4.0", "mellum"})
# Those in which a word that is a token is that token, whatever merges say, and whose texts begin with BOS.
_WHOLE_WORDS: Final = frozenset(
    {
        "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "tekken",
        "jina-v5-nano",
    }
)  # fmt: skip
# Texts of tokens that end a sequence in llama.cpp, whatever the file says of its end token and of their type.
_ENDS: Final = frozenset(
    {
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
        "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
        "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
        "<｜end▁of▁sentence｜>", "[e~[",
    }
)  # fmt: skip
# Of each of these together, <|end|> closes a message and no answer.
_ENDS_OF_MESSAGES: Final = (("<|return|>", "<|call|>"), ("<|calls|>", "<|flush|>"), ("<|call|>", "<|flush|>"))
# Next to these, </s> is a piece of text.
_OTHER_ENDS: Final = frozenset({"<|tool_response>", "<|plamo:eos|>"})
# The tokens of the places of a text in the middle that end a sequence too, by the file's key and by text.
_GAPS: Final[Mapping[str, frozenset[str]]] = {
    "fim_pad": frozenset({"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}),
    "fim_rep": frozenset({"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}),
    "fim_sep": frozenset({"<|file_sep|>"}),
}
# Further texts of tokens that are control tokens whatever their type.
_CONTROLS: Final = frozenset(
    {
        "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
        "<|code_prefix|>", "<|prefix|>",
        "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
        "<|code_suffix|>", "<|suffix|>",
        "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
        "<|code_middle|>", "<|middle|>",
    }
)  # fmt: skip
# Control tokens that are written with the text, by OpenAI's models.
_WRITTEN: Final = frozenset({"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"})
# The names of models whose special tokens take the blanks after them, but for some.
_TAKE_BLANKS: Final = ("phi-3", "phi3")
_TAKE_NO_BLANKS: Final = frozenset({"<unk>", "<s>", "<|endoftext|>"})
_SPECIAL: Final[Mapping[str, str]] = {
    "bos_token": "bos_token_id",
    "eos_token": "eos_token_id",
    "unk_token": "unknown_token_id",
    "pad_token": "padding_token_id",
}
# Those of a sentencepiece vocabulary that names none.
_SENTENCEPIECE: Final[Mapping[str, int]] = {"unk_token": 0, "bos_token": 1, "eos_token": 2}


def write_tokenizer(path: Path, header: GGUFHeader, directory: Path) -> None:
    """Write the files of the tokenizer, with the chat template. Raises ModelNotSupported."""
    from transformers import PreTrainedTokenizerFast

    vocabulary = _checked(path, header.metadata)
    pre = vocabulary.get("pre")
    try:
        is_byte_level = vocabulary["model"] == "gpt2"
        backend = _byte_level(path, vocabulary) if is_byte_level else _sentencepiece(path, vocabulary)
        _add_special(path, backend, vocabulary, header.metadata)
        tokens, adds_bos = vocabulary["tokens"], header.metadata.get("tokenizer.ggml.add_bos_token")
        named = {name: tokens[index] for name, index in _special_ids(header, len(tokens)).items()}
        if adds_bos is None:
            adds_bos = not is_byte_level or pre in _WHOLE_WORDS
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


def end_token_ids(header: GGUFHeader) -> list[int]:
    """Return the tokens that end a sequence in llama.cpp: those that the file names, or that are known by
    their text.
    """
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, tuple):
        return []
    named = [_id(header, f"{name}_token_id", len(tokens)) for name in ("eos", "eot", "eom")]
    known = {token: index for index, token in enumerate(tokens) if token in _ENDS}
    for key, texts in _GAPS.items():
        gap = _id(header, f"{key}_token_id", len(tokens))
        if gap is None:
            gap = next((index for index, token in enumerate(tokens) if token in texts), None)
        named.append(gap)
    no_ends = {"</s>"} if not _OTHER_ENDS.isdisjoint(tokens) else set[str]()
    if any(all(each in known for each in both) for both in _ENDS_OF_MESSAGES):
        no_ends.add("<|end|>")
    found = dict.fromkeys(each for each in (*named, *known.values()) if each is not None)
    return [each for each in found if tokens[each] not in no_ends]


def _checked(path: Path, metadata: Mapping[str, MetadataValue]) -> dict[str, Any]:
    """Return the vocabulary by the names of its keys. Raises ModelNotSupported for one that is not whole."""
    found: dict[str, Any] = {
        name: metadata[f"tokenizer.ggml.{name}"]
        for name in ("model", "pre", "tokens", "scores", "token_type", "merges")
        if f"tokenizer.ggml.{name}" in metadata
    }
    kind, tokens = found.get("model"), found.get("tokens")
    if kind not in _KINDS:
        _refuse(path, f"tokenizer.ggml.model is {str(kind)[:50]!r}, and {' and '.join(_KINDS)} are read")
    if not isinstance(tokens, tuple) or not tokens or not isinstance(tokens[0], str):
        _refuse(path, "tokenizer.ggml.tokens must be texts, and at least one")
    if len(set(tokens)) < len(tokens):
        _refuse(path, "tokenizer.ggml.tokens names a token twice")
    for name in ("token_type", "scores"):
        if name in found and (isinstance(found[name], str) or len(found[name]) != len(tokens)):
            _refuse(path, f"tokenizer.ggml.{name} must have a number for each of {len(tokens):,} tokens")
    if kind == "gpt2":
        merges = found.get("merges")
        if not isinstance(merges, tuple) or any(not isinstance(merge, str) for merge in merges):
            _refuse(path, "tokenizer.ggml.merges must be texts")
        found["merges"] = _possible(merges)
    if kind == "llama":
        if "scores" not in found:
            _refuse(path, "it has no tokenizer.ggml.scores")
        if (longest := max(map(len, tokens))) > _LONGEST_PIECE:
            _refuse(path, f"a token has {longest:,} characters, and {_LONGEST_PIECE} are possible")
    add_prefix = metadata.get("tokenizer.ggml.add_space_prefix", True)
    found = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in found.items()}
    return found | {"types": _types(found), "adds_blank": bool(add_prefix)}


def _types(vocabulary: Mapping[str, Any]) -> list[int]:
    """Return the type of each token, as llama.cpp corrects those that files have wrong."""
    tokens: tuple[str, ...] = vocabulary["tokens"]
    stored: list[int] = list(vocabulary.get("token_type") or [_NORMAL] * len(tokens))
    controls = _ENDS.union(_CONTROLS, *_GAPS.values())
    is_normal_end = not _OTHER_ENDS.isdisjoint(tokens)
    for index, token in enumerate(tokens):
        if token in _WRITTEN:
            stored[index] = _USER_DEFINED
        elif token in controls and not (token == "</s>" and is_normal_end):
            stored[index] = _CONTROL
    return stored


def _byte_level(path: Path, vocabulary: Mapping[str, Any]) -> Any:
    """Return a tokenizer of bytes, which are merged in the order that the file gives."""
    from tokenizers import Tokenizer, decoders, models

    tokens, pre = vocabulary["tokens"], vocabulary.get("pre")
    merges = [tuple(merge.split(" ", 1)) for merge in vocabulary["merges"]]
    vocab = {token: index for index, token in enumerate(tokens)}
    backend: Any = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=pre in _WHOLE_WORDS))
    backend.pre_tokenizer = _words(path, pre)
    backend.decoder = decoders.ByteLevel()
    return backend


def _sentencepiece(path: Path, vocabulary: Mapping[str, Any]) -> Any:
    """Return a tokenizer of characters, or bytes for those without a token, merged by scores."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    vocab = {token: index for index, token in enumerate(vocabulary["tokens"])}
    merges = _merges(path, vocab, vocabulary["scores"], vocabulary["types"])
    backend: Any = Tokenizer(models.BPE(vocab=vocab, merges=merges, fuse_unk=True, byte_fallback=True))
    blanks: list[Any] = [normalizers.Replace(" ", _BLANK)]
    ends: list[Any] = [decoders.Replace(_BLANK, " "), decoders.ByteFallback(), decoders.Fuse()]
    if vocabulary["adds_blank"]:  # to each text between special tokens, since each is normalized apart
        blanks = [normalizers.Prepend(_BLANK), *blanks]
        ends = [*ends, decoders.Strip(" ", 1, 0)]
    backend.normalizer = normalizers.Sequence(blanks)
    backend.decoder = decoders.Sequence(ends)
    return backend


def _merges(
    path: Path, vocab: Mapping[str, int], scores: Sequence[float], types: Sequence[int]
) -> list[tuple[str, str]]:
    """Return all merges that give a token, the best score first.

    llama.cpp takes the left one of two that have the same score, which an order of merges cannot say, and
    merges characters that are no tokens. So tokens of one score that can lie upon one another in a text, and
    tokens of such characters, are refused.
    """
    ranked: list[tuple[float, int, str, str]] = []
    of_score: dict[float, list[str]] = {}
    for token, index in vocab.items():
        cuts = [(token[:at], token[at:]) for at in range(1, len(token))]
        found = [cut for cut in cuts if cut[0] in vocab and cut[1] in vocab]
        if types[index] == _NORMAL and not all(character in vocab for character in token):
            _refuse(path, f"the token {token[:50]!r} has a character that is no token")
        if not found or types[index] == _CONTROL:
            continue
        of_score.setdefault(scores[index], []).append(token)
        ranked += ((-scores[index], index, *cut) for cut in found)
    for score, tokens in of_score.items():
        if len(tokens) > _MOST_OF_ONE_SCORE or _overlap(tokens):
            _refuse(
                path,
                f"{len(tokens):,} tokens have the score {score:g}, which leaves open what is merged first",
            )
    return [(left, right) for _, _, left, right in sorted(ranked)]


def _overlap(tokens: Sequence[str]) -> bool:
    """Return whether one of the tokens ends as another one begins."""
    if len(tokens) < 2:
        return False
    begins: dict[str, set[str]] = {}
    for token in tokens:
        for size in range(1, len(token)):
            begins.setdefault(token[:size], set()).add(token)
    return any(
        begins.get(token[-size:], {token}) != {token} for token in tokens for size in range(1, len(token))
    )


def _add_special(
    path: Path, backend: Any, vocabulary: Mapping[str, Any], metadata: Mapping[str, MetadataValue]
) -> None:
    """Let the tokens that are found in a text before it is split be found."""
    from tokenizers import AddedToken

    name = str(metadata.get("general.name", "")).lower()
    takes_blanks = any(each in name for each in _TAKE_BLANKS)
    for kind in (_UNKNOWN, _CONTROL, _USER_DEFINED):
        added = [
            AddedToken(
                token,
                normalized=False,
                special=kind != _USER_DEFINED,
                rstrip=takes_blanks and token not in _TAKE_NO_BLANKS,
            )
            for token, own in zip(vocabulary["tokens"], vocabulary["types"], strict=True)
            if own == kind and token
        ]
        if takes_blanks and not all(each.content.strip() for each in added):
            _refuse(path, "a special token is of blanks, which the others take")
        (backend.add_tokens if kind == _USER_DEFINED else backend.add_special_tokens)(added)


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


def _words(path: Path, pre: object) -> Any:
    """Return what splits text into words. Raises ModelNotSupported if it is not known."""
    from tokenizers import Regex, pre_tokenizers
    from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

    as_gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if pre in _DIGITS_APART:
        return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), as_gpt2])
    if pre in _AS_GPT2:
        return as_gpt2
    if pre not in GGUF_PRE_TOKENIZER_SPLITS:
        known = sorted({*GGUF_PRE_TOKENIZER_SPLITS, *_DIGITS_APART, *_AS_GPT2})
        _refuse(path, f"tokenizer.ggml.pre is {str(pre)[:50]!r}, and known are {', '.join(known)}")
    split = Regex(GGUF_PRE_TOKENIZER_SPLITS[pre])
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(split, behavior="isolated"), to_bytes])


def _chat_template(path: Path, metadata: Mapping[str, MetadataValue]) -> str | None:
    template = metadata.get("tokenizer.chat_template")
    if template is not None and not isinstance(template, str):
        _refuse(path, "tokenizer.chat_template must be a text")
    return template


def _special_ids(header: GGUFHeader, num_tokens: int) -> dict[str, int]:
    found = {name: _id(header, key, num_tokens) for name, key in _SPECIAL.items()}
    if header.metadata.get("tokenizer.ggml.model") == "llama":
        found = {name: _SENTENCEPIECE.get(name) if index is None else index for name, index in found.items()}
    return {name: index for name, index in found.items() if index is not None and index < num_tokens}


def _id(header: GGUFHeader, key: str, num_tokens: int) -> int | None:
    """Return the id of a special token; None for one without a token, such as 4294967295, as in llama.cpp."""
    index = header.metadata.get(f"tokenizer.ggml.{key}")
    return index if type(index) is int and 0 <= index < num_tokens else None


def _refuse(path: Path, reason: str) -> NoReturn:
    raise ModelNotSupported(f"{path} has no vocabulary that can be read: {reason}")
