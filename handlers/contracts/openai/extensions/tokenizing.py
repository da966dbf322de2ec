"""The operations `/tokenize` and `/detokenize`, as vLLM has them."""

from functools import partial
from typing import Final

import orjson

from generated.openai import models as m
from handlers.contracts.openai.chat.operation import Chat
from handlers.contracts.openai.errors import to_problem
from handlers.contracts.openai.prompts import check_prompt_ids
from handlers.served_model.served_model import ServedModel
from verbatim_kit.errors import Refused, mapped_errors
from verbatim_kit.runtime.operation import EncodedAnswer

_OF_MESSAGES: Final = (
    "add_generation_prompt",
    "continue_final_message",
    "chat_template_kwargs",
    "tools",
)


class Tokens:
    """Writes texts and conversations as tokens, and tokens as texts."""

    def __init__(self, shared: ServedModel, chat: Chat) -> None:
        self._shared = shared
        self._chat = chat

    async def tokenize(self, body: m.TokenizeRequest) -> EncodedAnswer:
        """Return the tokens of a prompt or of a conversation.

        Raises the contract's problem for a request of neither a prompt nor messages, or of both.
        """
        field = "prompt" if body.messages is None else "messages"
        with mapped_errors(partial(to_problem, prompt_field=field)):
            _check_parts(body)
            names = self._shared.model_names
            names.resolve(body.model or names.served)
            token_ids = await self._token_ids(body)
            shows_texts = body.return_token_strs is True
            return await self._shared.workers.write(len(token_ids), self._answer, token_ids, shows_texts)

    async def detokenize(self, body: m.DetokenizeRequest) -> EncodedAnswer:
        """Return the text of tokens. Raises the contract's problem for a token outside of the vocabulary."""
        shared = self._shared
        with mapped_errors(partial(to_problem, prompt_field="tokens")):
            shared.model_names.resolve(body.model or shared.model_names.served)
            check_prompt_ids(body.tokens, "tokens", shared.model_info.vocab_size)
            return await shared.workers.write(len(body.tokens), self._text, body.tokens)

    async def _token_ids(self, body: m.TokenizeRequest) -> list[int]:
        shared = self._shared
        if body.messages is None:
            text = body.prompt or ""
            adds_special = body.add_special_tokens is not False
            return await shared.workers.tokenize(
                len(text), shared.tokenizer.encode, text, add_special_tokens=adds_special
            )
        chat = m.CreateChatCompletionRequest.model_construct(
            model=shared.model_names.served,
            messages=body.messages,
            tools=body.tools or None,
            add_special_tokens=body.add_special_tokens,
            add_generation_prompt=body.add_generation_prompt,
            continue_final_message=body.continue_final_message,
            chat_template_kwargs=body.chat_template_kwargs,
        )
        return list((await self._chat.prepare(chat)).request.prompt.token_ids)

    def _answer(self, token_ids: list[int], shows_texts: bool) -> EncodedAnswer:
        answer: dict[str, object] = {
            "count": len(token_ids),
            "max_model_len": self._shared.model_info.max_total_tokens,
            "tokens": token_ids,
            "token_strs": None,
        }
        if shows_texts:
            answer["token_strs"] = self._shared.tokenizer.token_names(token_ids)
        return EncodedAnswer(orjson.dumps(answer))

    def _text(self, token_ids: list[int]) -> EncodedAnswer:
        text = self._shared.tokenizer.decode(token_ids, skip_special_tokens=False)
        return EncodedAnswer(orjson.dumps({"prompt": text}))


def _check_parts(body: m.TokenizeRequest) -> None:
    if body.prompt is None and body.messages is None:
        raise Refused("One of 'prompt' and 'messages' is needed.", "prompt")
    if body.prompt is not None and body.messages is not None:
        raise Refused("'prompt' and 'messages' cannot be sent together.", "messages")
    if body.messages is None:
        for field in _OF_MESSAGES:
            if getattr(body, field) is not None:
                raise Refused(f"'{field}' is only allowed with 'messages'.", field)
