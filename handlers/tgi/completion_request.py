"""Completion requests in neutral terms: one request of the engine for each prompt."""

from uuid import uuid4

from engine.request import GenerationRequest, StopConditions
from engine.tokenizer import Tokenizer
from generated.tgi import models as m
from handlers.seed import draw_seed
from handlers.tgi.chat_request import stop_texts
from handlers.tgi.errors import SuffixRefused
from handlers.tgi.limits import Limits
from handlers.tgi.request import encode_prompt
from handlers.tgi.sampling import openai_sampling


def prompts_of(body: m.CompletionRequest, limits: Limits) -> tuple[str, ...]:
    """Raises SuffixRefused, BatchTooLarge or Refused; reads no prompt, so that it is quick."""
    if body.suffix is not None:
        raise SuffixRefused
    prompts = (body.prompt,) if isinstance(body.prompt, str) else tuple(body.prompt)
    limits.check_prompts(len(prompts))
    limits.check_stop(len(stop_texts(body.stop)))
    return prompts


def completion_requests(
    body: m.CompletionRequest, prompts: tuple[str, ...], limits: Limits, tokenizer: Tokenizer
) -> list[GenerationRequest]:
    """In the order of the prompts. Raises PromptTooLong or Refused.

    A client's seed holds for each of them; without one, each draws its own, or equal prompts would be
    answered alike.
    """
    return [
        GenerationRequest(
            request_id=uuid4().hex,
            prompt_token_ids=prompt,
            sampling=openai_sampling(body, draw_seed() if body.seed is None else body.seed),
            stopping=StopConditions(
                max_tokens=limits.new_tokens(len(prompt), body.max_tokens), stop=stop_texts(body.stop)
            ),
        )
        for prompt in (encode_prompt(tokenizer, text) for text in prompts)
    ]
