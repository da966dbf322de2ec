"""Errors that are raised as a contract's problem keep nothing of the request behind."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from verbatim_kit.errors import mapped_errors


class Body(bytearray):
    """The content of a request, which a weak reference may name."""


class Refusal(Exception):
    """A contract's problem."""


@pytest.fixture
def _without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_without_collector")
@pytest.mark.parametrize("is_mapped", [True, False])
def test_a_body_is_freed_with_its_error(is_mapped: bool) -> None:
    def to_problem(error: Exception) -> Exception:
        return Refusal() if is_mapped else error

    def handle(body: Body) -> None:
        with mapped_errors(to_problem):
            raise ValueError(len(body))

    body = Body(b"a large one")
    kept = weakref.ref(body)
    try:
        handle(body)
    except (Refusal, ValueError) as error:
        assert isinstance(error, Refusal) == is_mapped
    del body
    assert kept() is None
