"""Changes of a stream's laws that leave every promise as it was break nothing."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from verbatim_kit.breaking.stream_laws import keeps_all

Laws = list[dict[str, Any]]
LAWS: Laws = [
    {
        "constant": ["/id"],
        "counts": {"/number": 0},
        "parts": [{"at": "/choices", "by": "/index", "last": {"required": ["reason"]}}],
    }
]
MORE: list[Callable[[Laws], Any]] = [
    lambda laws: laws.append({"when": {"required": ["n"]}, "each": {"required": ["id"]}}),
    lambda laws: laws[0].update(joined={"/text": {"of": "/delta"}}, once=[{}], order=[{}, {}]),
    lambda laws: laws[0]["constant"].append("/model"),
    lambda laws: laws[0]["parts"][0].update(joined={"/text": {"of": "/delta"}}),
]
LESS: list[Callable[[Laws], Any]] = [
    lambda laws: laws.clear(),
    lambda laws: laws[0].update(when={"required": ["n"]}),
    lambda laws: laws[0].update(failure={"required": ["error"]}),
    lambda laws: laws[0].update(constant=["/model"]),
    lambda laws: laws[0].update(counts={"/number": 1}),
    lambda laws: laws[0]["parts"].clear(),
    lambda laws: laws[0]["parts"][0].update(last={}),
]


@pytest.mark.parametrize(("edits", "expected"), [(MORE, True), (LESS, False)])
def test_a_promise_that_is_kept_or_added_breaks_nobody(
    edits: list[Callable[[Laws], Any]], expected: bool
) -> None:
    for edit in edits:
        changed = copy.deepcopy(LAWS)
        edit(changed)
        assert keeps_all(LAWS, changed) is expected, changed
