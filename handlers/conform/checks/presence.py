"""Operations that a server does not have at all."""

from handlers.conform.client import NoAnswer
from handlers.conform.document import Endpoint
from handlers.conform.finding import FoundFault, Instance
from handlers.conform.target import Target

_NOT_THERE = (404, 405, 501)


def absence(target: Target, endpoint: Endpoint) -> FoundFault | None:
    """The fault of an operation that answers every request as if it were not there.

    A request that nobody could answer well is among them, since 404 may be said of a model, too.
    """
    requests = [request for _, request in target.table.examples(endpoint)]
    if endpoint.body is not None:
        requests.append(requests[0]._replace(body={}))
    last = None
    for request in requests:
        try:
            last = target.client.send(request)
        except NoAnswer:
            return None
        if last.status not in _NOT_THERE:
            return None
    assert last is not None
    message = f"{last.status} for every request: {endpoint.method} {endpoint.path} is not there"
    return FoundFault("The operation is not there", Instance("examples", message, requests[0], last))
