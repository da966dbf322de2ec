"""Settings of the property tests."""

import os

from hypothesis import settings

from tests.support.selection.effort import trials

# A busy machine makes any one example slow; pytest-timeout bounds the whole test.
# CI repeats what it ran before; new examples are looked for by people.
settings.register_profile(
    "verbatim", deadline=None, derandomize="CI" in os.environ, max_examples=trials(50, whole=200)
)
settings.load_profile("verbatim")
