"""Items are kept different by few looks at the grammar, however many there are."""

import json
import random
from typing import Any, Final

import numpy as np
import pytest

from engine.grammar.lark.byte_matcher import ByteMatcher
from engine.grammar.lark_source import lark_source
from engine.grammar.run_time.unique_items import TokenIndex, UniqueItems
from engine.port.request import Grammar, GrammarKind
from tests.support.large_vocabulary import large_vocabulary

MAX_COPIES: Final = 3  # of the state, each for one look, which takes some 20 µs

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
def test_a_mask_takes_few_looks_at_the_grammar(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = list[ByteMatcher]()
    copy = ByteMatcher.copy

    def counted(state: ByteMatcher) -> ByteMatcher:
        copies.append(state)
        return copy(state)

    monkeypatch.setattr(ByteMatcher, "copy", counted)
    item, values = ITEMS[name]
    follower = _arrays({"type": "array", "items": item, "uniqueItems": True}).start()
    for byte in json.dumps(values)[:-1].encode():
        allowed = np.full(-(-len(TOKENS) // 32), 0xFFFFFFFF, np.uint32)
        copies.clear()
        follower.exclude(allowed)
        assert allowed[byte // 32] >> byte % 32 & 1
        follower.accept(bytes([byte]))
        assert len(copies) <= MAX_COPIES
