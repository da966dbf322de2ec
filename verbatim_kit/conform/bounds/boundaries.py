"""The table of a contract's bounds: requests at, just inside and just outside each limit, with verdicts.

The document decides whether a request is valid. Dependencies between fields, which JSON Schema cannot
express, are in `rules`, each with its reason.
"""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from verbatim_kit.conform.bounds.edges import edges
from verbatim_kit.conform.bounds.samples import Samples
from verbatim_kit.conform.bounds.sites import Site, Walk
from verbatim_kit.conform.document import Endpoint, Json, Schema, endpoints
from verbatim_kit.conform.place import ABSENT, Place, at, parts, put, render
from verbatim_kit.conform.request import Request, request_of
from verbatim_kit.conform.rules import Rules

_UNKNOWN = "no_such_field"
_STATEFUL = "the answer depends on earlier requests"
_SMALL = 2  # the length of each answer, so that a table takes seconds


class Verdict(Enum):
    """The required outcome of a request."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    EITHER = "accepted or refused"


class Row(NamedTuple):
    """A request that tests one value of one field.

    field: name of the field, as in error messages. keyword: the keyword of JSON Schema that is tested. value:
    ABSENT to omit the field. verdict: the required outcome. reason: of the rule that overrides the schema or
    sets other fields; empty without one. names: names of which an error must contain one; empty if it may
    name another field. schema: the field's JSON Schema.
    """

    endpoint: Endpoint
    field: str
    keyword: str
    value: Json
    request: Request
    verdict: Verdict
    reason: str = ""
    names: tuple[str, ...] = ()
    schema: Schema = {}

    @property
    def name(self) -> str:
        """A short name, unique in the table."""
        shown = "absent" if self.value is ABSENT else json.dumps(self.value)
        short = shown if len(shown) < 40 else f"{shown[:24]}...{len(shown)}"
        return f"{self.endpoint.id} {self.field} {self.keyword} {short}"

    def is_named_in(self, error: str) -> bool:
        """Return whether the text of an error names the field."""
        return not self.names or any(name in error for name in self.names)


class Table:
    """The rows of a contract.

    document: the OpenAPI document. parameters: parameter values by name; may include the body's `model`.
    """

    def __init__(self, document: Mapping[str, Any], rules: Rules, parameters: Mapping[str, Json]) -> None:
        self._samples = Samples(document)
        self._walk = Walk(document, self._samples)
        self._rules = rules
        self._parameter_values = parameters
        self._document = document
        self.unreached: list[str] = []

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all operations with input, in document order and without duplicates."""
        for endpoint in endpoints(self._document):
            yield from self.rows_of(endpoint)

    def rows_of(self, endpoint: Endpoint) -> Iterator[Row]:
        """Yield the rows of one operation; none if it has no input."""
        seen = set()
        for row in (*self._of_body(endpoint), *self._of_parameters(endpoint)):
            key = repr(row.request)
            if key not in seen:
                seen.add(key)
                yield row

    def has(self, endpoint: Endpoint, place: Place) -> bool:
        """Return whether an operation's body may have a member at a place."""
        return endpoint.body is not None and self._walk.has(endpoint.body, place)

    def repeatable(self, endpoint: Endpoint, body: Json, length: int) -> Json:
        """Return a copy of a body that asks for an answer of this length that a repetition gets too."""
        for place, value in self._rules.repeatable.items():
            if self.has(endpoint, place) and endpoint.body is not None:
                changed = put(body, place, value) if at(body, place[:-1]) is not ABSENT else body
                body = changed if self._samples.is_valid(endpoint.body, changed) else body
        for place in self._rules.lengths:
            body = put(body, place, length) if at(body, place) is not ABSENT else body
        return body

    def may_be_refused(self, endpoint: Endpoint, body: Json) -> bool:
        """Return whether a valid body may be refused: because of a rule, or because of earlier requests."""
        return endpoint.is_stateful or any(
            self._rules.ban(endpoint.path, place, value, body) for place, value in parts(body)
        )

    def examples(self, endpoint: Endpoint) -> Iterator[tuple[str, Request]]:
        """Yield an operation's example requests by name, for the server's model and a short answer.

        Where the document has no example of a body, a small valid one stands for it.
        """
        parameters = self._parameters(endpoint)
        if endpoint.body is None:
            yield "request", request_of(endpoint, parameters)
        for name, body in self._bodies(endpoint).items():
            yield name, request_of(endpoint, parameters, body)

    def empty(self, endpoint: Endpoint) -> Request:
        """Return a request with an empty object as its body."""
        return request_of(endpoint, self._parameters(endpoint), {})

    def _of_body(self, endpoint: Endpoint) -> Iterator[Row]:
        if endpoint.body is None:
            return
        examples = list(self._bodies(endpoint).values())
        for site in self._walk.sites(endpoint.body, examples) if examples else ():
            if not self._samples.is_valid(endpoint.body, site.whole):
                self.unreached.append(f"{endpoint.id} {render(site.place)}")
                continue
            for place, keyword, value in self._test_values(site):
                yield self._row(endpoint, site, place, keyword, value)

    def _bodies(self, endpoint: Endpoint) -> dict[str, Json]:
        """Return the adapted examples of a body, or a small body; empty if none is found."""
        if endpoint.body is None:
            return {}
        found = endpoint.examples or {"smallest": self._samples.smallest(endpoint.body)}
        return {name: self._fitted(endpoint, body) for name, body in found.items() if body is not ABSENT}

    def _fitted(self, endpoint: Endpoint, example: Json) -> Json:
        """Return a copy of an example that names the server's model and asks for a short answer."""
        assert endpoint.body is not None
        if "model" in self._parameter_values and self._walk.has(endpoint.body, ("model",)):
            example = put(example, ("model",), self._parameter_values["model"])
        standing = [place for place in self._rules.lengths if at(example, place) is not ABSENT]
        named = [place for place in self._rules.lengths if self._walk.has(endpoint.body, place)]
        for place in standing or named[:1]:
            fitted = put(example, place, _SMALL) if at(example, place[:-1]) is not ABSENT else example
            example = fitted if self._samples.is_valid(endpoint.body, fitted) else example
        return example

    def _test_values(self, site: Site) -> Iterator[tuple[Place, str, Json]]:
        schema, place = site.schema, site.place
        sample = at(site.whole, place)
        item = self._samples.smallest(schema.get("items", {}))
        yield from ((place, keyword, value) for keyword, value in edges(schema, sample, item))
        yield from (((*place, name), "required", ABSENT) for name in schema.get("required", ()))
        if isinstance(sample, dict):
            if schema.get("additionalProperties") in (False, {"type": "null"}):  # null means absent
                yield (*place, _UNKNOWN), "additionalProperties", 1
            for keyword, name in edges(schema.get("propertyNames", {}), next(iter(sample), "a"), None):
                if isinstance(name, str):
                    yield (*place, name), f"propertyNames.{keyword}", next(iter(sample.values()), "a")

    def _row(self, endpoint: Endpoint, site: Site, place: Place, keyword: str, value: Json) -> Row:
        assert endpoint.body is not None
        body, reason = put(site.whole, place, value), ""
        for companion in self._rules.companions:
            if companion.is_for(endpoint.path, place, value, body):
                body, reason = companion.added_to(body), companion.reason
        verdict, reason = self._verdict(endpoint, place, value, body, reason)
        request = request_of(endpoint, self._parameters(endpoint), body)
        names = () if reason else self._names(place, site.union)
        return Row(endpoint, render(place), keyword, value, request, verdict, reason, names, site.schema)

    def _names(self, place: Place, union: Place | None) -> tuple[str, ...]:
        if self._rules.names_only:
            return tuple(part for part in place if isinstance(part, str))[-1:]
        return tuple(render(part) for part in (place, union) if part)

    def _verdict(
        self, endpoint: Endpoint, place: Place, value: Json, body: Json, reason: str
    ) -> tuple[Verdict, str]:
        assert endpoint.body is not None
        if not self._samples.is_valid(endpoint.body, body):
            return Verdict.REFUSED, reason
        ban = self._rules.ban(endpoint.path, place, value, body)
        if ban is None:
            return (Verdict.EITHER, _STATEFUL) if endpoint.is_stateful else (Verdict.ACCEPTED, reason)
        return Verdict.EITHER if ban.is_up_to_the_server else Verdict.REFUSED, ban.reason

    def _parameters(self, endpoint: Endpoint) -> dict[str, Json]:
        values = self._parameter_values
        required = (parameter for parameter in endpoint.parameters if parameter.is_required)
        return {
            parameter.name: values.get(parameter.name, self._samples.smallest(parameter.schema))
            for parameter in required
        }

    def _of_parameters(self, endpoint: Endpoint) -> Iterator[Row]:
        """Yield the rows of the parameters; their text is parsed as JSON, except that of strings."""
        body = next(iter(self._bodies(endpoint).values()), ABSENT)
        standing = self._parameters(endpoint)
        for parameter in endpoint.parameters:
            sample = standing.get(parameter.name, self._samples.smallest(parameter.schema))
            item = self._samples.smallest(parameter.schema.get("items", {}))
            for keyword, value in edges(parameter.schema, sample, item):
                if parameter.schema.get("type") == "string" and not isinstance(value, str):
                    continue
                if value in ("", None, []) or isinstance(value, str) and value in ("true", "1"):
                    continue  # another path, an omitted parameter, or text that is parsed as JSON
                request = request_of(endpoint, {**standing, parameter.name: value}, body)
                is_valid = self._samples.is_valid(parameter.schema, value)
                ban = self._rules.ban(endpoint.path, (parameter.name,), value, body)
                verdict = Verdict.ACCEPTED if is_valid and ban is None else Verdict.REFUSED
                names = (parameter.name,) if ban is None else ()
                reason = ban.reason if ban else ""
                yield Row(
                    endpoint,
                    parameter.name,
                    keyword,
                    value,
                    request,
                    verdict,
                    reason,
                    names,
                    parameter.schema,
                )
