"""Remembered ids are those of the whole text, for tokenizers of every kind; else nothing is remembered."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import compress, product
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, NormalizedString, Regex, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Backend
from transformers import PreTrainedTokenizerFast

from engine.demo_model import DEMO_MODEL
from engine.port.errors import InvalidRequest
from engine.port.text.placed_tokens import PlacedTokens
from engine.port.text.token_memory import SegmentEncoder, TokenMemory
from engine.port.text.tokenizer import Tokenizer
from tests.support.selection.effort import trials
from tests.unit.engine.port.text.tiny_tokenizers import BOS, EOS, MARK, byte_fallback, byte_level, metaspace

_LETTERS = "the quick café 日本語\n\t<>|/s▁#ÅÅﬁ．"


@pytest.fixture(scope="module", autouse=True)
def remembers_short_texts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.port.text.token_memory._MIN_CHARACTERS", 0)
        yield


def backend(kind: Callable[[], Tokenizer]) -> Any:
    return kind().hf.backend_tokenizer


def with_metaspace(scheme: str, *, split: bool) -> Any:
    made = backend(byte_fallback)
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    return made


def legacy_llama() -> Any:
    """A space before each segment, as Llama 2 has it, whose tokens do not normalize."""
    made = backend(byte_fallback)
    made.pre_tokenizer = None
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return made


def with_added(kind: Callable[[], Tokenizer], *tokens: AddedToken) -> Any:
    made = backend(kind)
    made.add_tokens(list(tokens))
    return made


def with_normalizer(*steps: Any) -> Any:
    made = with_added(byte_level, AddedToken("<fi>", normalized=True), AddedToken("Å", normalized=True))
    made.normalizer = normalizers.Sequence(list(steps))
    return made


def with_prefix_space() -> Any:
    made = backend(byte_level)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(r"\s+(?!\S)|\d{1,3}"), "isolated"), pre_tokenizers.ByteLevel()]
    )
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    return made


def word_piece() -> Any:
    pieces = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "quick", "##e", "##s", "c", "##a", "<", ">", "日"]
    made: Any = Backend(models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    made.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)])
    return made


def unigram(*, scheme: str = "always") -> Any:
    pieces = [
        ("<unk>", 0.0),
        ("</s>", 0.0),
        *((letter, -2.0) for letter in "▁thequicka<>s/日本."),
        ("▁the", -1.0),
    ]
    made: Any = Backend(models.Unigram(pieces, unk_id=0))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    made.add_special_tokens([AddedToken("</s>", normalized=False), AddedToken("<x>", normalized=False)])
    return made


def demo() -> Any:
    return Tokenizer.from_directory(DEMO_MODEL, vocab_size=2**16, end_token_ids=()).hf.backend_tokenizer


_SPACES = ("  ", "\n", "\n\n", "\t", "▁▁", " <", "> ")  # as Gemma's vocabulary has them
_OVERLAPPING = ("<|", "<|mark|>x", "|><|", "the<|mark", "k|>", "a")
_FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
_MANNERS = [tuple(compress(_FLAGS, chosen)) for chosen in product((0, 1), repeat=len(_FLAGS))]


def with_manners(flags: tuple[str, ...]) -> Any:
    manners = {flag: flag in flags for flag in _FLAGS}
    return with_added(byte_level, AddedToken("<x>", **manners), AddedToken("<y>", special=True, **manners))


KINDS: dict[str, Callable[[], Any]] = {
    "demo": demo,
    "byte-level": lambda: backend(byte_level),
    "byte-level, prefix space": with_prefix_space,
    "byte-fallback": lambda: backend(byte_fallback),
    "metaspace": lambda: backend(metaspace),
    "metaspace, first": lambda: with_metaspace("first", split=True),
    "metaspace, always, whole": lambda: with_metaspace("always", split=False),
    "metaspace, never": lambda: with_metaspace("never", split=True),
    "legacy Llama": legacy_llama,
    "word piece": word_piece,
    "unigram": unigram,
    "unigram, first": lambda: unigram(scheme="first"),
    "normalizers": lambda: with_normalizer(normalizers.NFKC(), normalizers.Lowercase()),
    "stripping": lambda: with_normalizer(normalizers.Strip(), normalizers.NFD(), normalizers.StripAccents()),
    "spaces": lambda: with_added(
        byte_level,
        *(AddedToken(text, normalized=False) for text in _SPACES),
        AddedToken("<x>", lstrip=True, rstrip=True, normalized=False),
    ),
    "overlaps": lambda: with_added(
        byte_level,
        *(AddedToken(text, normalized=False) for text in _OVERLAPPING),
        AddedToken("x<|mark", normalized=True),  # which is looked for once the others are found
    ),
    **{f"token {' '.join(flags)}": partial(with_manners, flags) for flags in _MANNERS},
}


@cache
def made(kind: str) -> tuple[Any, SegmentEncoder, tuple[str, ...]]:
    whole = KINDS[kind]()
    encoder = SegmentEncoder.of(whole, TokenMemory(max_bytes=200_000))
    assert encoder is not None, kind
    return whole, encoder, tuple(token.content for token in whole.get_added_tokens_decoder().values())


def whole_ids(whole: Any, text: str) -> list[int]:
    ids: list[int] = whole.encode(text, add_special_tokens=False).ids
    return ids


@cache  # strategies that each example makes anew take longer than what they are for
def texts(kind: str) -> tuple[st.SearchStrategy[str], st.SearchStrategy[str]]:
    """Return the strategies of texts, with pieces of their tokens, and of what may follow them."""
    some = made(kind)[2][-12:]
    piece = st.one_of(
        st.sampled_from(some), st.text(st.sampled_from(_LETTERS), max_size=6), st.text(max_size=3)
    )
    cut = st.sampled_from([token[:at] for token in some for at in range(len(token) + 1)])
    return st.lists(piece | cut, max_size=12).map("".join), st.lists(piece, max_size=4).map("".join)


_SALTS = st.sampled_from([None, "a"])


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=trials(15, whole=40))
@given(data=st.data())
def test_ids_are_those_of_the_whole_text(kind: str, data: st.DataObject) -> None:
    whole, encoder, _ = made(kind)
    any_text, any_end = texts(kind)
    text = data.draw(any_text)
    salt = data.draw(_SALTS)
    expected = whole_ids(whole, text)
    assert encoder.encode(text, salt) == expected
    assert encoder.encode(text, salt) == expected  # out of the memory, as far as it had room
    longer = data.draw(any_end)
    assert encoder.encode(text + longer, salt) == whole_ids(whole, text + longer)


@pytest.mark.parametrize("kind", ["demo", "byte-level", "byte-fallback", "metaspace", "unigram, first"])
def test_a_second_turn_encodes_what_is_new(kind: str) -> None:
    memory = TokenMemory()
    whole = KINDS[kind]()
    encoder = SegmentEncoder.of(whole, memory)
    assert encoder is not None
    mark = next(iter(encoder.separators))
    first = "".join(f"{mark}turn {at} the quick fox" for at in range(50)) + mark
    encoder.encode(first, None)
    num_encoded = memory.num_encoded
    assert encoder.encode(f"{first}a new turn{mark}", None) == whole_ids(whole, f"{first}a new turn{mark}")
    num_new = len(whole_ids(whole, f"{mark}a new turn{mark}")) - 2
    assert 0 < memory.num_encoded - num_encoded <= num_new
    assert memory.num_known >= 50


@cache
def parts_of(kind: str) -> st.SearchStrategy[list[int | str]]:
    """Return the strategy of the parts of a prompt: ids, and texts."""
    _, ids = placed_tokens(kind)
    part = st.one_of(
        st.sampled_from(ids), st.sampled_from([BOS, MARK, "the ", "\n", "日<|"]), st.text(max_size=3)
    )
    return st.lists(part, max_size=8)


@pytest.mark.parametrize("kind", ["byte-level", "byte-fallback", "metaspace"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_placed_tokens_are_remembered_alike(kind: str, data: st.DataObject) -> None:
    placed, _ = placed_tokens(kind)
    parts = data.draw(parts_of(kind))
    for adds in (False, True):
        expected = placed.encode(parts, add_special_tokens=adds)
        assert placed.encode_segments(parts, "salt", add_special_tokens=adds) == expected
        assert placed.encode_segments(parts, "salt", add_special_tokens=adds) == expected


def token_ids(tokenizer: Tokenizer, *names: str) -> list[int]:
    return [token_id for name in names if (token_id := tokenizer.token_id(name)) is not None]


@cache
def placed_tokens(kind: str) -> tuple[PlacedTokens, list[int]]:
    tokenizer = {"byte-level": byte_level, "byte-fallback": byte_fallback, "metaspace": metaspace}[kind]()
    ids = token_ids(tokenizer, BOS, EOS, MARK)
    return PlacedTokens(tokenizer, ids), ids


def test_placed_tokens_of_a_conversation_are_encoded_once() -> None:
    tokenizer = byte_level()
    [mark] = token_ids(tokenizer, MARK)
    placed = PlacedTokens(tokenizer, [mark])
    parts: list[str | int] = [mark, f"the {MARK} quick", mark, "brown fox"]
    placed.encode_segments(parts, None)
    num_encoded = tokenizer.memory.num_encoded
    placed.encode_segments([*parts, mark, "a"], None)
    behind_known = placed.encode(["brown fox", "a"])
    assert tokenizer.memory.num_encoded - num_encoded <= len(behind_known)


class _Custom:
    """A normalizer in Python, of which nothing is known."""

    def normalize(self, normalized: NormalizedString) -> None:
        normalized.uppercase()


def with_custom_normalizer() -> Any:
    made = backend(byte_level)
    made.normalizer = normalizers.Normalizer.custom(_Custom())
    return made


def with_dropout() -> Any:
    made = backend(byte_level)
    made.model.dropout = 0.5
    return made


def with_sampling() -> Any:
    made = unigram()
    made.model.alpha, made.model.nbest_size = 0.1, 4
    return made


def with_special_tokens_as_text() -> Any:
    made = backend(byte_level)
    made.encode_special_tokens = True
    return made


def without_separators() -> Any:
    made: Any = Backend(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    made.add_tokens([AddedToken("a", single_word=True), AddedToken("\n", normalized=False)])
    return made


@pytest.mark.parametrize(
    "unknown",
    [with_custom_normalizer, with_dropout, with_sampling, with_special_tokens_as_text, without_separators],
)
def test_nothing_is_remembered_where_segments_cannot_be_known_to_stand_alone(
    unknown: Callable[[], Any],
) -> None:
    assert SegmentEncoder.of(unknown(), TokenMemory()) is None


def test_what_disagrees_in_a_trial_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.port.text.token_memory._separates", lambda token: True)
    whole = with_added(byte_level, AddedToken("<x>", single_word=True, normalized=False))
    whole.add_special_tokens([])
    assert SegmentEncoder.of(whole, TokenMemory()) is None


def test_salts_share_nothing() -> None:
    memory = TokenMemory()
    encoder = SegmentEncoder.of(backend(byte_level), memory)
    assert encoder is not None
    text = f"{MARK}the quick fox{MARK}"
    for salt in (None, "a", "b" * 100_000):
        before = memory.num_encoded
        encoder.encode(text, salt)
        assert memory.num_encoded - before == len(whole_ids(backend(byte_level), "the quick fox"))
        encoder.encode(text, salt)
        assert memory.num_encoded - before == len(whole_ids(backend(byte_level), "the quick fox"))


def test_a_long_salt_takes_no_memory() -> None:
    memory = TokenMemory()
    encoder = SegmentEncoder.of(backend(byte_level), memory)
    assert encoder is not None
    encoder.encode(f"{MARK}the quick fox{MARK}" * 30, "salt" * 100_000)
    assert max(len(key.salt or b"") for key in memory._ids) == 16


def test_the_memory_stays_within_its_bound_and_forgets_what_was_idle_longest() -> None:
    memory = TokenMemory(max_bytes=20_000)
    encoder = SegmentEncoder.of(backend(byte_level), memory)
    assert encoder is not None
    for at in range(200):
        encoder.encode(f"{MARK}turn {at}{MARK}", None)
        encoder.encode(f"{MARK}the quick fox{MARK}", None)  # in use all the time
        assert memory.num_bytes <= 20_000
    before = memory.num_encoded
    encoder.encode(f"{MARK}the quick fox{MARK}turn 199{MARK}", None)
    assert memory.num_encoded == before
    encoder.encode(f"{MARK}turn 0{MARK}", None)
    assert memory.num_encoded > before


def test_a_text_too_large_to_remember_is_encoded_each_time() -> None:
    memory = TokenMemory(max_bytes=20_000)
    whole = backend(byte_level)
    encoder = SegmentEncoder.of(whole, memory)
    assert encoder is not None
    num_bytes = memory.num_bytes
    text = f"{MARK}{'the quick ' * 300}"
    assert encoder.encode(text, None) == encoder.encode(text, None) == whole_ids(whole, text)
    assert memory.num_known == 0 or memory.num_bytes - num_bytes < 2_000


def test_threads_agree() -> None:
    whole = backend(byte_level)
    encoder = SegmentEncoder.of(whole, TokenMemory(max_bytes=20_000))
    assert encoder is not None
    texts = [MARK.join(f"the quick {at % 7} fox {other}" for at in range(20)) for other in range(4)]
    expected = [whole_ids(whole, text) for text in texts]
    wrong: list[str] = []

    def encode() -> None:
        for _ in range(50):
            wrong.extend(
                text for text, ids in zip(texts, expected, strict=True) if encoder.encode(text, None) != ids
            )

    threads = [Thread(target=encode) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_lone_surrogate_is_refused_and_leaves_nothing_behind() -> None:
    tokenizer = byte_level()
    assert tokenizer.remembers
    with pytest.raises(InvalidRequest):
        tokenizer.encode_segments(f"the {MARK} \ud800", None)
    assert tokenizer.encode_segments(f"the {MARK}", None) == tokenizer.encode(
        f"the {MARK}", add_special_tokens=False
    )


def test_a_tokenizer_without_separators_encodes_all_the_same() -> None:
    hf: Any = PreTrainedTokenizerFast
    tokenizer = Tokenizer(hf(tokenizer_object=without_separators()), vocab_size=4, end_token_ids=())
    assert not tokenizer.remembers
    assert tokenizer.encode_segments("a", None) == tokenizer.encode("a")
    assert tokenizer.memory.num_encoded == 0


def test_a_short_text_is_encoded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.port.text.token_memory._MIN_CHARACTERS", 30)
    memory = TokenMemory()
    encoder = SegmentEncoder.of(backend(byte_level), memory)
    assert encoder is not None
    num_encoded = memory.num_encoded
    for text in (f"{MARK}the quick", f"{MARK}the quick" * 3):
        assert encoder.encode(text, None) == whole_ids(backend(byte_level), text)
        assert (memory.num_encoded > num_encoded) == (len(text) >= 30)
