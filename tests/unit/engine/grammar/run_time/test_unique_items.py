"""Items are kept different in little time, however many there are; the bound is of processor time, many times
what was measured."""

import json
import random
import time
from typing import Any, Final

import numpy as np
import pytest

from engine.grammar.lark_source import lark_source
from engine.grammar.run_time.unique_items import TokenIndex, UniqueItems
from engine.port.request import Grammar, GrammarKind
from tests.support.large_vocabulary import large_vocabulary

MAX_MASK_S: Final = 0.003  # 0.0003 measured
MAX_MEDIAN_S: Final = 0.0005  # 0.00003 measured

TOKENS = large_vocabulary()
INDEX = TokenIndex(TOKENS)
STRING = {"type": "string"}
WORDS = ["".join(random.Random(seed).choices("abcdefgh", k=6)) for seed in range(200)]
ITEMS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "strings": (STRING, WORDS),
    "strings that begin alike": (STRING, [f"the quick brown fox {word}" for word in WORDS]),
    "names of a list": ({"enum": [*dict.fromkeys(WORDS)]}, [*dict.fromkeys(WORDS)]),
    "numbers": ({"type": "integer"}, [*range(200)]),
    "objects": ({"type": "object", "properties": {"a": STRING}}, [{"a": word} for word in WORDS]),
}


def _arrays(schema: dict[str, Any]) -> UniqueItems:
    written = lark_source(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)), lambda name: None)
    assert written is not None
    return UniqueItems(written.text, written.unique_arrays, INDEX)


@pytest.mark.parametrize("name", ITEMS)
def test_masks_of_long_arrays_take_little_time(name: str) -> None:
    item, values = ITEMS[name]
    follower = _arrays({"type": "array", "items": item, "uniqueItems": True}).start()
    taken = list[float]()
    for byte in json.dumps(values)[:-1].encode():
        allowed = np.full(-(-len(TOKENS) // 32), 0xFFFFFFFF, np.uint32)
        started = time.thread_time()
        follower.exclude(allowed)
        taken.append(time.thread_time() - started)
        assert allowed[byte // 32] >> byte % 32 & 1
        follower.accept(bytes([byte]))
    assert np.median(taken) < MAX_MEDIAN_S
    assert np.percentile(taken, 99) < MAX_MASK_S
