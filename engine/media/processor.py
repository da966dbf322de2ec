"""The media processor over a model's own: files in, prompts with places for them out; no torch."""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from transformers import PreTrainedConfig

from engine.errors import InvalidMedia, InvalidRequest
from engine.media.byte_cache import ByteCache
from engine.media.families import MediaFamily
from engine.media.image_file import CannotDecode, decode_image
from engine.media.image_processor import CannotProcess, ImageProcessor
from engine.media.processed_item import Arrays, ProcessedItem
from engine.media_item import MediaItem
from engine.request import Media, MediaKind, Prompt
from engine.text.tokenizer import Tokenizer

_GRID: Final = "image_grid_thw"


class PromptMediaProcessor:
    """A `MediaProcessor` over transformers' processor of a model's images. Any thread may call its methods.

    cache: of processed items, by digest.
    """

    def __init__(
        self,
        images: ImageProcessor,
        config: PreTrainedConfig,
        family: MediaFamily,
        tokenizer: Tokenizer,
        *,
        max_cached_bytes: int,
        keeps_arrays: bool = True,
    ) -> None:
        """keeps_arrays: whether the prompt's media have what the encoder reads; where another process has
        the encoder, their places are enough. Raises CannotProcess where the tokenizer does not know the
        placeholder.
        """
        self._images = images
        self._family = family
        self._keeps_arrays = keeps_arrays
        self._tokenizer = tokenizer
        self._embedded_id: int = config.image_token_id
        # An id beyond the model's vocabulary has no embedding; a row of the encoder takes its place anyway.
        self._vocab_size = tokenizer.vocab_size
        ids = tokenizer.encode(images.placeholder, add_special_tokens=False)
        if len(ids) != 1:
            raise CannotProcess(f"the tokenizer has no token {images.placeholder}")
        self._placeholder_id = ids[0]
        self.cache: ByteCache[bytes, ProcessedItem] = ByteCache(max_cached_bytes)

    @property
    def kinds(self) -> frozenset[MediaKind]:
        """The kinds that the model reads."""
        return self._family.kinds

    def marker(self, kind: MediaKind) -> str:
        """Return the text that stands for an item of this kind in a prompt without a chat template."""
        assert kind in self.kinds, "the model does not read this kind"
        before, after = self._family.around
        return before + self._images.placeholder + after

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> Prompt:
        """Return the prompt in which each item has the tokens that keep its place; see `MediaProcessor`."""
        places = [place for place, token_id in enumerate(token_ids) if token_id == self._placeholder_id]
        if len(places) != len(items):
            raise InvalidRequest(
                f"the prompt has {len(places)} places for media ({self._images.placeholder}), "
                f"and {len(items)} came"
            )
        is_alone = len(items) == 1
        processed = [self._process(index, item, is_alone=is_alone) for index, item in enumerate(items)]
        ids: list[int] = []
        media: list[Media] = []
        start = 0
        for place, item, file in zip(places, processed, items, strict=True):
            ids += token_ids[start:place]
            start = place + 1
            if item.newlines_before:
                num_before = 0
                while ids and (num_newlines := self._num_newlines(ids[-1])):
                    num_before += num_newlines
                    ids.pop()
                ids += self._newlines(num_before + item.newlines_before)
            media.append(item.placed(len(ids), file.kind, self._family))
            ids += item.token_ids
            if item.newlines_after:
                num_after = item.newlines_after
                while start < len(token_ids) and (num_newlines := self._num_newlines(token_ids[start])):
                    num_after += num_newlines
                    start += 1
                ids += self._newlines(num_after)
        return Prompt((*ids, *token_ids[start:]), tuple(media))

    def _num_newlines(self, token_id: int) -> int:
        """Return the number of line feeds that a token stands for; 0 if it stands for anything else."""
        text = self._tokenizer.token_text(token_id)
        return 0 if text.strip("\n") else len(text)

    def _newlines(self, number: int) -> list[int]:
        return self._tokenizer.encode("\n" * number, add_special_tokens=False)

    def _process(self, index: int, item: MediaItem, *, is_alone: bool) -> ProcessedItem:
        if item.kind not in self.kinds:
            raise InvalidMedia(index, f"the model reads no {item.kind.value}")
        way = "alone" if is_alone and self._family.differs_alone else "any"
        prefix = self._images.settings + f"{item.kind.value} {way} ".encode()
        digest = hashlib.sha256(prefix + item.data).digest()
        found = self.cache.get(digest)
        if found is None:
            try:
                text, arrays = self._images.process(decode_image(item.data), is_alone=is_alone)
            except (CannotDecode, CannotProcess) as error:
                raise InvalidMedia(index, str(error)) from error
            found = self._item(digest, text, arrays)
            self.cache.put(digest, found, found.num_bytes)
        return found

    def _item(self, digest: bytes, text: str, arrays: Arrays) -> ProcessedItem:
        inner = text.strip("\n")
        num_before = len(text) - len(text.lstrip("\n"))
        num_after = len(text) - len(inner) - num_before
        ids = np.array(self._tokenizer.encode(inner, add_special_tokens=False))
        is_embedded = ids == self._embedded_id
        ids[is_embedded & (ids >= self._vocab_size)] = 0
        grids: tuple[tuple[int, int, int], ...] = ()
        if self._family.has_axes:
            merged = np.array([1, self._images.merge_size, self._images.merge_size])
            grids = tuple((time, height, width) for time, height, width in (arrays[_GRID] // merged).tolist())
        kept = arrays if self._keeps_arrays else {}
        return ProcessedItem(digest, tuple(ids.tolist()), is_embedded, kept, grids, num_before, num_after)
