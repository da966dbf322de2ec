"""The server as its users run it, and what all tests share."""

import atexit
import gc
import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

import certifi
import pytest

from tests.support.process_state import ProcessState
from tests.support.selection.effort import left_out, take_turns
from tests.support.selection.instructions import needed_instructions
from tests.support.selection.kernel_gate import Tally, complaints_here
from tests.support.tiny_models.adapter_files import adapters_of_examples

_PROPERTY = "instructions"
_READY = re.compile(r"\bready at ([^\s\"]+)")  # in text and in JSON
COMMAND = Path(sys.executable).with_name("verbatim")
# A request that fills the context ends within seconds, and the cache takes little memory.
LIMITS = ("--max-total-tokens", "512", "--max-batch-total-tokens", "16384")
# Of the server that asks for a key.
API_KEY = "hf_secret"
PAYLOAD_LIMIT = 100_000


class Server(NamedTuple):
    """A server in a process of its own. said: the lines that it has printed until it was ready."""

    url: str
    process: "subprocess.Popen[str]"
    said: tuple[str, ...] = ()


@contextmanager
def running_server(
    *options: str,
    log: IO[str] | None = None,
    launcher: tuple[str, ...] = (),
    command: Sequence[str] = (str(COMMAND), "serve"),
) -> Iterator[Server]:
    """`verbatim serve` with the embedded model, on a free port; its log goes to a file, or to the test's.

    launcher: a command that is given this one, and becomes it. command: another that takes the same options.
    """
    process = subprocess.Popen(
        [*launcher, *command, "--port", "0", *options], stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        yield _started(process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _started(process: "subprocess.Popen[str]") -> Server:
    """Wait until the server says where it is."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := _READY.search(line):
            return Server(found[1], process, tuple(said))
    raise RuntimeError("the server ended before it was ready:\n" + "".join(said))


def pytest_configure(config: pytest.Config) -> None:
    """Give HTTP clients of this process one authority to trust: each reads all of them, for 20 to 40 ms, and
    asks a server of this machine.

    An interrupt is heeded, by the processes that tests start too, also where the tests run in the background
    of a script, whose shell has its commands ignore it.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = TemporaryDirectory()
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    authority = Path(folder.name, "authority.pem")
    authority.write_text(first + end)
    patch = pytest.MonkeyPatch()
    patch.setattr(certifi, "where", lambda: str(authority))
    patch.setattr(ssl, "create_default_context", partial(_trusting, str(authority)))
    config.add_cleanup(folder.cleanup)
    config.add_cleanup(patch.undo)


def _trusting(
    authority: str,
    purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH,
    *,
    cafile: str | None = None,
    capath: str | None = None,
    cadata: str | bytes | None = None,
    create: Callable[..., ssl.SSLContext] = ssl.create_default_context,
) -> ssl.SSLContext:
    """Return a context, with the authority in place of all that the environment names.

    Processes that tests start may have to trust those, so that the environment stays as it is.
    """
    named = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if (asked := cafile or capath) is not None and asked in named:
        cafile, capath = authority, None
    return create(purpose, cafile=cafile, capath=capath, cadata=cadata)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the tests without the garbage collector, which finds nothing and visits all that there is.

    What they have imported stays, and is frozen: a collection that visits it takes some tenths of a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        atexit.register(gc.unfreeze)  # libraries that count objects at the end would say they leaked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Restore the process after each test: a command that runs in it sets variables, levels and threads.

    Fixtures are set up before, so what they set stays until they end.
    """
    state = ProcessState.read()
    try:
        return (yield)
    finally:
        state.restore()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Freeze what a file of tests leaves: imports and caches. A server in this process may unfreeze all."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path != item.path:
            gc.collect()
            gc.freeze()


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Restore the garbage collector after each test: a server started in this process changes it."""
    threshold = gc.get_threshold()
    yield
    if gc.get_threshold() != threshold:
        gc.set_threshold(*threshold)
        gc.unfreeze()  # what the test made


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Yield the URL of the server that is shared by all tests that do not stop it.

    Its clients may load an adapter, "poet", and unload it again.
    """
    with adapters_of_examples() as adapters, running_server(*LIMITS, "--lora-root", adapters) as server:
        yield server.url


@pytest.fixture(scope="session")
def guarded_server_url() -> Iterator[str]:
    """Yield the URL of a second server, with the options that only few tests need: each start takes seconds.

    It asks for API_KEY, takes PAYLOAD_LIMIT bytes, has Anthropic's contract at its root, and sends MindIE's
    full text.
    """
    options = ("--api-key", API_KEY, "--payload-limit", str(PAYLOAD_LIMIT), "--root", "anthropic")
    with running_server(*LIMITS, *options, "--mindie-full-text") as server:
        yield server.url


_tally = Tally()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave combinations out, mark tests as long, and note with each of a kernel which instructions it needs.

    The reports of all workers have that.
    """
    if dropped := left_out(items):
        config.hook.pytest_deselected(items=dropped)
        gone = set(dropped)
        items[:] = [item for item in items if item not in gone]
    take_turns(items)
    for item in items:
        if (least := needed_instructions(item)) is not None:
            item.user_properties.append((_PROPERTY, least.label))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, label in report.user_properties:
        if name == _PROPERTY and report.when == "setup" and report.skipped:
            _tally.skipped[str(label)] += 1
        elif name == _PROPERTY and report.when == "call":
            _tally.ran[str(label)] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that passed, if it skipped all tests of a kernel that it could have run."""
    if not hasattr(session.config, "workerinput") and not session.exitstatus and complaints_here(_tally):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for complaint in complaints_here(_tally):
        terminalreporter.write_line(f"kernels: {complaint}", red=True)
