"""The result of `verbatim check`: a dry run of the engine and of the chat templates."""

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

_NOT_CHECKED: Final = (
    "the contents of the weights and the results of compiled code are only checked when a server loads them; "
    "the size of the cache depends on the memory that is free now"
)


class CheckedModel(msgspec.Struct, frozen=True, kw_only=True):
    """The prediction of whether a server would start, and the description of its model.

    refusal: the error with which it would not start; None if it would.
    model: the description of the model; None if too little is known.
    chat: the formats of the chat template; None without a template, or if too little is known.
    notes: lines about features that will not be used and about facts that are not known.
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
        """Return a human-readable table. name: the model's name in requests."""
        lines = [] if self.model is None else model_lines(name, self.model, self.chat)
        lines += [f"  note      {note}" for note in self.notes]
        verdict = f"will serve {name}" if self.refusal is None else f"will not serve {name}: {self.refusal}"
        return "\n".join([*lines, f"  verdict   {verdict}"])


def check_model(settings: Settings, config: EngineConfig) -> CheckedModel:
    """Return the prediction for a server with these settings, without reading the weights."""
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
        notes=(*found.notes, _NOT_CHECKED) if refusal is None else found.notes,
    )
