"""transformers' sandbox for chat templates, entered directly.

Its `apply_chat_template` copies all that a template sees, in case there are objects with methods in it, and
merges variables in Python. That costs half as much again as the template, and here all is plain JSON.
"""

from functools import lru_cache
from typing import Any, Final

from jinja2 import Environment, Template
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
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


@lru_cache(_MAX_TEMPLATES)
def sandboxed(source: str) -> Template:
    """Return the compiled template, with the filters and functions that transformers gives to all."""
    # It takes seconds to import, and `verbatim contracts` renders nothing.
    from transformers.utils.chat_template_utils import _compile_jinja_template

    environment: Environment = _compile_jinja_template(source).environment.overlay()
    environment.__class__ = _PlainJson  # with all that transformers has put into its own
    # One plain dictionary: a chain of them, as the environment makes, is walked anew for each prompt.
    return Template.from_code(environment, environment.compile(source), dict(environment.globals))
