"""A contract of a language model: the parts of it that depend on what the engine can do."""

from collections.abc import Mapping
from typing import ClassVar

from verbatim_kit.runtime.contract import Contract


class ModelContract(Contract):
    """A contract, and which of its fields and operations need an engine that has them.

    engine_fields: this contract's names of the fields of `engine.port.info.capabilities`, where they differ.
    embedding_operations: ids of the operations that need an engine that makes embeddings.
    transcription_operations: ids of the operations that need a model that writes down speech.
    chat_operations: ids of the operations that answer conversations.
    """

    engine_fields: ClassVar[Mapping[str, str]] = {}
    embedding_operations: ClassVar[frozenset[str]] = frozenset()
    transcription_operations: ClassVar[frozenset[str]] = frozenset()
    chat_operations: ClassVar[frozenset[str]] = frozenset()
