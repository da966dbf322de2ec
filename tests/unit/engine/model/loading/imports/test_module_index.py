"""transformers' index of its models is the same when it is made quickly."""

from pathlib import Path

import pytest
import transformers
from transformers.utils import import_utils

from engine.model.loading.imports.module_index import define_once, names_of

MODELS = Path(transformers.__file__).parent / "models"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = 1\n",
        "# __all__ is not defined here\n",
        "    __all__ = ['indented']\n",
        "__all__ = ['A', \"B\"]\n",
        "__all__ = ['first']\nx = 1\n__all__ = ['second']\n",
        "x = 1\n__all__ = [\n    'A',\n    'B',\n]\ny = 2\n",
        "x = 1\n__all__ = [\n    'unended',\n",
        "x = 1\n\x0c__all__ = ['after a form feed']\n",
        "x = 1\n__all__ = ['before']\n\x0c__all__ = ['after a form feed']\n",
    ],
)
def test_the_names_of_a_module_are_those_that_transformers_finds(source: str) -> None:
    assert names_of(import_utils.fetch__all__)(source) == import_utils.fetch__all__(source)


@pytest.mark.parametrize(("folder", "prefix"), [("qwen2", None), ("auto", None), ("deepseek_v3", "models")])
def test_the_index_of_a_folder_is_that_of_transformers(
    folder: str, prefix: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = import_utils.define_import_structure(str(MODELS / folder), prefix=prefix)
    monkeypatch.setattr(import_utils, "fetch__all__", names_of(import_utils.fetch__all__))
    define = define_once(import_utils.define_import_structure.__wrapped__)
    assert define(MODELS / folder, prefix=prefix) == expected
    assert define(str(MODELS / folder / "__init__.py"), prefix=prefix) == expected


def test_who_changes_an_index_changes_no_other() -> None:
    define = define_once(lambda folder: {frozenset({"torch"}): {"modeling": {"Model"}}})
    define("folder")[frozenset({"torch"})]["modeling"].add("other")
    assert define("folder") == {frozenset({"torch"}): {"modeling": {"Model"}}}
