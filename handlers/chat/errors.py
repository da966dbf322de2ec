"""The chat core's errors. The client can mend each of them, and each names the field at fault.

ChatError, a Refused
├── InvalidMessage          a message that no conversation can hold where it stands
├── UnsupportedContent      an image, sound or file for a model that reads text alone
├── TemplateError           the model has no chat template, or it refused the conversation
├── ToolError               a tool or a tool choice that cannot be honoured
│   ├── UnknownTool         the choice names a function that is not among the tools
│   └── ToolsWithResponseFormat     raised by contracts whose rules exclude the two together
├── InvalidResponseFormat   a response format that is no JSON Schema
└── NotStrict               a schema outside of the subset that a contract's `strict` asks for
"""

from verbatim_kit.errors import Refused, Violation


class ChatError(Refused):
    """The base of the errors that the chat core raises on purpose.

    field: the place in the neutral request, such as `messages[2].content[0]`. Contracts use the same paths,
        with their own names of fields.
    """


class InvalidMessage(ChatError):
    """A message that no conversation can hold where it stands."""


class UnsupportedContent(ChatError):
    """Content of a kind that the model cannot read."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message, field, Violation.UNSUPPORTED_VALUE)


class TemplateError(ChatError):
    """The model has no chat template, or rendering it failed."""


class ToolError(ChatError):
    """A tool or a tool choice that cannot be honoured."""


class UnknownTool(ToolError):
    """The tool choice names a function that is not among the tools.

    name: the name of that function.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            f"tool_choice names {name!r}, which is not among the tools",
            "tool_choice",
            Violation.UNSUPPORTED_VALUE,
        )
        self.name = name


class ToolsWithResponseFormat(ToolError):
    """Both tools and a response format. The core can serve them together; some contracts say that it must
    not.
    """

    def __init__(self) -> None:
        super().__init__("Grammar and tools are mutually exclusive", "response_format")


class InvalidResponseFormat(ChatError):
    """A response format that is no JSON Schema. Whether a schema can be served is the engine's to say."""


class NotStrict(ChatError):
    """A schema outside of the subset that a contract's `strict` asks for; raised for contracts that ask."""
