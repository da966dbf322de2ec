"""The media processor over a model's own: files in, prompts with places for them out; no torch."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from engine.media.byte_cache import ByteCache
from engine.media.families import MediaFamily
from engine.media.files.cannot_decode import CannotDecode
from engine.media.processed_item import ProcessedItem
from engine.media.readers.media_reader import CannotProcess, MediaReader, ReadFile
from engine.port.errors import InvalidMedia, InvalidRequest
from engine.port.media_item import MediaItem
from engine.port.request import Media, MediaKind, Prompt
from engine.port.text.tokenizer import Tokenizer


class PromptMediaProcessor:
    """A `MediaProcessor` over the readers of what a model reads. Any thread may call its methods.

    cache: of processed items, by digest.
    """

    def __init__(
        self,
        readers: Mapping[MediaKind, MediaReader],
        family: MediaFamily,
        tokenizer: Tokenizer,
        *,
        max_cached_bytes: int,
        keeps_arrays: bool = True,
    ) -> None:
        """Find the placeholders.

        keeps_arrays: whether the prompt's media have the arrays that the encoder reads; where another process
            has the encoder, their places are enough.
        Raises CannotProcess where the tokenizer does not know a placeholder.
        """
        self._readers = readers
        self._family = family
        self._keeps_arrays = keeps_arrays
        self._tokenizer = tokenizer
        # An id beyond the model's vocabulary has no embedding; a row of the encoder takes its place anyway.
        self._vocab_size = tokenizer.vocab_size
        self._kinds = {self._id_of(reader.placeholder): kind for kind, reader in readers.items()}
        self.cache: ByteCache[bytes, ProcessedItem] = ByteCache(max_cached_bytes)

    @property
    def kinds(self) -> frozenset[MediaKind]:
        """The kinds that the model reads."""
        return frozenset(self._readers)

    def placeholder(self, kind: MediaKind) -> str:
        """Return the text that stands for an item of this kind in a prompt without a chat template."""
        assert kind in self.kinds, "the model does not read this kind"
        before, after = self._family.around.get(kind, ("", ""))
        return before + self._readers[kind].placeholder + after

    def expand(self, token_ids: Sequence[int], items: Sequence[MediaItem]) -> Prompt:
        """Return the prompt in which each item has the tokens that keep its place; see `MediaProcessor`."""
        places = [place for place, token_id in enumerate(token_ids) if token_id in self._kinds]
        self._check_places([self._kinds[token_ids[place]] for place in places], items)
        if self._family.has_prefix and items:
            token_ids = self._as_prefix(token_ids, places[-1])
            places = [place for place, token_id in enumerate(token_ids) if token_id in self._kinds]
        num_items = Counter(item.kind for item in items)
        processed = [
            self._process(index, item, is_alone=num_items[item.kind] == 1) for index, item in enumerate(items)
        ]
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
        ids += token_ids[start:]
        if self._family.has_prefix and media:
            first = media[0].position
            media[0] = msgspec.structs.replace(media[0], seen_together=((-first, len(ids) - first),))
        return Prompt(tuple(ids), tuple(media))

    def plain(self, index: int, item: MediaItem) -> bytes:
        """Return a file in which programs that decode otherwise find the same; see `MediaReader`.

        index: of the item, which has been read. Raises InvalidMedia.
        """
        try:
            return self._readers[item.kind].plain(item.data)
        except CannotDecode as error:
            raise InvalidMedia(index, str(error)) from error

    def _as_prefix(self, token_ids: Sequence[int], last_place: int) -> list[int]:
        """Return a prompt whose text begins after its last image, and ends with a line feed."""
        beginning = [] if (bos_id := self._tokenizer.hf.bos_token_id) is None else [bos_id]
        images, text = list(token_ids[: last_place + 1]), list(token_ids[last_place + 1 :])
        if images[:1] == beginning:
            del images[0]
        num_newlines = 1
        while text and (num_more := self._num_newlines(text[-1])):
            num_newlines += num_more
            text.pop()
        return [*images, *beginning, *text, *self._newlines(num_newlines)]

    def _id_of(self, placeholder: str) -> int:
        ids = self._tokenizer.encode(placeholder, add_special_tokens=False)
        if len(ids) != 1:
            raise CannotProcess(f"the tokenizer has no token {placeholder}")
        return ids[0]

    def _check_places(self, kinds: Sequence[MediaKind], items: Sequence[MediaItem]) -> None:
        """Check that there is a place of its kind for each item."""
        for index, item in enumerate(items):
            if item.kind not in self.kinds:
                raise InvalidMedia(index, f"the model reads no {item.kind.value}")
        if len(kinds) != len(items):
            placeholders = ", ".join(reader.placeholder for reader in self._readers.values())
            raise InvalidRequest(
                f"the prompt has {len(kinds)} places for media ({placeholders}), and {len(items)} came"
            )
        for index, (kind, item) in enumerate(zip(kinds, items, strict=True)):
            if kind is not item.kind:
                raise InvalidMedia(index, f"it is {item.kind.value}, and its place is one of {kind.value}")

    def _num_newlines(self, token_id: int) -> int:
        """Return the number of line feeds that a token stands for; 0 if it stands for anything else."""
        text = self._tokenizer.token_text(token_id)
        return 0 if text.strip("\n") else len(text)

    def _newlines(self, number: int) -> list[int]:
        return self._tokenizer.encode("\n" * number, add_special_tokens=False)

    def _process(self, index: int, item: MediaItem, *, is_alone: bool) -> ProcessedItem:
        reader = self._readers[item.kind]
        way = "alone" if is_alone and self._family.differs_alone else "any"
        prefix = reader.settings + f"{item.kind.value} {way} ".encode()
        hashed = hashlib.sha256(prefix)
        hashed.update(item.data)  # joined before, megabytes would be copied without releasing the GIL
        digest = hashed.digest()
        found = self.cache.get(digest)
        if found is None:
            try:
                found = self._item(digest, reader, reader.read(item.data, is_alone=is_alone))
            except (CannotDecode, CannotProcess) as error:
                raise InvalidMedia(index, str(error)) from error
            self.cache.put(digest, found, found.num_bytes)
        return found

    def _item(self, digest: bytes, reader: MediaReader, read: ReadFile) -> ProcessedItem:
        text = read.text
        inner = text.strip("\n")
        num_before = len(text) - len(text.lstrip("\n"))
        num_after = len(text) - len(inner) - num_before
        ids = np.array(self._tokenizer.encode(inner, add_special_tokens=False), np.int64)
        is_embedded = ids == reader.embedded_id
        if not is_embedded.any():
            raise CannotProcess("it is too short for the model")
        ids[is_embedded & (ids >= self._vocab_size)] = 0
        return ProcessedItem(
            digest,
            tuple(ids.tolist()),
            is_embedded,
            read.arrays if self._keeps_arrays else {},
            read.grids,
            read.time_step,
            num_before,
            num_after,
        )
