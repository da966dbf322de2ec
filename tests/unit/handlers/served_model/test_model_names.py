"""Tests the names by which a request may call the model."""

import pytest

from handlers.errors.violation import Violation
from handlers.served_model.model_names import ModelNames, ModelNotFound
from handlers.settings.settings import Settings

NAMES = ModelNames("org/model", ("tgi", "dummy"))


@pytest.mark.parametrize("name", ["org/model", "tgi", "dummy"])
def test_the_served_name_and_its_aliases_are_the_models(name: str) -> None:
    assert NAMES.resolve(name) == ("org/model", None)


@pytest.mark.parametrize("name", ["", "model", "Org/Model", "tgi ", "gpt-4o", "\U0001f600" * 1000])
def test_any_other_name_is_not_found_and_told_with_its_field(name: str) -> None:
    with pytest.raises(ModelNotFound) as raised:
        NAMES.resolve(name, "body.model")
    assert (raised.value.name, raised.value.field) == (name, "body.model")
    assert raised.value.violation is Violation.UNSUPPORTED_VALUE


@pytest.mark.parametrize(
    ("settings", "name"),
    [({}, "verbatim-demo"), ({"model": "a/b"}, "a/b"), ({"model": "a/b", "served_model_name": "c"}, "c")],
)
def test_the_model_is_called_what_it_is_unless_told_otherwise(settings: dict[str, str], name: str) -> None:
    assert Settings(**settings).model_name == name  # type: ignore[arg-type]
