"""The format that a tokenizer's own `response_template` describes, for families without a format here.

transformers reads the text of a call with it. Finding calls in a text and treating malformed ones is done
here, since transformers drops what it cannot read.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from engine.extras import how_to_install, missing
from engine.port.errors import LibrariesMissing
from handlers.chat.tool_calls.formats.registry import HERMES
from handlers.chat.tool_calls.text import CallArguments, CallBegin, CallEnd, IncomingText, Malformed, Reading
from handlers.chat.tool_calls.tool_format import BoundTool, CallSyntax, Opening, Schema, ToolFormat

if TYPE_CHECKING:
    from transformers.utils.chat_parsing.response_templates import ResponseTemplateField

_FIELD = "tool_calls"


@dataclass(frozen=True, kw_only=True)
class ResponseTemplateFormat(ToolFormat):
    """A format whose calls are emitted whole, each when its region closes. Demanded calls are Hermes's.

    region: the part of the response template that describes calls. loaded: the same as transformers reads it.
    """

    region: Mapping[str, Any] = field(hash=False)
    loaded: "ResponseTemplateField" = field(hash=False)

    @classmethod
    def of(cls, response_template: object) -> "ResponseTemplateFormat | None":
        """Return the format, or None if the template has no calls, or no beginning of them, or is
        unreadable.

        Raises LibrariesMissing where there are calls and no transformers, which reads them.
        """
        match response_template:
            case {"fields": {"tool_calls": Mapping()}} if missing("transformers"):
                raise LibrariesMissing(
                    f"calls by this tokenizer's response_template need transformers: "
                    f"{how_to_install('transformers')}"
                )
        from transformers.utils.chat_parsing.response_templates import load_response_template

        match response_template:
            case {"fields": {"tool_calls": Mapping() as region}}:
                try:
                    loaded = load_response_template(_only_calls(region)).fields[_FIELD]
                except (TypeError, ValueError):
                    return None
                if loaded.open_re is not None:
                    return cls(name="response_template", signs=(), region=region, loaded=loaded)
        return None

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        """The patterns, in which special tokens stand with their bars escaped."""
        patterns = (self.loaded.open_re, self.loaded.close_re)
        return tuple(str(found.pattern).replace("\\", "") for found in patterns if found is not None)

    @property
    @override
    def is_marked(self) -> bool:
        return False

    @property
    @override
    def demanded(self) -> ToolFormat:
        return HERMES

    @override
    def opening(self, text: str, *, is_final: bool) -> Opening:
        found = self.loaded.open_re.search(text, partial=not is_final)
        if found is None:
            return Opening(len(text), is_found=False)
        # A match at the end of the text may be longer when more has come.
        is_certain = is_final or not (found.partial or found.end() == len(text))
        return Opening(found.start(), is_found=is_certain)

    @override
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        from transformers.utils.chat_parsing import parse_response

        written = yield from self._read_region(text)
        described: list[Any] = [
            {"type": "function", "function": {"name": name, "parameters": dict(schema)}}
            for name, schema in tools.items()
        ]
        try:
            message = parse_response(written, _only_calls(self.region), prefix="", tools=described)
            calls = [_call(call) for call in _flat(message.get(_FIELD))]
        # It raises whatever its parsers do, for text that the model may have written in any way.
        except Exception as error:
            raise Malformed from error
        if not calls:
            raise Malformed
        for name, arguments in calls:
            yield CallBegin(name)
            yield CallArguments(arguments)
            yield CallEnd()

    def _read_region(self, text: IncomingText) -> Reading[str]:
        opens, closes = self.loaded.open_re, self.loaded.close_re
        is_literal = self.loaded.close_literals is not None and not self.loaded.close_literal_can_extend
        while True:
            unread = text.unread
            begin = opens.search(unread)
            end = closes.search(unread, begin.end()) if begin and closes else None
            if end is not None and (is_literal or text.is_final or end.end() < len(unread)):
                return text.take(end.end())
            if text.is_final and closes is None:
                return text.take(len(unread))
            yield from text.more()

    @override
    def call(self, tool: BoundTool) -> CallSyntax:
        return HERMES.call(tool)

    @override
    def write_call(self, name: str, arguments: str) -> str:
        return HERMES.write_call(name, arguments)


def _only_calls(region: Mapping[str, Any]) -> dict[str, Any]:
    """Return a response template for a text that is a call; its messages start at the start of the text."""
    return {"start_anchor": "\0", "fields": {_FIELD: dict(region)}}


def _flat(calls: object) -> list[object]:
    if isinstance(calls, list):
        return [call for part in calls for call in _flat(part)]
    return [] if calls is None else [calls]


def _call(call: object) -> tuple[str, str]:
    match call:
        case {"function": {"name": str(name), "arguments": str(arguments)}}:
            return name, arguments
        case {"function": {"name": str(name), "arguments": arguments}}:
            return name, json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    raise Malformed
