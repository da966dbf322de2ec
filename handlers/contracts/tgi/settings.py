"""The settings of TGI's contract and of Hugging Face's hosted API."""

from typing import Annotated

from pydantic import Field

from handlers.shared_settings.kinds import Count, env
from handlers.shared_settings.section import Section


class TgiSettings(Section):
    """The limits of requests, the watermark, and the name of the device in response headers."""

    max_best_of: Annotated[Count, env("VERBATIM_MAX_BEST_OF", "MAX_BEST_OF")] = 2
    """Maximum best_of in TGI's contract; OpenAI's contract has its own limit."""

    max_stop_sequences: Annotated[
        int, env("VERBATIM_MAX_STOP_SEQUENCES", "MAX_STOP_SEQUENCES"), Field(ge=0)
    ] = 4
    """Maximum number of stop strings in TGI's contract, which limits them to 4."""

    max_top_n_tokens: Annotated[int, env("VERBATIM_MAX_TOP_N_TOKENS", "MAX_TOP_N_TOKENS"), Field(ge=0)] = 5
    """Maximum top_n_tokens or top_logprobs in TGI's contract, which limits those of chats to 5."""

    max_client_batch_size: Annotated[
        Count, env("VERBATIM_MAX_CLIENT_BATCH_SIZE", "MAX_CLIENT_BATCH_SIZE")
    ] = 4
    """Maximum number of prompts in a completions request of TGI's contract."""

    watermark_gamma: Annotated[
        float, env("VERBATIM_WATERMARK_GAMMA", "WATERMARK_GAMMA"), Field(gt=0, lt=1)
    ] = 0.5
    """Fraction of the vocabulary that the watermark favours."""

    watermark_delta: Annotated[
        float, env("VERBATIM_WATERMARK_DELTA", "WATERMARK_DELTA"), Field(allow_inf_nan=False)
    ] = 2.0
    """Value that the watermark adds to the logits of favoured tokens."""

    compute_type: Annotated[str | None, env("VERBATIM_COMPUTE_TYPE", "COMPUTE_TYPE")] = None
    """Value of the x-compute-type response header; defaults to the device's name."""
