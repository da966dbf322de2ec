"""Blocks in the form that the chat core reads: text, and pictures in it."""

from collections.abc import Sequence
from typing import TypeAlias

from engine.port.request import MediaKind
from generated.anthropic import models as m
from handlers.chat.messages import Content, MediaPart
from handlers.chat.prompt.conversation import joined
from handlers.media.data_url import data_url
from handlers.operations.missing import given
from verbatim_kit.errors import Refused, Violation

ResultBlock: TypeAlias = (
    m.TextBlockParam
    | m.ImageBlockParam
    | m.SearchResultBlockParam
    | m.DocumentBlockParam
    | m.ToolReferenceBlockParam
    | m.ServerResultParam
)
ReadableBlock: TypeAlias = (
    m.TextBlockParam | m.ImageBlockParam | m.SearchResultBlockParam | m.DocumentBlockParam
)
ImageSource: TypeAlias = m.Base64ImageSourceParam | m.UrlImageSourceParam | m.FileImageSourceParam


def system_text(system: str | Sequence[m.TextBlockParam]) -> str:
    return system if isinstance(system, str) else "".join(block.text for block in system)


def result_content(content: str | Sequence[ResultBlock], field: str) -> Content:
    """Return the content of a tool's result. Raise Refused for what no model reads."""
    if isinstance(content, str):
        return content
    return joined((_result_block(block, f"{field}[{place}]") for place, block in enumerate(content)), "")


def readable_content(block: ReadableBlock, field: str) -> Content:
    """Return a block's content. Raises Refused for a document that is no text, or that is to be cited."""
    match block:
        case m.TextBlockParam():
            return block.text
        case m.ImageBlockParam():
            return (_image(block.source, field),)
        case m.SearchResultBlockParam():
            _refuse_citations(given(block.citations), field)
            return _titled(block.title, block.source, "".join(part.text for part in block.content))
        case m.DocumentBlockParam():
            _refuse_citations(block.citations, field)
            return _titled(block.title, block.context, _source_content(block.source, f"{field}.source"))


def _image(source: ImageSource, field: str) -> MediaPart:
    match source:
        case m.Base64ImageSourceParam():
            return MediaPart(MediaKind.IMAGE, data_url(source.data), field)
        case m.UrlImageSourceParam():
            return MediaPart(MediaKind.IMAGE, source.url, field)
        case m.FileImageSourceParam():
            reason = "no file is stored here, so a source is `base64` or `url`, not file"
            raise Refused(reason, f"{field}.source.type", Violation.UNSUPPORTED_VALUE)


def _result_block(block: ResultBlock, field: str) -> Content:
    if isinstance(block, m.ServerResultParam):
        reason = f"{block.type} is what tools of Anthropic's return"
        raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)
    if isinstance(block, m.ToolReferenceBlockParam):
        return f"The tool {block.tool_name} can be used from now on.\n"
    return readable_content(block, field)


def _source_content(
    source: m.PlainTextSourceParam | m.ContentBlockSourceParam | m.OpaqueSourceParam, field: str
) -> Content:
    match source:
        case m.PlainTextSourceParam():
            return source.data
        case m.ContentBlockSourceParam():
            return result_content(source.content, f"{field}.content")
        case m.OpaqueSourceParam():
            reason = f"PDF is not read here, so a source is `text` or `content`, not {source.type}"
            raise Refused(reason, f"{field}.type", Violation.UNSUPPORTED_VALUE)


def _refuse_citations(config: m.CitationsConfigParam | None, field: str) -> None:
    if config is not None and config.enabled:
        reason = "the model does not say where it has its words from"
        raise Refused(reason, f"{field}.citations.enabled", Violation.UNSUPPORTED_VALUE)


def _titled(title: str | None, context: str | None, content: Content) -> Content:
    """Return a content between blank lines: it is no part of the sentence before or after it."""
    head = "\n".join(filter(None, (title, context)))
    return joined((joined((head, content), "\n\n"), "\n\n"), "")
