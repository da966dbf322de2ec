"""The result of `verbatim check`: a dry run of the engine, and of what the chat core needs of the model."""

import sys
from typing import Final

import msgspec

from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.port.info.model_info import ModelInfo
from handlers.chat.errors import TemplateError
from handlers.chat.summary import ChatSummary, chat_summary
from handlers.serving.model_table import model_lines
from handlers.settings.settings import Settings

_LEFT_OPEN: Final = (
    "contents of weights, and results of compiled code, are checked once a server loads them; the cache is "
    "by the memory that is free now"
)


class CheckedModel(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to whether a server would start, and what it would say of its model.

    refusal: the reason why it would not, in its own words; None if it would.
    model: the model's description; None if too little is known.
    chat: the formats of its chat template; None without a template, or if too little is known.
    notes: lines on what will not be used, and what is not known.
    """

    will_serve: bool
    refusal: str | None
    model: ModelInfo | None
    chat: ChatSummary | None
    notes: tuple[str, ...]

    def as_json(self) -> str:
        """Return the fields as one JSON object on one line."""
        return msgspec.json.encode(self).decode()

    def in_words(self, name: str) -> str:
        """Return a table for people. name: the one that requests would use."""
        lines = [] if self.model is None else model_lines(name, self.model, self.chat)
        lines += [f"  note      {note}" for note in self.notes]
        verdict = f"will serve {name}" if self.refusal is None else f"will not serve {name}: {self.refusal}"
        return "\n".join([*lines, f"  verdict   {verdict}"])


def check_model(settings: Settings, config: EngineConfig) -> CheckedModel:
    """Return what a server of these settings would say of its model, without reading the weights."""
    found = dry_run(config, lambda line: print(f"  {line}", file=sys.stderr))
    refusal, chat = found.refusal, None
    if found.tokenizer is not None:
        try:
            chat = chat_summary(
                found.tokenizer,
                chat_template=settings.chat_template,
                tool_format=settings.tool_call_parser,
            )
        except TemplateError as error:
            refusal = refusal or str(error)
    return CheckedModel(
        will_serve=refusal is None,
        refusal=refusal,
        model=found.info,
        chat=chat,
        notes=(*found.notes, _LEFT_OPEN) if refusal is None else found.notes,
    )
