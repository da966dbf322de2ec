"""The number of tokens that a request took."""

from collections.abc import Sequence

import msgspec


class ChatUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Token counts of a request, over all its answers.

    num_cached_tokens: the number of prompt tokens that were not computed again.
    num_audio_tokens: the number of prompt tokens that stand for sound.
    num_completion_tokens: the number of generated tokens, end tokens counted.
    num_reasoning_tokens: the number of generated tokens that were thoughts.
    """

    num_prompt_tokens: int
    num_cached_tokens: int = 0
    num_audio_tokens: int = 0
    num_completion_tokens: int = 0
    num_reasoning_tokens: int = 0

    @classmethod
    def sum(cls, counts: Sequence["ChatUsage"]) -> "ChatUsage":
        """Return the counts of several requests together."""
        fields = cls.__struct_fields__
        return cls(**{field: sum(getattr(one, field) for one in counts) for field in fields})
