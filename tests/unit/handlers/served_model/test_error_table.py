"""The table from errors to a contract's problems."""

import pytest

from handlers.concurrency.limit import Overloaded
from handlers.served_model.error_table import ErrorKind, ErrorTable
from handlers.served_model.model_names import ModelNotFound
from verbatim_kit.errors import Refused, Violation, mapped_errors
from verbatim_kit.runtime.problem import Problem

TABLE = ErrorTable(
    {
        ModelNotFound: ErrorKind(404, "no_model"),
        Refused: ErrorKind(400, "refused", "No: "),
        Overloaded: ErrorKind(429, "full", message="The server is full", retry_after_s=1),
        KeyError: ErrorKind(503, retry_after_s=7),
    },
    text=lambda error: f"<{error}>",
)


def problem(error: Exception) -> Problem:
    mapped = TABLE.to_problem(error)
    assert isinstance(mapped, Problem)
    return mapped


def test_the_first_class_of_an_error_counts() -> None:
    assert (problem(ModelNotFound("m", "model", "served")).status, problem(Refused("a")).status) == (404, 400)


def test_a_refusal_keeps_its_field_and_its_violation() -> None:
    mapped = problem(Refused("a", "n", Violation.TOO_LARGE))
    assert (mapped.message, mapped.kind, mapped.field, mapped.violation) == (
        "No: <a>",
        "refused",
        "n",
        Violation.TOO_LARGE,
    )


def test_a_full_server_says_by_itself_when_to_come_back() -> None:
    assert problem(Overloaded(5)).headers == {"retry-after": "5"}
    assert problem(KeyError("k")).headers == {"retry-after": "7"}
    assert problem(Overloaded(5)).message == "The server is full"


def test_an_error_that_the_table_lacks_is_raised_as_it_is() -> None:
    error = ValueError("a bug")
    assert TABLE.to_problem(error) is error
    with pytest.raises(ValueError, match="^a bug$"), mapped_errors(TABLE.to_problem):
        raise error


def test_a_mapped_error_is_the_cause_of_its_problem() -> None:
    error = Refused("a")
    with pytest.raises(Problem) as raised, mapped_errors(TABLE.to_problem):
        raise error
    assert raised.value.__cause__ is error
