"""The engine's errors.

EngineError
├── InvalidRequest          the request can never run on this model; the client can mend it
│   ├── PromptTooLong       prompt + max_tokens exceed the context, or the prompt alone does
│   ├── InvalidToken        a token id outside the vocabulary
│   ├── InvalidGrammar      a schema, regex or grammar that does not compile, or is over its bounds
│   ├── InvalidMedia        an image, a sound or a video that cannot be read, or that is over its bounds
│   ├── UnknownAdapter      no adapter of that name is loaded
│   └── NotCapable          this engine lacks a feature that the request asks for
├── GenerationFailed        the model or its batch failed while the request ran
│   ├── EngineDied          a bug or a library ended the engine's thread; every request fails from then on
│   ├── NotFinite           the model computed NaN or infinity for the request
│   └── NoTokenLeft         the request's options rule out every token, which was not known before it ran
├── EngineBusy              no room for the request now; the same request may succeed later
├── RequestAborted          somebody else aborted the request while it ran
│   └── ReaderTooSlow       more of its events were waiting to be read than are kept
├── EngineStopped           the engine drains or has stopped; no new request is taken
├── ModelNotSupported       raised while loading, never for a request
│   └── NoPagedAttention    paged attention cannot serve the model; the fallback path may
├── CannotPublish           likewise, where KV events are asked for and cannot be published
├── CannotLoadAdapter       likewise, or while loading an adapter later: its files cannot be served
├── LibrariesMissing        likewise, where what computes is not installed, as for a front over other servers
└── KernelsMissing          likewise, where compiled code is required that could be had and is not in use
"""

_MOST = 2**63 - 1


class EngineError(Exception):
    """The base of the errors that the engine raises on purpose."""


class InvalidRequest(EngineError):
    """The request can never run on this model."""


class PromptTooLong(InvalidRequest):
    """The prompt and the requested tokens do not fit the context.

    Attributes are token counts, so that a contract can word its own message. max_tokens: at most _MOST, since
        Python writes no integer of thousands of digits.
    """

    def __init__(
        self, num_prompt_tokens: int, max_tokens: int, max_total_tokens: int, *, is_exact: bool = True
    ) -> None:
        """Write the message.

        is_exact: False if `num_prompt_tokens` is a lower bound, since not all tokens were counted.
        """
        max_tokens = min(max_tokens, _MOST)
        self._at_least = "" if is_exact else "at least "
        super().__init__(
            f"prompt of {self.counted(num_prompt_tokens)} tokens and max_tokens {max_tokens} "
            f"exceed the limit of {max_total_tokens} tokens in total"
        )
        self.num_prompt_tokens = num_prompt_tokens
        self.max_tokens = max_tokens
        self.max_total_tokens = max_total_tokens

    def counted(self, num_tokens: int) -> str:
        """Return the text of a number that includes the prompt's tokens, such as "at least 9000"."""
        return f"{self._at_least}{num_tokens}"


class InvalidToken(InvalidRequest):
    """A token id outside the model's vocabulary."""


class InvalidGrammar(InvalidRequest):
    """A schema, regex or grammar that does not compile.

    begin: the beginnings of the structural tags that hold the fault, such as a call of one tool; else empty.
    """

    def __init__(self, message: str, begin: str = "") -> None:
        super().__init__(message)
        self.begin = begin


class InvalidMedia(InvalidRequest):
    """A file in a prompt that cannot be read, or that is over its bounds.

    index: its place among the prompt's files. reason: what is wrong with it, for the client.
    """

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"media item {index}: {reason}")
        self.index = index
        self.reason = reason


class UnknownAdapter(InvalidRequest):
    """No adapter of that name is loaded. name: as the request has it; it may hold any character."""

    def __init__(self, name: str) -> None:
        super().__init__(f"adapter {name!r} is not loaded")
        self.name = name


class NotCapable(InvalidRequest):
    """This engine lacks a feature. parameter: the field of the neutral request that asks for it."""

    def __init__(self, parameter: str) -> None:
        super().__init__(f"{parameter} is not supported by the engine of this server")
        self.parameter = parameter


class GenerationFailed(EngineError):
    """The model or the batch failed while the request ran."""


class EngineDied(GenerationFailed):
    """The engine's thread has ended by an exception, which is in the log."""

    def __init__(self) -> None:
        super().__init__("the engine died")


class NotFinite(GenerationFailed):
    """The model computed NaN or infinity for the request."""


class NoTokenLeft(GenerationFailed):
    """The request's options together rule out every token, or its grammar takes too long to follow."""


class EngineBusy(EngineError):
    """Others keep what the request needs before it can run; trying again later may succeed.

    retry_after_s: seconds until then, where whatever keeps it has named them.
    """

    retry_after_s: float | None = None


class RequestAborted(EngineError):
    """`AsyncEngine.abort` was called while the request ran."""


class ReaderTooSlow(RequestAborted):
    """The request's events came faster than they were read, and more of them waited than are kept."""


class EngineStopped(EngineError):
    """The engine drains or has stopped."""


class ModelNotSupported(EngineError):
    """The model directory cannot be served; the message names what is missing."""


class NoPagedAttention(ModelNotSupported):
    """The model cannot attend over pages; the message says why. Its own cache may serve it."""


class CannotPublish(EngineError):
    """KV events cannot be published at the endpoint that the configuration names."""

    def __init__(self, endpoint: str, reason: str) -> None:
        super().__init__(f"KV events cannot be published at {endpoint}: {reason}")


class CannotLoadAdapter(EngineError):
    """An adapter cannot be loaded; the message names the field of its configuration, or its tensor."""


class LibrariesMissing(EngineError):
    """Libraries that compute are not installed; the message names them and the command that adds them."""


class KernelsMissing(EngineError):
    """Compiled code is required; the message names what of it could be used and is not, and why."""


def one_line(error: Exception) -> str:
    """Return the text of another library's exception on one line, to be part of a message."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
