"""Settings of the property tests."""

from hypothesis import settings

# A busy machine makes any one example slow; pytest-timeout bounds the whole test.
settings.register_profile("verbatim", deadline=None)
settings.load_profile("verbatim")
