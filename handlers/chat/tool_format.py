"""How model families write tool calls.

A call is `begin {"name": NAME, KEY: ARGUMENTS} end`, with the family's own tags and key. xgrammar and
transformers know families too, but the one lets prose follow a call that was demanded and writes names
unescaped into JSON, and the other gives a call's arguments only when the call is over, and fails where a call
is malformed.
"""

import json
from collections.abc import Mapping

import msgspec


class ToolFormat(msgspec.Struct, frozen=True, kw_only=True):
    """One family's way of writing calls.

    begin, end: what encloses a call; both empty where a call is the bare object, which only the start of an
        answer then tells from prose.
    object_begin: the object up to the arguments, with the name in place of %s.
    object_end: what follows the arguments inside of `end`.
    separator: between two calls.
    signs: what a template of the family holds; all of them. strangers: what only templates of others hold.
    """

    name: str
    begin: str
    object_begin: str
    object_end: str
    end: str
    separator: str
    signs: tuple[str, ...]
    strangers: tuple[str, ...] = ()

    @property
    def has_tags(self) -> bool:
        """Whether a call is told from prose by its first characters wherever it stands."""
        return bool(self.begin)

    def head(self, name: str) -> str:
        """What stands between `begin` and the arguments in a call of this function."""
        return self.object_begin % json.dumps(name, ensure_ascii=False)

    @property
    def call_end(self) -> str:
        """All of a call that comes after its arguments."""
        return self.object_end + self.end

    def write(self, name: str, arguments: str) -> str:
        """A whole call; arguments as JSON text."""
        return self.begin + self.head(name) + arguments + self.call_end

    def is_format_of(self, template: str) -> bool:
        """Whether a chat template belongs to this family."""
        return all(sign in template for sign in self.signs) and not any(
            stranger in template for stranger in self.strangers
        )

    def call_tag(self, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
        """xgrammar's structural tag of a call; arguments with at most one blank between their tokens."""
        schema = {"type": "json_schema", "json_schema": parameters, "max_whitespace_cnt": 1}
        return {"type": "tag", "begin": self.begin + self.head(name), "content": schema, "end": self.call_end}


HERMES = ToolFormat(
    # Nous Hermes 2 Pro, Qwen 2.5 and Qwen 3.
    name="hermes",
    begin="<tool_call>",
    object_begin='\n{"name": %s, "arguments": ',
    object_end="}\n",
    end="</tool_call>",
    separator="\n",
    signs=("<tool_call>",),
    strangers=("<function=", "<arg_key>"),  # Qwen 3 Coder and GLM 4.5 write XML between the same tags
)

LLAMA_JSON = ToolFormat(
    # Llama 3.1 to 3.3 with user-defined functions.
    name="llama_json",
    begin="",
    object_begin='{"name": %s, "parameters": ',
    object_end="}",
    end="",
    separator="; ",
    signs=("<|start_header_id|>", '"parameters": '),
    strangers=("<tool_call>",),
)

TOOL_FORMATS = (HERMES, LLAMA_JSON)


def tool_format_of(template: str) -> ToolFormat | None:
    """The format that a chat template teaches its model; None if it is none that we know."""
    return next((known for known in TOOL_FORMATS if known.is_format_of(template)), None)
