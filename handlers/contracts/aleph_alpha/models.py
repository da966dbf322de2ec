"""The models of the server, which are one under each of its names."""

from generated.aleph_alpha import models as m
from handlers.served_model.served_model import ServedModel


def model_version(shared: ServedModel) -> str:
    """Return the model's name, and its revision if it has one."""
    revision = shared.model_info.revision
    return shared.model_names.served + (f"@{revision}" if revision else "")


class Models:
    """Lists the model under each of its names."""

    def __init__(self, shared: ServedModel) -> None:
        self._names = shared.model_names.own
        self._description = f"{self._names[0]}, served by Verbatim"
        self._max_context_size = shared.model_info.max_total_tokens
        self._can_chat = shared.chat.has_template

    def available(self) -> m.AvailableModels:
        return [
            m.AvailableModel(
                name=name,
                description=self._description,
                max_context_size=self._max_context_size,
                hostings=[],
                image_support=False,
                qa_support=False,
                summarization_support=False,
                embedding_types=[],
                maximum_completion_tokens=self._maximum_completion_tokens,
                aligned=self._can_chat,
            )
            for name in self._names
        ]

    def settings(self) -> m.ModelSettingsList:
        return [
            m.ModelSettings(
                name=name,
                status="available",
                description=self._description,
                multimodal=False,
                max_context_size=self._max_context_size,
                completion_type="full",
                embedding_type="none",
                maximum_completion_tokens=self._maximum_completion_tokens,
                aligned=self._can_chat,
                chat=self._can_chat,
                prompt_template=None,
                model_card=None,
            )
            for name in self._names
        ]

    @property
    def _maximum_completion_tokens(self) -> int:
        """After the shortest prompt, which is one token."""
        return self._max_context_size - 1
