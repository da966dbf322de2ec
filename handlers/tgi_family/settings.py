"""The settings of TGI's and Hugging Face's contracts alone."""

from typing import Annotated

from pydantic import Field

from handlers.shared_settings.kinds import Count, env
from handlers.shared_settings.section import Section


class TgiFamilySettings(Section):
    """Bounds of requests, the watermark, and the name of the device in response headers."""

    max_best_of: Annotated[Count, env("VERBATIM_MAX_BEST_OF", "MAX_BEST_OF")] = 2
    """Largest best_of that TGI's contract takes; OpenAI's has its own bound."""

    max_stop_sequences: Annotated[
        int, env("VERBATIM_MAX_STOP_SEQUENCES", "MAX_STOP_SEQUENCES"), Field(ge=0)
    ] = 4
    """Most stop strings that TGI's contract takes, whose own bound of 4 comes first."""

    max_top_n_tokens: Annotated[int, env("VERBATIM_MAX_TOP_N_TOKENS", "MAX_TOP_N_TOKENS"), Field(ge=0)] = 5
    """Largest top_n_tokens or top_logprobs that TGI's contract takes, whose chat has a bound of 5."""

    max_client_batch_size: Annotated[
        Count, env("VERBATIM_MAX_CLIENT_BATCH_SIZE", "MAX_CLIENT_BATCH_SIZE")
    ] = 4
    """Most prompts of one completions request under TGI's contract."""

    watermark_gamma: Annotated[
        float, env("VERBATIM_WATERMARK_GAMMA", "WATERMARK_GAMMA"), Field(gt=0, lt=1)
    ] = 0.5
    """Share of the vocabulary that a watermark favours."""

    watermark_delta: Annotated[
        float, env("VERBATIM_WATERMARK_DELTA", "WATERMARK_DELTA"), Field(allow_inf_nan=False)
    ] = 2.0
    """Amount that a watermark adds to the logits of favoured tokens."""

    compute_type: Annotated[str | None, env("VERBATIM_COMPUTE_TYPE", "COMPUTE_TYPE")] = None
    """Value of the x-compute-type response header; defaults to the device's name."""
