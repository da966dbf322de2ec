"""The check that a server has an operation at all."""

from verbatim_kit.conform.client import NoAnswer
from verbatim_kit.conform.document import Endpoint
from verbatim_kit.conform.finding import FoundFault, Instance
from verbatim_kit.conform.target import Target

_NOT_THERE = (404, 405, 501)
_NOT_FOUND = 404  # as what has not been stored before, too


def absence(target: Target, endpoint: Endpoint) -> FoundFault | None:
    """Return a fault if every request to the operation is answered as if it did not exist; None otherwise.

    An empty body is among the requests, since a status of 404 may also mean that the model does not exist. Of
    a stateful operation it may mean that nothing is stored.
    """
    requests = [request for _, request in target.table.examples(endpoint)]
    if endpoint.body is not None:
        requests.append(target.table.empty(endpoint))
    last = None
    for request in requests:
        try:
            last = target.client.send(request)
        except NoAnswer:
            return None
        if last.status not in _NOT_THERE or (endpoint.is_stateful and last.status == _NOT_FOUND):
            return None
    assert last is not None
    message = f"{last.status} for every request: {endpoint.method} {endpoint.path} does not exist"
    return FoundFault("The operation does not exist", Instance("examples", message, requests[0], last))
