"""Every operation of every contract answers the same over a token server as over the engine behind it.

The requests are those of the contracts' documents, of `exchanges` and of `features`, whole and streamed.
Those of the documents are sent whole as they are there and streamed for the likeliest tokens, each to one
front: `make test` sends one in eight to that over vLLM's API, and `make test-long SHORT=1` the rest by turns
to those over the other kinds of servers. `make test-long` sends all of them to all.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from zlib import crc32

import httpx
import pytest

from handlers.composition import TABLES
from tests.contract.over_servers.agreement import EngineRequest, disagreement
from tests.contract.over_servers.comparing import Answer, difference, read
from tests.contract.requests.documented import Asked, requests_of
from tests.contract.test_forms import FORMS
from tests.support.samples.contracts import samples_of
from tests.support.selection.effort import IS_WHOLE, usually
from tests.support.token_servers.fixed_seeds import draw_one_seed
from tests.support.token_servers.fronts import KINDS, NAME, Fronts
from tests.unit.handlers.contracts.openai.transcriptions.scripted import SOUND

# Tokens of several requests are computed in one batch over a server, and in another one by the engine itself.
_TOLERANCE: Final = 1e-5


def _usual(contract: str) -> Iterable[Asked]:
    """Return the first form of each request that is whole, and the last of each that is streamed."""
    forms = dict[tuple[str, bool], Asked]()
    for asked in requests_of(contract):
        name = asked.name.removesuffix(", streamed")
        form = name.removesuffix(", greedy"), name != asked.name
        if form not in forms or form[1]:
            forms[form] = asked
    return forms.values()


_ALL: Final = [
    asked for contract in TABLES for asked in (requests_of(contract) if IS_WHOLE else _usual(contract))
]


def _kinds(asked: Asked) -> Sequence[str]:
    """Return the kinds of servers that get a request in this run."""
    first, *others = KINDS
    number = crc32(asked.id.encode())
    return KINDS if IS_WHOLE else others[number // 8 % len(others) :][:1] if number % 8 else [first]


_CHOSEN: Final = [
    pytest.param(asked, kind, id=f"{kind}: {asked.id}", marks=() if kind == KINDS[0] else pytest.mark.long)
    for asked in _ALL
    for kind in _kinds(asked)
]


class Asking:
    """Asks the engine's own server and the fronts. Own answers are kept, each with the engine's requests."""

    def __init__(self, fronts: Fronts, client: httpx.Client) -> None:
        self._fronts = fronts
        self._client = client
        self._known = dict[str, tuple[httpx.Response, tuple[EngineRequest, ...]]]()

    def own(self, asked: Asked) -> tuple[httpx.Response, tuple[EngineRequest, ...]]:
        if asked.id not in self._known:
            self._fronts.engine.requests.clear()
            answer = self.send(self._fronts.own_url, asked)
            self._known[asked.id] = answer, tuple(self._fronts.engine.requests)
        return self._known[asked.id]

    def send(self, url: str, asked: Asked) -> httpx.Response:
        request = asked.request
        headers = {"content-type": "application/json", **request.headers}
        return self._client.request(
            request.method, url + asked.path, content=request.content, headers=headers
        )


@pytest.fixture(scope="module")
def asking(fronts: Fronts) -> Iterator[Asking]:
    with httpx.Client(timeout=100) as client:
        yield Asking(fronts, client)


@pytest.mark.parametrize(("asked", "kind"), _CHOSEN)
def test_an_answer_is_the_same_over_a_server(
    fronts: Fronts, asking: Asking, asked: Asked, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_one_seed(monkeypatch)
    front = fronts.over(kind)
    expected, requests = asking.own(asked)
    answer = asking.send(front.url, asked)
    assert (
        disagreement(
            asked,
            answer,
            expected,
            requests,
            front.capabilities,
            tolerance=_TOLERANCE,
            draws_alike=True,
        )
        is None
    )


@pytest.mark.long
def test_what_an_engine_can_do_beyond_texts_is_asked_for_and_done(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No feature is compared by two refusals; that of each contract reaches the engine."""
    draw_one_seed(monkeypatch)
    for asked in _ALL:
        if any(
            asked.name == f"{asked.endpoint.title}: {name}" for name in samples_of(asked.contract).features
        ):
            answer, requests = asking.own(asked)
            assert (answer.status_code, bool(requests)) == (200, True), (asked.id, answer.text)


@pytest.mark.parametrize("contract", usually(TABLES, ("openai", "tgi")))
def test_every_operation_that_generates_has_an_answer_of_each_form(
    asking: Asking, contract: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_one_seed(monkeypatch)
    forms = dict[str, set[str]]()
    for asked in (one for one in _ALL if one.contract == contract):
        answer, requests = asking.own(asked)
        if requests and answer.status_code == 200:
            forms.setdefault(asked.endpoint.id, set()).add(read(asked, answer).media_type)
    endpoints = {asked.endpoint.id: asked.endpoint for asked in _ALL if asked.contract == contract}
    for name, found in forms.items():
        streams = endpoints[name].can_stream
        is_stream_alone = endpoints[name].path.endswith("_stream")
        assert "text/event-stream" in found or not streams, name
        assert "application/json" in found or is_stream_alone, name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operation_id", FORMS)
def test_a_form_for_a_model_that_reads_text_is_refused_the_same_over_a_server(
    fronts: Fronts, operation_id: str, kind: str
) -> None:
    contract, operation = FORMS[operation_id]
    parts: dict[str, tuple[str | None, bytes]] = {"file": ("a.wav", SOUND), "model": (None, NAME.encode())}
    expected, answer = (
        httpx.post(f"{url}/{contract}{operation.path}", files=parts)
        for url in (fronts.own_url, fronts.over(kind).url)
    )
    assert (answer.status_code, answer.json()) == (expected.status_code, expected.json())
    assert 400 <= answer.status_code < 500 and "error" in answer.json()


def test_an_answer_that_differs_is_found(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_one_seed(monkeypatch)
    asked = next(one for one in _ALL if one.contract == "openai" and one.name.endswith(": a text, streamed"))
    found = read(asked, asking.own(asked)[0])
    assert difference(found, found, _TOLERANCE) is None
    shorter = Answer(found.status, found.media_type, found.parts[:-1])
    assert difference(shorter, found, _TOLERANCE) is not None
    other = Answer(found.status, found.media_type, (["", {"choices": []}], *found.parts[1:]))
    assert difference(other, found, _TOLERANCE) is not None
