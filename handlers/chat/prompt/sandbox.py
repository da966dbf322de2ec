"""The sandbox for chat templates: Jinja's, with what transformers adds to it.

transformers' own is not entered: a front has no transformers, and `apply_chat_template` copies all that a
template sees, in case there are objects with methods in it. Here all is plain JSON.
"""

import json
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NoReturn

from jinja2 import Template, nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, LoopControlExtension
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from typing_extensions import override

_MAX_TEMPLATES = 128  # as many as transformers keeps
_METHODS: Final = frozenset(dir(dict))


class _PlainJson(ImmutableSandboxedEnvironment):
    """Finds `message.role` at once, where Jinja looks for an attribute first, and most are keys, and calls a
    template's own macros without looking for what they could be.
    """

    @override
    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        return super().getattr(obj, attribute)

    @override
    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if type(obj) is not Macro:
            return super().call(context, obj, *args, **kwargs)
        # As Context.call does with a macro, which finds out by four attributes how to.
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        try:
            return obj(context.eval_ctx, *args, **kwargs)
        except StopIteration:
            return self.undefined("value was undefined because a callable raised a StopIteration exception")


class _Generation(Extension):
    """Renders what stands between the tags for what the model writes, by which trainers find it."""

    tags = {"generation"}

    @override
    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


class _MakeDict:
    """Makes dictionaries in templates, without the attributes of `dict` itself."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class _PublicNamespace(Namespace):
    """A namespace that takes no attribute that starts with an underscore, which leads into Python itself."""

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        attributes = dict(*args, **kwargs)
        for name in attributes:
            _check_public(name)
        super().__init__(attributes)

    @override
    def __setitem__(self, name: str, value: Any) -> None:
        _check_public(name)
        super().__setitem__(name, value)


def _check_public(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a template cannot keep {name!r} in a namespace")


def _raise_exception(message: str) -> NoReturn:
    raise TemplateError(message)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return a value as JSON, where Jinja's own filter writes it for HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _strftime_now(format: str) -> str:
    return datetime.now().strftime(format)


_ENVIRONMENT: Final = _PlainJson(
    trim_blocks=True, lstrip_blocks=True, extensions=(_Generation, LoopControlExtension)
)
_ENVIRONMENT.filters["tojson"] = _tojson
# One plain dictionary: a chain of them, as the environment makes, is walked anew for each prompt.
_GLOBALS: Final[dict[str, Any]] = {
    **_ENVIRONMENT.globals,
    "raise_exception": _raise_exception,
    "strftime_now": _strftime_now,
    "dict": _MakeDict(),
    "namespace": _PublicNamespace,
}


@lru_cache(_MAX_TEMPLATES)
def sandboxed(source: str) -> Template:
    """Return the compiled template. Raises TemplateSyntaxError for a text that is no template."""
    return Template.from_code(_ENVIRONMENT, _ENVIRONMENT.compile(source), dict(_GLOBALS))
