"""Small tokenizers of the three kinds that models use, made in memory."""

from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend
from transformers import PreTrainedTokenizerFast

from engine.port.text.tokenizer import Tokenizer

BOS, EOS, MARK = "<s>", "</s>", "<|mark|>"
WORDS = ["the", "quick", "brown", "fox", "Paris", "is", "a", "café", "naïve", "日本", "語"]


def byte_level(vocab_size: int | None = None) -> Tokenizer:
    """All 256 bytes, some merges across and inside characters, and special tokens; as GPT-2's or Qwen's."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: index for index, token in enumerate(alphabet)}
    merges: list[tuple[str, str]] = []
    for word in [" " + word for word in WORDS] + [": ", '"}', "\n\n"]:
        _merge(_to_byte_level(word), vocab, merges)
    # A space and the first byte of a character in one token: it leaves that character incomplete.
    _merge(_to_byte_level(" €")[:2], vocab, merges)
    backend = Backend(models.BPE(vocab=vocab, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return _wrap(backend, vocab_size)


def byte_fallback(vocab_size: int | None = None) -> Tokenizer:
    """Sentencepiece as in Llama 2: a space is U+2581, a text starts with one, unknown characters are
    bytes."""
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    merges: list[tuple[str, str]] = []
    for character in "▁" + "".join(sorted(set("".join(WORDS)) - set("日本語"))):
        vocab.setdefault(character, len(vocab))
    for word in ["▁" + word for word in WORDS[:-2]] + ["▁▁"]:
        _merge(word, vocab, merges)
    backend = Backend(models.BPE(vocab=vocab, merges=merges, byte_fallback=True, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return _wrap(backend, vocab_size)


def metaspace(vocab_size: int | None = None) -> Tokenizer:
    """Sentencepiece without bytes, as T5's and XLNet's: characters that it does not have become <unk>."""
    vocab = {"<unk>": 0}
    merges: list[tuple[str, str]] = []
    for character in "▁" + "".join(sorted(set("".join(WORDS)))):
        vocab.setdefault(character, len(vocab))
    for word in ["▁" + word for word in WORDS]:
        _merge(word, vocab, merges)
    backend = Backend(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.decoder = decoders.Metaspace(prepend_scheme="always")
    return _wrap(backend, vocab_size)


def _wrap(backend: Backend, vocab_size: int | None) -> Tokenizer:
    backend.add_special_tokens(
        [AddedToken(text, special=True, normalized=False) for text in (BOS, EOS, MARK)]
    )
    bos_id, eos_id = backend.token_to_id(BOS), backend.token_to_id(EOS)
    assert bos_id is not None and eos_id is not None
    backend.post_processor = processors.TemplateProcessing(single=f"{BOS} $A", special_tokens=[(BOS, bos_id)])
    # transformers leaves its constructor untyped.
    hf = PreTrainedTokenizerFast(tokenizer_object=backend, bos_token=BOS, eos_token=EOS)  # type: ignore[no-untyped-call]
    return Tokenizer(hf, vocab_size=vocab_size or backend.get_vocab_size(), end_token_ids=(eos_id,))


def _to_byte_level(text: str) -> str:
    [(word, _)] = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    return str(word)


def _merge(word: str, vocab: dict[str, int], merges: list[tuple[str, str]]) -> None:
    """Adds the tokens and merges that build `word` from left to right."""
    head = word[0]
    vocab.setdefault(head, len(vocab))
    for character in word[1:]:
        vocab.setdefault(character, len(vocab))
        if (head, character) not in merges:
            merges.append((head, character))
        head += character
        vocab.setdefault(head, len(vocab))
