"""The operator's choices that apply to all contracts alike."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from verbatim_kit.runtime.body_thread import BodyThread
from verbatim_kit.runtime.operation import Operation


class ChecksKeys(Protocol):
    """The interface of key checks, made before the parameters and the body of a request are read."""

    def check(self, operation: Operation, contract: str, given: Sequence[bytes]) -> None:
        """Let the request in, or raise Problem with a status that the operation declares.

        given: the keys that the request brings, at most one for each header that may carry one.
        """


@dataclass(frozen=True, slots=True)
class RuntimeOptions:
    """The runtime's options.

    max_body_bytes: a longer request body is refused.
    max_upload_bytes: a longer body of an operation that takes files is refused.
    checks_keys: checks the key where the document secures an operation; None requires no key.
    pages: other pages of this server, listed beside the contracts: a relative link and a description each.
    bodies: the thread in which long bodies are read.
    ignores_unknown_fields: whether unknown fields are taken without effect, and named in a header.
    counts_ignored_fields: gets a contract's name and the names of the fields of a body that have no effect.
    keep_alive_s: seconds of silence after which a stream sends its status or a comment, so that proxies keep
        it open; 0 for never.
    """

    max_body_bytes: int = 2_000_000
    max_upload_bytes: int = 26_214_400
    checks_keys: ChecksKeys | None = None
    ignores_unknown_fields: bool = False
    counts_ignored_fields: Callable[[str, Collection[str]], object] = lambda contract, names: None
    keep_alive_s: float = 5.0
    pages: tuple[tuple[str, str], ...] = ()
    bodies: BodyThread = field(default_factory=BodyThread)
