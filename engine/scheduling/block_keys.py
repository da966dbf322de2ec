"""The keys by which the prefix cache finds blocks of equal contents; pure, no torch.

A block's key is sha256 of the key before it, its token ids, and the media whose placeholders it holds; the
first follows a hash of the sequence's tags. So equal keys mean equal tokens and media from the sequence's
start, under equal tags. A collision would hand one client's text to another, hence a cryptographic hash, not
Python's.
"""

import hashlib
import json
import struct
from collections.abc import Sequence

from engine.port.request import EmbeddingRequest, GenerationRequest, Media, Prompt
from engine.scheduling.cache_changes import StoredBlock

# Pairs of kind and value that the KV cache depends on besides tokens, such as the adapter and the cache salt.
Tags = tuple[tuple[str, str], ...]


def request_tags(request: GenerationRequest | EmbeddingRequest) -> Tags:
    """Return the tags, besides the model's, that requests must have in common to share cached blocks."""
    tags = {"adapter": request.adapter, "salt": request.cache_salt, "prompt": _whole(request.prompt)}
    return tuple((kind, value) for kind, value in tags.items() if value is not None)


def _whole(prompt: Prompt) -> str | None:
    """Return a digest of a prompt that sees itself, of which equal beginnings are not enough; else None."""
    return block_key(b"", list(prompt.token_ids), prompt.media).hex() if prompt.sees_itself else None


def tags_key(tags: Tags) -> bytes:
    """Return the key that a chain starts from. Other kinds, values or order give another key."""
    return hashlib.sha256(b"tags" + json.dumps(tags).encode()).digest()


def block_key(parent: bytes, token_ids: list[int], media: Sequence[Media] = ()) -> bytes:
    """Return the key of a full block.

    parent: the key of the block before, or of the tags. token_ids: the block's tokens, each below 2^32.
    media: the media whose placeholders the block holds, with their positions in the prompt.
    """
    contents = hashlib.sha256(b"block" + parent + struct.pack(f"<{len(token_ids)}I", *token_ids))
    for one in media:
        contents.update(struct.pack("<QQQ", one.position, one.num_tokens, len(one.digest)) + one.digest)
    return contents.digest()


class BlockKeys:
    """The keys of one sequence's full blocks, computed once each as its tokens come."""

    __slots__ = ("_block_size", "_keys", "_media", "_root", "_tags")

    def __init__(self, tags: Tags, block_size: int, media: Sequence[Media] = ()) -> None:
        """Start without keys. media: the prompt's media, by position."""
        self._tags = tags
        self._root = tags_key(tags)
        self._block_size = block_size
        self._media = tuple(media)
        self._keys: list[bytes] = []

    def of(self, token_ids: list[int], num_blocks: int) -> list[bytes]:
        """Return the keys of the first `num_blocks` blocks, all full.

        token_ids: the sequence's tokens, which may only grow between calls.
        """
        for place in range(len(self._keys), num_blocks):
            parent = self._keys[-1] if self._keys else self._root
            start = place * self._block_size
            end = start + self._block_size
            self._keys.append(block_key(parent, token_ids[start:end], self._within(start, end)))
        return self._keys[:num_blocks]

    def stored(self, token_ids: list[int], place: int) -> StoredBlock:
        """Return the block at `place`, whose key has been asked for, as a record of the cache has it."""
        start = place * self._block_size
        end = start + self._block_size
        tags = dict(self._tags)
        roots = () if place else tuple(tags[kind] for kind in ("salt", "prompt") if kind in tags)
        media = tuple((one.digest.hex(), one.position - start) for one in self._within(start, end))
        return StoredBlock(
            self._keys[place],
            self._keys[place - 1] if place else None,
            tuple(token_ids[start:end]),
            tags.get("adapter"),
            (*media, *roots),
        )

    def _within(self, start: int, end: int) -> list[Media]:
        """Return the media that have a placeholder among the tokens from `start` to `end`."""
        return [one for one in self._media if one.position < end and one.end > start]

    def beside(self, tags: Tags) -> "BlockKeys":
        """Return new keys for the same media, under these tags."""
        return BlockKeys(tags, self._block_size, self._media)

    @property
    def tags(self) -> Tags:
        return self._tags

    @property
    def media(self) -> tuple[Media, ...]:
        """The media of the prompt, by position."""
        return self._media

    def fork(self, num_tokens: int | None = None) -> "BlockKeys":
        """Return a copy for a sequence of the same tags and tokens, or of the first `num_tokens` of these."""
        num_blocks = None if num_tokens is None else num_tokens // self._block_size
        child = BlockKeys((), self._block_size, self._media)
        child._tags, child._root, child._keys = self._tags, self._root, self._keys[:num_blocks]
        return child
