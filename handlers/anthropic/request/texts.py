"""Blocks that a model reads as text."""

from collections.abc import Sequence
from typing import TypeAlias

from generated.anthropic import models as m
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.wire.missing import given

ResultBlock: TypeAlias = (
    m.TextBlockParam
    | m.ImageBlockParam
    | m.SearchResultBlockParam
    | m.DocumentBlockParam
    | m.ToolReferenceBlockParam
    | m.ServerResultParam
)
ReadableBlock: TypeAlias = m.TextBlockParam | m.SearchResultBlockParam | m.DocumentBlockParam


def system_text(system: str | Sequence[m.TextBlockParam]) -> str:
    return system if isinstance(system, str) else "".join(block.text for block in system)


def result_text(content: str | Sequence[ResultBlock], field: str) -> str:
    """Return the text of a tool's result. Raise Refused for contents that are no text."""
    if isinstance(content, str):
        return content
    return "".join(_result_block(block, f"{field}[{place}]") for place, block in enumerate(content))


def readable_text(block: ReadableBlock, field: str) -> str:
    """Raises Refused for a document that is no text, and for one that is to be cited."""
    match block:
        case m.TextBlockParam():
            return block.text
        case m.SearchResultBlockParam():
            _refuse_citations(given(block.citations), field)
            return _titled(block.title, block.source, "".join(part.text for part in block.content))
        case m.DocumentBlockParam():
            _refuse_citations(block.citations, field)
            return _titled(block.title, block.context, _source_text(block.source, f"{field}.source"))


def refused_image(field: str) -> Refused:
    return Refused("the model reads text alone, and this is an image", field, Violation.UNSUPPORTED_VALUE)


def _result_block(block: ResultBlock, field: str) -> str:
    if isinstance(block, m.ImageBlockParam):
        raise refused_image(field)
    if isinstance(block, m.ServerResultParam):
        reason = f"{block.type} is what tools of Anthropic's return"
        raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
    if isinstance(block, m.ToolReferenceBlockParam):
        return f"The tool {block.tool_name} can be used from now on.\n"
    return readable_text(block, field)


def _source_text(
    source: m.PlainTextSourceParam | m.ContentBlockSourceParam | m.OpaqueSourceParam, field: str
) -> str:
    match source:
        case m.PlainTextSourceParam():
            return source.data
        case m.ContentBlockSourceParam():
            return result_text(source.content, f"{field}.content")
        case m.OpaqueSourceParam():
            reason = f"the model reads text alone, so a source is `text` or `content`, not {source.type}"
            raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)


def _refuse_citations(config: m.CitationsConfigParam | None, field: str) -> None:
    if config is not None and config.enabled:
        reason = "the model does not say where it has its words from"
        raise Refused(reason, f"{field}.citations.enabled", Violation.UNSUPPORTED_VALUE)


def _titled(title: str | None, context: str | None, text: str) -> str:
    """Return the text between blank lines: it is no part of the sentence before or behind it."""
    head = "\n".join(filter(None, (title, context)))
    return "\n\n".join(filter(None, (head, text))) + "\n\n"
