"""Requests that were good once: each is one of every contract's examples, altered by a few random steps."""

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, Final, NamedTuple

import orjson

from handlers.composition import TABLES
from tests.support.samples.contracts import samples_of

_MAX_STEPS: Final = 3
# Values at the edges of what JSON, Python and the documents can hold.
_HOSTILE: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63 - 1, -(2**63), 0.0, -0.0, 1e308, 5e-324, 1.5),
    *(
        "",
        " ",
        "\0",
        "a",
        "\ud7ff\ufffe",
        "<|im_end|>",
        "{{ 7 }}",
        "{% for %}",
        "../..",
        "é" * 300,
        "x" * 5000,
    ),
    *([], [[]], [None] * 50, {}, {"": {}}, {"$ref": "#"}, {"type": "object"}, ["a"] * 600),
)
_HOSTILE_BYTES: Final = (
    *(b"\0", b"\xff", b"\xed\xa0\x80", b'"\\ud800"', b"NaN", b"-Infinity", b"1e999", b"9" * 400),
    *(b"[" * 600, b"{" * 600, b"]", b"}", b",", b":", b'"', b"\\", b"\\u12", b"//", b"\xef\xbb\xbf"),
    *(b'{"a":' * 300, b'"a":1,"a":2,', b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"),
)
_CONTENT_TYPES: Final = (
    *("application/json", "text/plain", "application/json; charset=utf-16", "application/vnd.a+json", ""),
    *("multipart/form-data", "application/x-www-form-urlencoded", "é/é", "application/json;" + "a" * 500),
)


class Mutant(NamedTuple):
    """A request to send as it is. contract: whose prefix the path begins with."""

    contract: str
    path: str
    headers: dict[bytes, bytes]
    body: bytes


def mutant(random: Random) -> Mutant:
    """One example, altered in its values, in its bytes, or in both."""
    contract = random.choice(sorted(TABLES))
    example = random.choice([one for one in samples_of(contract).exchanges if one.body is not None])
    value: Any = deepcopy(example.body)
    if random.random() < 0.8:
        for _ in range(random.randint(1, _MAX_STEPS)):
            value = _with_another_value(value, random)
    body = orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    if random.random() < 0.4:
        for _ in range(random.randint(1, _MAX_STEPS)):
            body = random.choice(_BYTE_STEPS)(body, random)
    content_type = "application/json" if random.random() < 0.9 else random.choice(_CONTENT_TYPES)
    headers = {name.encode(): value.encode() for name, value in samples_of(contract).headers.items()}
    headers[b"content-type"] = content_type.encode()
    return Mutant(contract, f"/{contract}{example.path}", headers, body)


def _hostile(random: Random) -> Any:
    """A value of the mutant's own: a later step may alter it."""
    return deepcopy(random.choice(_HOSTILE))


def _with_another_value(value: Any, random: Random) -> Any:
    """The value with one place in it replaced, removed, repeated or added to."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.05:
        return _hostile(random)
    if random.random() < 0.6:
        place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value[place] = _with_another_value(value[place], random)
        return value
    if isinstance(value, list):
        return random.choice([value * random.randint(0, 40), [*value, _hostile(random)]])
    return _with_another_key(value, random)


def _with_another_key(value: dict[str, Any], random: Random) -> dict[str, Any]:
    key = random.choice(list(value))
    match random.randrange(3):
        case 0:
            del value[key]
        case 1:
            value[random.choice(_NAMES)] = _hostile(random)
        case _:
            value[key + random.choice(["", " ", "\0", "s"])] = value.pop(key)
    return value


def _names() -> list[str]:
    """Every field that an example of some contract has, so that one contract's reaches another."""
    bodies = [one.body or {} for contract in TABLES for one in samples_of(contract).exchanges]
    inner = [value for body in bodies for value in body.values() if isinstance(value, dict)]
    return sorted({name for each in (*bodies, *inner) for name in each})


_NAMES: Final = _names()


def _cut(body: bytes, random: Random) -> bytes:
    return body[: random.randrange(len(body) + 1)]


def _insert(body: bytes, random: Random) -> bytes:
    place = random.randrange(len(body) + 1)
    return body[:place] + random.choice(_HOSTILE_BYTES) + body[place:]


def _flip(body: bytes, random: Random) -> bytes:
    if not body:
        return body
    place = random.randrange(len(body))
    return body[:place] + bytes([body[place] ^ 1 << random.randrange(8)]) + body[place + 1 :]


def _repeat(body: bytes, random: Random) -> bytes:
    start, stop = sorted(random.randrange(len(body) + 1) for _ in range(2))
    return body[:stop] + body[start:stop] * random.randint(1, 5) + body[stop:]


_BYTE_STEPS: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (_cut, _insert, _flip, _repeat)
