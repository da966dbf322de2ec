"""The samples that each contract states for the tests of all contracts, and where it states them."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple, TypeAlias

# Counted twice, since the xgrammar of vLLM 0.32 fails at patterns of schemas with counts in the thousands.
LETTERS: Final = "([a-z]{100}){40}"

Body: TypeAlias = dict[str, Any]


class Exchange(NamedTuple):
    """A request, and the status that its answer has.

    before, after: the paths and bodies of requests that make the server ready for it, and as it was. A name
        in braces in `path` is the field of the last answer before, as is a value `{id}` in these bodies, of
        which one with bytes is a form.
    """

    method: str
    path: str
    status: int
    body: dict[str, Any] | None = None
    before: tuple[tuple[str, dict[str, Any]], ...] = ()
    after: tuple[tuple[str, dict[str, Any]], ...] = ()


class LongRequest(NamedTuple):
    """Generates hundreds of tokens whatever the model would like, for no end token is allowed before.

    is_finished: whether an event says that all was generated. is_unavailable: whether it says that the server
    stopped before. Both are None where the answer is no stream.
    """

    path: str
    body: Mapping[str, Any]
    is_finished: Callable[[Any], bool] | None = None
    is_unavailable: Callable[[Any], bool] | None = None

    @property
    def has_grammar(self) -> bool:
        """True if a grammar must be compiled before the first token."""
        return LETTERS in str(self.body)


class Samples(NamedTuple):
    """The samples of one contract.

    exchanges: together they succeed at every operation.
    long_requests: at least one stream where the contract has any, and one whole answer.
    features: by name, the path and the body of requests for what an engine does beyond continuing a text; all
        succeed, and ask for the likeliest tokens unless the feature is to draw them.
    headers: without which the contract answers no request.
    unavailable_status: of an answer while the server stops.
    noted_fields: of which the document says that the engine lacks them, for one that knows JSON Schema only.
    """

    exchanges: Sequence[Exchange]
    long_requests: Sequence[LongRequest]
    features: Mapping[str, tuple[str, Body]]
    headers: Mapping[str, str] = {}
    unavailable_status: int = 503
    noted_fields: frozenset[str] = frozenset()


def samples_of(contract: str) -> Samples:
    """Return a contract's samples, which stand in the folder of its own tests."""
    name = f"tests.unit.handlers.contracts.{contract}.samples"
    path = name.replace(".", "/")
    assert find_spec(name), f"write {path}.py with SAMPLES for the tests of all contracts; mindie's is short"
    samples: Samples = import_module(name).SAMPLES
    return samples
