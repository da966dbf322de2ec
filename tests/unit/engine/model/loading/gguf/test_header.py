"""The header of a GGUF file is read as it is written, and no number in it is believed unchecked."""

import os
import random
import struct
import time
import tracemalloc
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from engine.model.loading.gguf.header import read_header
from engine.port.errors import ModelNotSupported

_NUM_MUTATIONS = int(os.environ.get("VERBATIM_GGUF_MUTATIONS", "800"))
_STRING, _UINT32, _ARRAY = 8, 4, 9


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def key(name: bytes, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<I", kind) + value


def tensor(
    name: bytes = b"a.weight", shape: tuple[int, ...] = (32, 2), kind: int = 0, first: int = 0
) -> bytes:
    sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return string(name) + sizes + struct.pack("<IQ", kind, first)


ARCHITECTURE = key(b"general.architecture", _STRING, string(b"llama"))


def file_of(
    keys: tuple[bytes, ...] = (ARCHITECTURE,),
    tensors: tuple[bytes, ...] = (tensor(),),
    *,
    version: int = 3,
    num_keys: int | None = None,
    num_tensors: int | None = None,
    num_bytes: int = 256,
) -> bytes:
    counts = (
        len(tensors) if num_tensors is None else num_tensors,
        len(keys) if num_keys is None else num_keys,
    )
    head = b"GGUF" + struct.pack("<IQQ", version, *counts) + b"".join(keys) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + bytes(num_bytes)


def aligned(alignment: int) -> bytes:
    return key(b"general.alignment", _UINT32, struct.pack("<I", alignment))


def array(kind: int, length: int, content: bytes = b"") -> bytes:
    return key(b"tokenizer.ggml.tokens", _ARRAY, struct.pack("<IQ", kind, length) + content)


HUGE = 2**63 + 7
# Each file with what its refusal must say.
LIES: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "does not begin with GGUF"),
    "a pointer of Git LFS": (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS"),
    "only the magic word": (b"GGUF", "it ends at byte 4, within the version"),
    "a version of the future": (file_of(version=9), "its version is 9"),
    "the first version": (file_of(version=1), "its version is 1"),
    "numbers of the other order": (file_of(version=3 << 24), "big-endian"),
    "more tensors than bytes": (file_of(num_tensors=HUGE), f"it has {HUGE:,} tensors"),
    "more keys than bytes": (file_of(num_keys=HUGE), f"it has {HUGE:,} metadata keys"),
    "a key without end": (file_of((struct.pack("<Q", HUGE) + b"x",)), "a metadata key has 9,223"),
    "a key that is no text": (file_of((key(b"\xff\xfe", _UINT32, bytes(4)),)), "is not UTF-8"),
    "a key of control characters": (file_of((key(b"a\n", _UINT32, bytes(4)),)), r"a metadata key is 'a\n'"),
    "a key twice": (file_of((ARCHITECTURE, ARCHITECTURE)), "names general.architecture twice"),
    "a text without end": (
        file_of((key(b"general.architecture", _STRING, struct.pack("<Q", 2**64 - 1)),)),
        "general.architecture has 18,446,744,073,709,551,615 bytes",
    ),
    "an array without end": (file_of((array(_UINT32, 2**62),)), "within tokenizer.ggml.tokens"),
    "an array whose bytes overflow": (file_of((array(10, 2**61 + 1),)), "within tokenizer.ggml.tokens"),
    "strings without end": (file_of((array(_STRING, 2**40),)), "strings of tokenizer.ggml.tokens"),
    "an array of arrays": (file_of((array(_ARRAY, 1, bytes(32)),)), "is of type 9, which is none of"),
    "an unknown type": (file_of((key(b"a", 77, bytes(8)),)), "a is of type 77"),
    "half a truth": (file_of((key(b"a", 7, b"\2"),)), "a is neither true nor false"),
    "no alignment": (file_of((aligned(0),)), "general.alignment must be a power of two"),
    "an odd alignment": (file_of((aligned(48),)), "general.alignment must be a power of two"),
    "an absurd alignment": (file_of((aligned(2**31),)), "65536 at most, and is 2147483648"),
    "no dimensions": (file_of(tensors=(tensor(shape=()),)), "a.weight has 0 dimensions"),
    "many dimensions": (file_of(tensors=(tensor(shape=(1,) * 5),)), "a.weight has 5 dimensions"),
    "a dimension of nothing": (file_of(tensors=(tensor(shape=(32, 0)),)), "a.weight is [0, 32]"),
    # The product of these is 64 in 64 bits, and so was the buffer of CVE-2026-27940.
    "sizes whose product overflows": (
        file_of(tensors=(tensor(shape=(2**32, 2**32 + 2**32, 32)),)),
        "and the file has",
    ),
    "a sum that overflows": (file_of(tensors=(tensor(first=2**64 - 32),)), "a.weight ends at byte 18,446"),
    "an offset beyond the end": (file_of(tensors=(tensor(first=4096),)), "it may be cut short"),
    "contents cut short": (file_of(num_bytes=255), "a.weight ends at byte"),
    "an odd offset": (file_of(tensors=(tensor(shape=(32, 1), first=8),)), "no multiple of 32"),
    "tensors upon one another": (
        file_of(tensors=(tensor(b"a.weight", (32, 1)), tensor(b"b.weight", (32, 1), first=64))),
        "b.weight begins at byte",
    ),
    "a tensor twice": (file_of(tensors=(tensor(shape=(32, 1)),) * 2), "names a tensor twice"),
    "a type that ggml has not": (file_of(tensors=(tensor(kind=4242),)), "is of ggml's type 4242"),
    "rows of half a block": (file_of(tensors=(tensor(shape=(48, 2), kind=2),)), "blocks of Q4_0 have 32"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_that_lies_is_refused_in_one_line_that_says_where(lie: str, tmp_path: Path) -> None:
    content, words = LIES[lie]
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelNotSupported) as refused:
        read_header(path)
    assert words in str(refused.value)
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


def test_a_header_is_read_as_the_package_of_the_format_reads_it(tmp_path: Path) -> None:
    path = written(tmp_path / "model.gguf")
    found, expected = read_header(path), gguf.GGUFReader(path)
    assert found.num_bytes <= expected.data_offset < found.num_bytes + 64
    fields = {name: field for name, field in expected.fields.items() if not name.startswith("GGUF.")}
    assert list(found.metadata) == list(fields)
    for name, field in fields.items():
        value: Any = found.metadata[name]
        assert (list(value) if isinstance(value, tuple | np.ndarray) else value) == field.contents(), name
    for one, other in zip(found.tensors, expected.tensors, strict=True):
        assert one.name == other.name and one.kind == other.tensor_type.name
        assert one.shape == tuple(other.shape.tolist())[::-1]
        assert (one.first, one.num_bytes) == (other.data_offset, other.n_bytes)


def test_no_mutation_of_a_file_takes_long_or_raises_anything_else(tmp_path: Path) -> None:
    """Bytes are changed, cut, doubled and replaced by numbers that overflow; `make fuzz-gguf` does more."""
    whole = written(tmp_path / "model.gguf").read_bytes()
    path, chance = tmp_path / "mutated.gguf", random.Random(_NUM_MUTATIONS)
    num_refused, slowest = 0, 0.0
    tracemalloc.start()
    for _ in range(_NUM_MUTATIONS):
        path.write_bytes(mutated(whole, chance))
        begin = time.process_time()
        try:
            header = read_header(path)
        except ModelNotSupported as error:
            num_refused += 1
            assert "\n" not in str(error) and len(str(error)) < 2500
        else:
            size = path.stat().st_size
            assert all(each.first >= 0 and each.first + each.num_bytes <= size for each in header.tensors)
        slowest = max(slowest, time.process_time() - begin)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert num_refused > _NUM_MUTATIONS / 3, "mutations do nothing"
    assert slowest < 1 and most < 32 << 20, (slowest, most)


def mutated(content: bytes, chance: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(found))
        match chance.randrange(5):
            case 0:
                found[place] = chance.randrange(256)
            case 1:
                del found[place:]
                found += b"" if found else b"G"
            case 2:
                number = chance.choice((0, 1, 2**31, 2**32 - 1, 2**61, 2**63, 2**64 - 1, 2**64 - 32, 1 << 40))
                found[place : place + 8] = struct.pack("<Q", number)
            case 3:
                found[place:place] = found[place : place + chance.randrange(1, 40)]
            case _:
                del found[place : place + chance.randrange(1, 40)]
                found += b"" if found else b"G"
    return bytes(found)


def written(path: Path) -> Path:
    """A file with metadata of all types, and tensors of several."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint8("a.u8", 7)
    writer.add_int8("a.i8", -7)
    writer.add_uint16("a.u16", 700)
    writer.add_int16("a.i16", -700)
    writer.add_int32("a.i32", -70000)
    writer.add_uint64("a.u64", 2**40)
    writer.add_int64("a.i64", -(2**40))
    writer.add_float32("a.f32", 0.5)
    writer.add_float64("a.f64", 0.1)
    writer.add_bool("a.bool", True)
    writer.add_token_list(["<s>", "é", "▁the"])
    writer.add_token_scores([0.0, -1.0, -2.5])
    writer.add_token_types([3, 1, 1])
    random_numbers = np.random.default_rng(0)
    for kind in ("F32", "Q8_0", "Q4_0"):
        weight = random_numbers.standard_normal((4, 64), np.float32)
        number = gguf.GGMLQuantizationType[kind]
        stored = weight if kind == "F32" else gguf.quantize(weight, number)
        writer.add_tensor(f"{kind.lower()}.weight", stored, raw_dtype=None if kind == "F32" else number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
