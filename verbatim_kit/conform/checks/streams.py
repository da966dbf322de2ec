"""The check of event streams, against the document and against the text of non-streamed answers."""

from collections.abc import Iterator

from verbatim_kit.conform.client import NoAnswer
from verbatim_kit.conform.document import Endpoint
from verbatim_kit.conform.finding import FoundFault, Instance
from verbatim_kit.conform.place import put
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.rules import Texts
from verbatim_kit.conform.target import Target, no_answer

_LENGTH = 12


def streaming(target: Target, endpoint: Endpoint) -> Iterator[tuple[str, Request]]:
    """Yield the operation's examples as streaming requests, by name; none if it cannot stream."""
    if not endpoint.can_stream or endpoint.body is None:
        return
    for name, request in target.table.examples(endpoint):
        body = request.body
        if target.table.has(endpoint, ("stream",)):
            body = put(body, ("stream",), True)
        yield name, request._replace(body=body)


def stream_faults(target: Target, endpoint: Endpoint) -> Iterator[tuple[int, list[FoundFault]]]:
    """Yield the number of requests and the faults: of each streamed example, then of the compared texts."""
    for name, request in streaming(target, endpoint):
        yield 1, _faults_of_stream(target, endpoint, f"example {name}, streamed", request)
    first = next(streaming(target, endpoint), None)
    texts = target.contract.rules.texts
    if first is not None and texts is not None and _has_whole_answer(target, endpoint):
        yield 3, _faults_of_text(target, endpoint, first[1], texts)


def _has_whole_answer(target: Target, endpoint: Endpoint) -> bool:
    return target.table.has(endpoint, ("stream",)) or endpoint.path.endswith("_stream")


def _faults_of_stream(target: Target, endpoint: Endpoint, label: str, request: Request) -> list[FoundFault]:
    try:
        answer = target.client.send(request)
    except NoAnswer as error:
        return [no_answer(label, request, error)]
    faults = list(target.judged(label, request, answer))
    if answer.status == 200 and answer.media_type not in endpoint.streams:
        declared = " or ".join(sorted(endpoint.streams))
        message = f"The media type is {answer.media_type or 'missing'}; a stream has {declared}"
        faults.append(
            FoundFault("The answer is not the requested stream", Instance(label, message, request, answer))
        )
    return faults


def _faults_of_text(target: Target, endpoint: Endpoint, request: Request, texts: Texts) -> list[FoundFault]:
    """Compare the text, streamed and not streamed; skip servers that do not repeat their answer."""
    streamed = request._replace(body=target.table.repeatable(endpoint, request.body, _LENGTH))
    path = endpoint.path.removesuffix("_stream")
    whole = streamed._replace(path=streamed.path.removesuffix("_stream"))
    if path == endpoint.path:
        whole = whole._replace(body=put(streamed.body, ("stream",), False))
        whole = whole._replace(
            body={key: value for key, value in whole.body.items() if key != "stream_options"}
        )
    try:
        first, answer, second = (target.client.send(request) for request in (whole, streamed, whole))
    except NoAnswer as error:
        return [no_answer("repeated request", streamed, error)]
    expected, text = texts.whole(first.body), texts.streamed(answer.body)
    if expected is None or expected != texts.whole(second.body) or answer.status != 200:
        return []
    if text == expected or text.strip() == expected.strip():
        return []
    message = f"Streamed: {text!r}. Not streamed: {expected!r}"
    kind = "The streamed text differs from that of the whole answer"
    return [FoundFault(kind, Instance("repeated request", message, streamed, answer))]
