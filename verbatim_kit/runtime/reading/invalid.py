"""The explanation of an invalid value: one field and one reason."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import CoreSchema

from verbatim_kit.errors import Violation
from verbatim_kit.runtime.problem import InvalidValue
from verbatim_kit.runtime.reading.complaint import Complaint, Path
from verbatim_kit.runtime.reading.schema import Schema, distinguishing_fields

_REFUSES_THE_TYPE = (Violation.WRONG_TYPE, Violation.UNSUPPORTED_VALUE)

# Of alternatives that differ in this alone: what is wrong with the object that none of them takes.
_CHOICES = {
    Violation.MISSING: ("must have one of", "or"),
    Violation.UNKNOWN: ("may have only one of", "and"),
}


def explain(error: ValidationError, value: Any, schema: CoreSchema) -> InvalidValue:
    """Return the first error of a value.

    value: the value that was validated, as parsed JSON. schema: the schema it was validated by, of
    fail_fast_schema. pydantic reports every alternative of a union by itself. Here only the alternative that
    the value comes closest to is reported, or several together if they are equally close.
    """
    root = Schema(schema)
    invalid = _closest([Complaint(details, value, root) for details in error.errors(include_url=False)], 0)
    return invalid if invalid.field else invalid._replace(reason=f"The body {invalid.reason}")


def render_path(path: Path) -> str:
    """Return a path as text: ('messages', 0, 'content') as 'messages[0].content'."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


class _Branch:
    """An alternative of a union, with its complaints."""

    def __init__(self, complaints: list[Complaint], level: int) -> None:
        self.complaints = complaints
        self.level = level
        self.union, _, self.schema = complaints[0].alternatives[level]
        self.paths = list(dict.fromkeys(complaint.path for complaint in complaints))

    @property
    def refuses_the_type(self) -> bool:
        return self.is_of_the_whole and all(
            complaint.violation in _REFUSES_THE_TYPE for complaint in self.complaints
        )

    @property
    def is_of_the_whole(self) -> bool:
        """True if all complaints are about the value as a whole, and none about its parts."""
        return self.paths == [self.union]

    @property
    def progress(self) -> tuple[int, int, list[int]]:
        """The extent to which the value was accepted: a failure at a later item means that the earlier ones
        were.
        """
        return max(map(len, self.paths)), -len(self.paths), self.complaints[0].positions

    def invalid_value(self) -> InvalidValue:
        return _closest(self.complaints, self.level + 1)


def _closest(complaints: Sequence[Complaint], level: int) -> InvalidValue:
    """Return the error to report for complaints, where `level` unions around them are already decided."""
    first = complaints[0]
    if len(first.alternatives) == level:
        return _together([first])
    union = first.alternatives[level].union
    found: dict[str | int, list[Complaint]] = defaultdict(list)
    for complaint in complaints:
        if len(complaint.alternatives) > level and complaint.alternatives[level].union == union:
            found[complaint.alternatives[level].label].append(complaint)
    branches = [_Branch(of_one, level) for of_one in found.values()]
    admitting = [branch for branch in branches if not branch.refuses_the_type]
    if not admitting:
        return _together([complaint for branch in branches for complaint in branch.complaints])
    # An alternative that complains of the whole value's bounds has accepted all that is inside.
    of_the_whole = [branch for branch in admitting if branch.is_of_the_whole]
    return _by_constants(of_the_whole or admitting)


def _by_constants(branches: Sequence[_Branch]) -> InvalidValue:
    """Return the error by those alternatives whose constants the value has; all admit the value's type."""
    union = branches[0].union
    for name in distinguishing_fields([branch.schema for branch in branches]):
        path = (*union, name)
        matching = [branch for branch in branches if path not in branch.paths]
        if not matching:
            return _at(path, branches)
        if len(matching) < len(branches):
            return _by_constants(matching)
    return _furthest(branches)


def _furthest(branches: Sequence[_Branch]) -> InvalidValue:
    """Return the error by the alternatives that accept most of the value, where no constant decides."""
    most = max(branch.progress for branch in branches)
    closest = [branch for branch in branches if branch.progress == most]
    if len(closest) == 1:
        return closest[0].invalid_value()
    shared = [path for path in closest[0].paths if all(path in branch.paths for branch in closest)]
    if shared:
        return _at(max(shared, key=len), closest)
    violations = {complaint.violation for branch in closest for complaint in branch.complaints}
    if len(violations) == 1 and (violation := violations.pop()) in _CHOICES:
        return _choice(*_CHOICES[violation], closest)
    return closest[0].invalid_value()


def _choice(reason: str, conjunction: str, branches: Sequence[_Branch]) -> InvalidValue:
    union = branches[0].union
    fields = dict.fromkeys(path[len(union) :] for branch in branches for path in branch.paths)
    *names, last = map(render_path, fields)
    listed = f"{', '.join(names)} {conjunction} {last}"
    return InvalidValue(render_path(union), f"{reason} {listed}", Violation.INVALID_VALUE, None)


def _at(path: Path, branches: Sequence[_Branch]) -> InvalidValue:
    """Return the error at one path by all branches, those that admit its type before those that do not."""
    there = [complaint for branch in branches for complaint in branch.complaints if complaint.path == path]
    admitting = [complaint for complaint in there if complaint.violation not in _REFUSES_THE_TYPE]
    return _together(admitting or there)


def _together(complaints: Sequence[Complaint]) -> InvalidValue:
    """Return one error for the complaints at one path."""
    violations = [complaint.violation for complaint in complaints]
    # A text that is none of the constants has the right type, whatever other types there are.
    is_constant = Violation.UNSUPPORTED_VALUE in violations
    violation = Violation.UNSUPPORTED_VALUE if is_constant else violations[0]
    return InvalidValue(render_path(complaints[0].path), _reason(complaints), violation, complaints[0].given)


def _reason(complaints: Sequence[Complaint]) -> str:
    reasons = list(dict.fromkeys(complaint.sentence for complaint in complaints))
    if len(reasons) > 1 and all(reason.startswith("must be ") for reason in reasons):
        parts = [part for reason in reasons for part in reason.removeprefix("must be ").split(" or ")]
        return "must be " + " or ".join(dict.fromkeys(parts))
    return "; or ".join(reasons)
