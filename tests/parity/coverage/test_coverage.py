"""Every model type is served with exactly transformers' tokens, or refused; none is served wrongly.

`make test` tries a dozen types, `make test-coverage` all of them.
"""

import os
from pathlib import Path

import pytest

from tests.parity.coverage.types import ALL, SHORT
from tests.parity.coverage.verdict import Outcome, judge

_TYPES = ALL if os.environ.get("VERBATIM_COVERAGE") == "all" else SHORT
_REFUSED_OF_SHORT = {"moshi"}


@pytest.mark.parametrize("model_type", _TYPES)
def test_a_type_is_served_with_the_tokens_of_transformers_or_refused(model_type: str, tmp_path: Path) -> None:
    verdict = judge(model_type, tmp_path)
    assert verdict.outcome not in (Outcome.WRONG, Outcome.BROKEN), verdict.detail
    if model_type in SHORT:
        wanted = Outcome.REFUSED if model_type in _REFUSED_OF_SHORT else Outcome.SERVED
        assert verdict.outcome is wanted, verdict.detail
    assert verdict.detail
