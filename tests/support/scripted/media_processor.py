"""A media processor without a model: each item has a few tokens that keep its place."""

from collections.abc import Collection, Sequence
from hashlib import sha256
from io import BytesIO
from typing import Final

from PIL import Image

from engine.port.errors import InvalidMedia, InvalidRequest
from engine.port.media_item import MediaItem
from engine.port.request import Media, MediaKind, Prompt
from tests.support.scripted.engine import Script, ScriptedEngine, says
from tests.unit.handlers.chat.models import HERMES_TEMPLATE, chat_tokenizer

PLACEHOLDERS: Final = {kind: f"<|{kind.value}|>" for kind in MediaKind}
NUM_TOKENS: Final = 3  # that stand for an item
WAV: Final = b"RIFF\x24\x00\x00\x00WAVEfmt "
MP4: Final = b"\x00\x00\x00\x18ftypisom"

# It marks the parts of a content itself, images first, as LLaVA's template does.
TYPED_TEMPLATE: Final = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.content is string %}
{{- message.content }}
{%- else %}
{%- for part in message.content if part.type == 'image' %}{{- '<|image|>' }}{%- endfor %}
{%- for part in message.content if part.type == 'audio' %}{{- '<|audio|>' }}{%- endfor %}
{%- for part in message.content if part.type == 'text' %}{{- part.text }}{%- endfor %}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""


def png(width: int = 2, height: int = 2, colour: str = "red") -> bytes:
    file = BytesIO()
    Image.new("RGB", (width, height), colour).save(file, "PNG")
    return file.getvalue()


class ScriptedMedia:
    """Implements `engine.port.media_item.MediaProcessor`.

    items: all that were expanded. refuses: the content that it cannot read.
    """

    def __init__(self, token_ids: dict[MediaKind, int], refuses: bytes | None = None) -> None:
        self.items: list[MediaItem] = []
        self._token_ids = token_ids
        self._refuses = refuses

    @property
    def kinds(self) -> frozenset[MediaKind]:
        return frozenset(self._token_ids)

    def placeholder(self, kind: MediaKind) -> str:
        return PLACEHOLDERS[kind]

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> Prompt:
        self.items += items
        kinds = {token_id: kind for kind, token_id in self._token_ids.items()}
        if sum(token_id in kinds for token_id in token_ids) != len(items):
            raise InvalidRequest("the numbers of placeholders and items differ")
        left = list(enumerate(items))
        expanded: list[int] = []
        media: list[Media] = []
        for token_id in token_ids:
            if token_id not in kinds:
                expanded.append(token_id)
                continue
            index, item = left.pop(0)
            assert item.kind is kinds[token_id], "items come in the order of their placeholders"
            if item.data == self._refuses:
                raise InvalidMedia(index, "it cannot be read")
            media.append(
                Media(
                    digest=sha256(item.data).digest(),
                    position=len(expanded),
                    num_tokens=NUM_TOKENS,
                    kind=item.kind,
                )
            )
            expanded += [token_id] * NUM_TOKENS
        return Prompt(tuple(expanded), tuple(media))


def seeing_engine(
    template: str = HERMES_TEMPLATE,
    script: Script | None = None,
    *,
    kinds: Collection[MediaKind] = tuple(MediaKind),
    refuses: bytes | None = None,
    max_total_tokens: int = 1000,
) -> tuple[ScriptedEngine, ScriptedMedia]:
    """An engine that takes media of these kinds, and its processor."""
    tokenizer = chat_tokenizer(template, placeholders=tuple(PLACEHOLDERS.values()))
    engine = ScriptedEngine(script or says("x"), tokenizer=tokenizer, max_total_tokens=max_total_tokens)
    ids = {kind: tokenizer.hf.backend_tokenizer.token_to_id(PLACEHOLDERS[kind]) for kind in kinds}
    assert all(isinstance(token_id, int) for token_id in ids.values())
    media = ScriptedMedia(
        {kind: token_id for kind, token_id in ids.items() if isinstance(token_id, int)}, refuses
    )
    engine.media = media
    return engine, media
