"""Every model type is served with exactly transformers' tokens, or refused; none is served wrongly.

`make test` tries a few types, `make test-long SHORT=1` a dozen more, `make test-coverage` all of them.
"""

import os
from pathlib import Path

import pytest

from tests.parity.coverage.types import ALL, SHORT
from tests.parity.coverage.verdict import Outcome, judge
from tests.support.selection.effort import usually

_ALL_ARE_ASKED_FOR = os.environ.get("VERBATIM_COVERAGE") == "all"
_TYPES = ALL if _ALL_ARE_ASKED_FOR else SHORT
# Two of transformers' own code, one of latent keys, two of recurrent layers, a text part, and one that is
# refused.
_USUAL = ("bloom", "deepseek_v3", "falcon_h1", "llama4_text", "mamba", "moshi", "opt")
_REFUSED_OF_SHORT = {"moshi"}


@pytest.mark.parametrize("model_type", usually(_TYPES, _TYPES if _ALL_ARE_ASKED_FOR else _USUAL))
def test_a_type_is_served_with_the_tokens_of_transformers_or_refused(model_type: str, tmp_path: Path) -> None:
    verdict = judge(model_type, tmp_path)
    assert verdict.outcome not in (Outcome.WRONG, Outcome.BROKEN), verdict.detail
    if model_type in SHORT:
        wanted = Outcome.REFUSED if model_type in _REFUSED_OF_SHORT else Outcome.SERVED
        assert verdict.outcome is wanted, verdict.detail
    assert verdict.detail
